"""HTTP in, one command, HTTP out: logins, access grants, certificates."""

import asyncio
from typing import Annotated, Any

from fastapi import Query, Request, Response

from moorage_core.access import authorities, certificates, commands, logins, rules
from moorage_core.access.models import AccessGrant, Authority, Login
from moorage_core.access.schemas import (
    AccessGrantCreate,
    AccessGrantRead,
    SshAuthorityRead,
    SshAuthorityRotate,
    SshCertificateCreate,
    SshCertificateRead,
    UnixLoginCreate,
    UnixLoginRead,
)
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.errors import NotFound
from moorage_core.http import authentication, etag, waiting
from moorage_core.http.routing import Ctx, PlatformDep, Routes
from moorage_core.kit.ids import AccessGrantId, AllocationId, OrgId, UserId
from moorage_core.kit.pagination import Page, PageRead, Paging
from moorage_core.platform import Platform

routes = Routes(tag="access")


@routes.mutation(
    "POST",
    "/v1/orgs/{org}/logins",
    key=Permission.IAM_LOGIN_CREATE,
    status_code=201,
    response_model=UnixLoginRead,
    answers=(
        NotFound,
        rules.NotInOrg,
        rules.HasLogin,
        rules.LoginTaken,
        rules.LoginReserved,
        rules.UidsExhausted,
    ),
)
async def create_login(org: OrgId, new: UnixLoginCreate, ctx: Ctx) -> Login:
    """Give somebody their login on the org's machines. It is theirs for good."""
    return await logins.create(ctx, org, new)


@routes.read(
    "/v1/orgs/{org}/logins",
    key=Permission.IAM_LOGIN_READ,
    response_model=PageRead[UnixLoginRead],
    answers=(NotFound,),
)
async def list_logins(org: OrgId, ctx: Ctx, page: Paging) -> Page[Login]:
    """Under which names and numbers people are known on the org's machines."""
    return await logins.list_in_org(ctx, org, page)


@routes.mutation(
    "POST",
    "/v1/allocations/{allocation}/grants",
    key=Permission.INFRA_ACCESS_CREATE,
    status_code=201,
    response_model=AccessGrantRead,
    answers=(
        NotFound,
        rules.AllocationNotActive,
        rules.AlreadyGranted,
        rules.GrantTooLong,
        rules.NotAPerson,
        rules.NotInProject,
        rules.PersonDisabled,
        rules.UidsExhausted,
    ),
    before=authorities.before_granting,
)
async def create_access_grant(
    allocation: AllocationId, new: AccessGrantCreate, ctx: Ctx, response: Response
) -> AccessGrant:
    """Let somebody of the project into a machine. `carried_out` says when they can enter."""
    return _with_etag(response, await commands.create_grant(ctx, allocation, new))


@routes.read(
    "/v1/allocations/{allocation}/grants",
    key=Permission.INFRA_ACCESS_READ,
    response_model=PageRead[AccessGrantRead],
    answers=(NotFound,),
)
async def list_access_grants(
    allocation: AllocationId,
    ctx: Ctx,
    page: Paging,
    user: Annotated[UserId | None, Query(description="Only this person's.")] = None,
    live: Annotated[bool | None, Query(description="Only those that live, or have ended.")] = None,
) -> Page[AccessGrant]:
    """Who may enter a machine, and who could."""
    return await commands.list_grants(ctx, allocation, page, user=user, live=live)


@routes.read(
    "/v1/grants/{grant}",
    key=Permission.INFRA_ACCESS_READ,
    response_model=AccessGrantRead,
    answers=(NotFound,),
    waits=True,
)
async def get_access_grant(
    grant: AccessGrantId,
    request: Request,
    platform: PlatformDep,
    response: Response,
    wait: Annotated[
        float, Query(ge=0, le=60, description="Seconds to wait until the node has done it.")
    ] = 0,
) -> AccessGrant:
    """One access grant. With `wait`, answers once the node has confirmed it, or said why not."""
    found = await _look(platform, request, grant)
    if wait and not _settled(found):
        with platform.waiting.seat(request.state.principal.id):
            found = await _wait(platform, request, found, seconds=wait)
    return _with_etag(response, found)


