"""Use cases of sign-in providers, and the last step of a sign-in: whose account it is."""

from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import authorize, hidden, platform
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Kind, Principal
from moorage_core.context import Context
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.http import etag
from moorage_core.kit import pagination
from moorage_core.kit.db import org_scope
from moorage_core.kit.ids import PLATFORM_ORG, OidcProviderId, UserId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.oidc import metadata, rules, store
from moorage_core.oidc.models import LinkedUser, LoginProvider, Provider
from moorage_core.oidc.schemas import OidcProviderCreate, OidcProviderUpdate
from moorage_core.people import commands as people
from moorage_core.people import signin
from moorage_core.secrets import commands as custody

PURPOSE = "oidc_client"


# Providers


async def create_provider(ctx: Context, new: OidcProviderCreate) -> Provider:
    """Offer another way to sign in."""
    authorize(ctx, Permission.IAM_OIDC_PROVIDER_CREATE, platform())
    rules.check_room(await store.count(ctx.db))
    secret = new.client_secret.get_secret_value().encode()
    provider = await store.add(
        ctx.db,
        id=OidcProviderId.new(),
        slug=new.slug,
        name=new.name,
        issuer=metadata.check_issuer(new.issuer),
        client_id=new.client_id,
        secret=await custody.put(ctx, secret, purpose=PURPOSE, org=PLATFORM_ORG),
        domains=new.domains,
        enabled=new.enabled,
        now=ctx.now,
    )
    if provider is None:
        raise rules.SlugTaken(f"There is a sign-in provider with the slug {new.slug} already.")
    _record(ctx, Permission.IAM_OIDC_PROVIDER_CREATE, registry.OIDC_PROVIDER_CREATED, provider)
    return provider


async def list_providers(ctx: Context, page: PageRequest) -> Page[Provider]:
    authorize(ctx, Permission.IAM_OIDC_PROVIDER_READ, platform())
    rows = await store.list_providers(ctx.db, page)
    return pagination.page(rows, page, key=lambda provider: provider.id)


async def get_provider(
    ctx: Context, id: str, *, key: str = Permission.IAM_OIDC_PROVIDER_READ, lock: bool = False
) -> Provider:
    authorize(ctx, key, platform())
    provider = await store.find(ctx.db, id, lock=lock)
    if provider is None:
        raise hidden("sign-in provider", id)
    return provider


async def update_provider(
    ctx: Context, id: str, change: OidcProviderUpdate, *, expected: int
) -> Provider:
    """Rename it, switch it on or off, give it another client or other domains."""
    provider = await get_provider(ctx, id, key=Permission.IAM_OIDC_PROVIDER_UPDATE, lock=True)
    etag.check("sign-in provider", id, have=provider.version, expected=expected)
    if change.client_secret is not None:
        secret = change.client_secret.get_secret_value().encode()
        await custody.change(ctx, provider.secret_id, secret, org=PLATFORM_ORG)
    provider = await store.change(
        ctx.db,
        id,
        name=change.name or provider.name,
        client_id=change.client_id or provider.client_id,
        domains=change.domains or provider.domains,
        enabled=provider.enabled if change.enabled is None else change.enabled,
        now=ctx.now,
    )
    _record(ctx, Permission.IAM_OIDC_PROVIDER_UPDATE, registry.OIDC_PROVIDER_UPDATED, provider)
    return provider


async def delete_provider(ctx: Context, id: str, *, expected: int | None) -> None:
    """Remove it with its secret and its links. Accounts and open sessions stay."""
    provider = await get_provider(ctx, id, key=Permission.IAM_OIDC_PROVIDER_DELETE, lock=True)
    etag.check("sign-in provider", id, have=provider.version, expected=expected)
    await store.delete(ctx.db, id)
    await custody.remove(ctx, provider.secret_id, org=PLATFORM_ORG)
    action = Permission.IAM_OIDC_PROVIDER_DELETE
    _record(ctx, action, registry.OIDC_PROVIDER_DELETED, provider, step=1)


async def link_user(ctx: Context, id: str, user: str, *, subject: str, reason: str | None) -> None:
    """Let an identity of the provider open an account, in the place of any before.

    Break-glass where the account works in tenants: they see who did it and why.
    """
    provider = await get_provider(ctx, id, key=Permission.IAM_OIDC_PROVIDER_UPDATE)
    # It opens the account, as a new password would.
    authorize(ctx, Permission.IAM_USER_RESET_PASSWORD, platform())
    holder = await store.find_user(ctx.db, provider=id, subject=subject)
    if holder is not None and holder.id != user:
        raise rules.LinkedToAnother(
            f"The identity {subject} of {provider.name} opens the account {holder.id}. Unlink "
            "that one first."
        )
    orgs = await people.check_reach(ctx, user, reason=reason)
    version = await store.relink(ctx.db, provider=id, subject=subject, user=user, now=ctx.now)
    if version is None:
        raise hidden("user", user)
    details = {"provider": provider.slug, "subject": subject}
    action = Permission.IAM_OIDC_PROVIDER_UPDATE
    _publish_link(ctx, registry.OIDC_IDENTITY_LINKED, id, user, version=version)
    if orgs and reason is not None:
        await people.record_reach(ctx, action, user, version=version, orgs=orgs, reason=reason)
    else:
        audit.record(ctx, action, user, org=PLATFORM_ORG, details=details)


