"""HTTP in, one command, HTTP out: service accounts, their keys, their tokens."""

from typing import Any

from fastapi import Response

from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound
from moorage_core.http import etag
from moorage_core.http.etag import ExpectedVersion, OptionalVersion
from moorage_core.http.routing import PUBLIC, Ctx, PlatformDep, Routes
from moorage_core.kit.ids import ProjectId, ServiceAccountId, ServiceAccountKeyId
from moorage_core.kit.pagination import Page, PageRead, Paging
from moorage_core.service_accounts import commands, rules
from moorage_core.service_accounts.models import ServiceAccount, ServiceAccountKey
from moorage_core.service_accounts.schemas import (
    KeyCreate,
    KeyIssued,
    KeyRead,
    ServiceAccountCreate,
    ServiceAccountRead,
    ServiceAccountUpdate,
    TokenRead,
    TokenRequest,
)

routes = Routes(tag="service accounts")
GRANT_ERRORS = (NotFound, rules.BeyondCeiling, rules.PermissionUnknown)


@routes.machine(
    "POST",
    "/v1/auth/token",
    key=PUBLIC,
    why_public="the assertion or the secret is the credential",
    response_model=TokenRead,
    answers=(rules.NotProved,),
)
async def mint_token(given: TokenRequest, platform: PlatformDep) -> dict[str, Any]:
    """Exchange a service account's proof for a token of minutes."""
    token = await commands.mint_token(platform, given)
    lifetime = int(platform.settings.identity.token_lifetime.total_seconds())
    return {"access_token": token, "token_type": "Bearer", "expires_in": lifetime}


@routes.mutation(
    "POST",
    "/v1/projects/{project}/service-accounts",
    key=Permission.IAM_SERVICE_ACCOUNT_CREATE,
    status_code=201,
    response_model=ServiceAccountRead,
    answers=(*GRANT_ERRORS, rules.NameTaken),
)
async def create_service_account(
    project: ProjectId, new: ServiceAccountCreate, ctx: Ctx, response: Response
) -> ServiceAccount:
    """Make a service account in a project, with exactly the permissions you list."""
    return _with_etag(response, await commands.create(ctx, project, new))


@routes.read(
    "/v1/projects/{project}/service-accounts",
    key=Permission.IAM_SERVICE_ACCOUNT_READ,
    response_model=PageRead[ServiceAccountRead],
    answers=(NotFound,),
)
async def list_service_accounts(project: ProjectId, ctx: Ctx, page: Paging) -> Page[ServiceAccount]:
    """The service accounts of a project."""
    return await commands.list_in_project(ctx, project, page)


@routes.read(
    "/v1/service-accounts/{account}",
    key=Permission.IAM_SERVICE_ACCOUNT_READ,
    response_model=ServiceAccountRead,
    answers=(NotFound,),
)
async def get_service_account(
    account: ServiceAccountId, ctx: Ctx, response: Response
) -> ServiceAccount:
    """One service account."""
    return _with_etag(response, await commands.get(ctx, account))


@routes.mutation(
    "PATCH",
    "/v1/service-accounts/{account}",
    key=Permission.IAM_SERVICE_ACCOUNT_UPDATE,
    response_model=ServiceAccountRead,
    answers=(*GRANT_ERRORS, *etag.ERRORS, rules.NameTaken, rules.IsAppOperator),
)
async def update_service_account(
    account: ServiceAccountId,
    change: ServiceAccountUpdate,
    expected: ExpectedVersion,
    ctx: Ctx,
    response: Response,
) -> ServiceAccount:
    """Rename a service account, change its permissions, disable or enable it."""
    return _with_etag(response, await commands.update(ctx, account, change, expected=expected))


@routes.mutation(
    "DELETE",
    "/v1/service-accounts/{account}",
    key=Permission.IAM_SERVICE_ACCOUNT_DELETE,
    status_code=204,
    answers=(NotFound, etag.Stale, rules.IsAppOperator),
)
async def delete_service_account(
    account: ServiceAccountId, expected: OptionalVersion, ctx: Ctx
) -> None:
    """Delete a service account. Its tokens stop working at once."""
    await commands.delete(ctx, account, expected=expected)


@routes.mutation(
    "POST",
    "/v1/service-accounts/{account}/keys",
    key=Permission.IAM_SERVICE_ACCOUNT_MANAGE_KEYS,
    status_code=201,
    response_model=KeyIssued,
    answers=(*GRANT_ERRORS, rules.TooManyKeys, rules.KeyNotUsable),
    rotate="add another key with a new Idempotency-Key and revoke this one.",
)
async def create_service_account_key(
    account: ServiceAccountId, new: KeyCreate, ctx: Ctx
) -> dict[str, Any]:
    """Add a key: your Ed25519 public key, or a secret made for you and shown once."""
    key, secret = await commands.create_key(ctx, account, new)
    return {**key.__dict__, "secret": secret}


@routes.read(
    "/v1/service-accounts/{account}/keys",
    key=Permission.IAM_SERVICE_ACCOUNT_READ,
    response_model=PageRead[KeyRead],
    answers=(NotFound,),
)
async def list_service_account_keys(
    account: ServiceAccountId, ctx: Ctx, page: Paging
) -> Page[ServiceAccountKey]:
    """The keys of a service account, without their secrets."""
    return await commands.list_keys(ctx, account, page)


@routes.mutation(
    "DELETE",
    "/v1/service-accounts/{account}/keys/{key}",
    key=Permission.IAM_SERVICE_ACCOUNT_MANAGE_KEYS,
    status_code=204,
    answers=(NotFound, rules.BeyondCeiling),
)
async def revoke_service_account_key(
    account: ServiceAccountId, key: ServiceAccountKeyId, ctx: Ctx
) -> None:
    """Revoke a key. Tokens minted with it stop working within seconds."""
    await commands.revoke_key(ctx, account, key)


def _with_etag(response: Response, account: ServiceAccount) -> ServiceAccount:
    etag.put(response, account.version)
    return account
