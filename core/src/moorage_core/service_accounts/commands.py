"""Use cases of service accounts, and how they prove themselves."""

from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg

from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize, hidden, missing
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.context import Context
from moorage_core.entitlements import commands as entitlements
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.http import etag
from moorage_core.http.principal_cache import topic
from moorage_core.kit import pagination, tokens
from moorage_core.kit.db import Db, Scope
from moorage_core.kit.ids import ServiceAccountId, ServiceAccountKeyId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.platform import Platform
from moorage_core.service_accounts import rules, store
from moorage_core.service_accounts.models import ServiceAccount, ServiceAccountKey
from moorage_core.service_accounts.schemas import (
    KeyCreate,
    ServiceAccountCreate,
    ServiceAccountUpdate,
    TokenRequest,
)
from moorage_core.signing import commands as signing
from moorage_core.tenancy import commands as tenancy

# Proving


async def mint_token(at: Platform, request: TokenRequest) -> str:
    """Exchange an assertion or a secret for a token of minutes."""
    now = at.clock.now()
    async with at.database.transaction(Scope(principal=request.service_account)) as db:
        row = await store.find_principal(
            db, account=request.service_account, key=request.key, now=now
        )
        claims = _proof(at, row, request, now=now)
        if claims is None:
            raise _not_proved()
        if "jti" in claims:
            until = datetime.fromtimestamp(claims["exp"], UTC) + rules.CLOCK_SKEW
            fresh = await store.use_assertion(
                db, account=request.service_account, id=claims["jti"], expires_at=until
            )
            if not fresh:
                raise _not_proved()
    return await signing.sign(at, subject=request.service_account, credential=request.key)


async def find_token_principal(at: Platform, token: str) -> Principal | None:
    """The service account behind one of our tokens, while account, key and project are alive."""
    claims = await signing.verify(at, token)
    if claims is None:
        return None
    account, key = str(claims["sub"]), str(claims.get("key", ""))
    async with at.database.alone(patient=True) as db:
        row = await store.find_principal(db, account=account, key=key, now=at.clock.now())
    return None if row is None else rules.program(row, credential=key)


def _proof(
    at: Platform, row: dict[str, Any] | None, request: TokenRequest, *, now: datetime
) -> dict[str, Any] | None:
    if row is None:
        return None
    if row["kind"] == "secret":
        return {} if rules.is_secret(row["secret_hash"], request.client_secret) else None
    if request.client_assertion is None:
        return None
    return rules.read_assertion(
        request.client_assertion,
        row["public_key"],
        account=request.service_account,
        audiences=at.settings.addresses,
        now=now,
    )


def _not_proved() -> rules.NotProved:
    return rules.NotProved(
        "The account, the key or the proof is not right. An assertion needs iss = sub ="
        " the account, aud = the platform's address, exp within 5 minutes, and a jti that was not"
        " used before."
    )


# Accounts


async def create(ctx: Context, project: str, new: ServiceAccountCreate) -> ServiceAccount:
    where = await tenancy.get_project(ctx, project, key=Permission.IAM_SERVICE_ACCOUNT_CREATE)
    await _check_ceiling(ctx, new.permissions, org=where.org_id, project=project)
    account = await store.add(
        ctx.db,
        id=ServiceAccountId.new(),
        org=where.org_id,
        project=project,
        name=new.name,
        permissions=sorted(set(new.permissions)),
        now=ctx.now,
    )
    if account is None:
        raise rules.NameTaken(f"The project has a service account named {new.name} already.")
    _record(ctx, Permission.IAM_SERVICE_ACCOUNT_CREATE, registry.SERVICE_ACCOUNT_CREATED, account)
    return account


async def list_in_project(ctx: Context, project: str, page: PageRequest) -> Page[ServiceAccount]:
    await tenancy.get_project(ctx, project, key=Permission.IAM_SERVICE_ACCOUNT_READ)
    rows = await store.list_in_project(ctx.db, page, project=project)
    return pagination.page(rows, page, key=lambda account: account.id)


async def get(
    ctx: Context, id: str, *, key: str = Permission.IAM_SERVICE_ACCOUNT_READ, lock: bool = False
) -> ServiceAccount:
    orgs = sorted(ctx.principal.scope.orgs)
    account = await store.find(ctx.db, id, orgs=orgs, lock=lock)
    if account is None:
        raise hidden("service account", id)
    authorize(ctx, key, Resource("service account", id, account.org_id, account.project_id))
    return account


async def find_in_project(db: Db, id: str, *, org: str, project: str) -> ServiceAccount | None:
    """An account of a project that the caller may act in. It stays as it is meanwhile."""
    account = await store.find(db, id, orgs=[org], lock=True)
    return account if account is not None and account.project_id == project else None


async def update(
    ctx: Context, id: str, change: ServiceAccountUpdate, *, expected: int
) -> ServiceAccount:
    """Rename, give other permissions, disable or enable.

    Takes effect within seconds on live tokens.
    """
    account = await get(ctx, id, key=Permission.IAM_SERVICE_ACCOUNT_UPDATE, lock=True)
    etag.check("service account", id, have=account.version, expected=expected)
    if change.permissions is not None:
        await _check_operates_nothing(ctx, account)
        await _check_ceiling(
            ctx, change.permissions, org=account.org_id, project=account.project_id
        )
    try:
        account = await store.update(
            ctx.db,
            id,
            org=account.org_id,
            name=change.name,
            permissions=None if change.permissions is None else sorted(set(change.permissions)),
            disabled=change.disabled,
            now=ctx.now,
        )
    except psycopg.errors.UniqueViolation as err:
        taken = f"The project has a service account named {change.name} already."
        raise rules.NameTaken(taken) from err
    _record(ctx, Permission.IAM_SERVICE_ACCOUNT_UPDATE, registry.SERVICE_ACCOUNT_UPDATED, account)
    return account