async def unlink_user(ctx: Context, id: str, user: str) -> None:
    """Forget which identity of the provider opens an account."""
    provider = await get_provider(ctx, id, key=Permission.IAM_OIDC_PROVIDER_UPDATE)
    version = await store.unlink(ctx.db, provider=id, user=user, now=ctx.now)
    if version is None:
        raise hidden("identity of user", user)
    details = {"provider": provider.slug}
    action = Permission.IAM_OIDC_PROVIDER_UPDATE
    audit.record(ctx, action, user, org=PLATFORM_ORG, details=details)
    _publish_link(ctx, registry.OIDC_IDENTITY_UNLINKED, id, user, version=version)


# Signing in


async def list_choices(ctx: Context) -> list[LoginProvider]:
    """What the login page offers."""
    return await store.list_login_providers(ctx.db)


async def sign_in(
    ctx: Context,
    provider: LoginProvider,
    *,
    subject: str,
    profile: rules.Profile,
    user_agent: str,
) -> signin.Opened:
    """Open a session for whoever the identity is; the first time, make or link their account."""
    user = await store.find_user(ctx.db, provider=provider.id, subject=subject)
    if user is None:
        user = await _link(ctx, provider, subject=subject, profile=profile)
    if user.disabled_at is not None:
        raise rules.AccountDisabled(user)
    # From here on the records are about what this person does.
    ctx.principal = Principal(Kind.USER, user.id, user.name, credential=provider.id)
    await ctx.db.set_scope(org_scope(PLATFORM_ORG, principal=user.id))
    return await signin.open_session(ctx, user_agent=user_agent)


async def _link(
    ctx: Context, provider: LoginProvider, *, subject: str, profile: rules.Profile
) -> LinkedUser:
    email = rules.check_email(profile, provider=provider.name)
    rules.check_domain(email, provider)
    new_id = UserId.new()
    person = await store.ensure_user(
        ctx.db, new_id=new_id, email=email, name=profile.name, now=ctx.now
    )
    if person != new_id:
        standing = await store.get_standing(ctx.db, person, provider=provider.id)
        rules.check_standing(standing, email, provider, subject)
    version = await store.link(
        ctx.db, provider=provider.id, subject=subject, user=person, now=ctx.now
    )
    # Another request of the same browser may have linked it a moment ago.
    user = await store.find_user(ctx.db, provider=provider.id, subject=subject)
    if user is None:
        raise rules.LinkedToAnother(
            f"The account of {email} is linked to another identity of {provider.name}. If it is "
            "yours, ask a platform admin to unlink it, then sign in again."
        )
    if person == new_id:
        _record_new_person(ctx, person, email=email)
    if version is not None:
        _record_link(ctx, provider, person, version=version)
    return user


def _record_new_person(ctx: Context, person: str, *, email: str) -> None:
    details = {"email": email, "disabled": False}
    audit.record(ctx, Permission.IAM_USER_CREATE, person, org=PLATFORM_ORG, details=details)
    data = registry.Person(id=person, disabled=False)
    events.publish(ctx, registry.USER_CREATED, data, subject=person, version=1, org=PLATFORM_ORG)


def _record_link(ctx: Context, provider: LoginProvider, person: str, *, version: int) -> None:
    event = registry.OIDC_IDENTITY_LINKED
    details = {"provider": provider.slug}
    audit.record(ctx, event.type, person, org=PLATFORM_ORG, details=details)
    _publish_link(ctx, event, provider.id, person, version=version)


def _publish_link(
    ctx: Context, event: registry.EventType, provider: str, user: str, *, version: int
) -> None:
    data = registry.Identity(user_id=user, provider_id=provider)
    events.publish(ctx, event, data, subject=user, version=version, org=PLATFORM_ORG)


def _record(
    ctx: Context, action: str, event: registry.EventType, provider: Provider, *, step: int = 0
) -> None:
    details = {
        "slug": provider.slug,
        "name": provider.name,
        "issuer": provider.issuer,
        "client_id": provider.client_id,
        "domains": provider.domains,
        "enabled": provider.enabled,
    }
    audit.record(ctx, action, provider.id, org=PLATFORM_ORG, details=details)
    data = registry.Provider(id=provider.id, slug=provider.slug, enabled=provider.enabled)
    version = provider.version + step
    events.publish(ctx, event, data, subject=provider.id, version=version, org=PLATFORM_ORG)
