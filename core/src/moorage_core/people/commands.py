"""Use cases of accounts and tokens. Signing in is in `signin`, passwords in `own_password`."""

from datetime import timedelta

from moorage_core.access import residents
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import (
    authorize,
    authorize_self,
    hidden,
    missing,
    platform,
    sees,
)
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.context import Context
from moorage_core.entitlements import commands as entitlements
from moorage_core.errors import Unauthenticated
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.http import etag
from moorage_core.http.principal_cache import topic
from moorage_core.kit import pagination, tokens
from moorage_core.kit.db import Scope, org_scope
from moorage_core.kit.ids import PLATFORM_ORG, AccessTokenId, UserId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.people import rules, store
from moorage_core.people.models import AccessToken, Session, User
from moorage_core.people.schemas import AccessTokenCreate, UserCreate, UserUpdate
from moorage_core.platform import Platform
from moorage_core.tenancy import memberships

ReasonRequired = rules.ReasonRequired
TokenTooLong = rules.TokenTooLong


# Who a credential proves


async def find_session_principal(at: Platform, token: str) -> Principal | None:
    """The person of a session, unless it ended, expired or lay idle."""
    now = at.clock.now()
    async with at.database.transaction(Scope(), patient=True) as db:
        row = await store.find_session_principal(db, token_hash=tokens.digest(token), now=now)
        if row is None or rules.is_idle(
            row["seen_at"], now=now, idle=at.settings.identity.session_idle
        ):
            return None
        if now - row["seen_at"] > rules.SEEN_EVERY:
            await db.set_scope(Scope(principal=row["user_id"]))
            await store.touch_session(db, row["session_id"], now=now)
    who = rules.person(row["user_id"], row["name"], row["grants"], credential=row["session_id"])
    return Principal(who.kind, who.id, who.name, who.grants, who.own, who.credential, cookie=True)


async def find_access_token_principal(at: Platform, token: str) -> Principal | None:
    """The person of a personal token, with no more than the token's share of their rights."""
    async with at.database.alone(patient=True) as db:
        row = await store.find_access_token_principal(
            db, token_hash=tokens.digest(token), now=at.clock.now()
        )
    if row is None:
        return None
    who = rules.person(row["user_id"], row["name"], row["grants"], credential=row["token_id"])
    return Principal(
        who.kind,
        who.id,
        who.name,
        who.narrowed(row["permissions"], org=row["org_id"], project=row["project_id"]),
        rules.token_own(row, who.own),
        who.credential,
        restricted_by=row["token_id"] if rules.is_restricted(row) else None,
        until=row["expires_at"],
    )


# Accounts


async def create_user(ctx: Context, new: UserCreate) -> User:
    """An account without a password: a one-time code or a sign-in provider opens it."""
    authorize(ctx, Permission.IAM_USER_CREATE, platform())
    user = await store.add_user(
        ctx.db, id=UserId.new(), email=new.email, name=new.name, now=ctx.now
    )
    if user is None:
        raise rules.EmailTaken(f"There is an account for {new.email} already.")
    record_user(ctx, Permission.IAM_USER_CREATE, registry.USER_CREATED, user)
    return user


async def list_users(ctx: Context, page: PageRequest) -> Page[User]:
    authorize(ctx, Permission.IAM_USER_READ, platform())
    return pagination.page(await store.list_users(ctx.db, page), page, key=lambda user: user.id)


async def get_user(ctx: Context, id: str) -> User:
    return await _user(ctx, id, Permission.IAM_USER_READ, lock=False)


async def update_user(ctx: Context, id: str, change: UserUpdate, *, expected: int) -> User:
    """Rename, disable or enable.

    A disabled person is out within seconds, sessions and tokens included.
    """
    user = await _user(ctx, id, Permission.IAM_USER_UPDATE, lock=True)
    etag.check("user", id, have=user.version, expected=expected)
    if change.disabled and id == ctx.principal.id:
        raise rules.OwnAccount("You cannot disable the account that you are using.")
    if change.disabled:
        await memberships.check_platform_keeps_admin(ctx, without=id)
    user = await store.update_user(
        ctx.db, id, name=change.name, disabled=change.disabled, now=ctx.now
    )
    ctx.topics |= {topic(id), "memberships"}
    if change.disabled is not None:
        await residents.person_changed(ctx, id)
    record_user(ctx, Permission.IAM_USER_UPDATE, registry.USER_UPDATED, user)
    return user


async def issue_password_code(ctx: Context, id: str, *, reason: str | None) -> tuple[User, str]:
    """A one-time code with which the person sets a password. Replaces an earlier one.

    Break-glass where it opens an account that works in tenants: they see who did it and why.
    """
    user = await _user(ctx, id, Permission.IAM_USER_RESET_PASSWORD, lock=True)
    orgs = await check_reach(ctx, user.id, reason=reason)
    code = await put_code(ctx, id)
    user = await store.update_user(ctx.db, id, name=None, disabled=None, now=ctx.now)
    # The answer of this request is stored under the caller's own name.
    await ctx.db.set_scope(ctx.principal.scope)
    await record_code(ctx, user, orgs=orgs, reason=reason)
    return user, code