async def delete(ctx: Context, id: str, *, expected: int | None) -> None:
    account = await get(ctx, id, key=Permission.IAM_SERVICE_ACCOUNT_DELETE, lock=True)
    etag.check("service account", id, have=account.version, expected=expected)
    await _check_operates_nothing(ctx, account)
    account = await store.delete(ctx.db, id, org=account.org_id, now=ctx.now)
    _record(ctx, Permission.IAM_SERVICE_ACCOUNT_DELETE, registry.SERVICE_ACCOUNT_DELETED, account)


# Keys


async def create_key(
    ctx: Context, account_id: str, new: KeyCreate
) -> tuple[ServiceAccountKey, str | None]:
    """A further key beside the present ones, so that a rotation has an overlap."""
    account = await _managed(ctx, account_id)
    live = await store.count_live_keys(ctx.db, org=account.org_id, account=account_id, now=ctx.now)
    if live >= rules.KEYS_AT_MOST:
        raise rules.TooManyKeys(f"It has {live} live keys. Revoke one first.")
    secret = None
    public_key = new.public_key.model_dump() if new.public_key else None
    if public_key is None:
        secret = tokens.new(tokens.SERVICE_ACCOUNT_KEY)
    else:
        rules.check_public_key(public_key)
    key = ServiceAccountKey(
        id=ServiceAccountKeyId.new(),
        org_id=account.org_id,
        project_id=account.project_id,
        service_account_id=account_id,
        kind="secret" if secret else "ed25519",
        created_at=ctx.now,
        expires_at=ctx.now + timedelta(seconds=new.expires_in) if new.expires_in else None,
        revoked_at=None,
    )
    secret_hash = tokens.digest(secret) if secret else None
    await store.add_key(ctx.db, key, public_key=public_key, secret_hash=secret_hash)
    await _record_key(ctx, registry.SERVICE_ACCOUNT_KEY_CREATED, account, key.id)
    return key, secret


async def list_keys(ctx: Context, account_id: str, page: PageRequest) -> Page[ServiceAccountKey]:
    account = await get(ctx, account_id)
    rows = await store.list_keys(ctx.db, page, org=account.org_id, account=account_id)
    return pagination.page(rows, page, key=lambda key: key.id)


async def revoke_key(ctx: Context, account_id: str, key: str) -> None:
    """Tokens minted with the key stop working within seconds."""
    account = await _managed(ctx, account_id)
    if not await store.revoke_key(ctx.db, key, org=account.org_id, account=account_id, now=ctx.now):
        raise hidden("key", key)
    await _record_key(ctx, registry.SERVICE_ACCOUNT_KEY_REVOKED, account, key)


async def _managed(ctx: Context, id: str) -> ServiceAccount:
    """The account, for a change of its keys.

    Who gives it a key acts with its rights, so must hold them all.
    """
    account = await get(ctx, id, key=Permission.IAM_SERVICE_ACCOUNT_MANAGE_KEYS, lock=True)
    await _check_ceiling(ctx, account.permissions, org=account.org_id, project=account.project_id)
    return account


async def _check_operates_nothing(ctx: Context, account: ServiceAccount) -> None:
    """An app operator can claim and nothing else, as long as it is one."""
    slugs = await store.list_operated(ctx.db, account.id, org=account.org_id)
    rules.check_operates_nothing(account.id, slugs)


async def _check_ceiling(ctx: Context, permissions: list[str], *, org: str, project: str) -> None:
    """Keys of the core are held by a grant; those of apps through the project's entitlements."""
    of_apps = {key for key in permissions if entitlements.is_app_key(key)}
    of_core = frozenset(permissions) - of_apps
    rules.check_grantable(of_core)
    unknown, beyond = await entitlements.check_grant(ctx, of_apps, org=org, project=project)
    rules.check_of_entitled_app(unknown)
    lacking = sorted({*missing(ctx.principal, of_core, org=org, project=project), *beyond})
    if lacking:
        raise rules.BeyondCeiling(
            f"You lack these permissions in the project yourself: {', '.join(lacking)}.",
            org=org,
            project=project,
        )


def _record(ctx: Context, action: str, event: registry.EventType, account: ServiceAccount) -> None:
    org, project = account.org_id, account.project_id
    ctx.topics |= {topic(account.id), "memberships"}
    data = registry.ServiceAccount(
        id=account.id,
        name=account.name,
        permissions=account.permissions,
        disabled=account.disabled,
    )
    details = data.model_dump(exclude={"id"})
    audit.record(ctx, action, account.id, org=org, project=project, details=details)
    events.publish(
        ctx, event, data, subject=account.id, version=account.version, org=org, project=project
    )


async def _record_key(
    ctx: Context, event: registry.EventType, account: ServiceAccount, key: str
) -> None:
    org, project = account.org_id, account.project_id
    ctx.topics.add(topic(account.id))
    action = Permission.IAM_SERVICE_ACCOUNT_MANAGE_KEYS
    details = {"event": event.type}
    audit.record(ctx, action, key, org=org, project=project, details=details)
    changed = await store.update(
        ctx.db,
        account.id,
        org=org,
        name=None,
        permissions=None,
        disabled=None,
        now=ctx.now,
    )
    data = registry.Credential(id=key, owner_id=account.id)
    events.publish(
        ctx, event, data, subject=account.id, version=changed.version, org=org, project=project
    )
