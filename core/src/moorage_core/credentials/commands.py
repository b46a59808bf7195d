"""Use cases of access credentials, and of how hosts without agent are reached."""

from dataclasses import dataclass
from datetime import timedelta

from moorage_core.allocations import commands as allocations
from moorage_core.allocations.models import Allocation
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.context import Context, Trace
from moorage_core.credentials import keys, rules, store
from moorage_core.credentials.keys import KeyPair
from moorage_core.credentials.models import AccessCredential, HostView, SshHost
from moorage_core.credentials.schemas import AccessCredentialCreate
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.http import etag
from moorage_core.kit import pagination
from moorage_core.kit.ids import AccessCredentialId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.operations import commands as operations
from moorage_core.platform import Platform
from moorage_core.secrets import commands as custody
from moorage_core.tenancy import commands as tenancy

PURPOSE = "access_credential"
SSH_PORT = 22
CREATE = Permission.INFRA_CREDENTIAL_CREATE
READ = Permission.INFRA_CREDENTIAL_READ
ROTATE = Permission.INFRA_CREDENTIAL_ROTATE
REVOKE = Permission.INFRA_CREDENTIAL_REVOKE
USE = Permission.INFRA_CREDENTIAL_USE


# Credentials


async def create(
    ctx: Context, project: str, new: AccessCredentialCreate, pair: KeyPair
) -> AccessCredential:
    """Put a key into custody. Nobody gets it out again."""
    where = await tenancy.get_project(ctx, project, key=CREATE)
    org = where.org_id
    credential = await store.add(
        ctx.db,
        id=AccessCredentialId.new(),
        org=org,
        project=project,
        name=new.name,
        username=new.username,
        public_key=pair.public,
        fingerprint=pair.fingerprint,
        secret=await custody.put(ctx, pair.private, purpose=PURPOSE, org=org, project=project),
        now=ctx.now,
    )
    if credential is None:
        raise rules.NameTaken(f"The project has a credential named {new.name} already.")
    _record(ctx, CREATE, registry.CREDENTIAL_CREATED, credential)
    return credential


async def list_in_project(ctx: Context, project: str, page: PageRequest) -> Page[AccessCredential]:
    where = await tenancy.get_project(ctx, project, key=READ)
    rows = await store.list_page(ctx.db, page, org=where.org_id, project=project)
    return pagination.page(rows, page, key=lambda credential: credential.id)


async def get(ctx: Context, id: str, *, key: str = READ, lock: bool = False) -> AccessCredential:
    credential = await store.find(ctx.db, id, orgs=sorted(ctx.principal.scope.orgs), lock=lock)
    if credential is None:
        raise hidden("access credential", id)
    place = Resource("access credential", id, credential.org_id, credential.project_id)
    authorize(ctx, key, place)
    return credential


async def rotate(ctx: Context, id: str, pair: KeyPair, *, overlap: timedelta) -> AccessCredential:
    """Another key in its place. For the overlap hosts may let us in by either."""
    before = await get(ctx, id, key=ROTATE, lock=True)
    rules.check_usable(before)
    org, project = before.org_id, before.project_id
    dropped = [before.previous_secret_id, None if overlap else before.secret_id]
    credential = await store.rotate(
        ctx.db,
        id,
        org=org,
        public_key=pair.public,
        fingerprint=pair.fingerprint,
        secret=await custody.put(ctx, pair.private, purpose=PURPOSE, org=org, project=project),
        previous=before.secret_id if overlap else None,
        previous_until=ctx.now + overlap if overlap else None,
        now=ctx.now,
    )
    for secret in dropped:
        if secret is not None:
            await custody.remove(ctx, secret, org=org)
    ctx.topics.add(operations.SSH_TASKS)
    _record(ctx, ROTATE, registry.CREDENTIAL_ROTATED, credential)
    return credential


async def revoke(ctx: Context, id: str) -> AccessCredential:
    """Destroy the keys. What is under way with them is broken off, and nothing new begins."""
    before = await get(ctx, id, key=REVOKE, lock=True)
    rules.check_usable(before)
    credential = await store.revoke(ctx.db, id, org=before.org_id, now=ctx.now)
    for secret in (before.secret_id, before.previous_secret_id):
        if secret is not None:
            await custody.remove(ctx, secret, org=before.org_id)
    ctx.topics.add(operations.SSH_TASKS)
    _record(ctx, REVOKE, registry.CREDENTIAL_REVOKED, credential)
    return credential


# Hosts


async def get_host(ctx: Context, allocation: str) -> HostView:
    """How a host is reached, set or not."""
    held = await allocations.get(ctx, allocation, key=READ)
    address, port = await _place(ctx, held)
    host = await store.find_host(ctx.db, allocation, org=held.org_id)
    return _view(allocation, host, address=address, port=port)


async def set_host(ctx: Context, allocation: str, credential: str, *, expected: int) -> HostView:
    """Say with which credential a host is reached. Where it is, its node says."""
    held = await allocations.get(ctx, allocation, key=USE, lock=True)
    _check_active(held)
    address, port = await _place(ctx, held)
    before = await store.find_host(ctx.db, allocation, org=held.org_id, lock=True)
    etag.check("host of", allocation, have=before.version if before else 0, expected=expected)
    chosen = await get(ctx, credential, key=USE)
    if chosen.project_id != held.project_id:
        raise hidden("access credential", credential)
    rules.check_usable(chosen)
    host = await store.put_host(
        ctx.db,
        allocation,
        org=held.org_id,
        project=held.project_id,
        credential=credential,
        address=address,
        port=port,
        now=ctx.now,
    )
    ctx.topics.add(operations.SSH_TASKS)
    _record_host(ctx, registry.SSH_HOST_SET, host)
    return _view(allocation, host, address=address, port=port)