async def put_code(ctx: Context, id: str) -> str:
    """A new code for the person, through whose eyes the transaction sees from here on."""
    code = tokens.new(tokens.PASSWORD_CODE)
    await ctx.db.set_scope(org_scope(PLATFORM_ORG, principal=id))
    expires_at = ctx.now + rules.CODE_LIFETIME
    await store.put_code(ctx.db, id, code_hash=tokens.digest(code), expires_at=expires_at)
    return code


async def record_code(ctx: Context, user: User, *, orgs: list[str], reason: str | None) -> None:
    """Note that a code was issued, in the open where it reaches into orgs."""
    action = Permission.IAM_USER_RESET_PASSWORD
    if orgs and reason is not None:
        await record_reach(ctx, action, user.id, version=user.version, orgs=orgs, reason=reason)
        publish_user(ctx, registry.USER_PASSWORD_RESET, user)
    else:
        record_user(ctx, action, registry.USER_PASSWORD_RESET, user)


async def check_reach(ctx: Context, id: str, *, reason: str | None) -> list[str]:
    """The orgs that whoever opens this account reaches into. Refused there without a reason."""
    user = await store.find_user(ctx.db, id)
    if user is None:
        raise hidden("user", id)
    orgs = await store.list_orgs_behind(ctx.db, id)
    rules.check_reason(user.email, orgs, reason)
    return orgs


async def record_reach(
    ctx: Context, action: str, user: str, *, version: int, orgs: list[str], reason: str
) -> None:
    """The platform opened an account that works in these orgs: note why, and tell each of them."""
    audit.record_break_glass(ctx, action, user, org=PLATFORM_ORG, reason=reason)
    scope = ctx.principal.scope.with_org(PLATFORM_ORG)
    for org in orgs:
        scope = scope.with_org(org)
        data = registry.BreakGlass(action=action, target=user, reason=reason)
        event = registry.BREAK_GLASS_USED
        events.publish(ctx, event, data, subject=user, version=version, org=org)
    # Comes last: from here on nothing but the records is written.
    await ctx.db.set_scope(scope)


# Sessions and tokens of the caller


async def list_sessions(ctx: Context, page: PageRequest) -> Page[Session]:
    authorize_self(ctx, Permission.IAM_SELF_READ)
    rows = await store.list_sessions(ctx.db, ctx.principal.id, page, now=ctx.now)
    return pagination.page(rows, page, key=lambda session: session.id)


async def end_session(ctx: Context, id: str) -> None:
    authorize_self(ctx, Permission.IAM_SELF_MANAGE)
    if not await store.end_session(ctx.db, ctx.principal.id, id, now=ctx.now):
        raise hidden("session", id)
    await _record_credential(ctx, registry.SESSION_ENDED, id, version=2)


async def create_access_token(ctx: Context, new: AccessTokenCreate) -> tuple[AccessToken, str]:
    """A token that can do what its owner can, or less."""
    authorize_self(ctx, Permission.IAM_SELF_MANAGE)
    check_token_lifetime(ctx.platform, new.expires_in)
    expires_at = ctx.now + timedelta(seconds=new.expires_in)
    if ctx.principal.until is not None and expires_at > ctx.principal.until:
        raise rules.TokenTooLong(
            f"A token made with a token ends with it, at {ctx.principal.until.isoformat()}. "
            "Sign in to make one that lives longer."
        )
    org, project = await _place(ctx, new)
    token = AccessToken(
        id=AccessTokenId.new(),
        user_id=ctx.principal.id,
        parent_id=await _parent(ctx),
        name=new.name,
        permissions=None if new.permissions is None else sorted(set(new.permissions)),
        org_id=org,
        project_id=project,
        created_at=ctx.now,
        expires_at=expires_at,
        revoked_at=None,
    )
    return token, await _issue(ctx, token)


async def issue_access_token(
    ctx: Context, *, name: str, expires_in: int
) -> tuple[AccessToken, str]:
    """A token for the context's principal, who approved that somebody else gets it."""
    token = AccessToken(
        id=AccessTokenId.new(),
        user_id=ctx.principal.id,
        parent_id=None,
        name=name,
        permissions=None,
        org_id=None,
        project_id=None,
        created_at=ctx.now,
        expires_at=ctx.now + timedelta(seconds=expires_in),
        revoked_at=None,
    )
    return token, await _issue(ctx, token)


def check_token_lifetime(at: Platform, seconds: int) -> None:
    longest = int(at.settings.identity.access_token_lifetime_max.total_seconds())
    if seconds > longest:
        raise rules.TokenTooLong(f"A token may live {longest} seconds at most.")


