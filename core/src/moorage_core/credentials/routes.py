"""HTTP in, one command, HTTP out: access credentials, and hosts without agent."""

from collections.abc import Mapping
from datetime import timedelta

from fastapi import Response
from pydantic import SecretStr, ValidationError

from moorage_core.authz.principals import Principal
from moorage_core.credentials import commands, keys, rules, ssh
from moorage_core.credentials.commands import Scanned
from moorage_core.credentials.keys import KeyPair
from moorage_core.credentials.models import AccessCredential, HostView
from moorage_core.credentials.schemas import (
    AccessCredentialCreate,
    AccessCredentialRead,
    CredentialRotation,
    SshHostConfirm,
    SshHostRead,
    SshHostWrite,
)
from moorage_core.errors import NotFound
from moorage_core.http import etag
from moorage_core.http.etag import ExpectedVersion
from moorage_core.http.routing import Ctx, Routes
from moorage_core.kit.ids import AccessCredentialId, AllocationId, ProjectId
from moorage_core.kit.pagination import Page, PageRead, Paging
from moorage_core.kit.workshop import Workshop
from moorage_core.platform import Platform

routes = Routes(tag="access credentials")
HOST_ERRORS = (NotFound, rules.HasAgent, rules.AllocationNotActive)

_workshop = Workshop(
    "ssh-keys", hands=1, at_once=16, busy="Too many keys are being read at once.", share=4
)

Prepared = KeyPair | rules.KeyUnusable | None


async def _read_new(
    platform: Platform, principal: Principal, body: bytes, path: Mapping[str, str]
) -> Prepared:
    """The key that is to go into custody; what is malformed is for the handler to refuse."""
    try:
        return await _key(AccessCredentialCreate.model_validate_json(body).private_key, principal)
    except ValidationError:
        return None


async def _read_next(
    platform: Platform, principal: Principal, body: bytes, path: Mapping[str, str]
) -> Prepared:
    try:
        return await _key(CredentialRotation.model_validate_json(body).private_key, principal)
    except ValidationError:
        return None


async def _key(given: SecretStr | None, principal: Principal) -> Prepared:
    if given is None:
        return keys.make()
    try:
        return await _workshop.do(lambda: keys.read(given.get_secret_value()), whose=principal.id)
    except rules.KeyUnusable as refusal:
        return refusal


async def _scan(
    platform: Platform, principal: Principal, body: bytes, path: Mapping[str, str]
) -> Scanned | None:
    """Ask the host for its key, for somebody who may."""
    host = await commands.find_scannable(platform, principal, path["allocation"])
    if host is None:
        return None
    try:
        key = await ssh.scan(platform, host.address, host.port)
    except ssh.NotLetIn as err:
        return Scanned(host.address, host.port, None, str(err))
    return Scanned(host.address, host.port, key, None)


def _pair(prepared: Prepared) -> KeyPair:
    if isinstance(prepared, rules.KeyUnusable):
        raise prepared
    assert prepared is not None, "a malformed body never comes here"
    return prepared


@routes.mutation(
    "POST",
    "/v1/projects/{project}/access-credentials",
    key=commands.CREATE,
    status_code=201,
    response_model=AccessCredentialRead,
    answers=(NotFound, rules.NameTaken, rules.KeyUnusable),
    before=_read_new,
)
async def create_access_credential(
    project: ProjectId, new: AccessCredentialCreate, ctx: Ctx, response: Response
) -> AccessCredential:
    """Put an SSH key for hosts without agent into custody, or have one made. It never comes out."""
    made = await commands.create(ctx, project, new, _pair(ctx.prepared))
    return _with_etag(response, made)


@routes.read(
    "/v1/projects/{project}/access-credentials",
    key=commands.READ,
    response_model=PageRead[AccessCredentialRead],
    answers=(NotFound,),
)
async def list_access_credentials(
    project: ProjectId, ctx: Ctx, page: Paging
) -> Page[AccessCredential]:
    """The access credentials of a project: public keys and fingerprints."""
    return await commands.list_in_project(ctx, project, page)