@dataclass(frozen=True)
class Scanned:
    """What a host answered when it was asked for its key."""

    address: str
    port: int
    key: str | None
    problem: str | None


async def find_scannable(platform: Platform, who: Principal, allocation: str) -> SshHost | None:
    """The host to ask, for somebody who may; None where it is not set. Before the transaction."""
    async with platform.database.transaction(who.scope, read_only=True) as db:
        ctx = Context(who, db, platform.clock, Trace(""), platform)
        held = await allocations.get(ctx, allocation, key=USE)
        return await store.find_host(db, allocation, org=held.org_id)


async def offer(ctx: Context, allocation: str, scanned: Scanned | None) -> HostView:
    """Note which key a host has shown. Nothing is trusted by that."""
    held = await allocations.get(ctx, allocation, key=USE)
    _check_active(held)
    await _place(ctx, held)
    host = await store.find_host(ctx.db, allocation, org=held.org_id, lock=True)
    if host is None or scanned is None:
        raise _not_set(allocation)
    if scanned.key is None or (scanned.address, scanned.port) != (host.address, host.port):
        raise rules.HostUnreachable(
            scanned.problem or "The host was set anew meanwhile. Ask again."
        )
    host = await store.offer_key(ctx.db, allocation, org=host.org_id, key=scanned.key, now=ctx.now)
    _record_host(ctx, registry.SSH_HOST_OFFERED, host)
    return _view(allocation, host, address=host.address, port=host.port)


async def confirm(ctx: Context, allocation: str, fingerprint: str) -> HostView:
    """Pin the key that the host has shown, for somebody who has compared it."""
    held = await allocations.get(ctx, allocation, key=USE)
    _check_active(held)
    await _place(ctx, held)
    host = await store.find_host(ctx.db, allocation, org=held.org_id, lock=True)
    if host is None:
        raise _not_set(allocation)
    key = rules.check_confirm(host, fingerprint, offered=_fingerprint(host.offered_key))
    host = await store.confirm_key(
        ctx.db, allocation, org=host.org_id, key=key, by=ctx.principal.id, now=ctx.now
    )
    ctx.topics.add(operations.SSH_TASKS)
    _record_host(ctx, registry.SSH_HOST_CONFIRMED, host)
    return _view(allocation, host, address=host.address, port=host.port)


async def _place(ctx: Context, held: Allocation) -> tuple[str, int]:
    """Where the machine is: what those who run the platform said of its node."""
    host = await allocations.find_host(ctx, held)
    if host is None:
        raise rules.AllocationNotActive(f"Allocation {held.id} is {held.status}.")
    if host.reach != "ssh" or host.address is None:
        raise rules.HasAgent(
            f"The machine of allocation {held.id} has an agent: tasks reach it without SSH."
        )
    return host.address, host.ssh_port or SSH_PORT


def _check_active(held: Allocation) -> None:
    if held.status not in ("active", "releasing", "release_failed"):
        raise rules.AllocationNotActive(f"Allocation {held.id} is {held.status}.")


def _not_set(allocation: str) -> rules.HostNotSet:
    return rules.HostNotSet(
        f"Allocation {allocation} has no credential yet. Set one first: PUT "
        f"/v1/allocations/{allocation}/ssh"
    )


def _view(allocation: str, host: SshHost | None, *, address: str, port: int) -> HostView:
    return rules.view(
        allocation,
        host,
        address=address,
        port=port,
        offered=_fingerprint(host.offered_key) if host else None,
        pinned=_fingerprint(host.host_key) if host else None,
    )


def _fingerprint(public: str | None) -> str | None:
    return None if public is None else keys.fingerprint(public)


def _record(
    ctx: Context, action: str, event: registry.EventType, credential: AccessCredential
) -> None:
    org, project = credential.org_id, credential.project_id
    data = registry.AccessCredential(
        id=credential.id,
        name=credential.name,
        username=credential.username,
        fingerprint=credential.fingerprint,
    )
    details = data.model_dump()
    audit.record(ctx, action, credential.id, org=org, project=project, details=details)
    events.publish(
        ctx,
        event,
        data,
        subject=credential.id,
        version=credential.version,
        org=org,
        project=project,
    )


def _record_host(ctx: Context, event: registry.EventType, host: SshHost) -> None:
    org, project = host.org_id, host.project_id
    shown = host.offered_key if event is registry.SSH_HOST_OFFERED else host.host_key
    data = registry.SshHost(
        allocation_id=host.allocation_id,
        credential_id=host.credential_id,
        address=host.address,
        fingerprint=_fingerprint(shown),
    )
    details = data.model_dump() | {"step": event.type.rpartition(".")[2]}
    audit.record(ctx, USE, host.allocation_id, org=org, project=project, details=details)
    events.publish(
        ctx,
        event,
        data,
        subject=f"{host.allocation_id}/ssh",
        version=host.version,
        org=org,
        project=project,
    )