async def _issue(ctx: Context, token: AccessToken) -> str:
    """Keep a token; its secret is told once."""
    secret = tokens.new(tokens.ACCESS_TOKEN)
    await store.add_access_token(ctx.db, token, token_hash=tokens.digest(secret))
    await _record_credential(ctx, registry.ACCESS_TOKEN_CREATED, token.id, version=1)
    return secret


async def list_access_tokens(ctx: Context, page: PageRequest) -> Page[AccessToken]:
    authorize_self(ctx, Permission.IAM_SELF_READ)
    rows = await store.list_access_tokens(ctx.db, ctx.principal.id, page)
    return pagination.page(rows, page, key=lambda token: token.id)


async def revoke_access_token(ctx: Context, id: str) -> None:
    """Revoke a token and all that were made with it: whoever stole one may have made more."""
    authorize_self(ctx, Permission.IAM_SELF_MANAGE)
    me = ctx.principal.id
    await store.get_login_user(ctx.db, me, lock=True)
    revoked = await store.revoke_access_token(ctx.db, me, id, now=ctx.now)
    if id not in revoked:
        raise hidden("access token", id)
    await _record_credential(ctx, registry.ACCESS_TOKEN_REVOKED, id, version=revoked.pop(id))
    publish_revoked(ctx, me, revoked)


async def list_grant_names(ctx: Context) -> dict[str, tuple[str, str]]:
    """Slugs and names of the places where the caller holds keys."""
    authorize_self(ctx, Permission.IAM_SELF_READ)
    scope = ctx.principal.scope
    return await store.list_grant_names(
        ctx.db, orgs=sorted(scope.orgs), projects=sorted(scope.projects)
    )


def record_user(ctx: Context, action: str, event: registry.EventType, user: User) -> None:
    """People belong to the platform: so do the records about them."""
    details = {"email": user.email, "disabled": user.disabled}
    audit.record(ctx, action, user.id, org=PLATFORM_ORG, details=details)
    publish_user(ctx, event, user)


def publish_user(ctx: Context, event: registry.EventType, user: User) -> None:
    data = registry.Person(id=user.id, disabled=user.disabled)
    events.publish(ctx, event, data, subject=user.id, version=user.version, org=PLATFORM_ORG)


def publish_revoked(ctx: Context, owner: str, versions: dict[str, int]) -> None:
    """Tokens that ended with something else, which has the audit entry."""
    for id, version in sorted(versions.items()):
        data = registry.Credential(id=id, owner_id=owner)
        event = registry.ACCESS_TOKEN_REVOKED
        events.publish(ctx, event, data, subject=id, version=version, org=PLATFORM_ORG)


async def _record_credential(
    ctx: Context, event: registry.EventType, id: str, *, version: int
) -> None:
    # The records belong to the platform's org, which the caller's own scope does not hold.
    await ctx.db.set_scope(ctx.principal.scope.with_org(PLATFORM_ORG))
    ctx.topics.add(topic(ctx.principal.id))
    audit.record(ctx, event.type, id, org=PLATFORM_ORG)
    data = registry.Credential(id=id, owner_id=ctx.principal.id)
    events.publish(ctx, event, data, subject=id, version=version, org=PLATFORM_ORG)


async def _parent(ctx: Context) -> str | None:
    """The token that the caller makes a token with; None where the caller signed in."""
    if ctx.principal.until is None:
        return None
    parent = str(ctx.principal.credential)
    if not await store.is_token_live(ctx.db, ctx.principal.id, parent):
        raise Unauthenticated("The token that this request was made with is revoked.")
    return parent


async def _place(ctx: Context, new: AccessTokenCreate) -> tuple[str | None, str | None]:
    """Where the token is to work; refuses places and keys that its owner does not have."""
    org = new.org
    if new.project is not None:
        org = await store.find_project_org(ctx.db, new.project)
        fits = org is not None and new.org in (None, org)
        if not fits or not sees(ctx.principal, org=str(org), project=new.project):
            raise hidden("project", new.project)
    if org is not None and org not in ctx.principal.scope.orgs:
        raise hidden("org", org)
    asked = frozenset(new.permissions or ()) - rules.RESTRICTED_OWN
    of_apps = frozenset(key for key in asked if entitlements.is_app_key(key))
    of_core = asked - of_apps
    lacking = sorted(of_core - {key for grant in ctx.principal.grants for key in grant.permissions})
    if org is not None:
        lacking = missing(ctx.principal, of_core, org=org, project=new.project)
    lacking += await entitlements.missing_app_keys(ctx, of_apps, org=org, project=new.project)
    if lacking:
        raise rules.BeyondOwnRights(f"You do not hold: {', '.join(lacking)}.")
    return org, new.project


async def _user(ctx: Context, id: str, key: str, *, lock: bool) -> User:
    authorize(ctx, key, platform())
    user = await store.find_user(ctx.db, id, lock=lock)
    if user is None:
        raise hidden("user", id)
    return user
