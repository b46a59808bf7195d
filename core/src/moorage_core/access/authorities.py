"""The keys that sign people's certificates: one signs, those before it may still be accepted.

Commands of their own, by noun. A private key leaves the secret store for one signature and is not
kept; nothing is asked of the store while a transaction is open.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import asyncssh

from moorage_core import unit
from moorage_core.access import certificates, node_store
from moorage_core.access.models import Authority
from moorage_core.access.schemas import SshAuthorityRotate
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import authorize, platform
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.context import Context
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.kit.db import org_scope
from moorage_core.kit.ids import PLATFORM_ORG, SshAuthorityId
from moorage_core.platform import Platform
from moorage_core.secrets import commands as secrets

PURPOSE = "ssh_authority"
TOPIC = "access"
"""Moves when the list of people on some node should be another."""


@dataclass(frozen=True)
class Signer:
    authority: Authority
    key: asyncssh.SSHKey


async def ensure(at: Platform) -> None:
    """Make the first authority where there is none."""
    async with at.database.transaction(org_scope(PLATFORM_ORG), read_only=True) as db:
        if await node_store.list_authorities(db, retired=False):
            return
    async with unit.work(at, PLATFORM_ORG) as ctx:
        await node_store.lock_authorities(ctx.db)
        if not await node_store.list_authorities(ctx.db, retired=False):
            authority = await _make(ctx)
            audit.record(ctx, registry.SSH_AUTHORITY_CREATED.type, authority.id, org=PLATFORM_ORG)


async def before_granting(
    at: Platform, principal: Principal, body: bytes, path: Mapping[str, str]
) -> None:
    """A node that gets its first list should find an authority in it."""
    await ensure(at)


async def before_signing(
    at: Platform, principal: Principal, body: bytes, path: Mapping[str, str]
) -> list[Signer]:
    """All keys that nodes accept, the newest first: which of them signs depends on the node."""
    await ensure(at)
    async with at.database.transaction(org_scope(PLATFORM_ORG), read_only=True) as db:
        live = await node_store.list_authorities(db, retired=False)
        ids = [authority.secret_id for authority in live if authority.secret_id is not None]
        sealed = await secrets.find_many(db, ids, org=PLATFORM_ORG)
    return [
        Signer(
            authority,
            asyncssh.import_private_key(await secrets.reveal(at, sealed[authority.secret_id])),
        )
        for authority in live
        if authority.secret_id in sealed
    ]


def choose(signers: Sequence[Signer], *, generation: int) -> Signer:
    """The newest that the node has confirmed; the newest of all where it has confirmed none."""
    known = [signer for signer in signers if signer.authority.generation <= generation]
    return (known or signers)[0]


async def list_all(ctx: Context) -> list[Authority]:
    authorize(ctx, Permission.INFRA_NODE_READ, platform())
    return await node_store.list_authorities(ctx.db, retired=True)


async def rotate(ctx: Context, wanted: SshAuthorityRotate) -> Authority:
    """A new key signs from now on, on each node once the node has heard of it."""
    authorize(ctx, Permission.INFRA_NODE_OPERATE, platform())
    await node_store.lock_authorities(ctx.db)
    live = await node_store.list_authorities(ctx.db, retired=False)
    over = live if wanted.at_once else live[1:]
    await node_store.retire_authorities(ctx.db, [authority.id for authority in over], now=ctx.now)
    for authority in over:
        await secrets.remove(ctx, str(authority.secret_id), org=PLATFORM_ORG)
        _publish(ctx, registry.SSH_AUTHORITY_RETIRED, authority, version=2)
    made = await _make(ctx)
    audit.record(
        ctx,
        Permission.INFRA_NODE_OPERATE,
        made.id,
        org=PLATFORM_ORG,
        details={"reason": wanted.reason, "retired": [authority.id for authority in over]},
    )
    return made


async def _make(ctx: Context) -> Authority:
    key = certificates.new_key()
    private = key.export_private_key()
    authority = await node_store.add_authority(
        ctx.db,
        id=SshAuthorityId.new(),
        public_key=key.export_public_key().decode().strip(),
        fingerprint=key.get_fingerprint(),
        secret=await secrets.put(ctx, private, purpose=PURPOSE, org=PLATFORM_ORG),
        now=ctx.now,
    )
    ctx.topics.add(TOPIC)
    _publish(ctx, registry.SSH_AUTHORITY_CREATED, authority, version=1)
    return authority


def _publish(
    ctx: Context, event: registry.EventType, authority: Authority, *, version: int
) -> None:
    data = registry.SshAuthority(id=authority.id, fingerprint=authority.fingerprint)
    events.publish(ctx, event, data, subject=authority.id, version=version, org=PLATFORM_ORG)