@routes.read(
    "/v1/access-credentials/{credential}",
    key=commands.READ,
    response_model=AccessCredentialRead,
    answers=(NotFound,),
)
async def get_access_credential(
    credential: AccessCredentialId, ctx: Ctx, response: Response
) -> AccessCredential:
    """One access credential, without its key."""
    return _with_etag(response, await commands.get(ctx, credential))


@routes.mutation(
    "POST",
    "/v1/access-credentials/{credential}/rotate",
    key=commands.ROTATE,
    response_model=AccessCredentialRead,
    answers=(NotFound, rules.CredentialRevoked, rules.KeyUnusable),
    before=_read_next,
)
async def rotate_access_credential(
    credential: AccessCredentialId, rotation: CredentialRotation, ctx: Ctx, response: Response
) -> AccessCredential:
    """Put another key in the place of the one in custody. Both are tried during the overlap."""
    overlap = timedelta(hours=rotation.overlap_hours)
    changed = await commands.rotate(ctx, credential, _pair(ctx.prepared), overlap=overlap)
    return _with_etag(response, changed)


@routes.mutation(
    "POST",
    "/v1/access-credentials/{credential}/revoke",
    key=commands.REVOKE,
    response_model=AccessCredentialRead,
    answers=(NotFound, rules.CredentialRevoked),
)
async def revoke_access_credential(
    credential: AccessCredentialId, ctx: Ctx, response: Response
) -> AccessCredential:
    """Destroy the key in custody. Tasks that run with it are broken off within seconds."""
    return _with_etag(response, await commands.revoke(ctx, credential))


@routes.read(
    "/v1/allocations/{allocation}/ssh",
    key=commands.READ,
    response_model=SshHostRead,
    answers=HOST_ERRORS,
)
async def get_ssh_host(allocation: AllocationId, ctx: Ctx, response: Response) -> HostView:
    """How a host without agent is reached, and whether its key was confirmed."""
    return _shown(response, await commands.get_host(ctx, allocation))


@routes.mutation(
    "PUT",
    "/v1/allocations/{allocation}/ssh",
    key=commands.USE,
    response_model=SshHostRead,
    answers=(*HOST_ERRORS, *etag.ERRORS, rules.CredentialRevoked),
)
async def set_ssh_host(
    allocation: AllocationId,
    new: SshHostWrite,
    expected: ExpectedVersion,
    ctx: Ctx,
    response: Response,
) -> HostView:
    """Choose the credential for a host without agent. Its first ETag is `"0"`."""
    chosen = await commands.set_host(ctx, allocation, new.credential, expected=expected)
    return _shown(response, chosen)


@routes.mutation(
    "POST",
    "/v1/allocations/{allocation}/ssh/scan",
    key=commands.USE,
    response_model=SshHostRead,
    answers=(*HOST_ERRORS, rules.HostNotSet, rules.HostUnreachable),
    before=_scan,
)
async def scan_ssh_host(allocation: AllocationId, ctx: Ctx, response: Response) -> HostView:
    """Ask a host for its key and show the fingerprint. Nothing is trusted by that."""
    return _shown(response, await commands.offer(ctx, allocation, ctx.prepared))


@routes.mutation(
    "POST",
    "/v1/allocations/{allocation}/ssh/confirm",
    key=commands.USE,
    response_model=SshHostRead,
    answers=(*HOST_ERRORS, rules.HostNotSet, rules.FingerprintDiffers),
)
async def confirm_ssh_host(
    allocation: AllocationId, confirmed: SshHostConfirm, ctx: Ctx, response: Response
) -> HostView:
    """Say that the key which the host has shown is its own. From now on it must show that one."""
    return _shown(response, await commands.confirm(ctx, allocation, confirmed.fingerprint))


def _with_etag(response: Response, credential: AccessCredential) -> AccessCredential:
    etag.put(response, credential.version)
    return credential


def _shown(response: Response, host: HostView) -> HostView:
    etag.put(response, host.version)
    return host