@routes.mutation(
    "DELETE",
    "/v1/grants/{grant}",
    key=Permission.INFRA_ACCESS_DELETE,
    status_code=204,
    answers=(NotFound, rules.AccessEnded),
)
async def end_access_grant(grant: AccessGrantId, ctx: Ctx) -> None:
    """End a grant: the person is off the machine within seconds, open sessions included."""
    await commands.end_grant(ctx, grant)


@routes.mutation(
    "POST",
    "/v1/grants/{grant}/certificates",
    key=Permission.INFRA_ACCESS_USE,
    status_code=201,
    response_model=SshCertificateRead,
    answers=(
        NotFound,
        rules.AccessEnded,
        rules.AllocationNotActive,
        rules.KeyRefused,
        rules.NotInProject,
        rules.NotYourGrant,
        rules.PersonDisabled,
    ),
    before=authorities.before_signing,
)
async def issue_certificate(
    grant: AccessGrantId, new: SshCertificateCreate, ctx: Ctx
) -> dict[str, Any]:
    """Certify your SSH key for minutes, and learn where the machine is and which keys it has."""
    issued = await commands.issue_certificate(ctx, grant, new)
    return {
        "certificate": issued.text,
        "serial": issued.row.serial,
        "key_id": issued.row.key_id,
        "principal": issued.grant.principal,
        "expires_at": issued.row.expires_at,
        "grant_id": issued.grant.id,
        "login": issued.grant.login,
        "node_name": issued.contact.node_name,
        "addresses": certificates.addresses(issued.contact),
        "port": issued.contact.ssh_port or certificates.SSH_PORT,
        "host_keys": certificates.host_keys(issued.contact),
    }


@routes.read(
    "/v1/platform/ssh-authorities",
    key=Permission.INFRA_NODE_READ,
    response_model=PageRead[SshAuthorityRead],
)
async def list_ssh_authorities(ctx: Ctx) -> Page[Authority]:
    """The keys that sign people's certificates, the newest first. One page holds them all."""
    return Page(items=await authorities.list_all(ctx), next=None)


@routes.mutation(
    "POST",
    "/v1/platform/ssh-authorities/rotate",
    key=Permission.INFRA_NODE_OPERATE,
    status_code=201,
    response_model=SshAuthorityRead,
)
async def rotate_ssh_authority(wanted: SshAuthorityRotate, ctx: Ctx) -> Authority:
    """Sign people's certificates with a new key. Nodes learn of it within seconds."""
    return await authorities.rotate(ctx, wanted)


def _with_etag(response: Response, grant: AccessGrant) -> AccessGrant:
    etag.put(response, grant.version)
    return grant


def _settled(grant: AccessGrant) -> bool:
    return grant.carried_out or grant.problem is not None


async def _look(platform: Platform, request: Request, id: str) -> AccessGrant:
    """Takes and gives back its transaction: who waits holds none in between."""
    principal = await authentication.authenticate(platform, request)
    async with platform.database.transaction(principal.scope, read_only=True) as db:
        ctx = Context(
            principal=principal,
            db=db,
            clock=platform.clock,
            trace=request.state.trace,
            platform=platform,
        )
        return await commands.get_grant(ctx, id)


async def _wait(
    platform: Platform, request: Request, grant: AccessGrant, *, seconds: float
) -> AccessGrant:
    deadline = asyncio.get_running_loop().time() + seconds
    with platform.hub.watch([commands.topic(grant.allocation_id)]) as waiter:
        while True:
            grant = await _look(platform, request, grant.id)
            left = deadline - asyncio.get_running_loop().time()
            if _settled(grant) or left <= 0 or not await waiting.sleep(waiter, left, request):
                return grant
