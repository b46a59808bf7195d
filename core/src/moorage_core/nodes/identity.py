"""How a host becomes a node, and how it proves itself from then on.

Both happen before there is a principal. Signatures are checked outside of transactions; what they
are held against is looked at again, locked, inside.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from moorage_core import unit
from moorage_core.audit import commands as audit
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context, Trace
from moorage_core.events import registry
from moorage_core.fleet import commands as fleet
from moorage_core.http.principal_cache import topic
from moorage_core.kit import tokens
from moorage_core.kit.db import org_scope
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.nodes import commands, proofs, rules, store
from moorage_core.nodes.models import Identity, Node, Status
from moorage_core.platform import Platform

CONFLICT = "identity_conflict: two hosts showed the identity of this node."


@dataclass(frozen=True)
class Given:
    """What a host that proved itself goes on with."""

    node: str
    name: str
    token: str
    nonce: str


async def enrol(
    at: Platform,
    *,
    token: str,
    public_key: dict[str, Any],
    assertion: str,
    said: Mapping[str, Any],
    trace: Trace,
) -> Given:
    """Make the host that brings this token the token's node."""
    thumbprint = proofs.thumbprint(public_key)
    claims = proofs.read(assertion, public_key)
    token_hash = tokens.digest(token)
    if claims is None or claims.get("enrolment") != token_hash.hex():
        raise proofs.enrolment_refused()
    async with unit.work(at, PLATFORM_ORG, trace=trace) as ctx:
        found = await store.find_by_token(ctx.db, org=PLATFORM_ORG, token_hash=token_hash)
        if found is None or found["revoked_at"] or found["expires_at"] <= ctx.now:
            raise proofs.enrolment_refused()
        node = await commands.lock(ctx, found["node_id"])
        if found["used_at"] is None:
            await _take(ctx, node, said)
            await store.use(
                ctx.db, found["id"], org=PLATFORM_ORG, thumbprint=thumbprint, now=ctx.now
            )
        elif not await _is_same_host(ctx, node, found, thumbprint=thumbprint):
            raise proofs.enrolment_refused()
        given = _next(at, node.id, node.name, jti=claims["jti"])
        await store.set_identity(
            ctx.db,
            node.id,
            org=PLATFORM_ORG,
            public_key=public_key,
            nonce_hash=proofs.nonce_hash(given.nonce),
            token_hash=tokens.digest(given.token),
            token_expires_at=_until(at, ctx.now),
        )
        _wake(ctx, node.id)
    at.heartbeats.forget(node.id)
    return given


async def _take(ctx: Context, node: Node, said: Mapping[str, Any]) -> None:
    if node.status == Status.RETIRED:
        raise proofs.enrolment_refused()
    sku = await fleet.get_sku_by_id(ctx.db, node.sku_id)
    status, reason = rules.after_enrolment(node, sku, said["inventory"])
    enrolled = await store.set_enrolled(
        ctx.db,
        node.id,
        org=PLATFORM_ORG,
        status=status,
        reason=reason,
        reimaged=node.reimage_requested_at is not None,
        said=said,
        now=ctx.now,
    )
    details = {"name": node.name, "hostname": said["hostname"], "status": str(status)}
    audit.record(ctx, Permission.INFRA_NODE_ENROL, node.id, org=PLATFORM_ORG, details=details)
    commands.publish(ctx, registry.NODE_ENROLLED, enrolled)
    if enrolled.status != node.status:
        commands.publish(ctx, commands.EVENTS[status], enrolled)


async def _is_same_host(
    ctx: Context, node: Node, enrolment: Mapping[str, Any], *, thumbprint: str
) -> bool:
    """An answer can be lost: until its first exchange the host may ask again, with its key."""
    identity = await store.find_identity(ctx.db, node.id, org=PLATFORM_ORG)
    return (
        identity is not None
        and identity.used_jti is None
        and identity.public_key is not None
        and enrolment["thumbprint"] == thumbprint == proofs.thumbprint(identity.public_key)
        and node.status != Status.RETIRED
    )


async def exchange(at: Platform, *, node: str, assertion: str, trace: Trace) -> Given:
    """The next token for a node that proves itself; the one before ends."""
    async with at.database.transaction(org_scope(PLATFORM_ORG), read_only=True) as db:
        before = await store.find_identity(db, node, org=PLATFORM_ORG)
    if before is None or before.public_key is None:
        raise proofs.refused()
    claims = proofs.read(assertion, before.public_key)
    if claims is None or claims.get("sub") != node or "nonce" not in claims:
        raise proofs.refused()
    given_hash = proofs.nonce_hash(claims["nonce"])
    async with unit.work(at, PLATFORM_ORG, trace=trace) as ctx:
        identity = await store.find_identity(ctx.db, node, org=PLATFORM_ORG, lock=True)
        if identity is None or identity.public_key != before.public_key:
            raise proofs.refused()
        proofs.check_may_exchange(identity)
        verdict = proofs.judge(identity, given=given_hash, jti=claims["jti"])
        if verdict is not proofs.Verdict.CONFLICT:
            given = _next(at, node, identity.name, jti=claims["jti"])
            await _advance(ctx, identity, given, used=given_hash, jti=claims["jti"])
            return given
        await _quarantine(ctx, node)
    raise proofs.conflict(before.name)


async def _advance(
    ctx: Context, identity: Identity, given: Given, *, used: bytes, jti: str
) -> None:
    await store.advance(
        ctx.db,
        identity.id,
        org=PLATFORM_ORG,
        nonce_hash=proofs.nonce_hash(given.nonce),
        used_nonce_hash=used,
        used_jti=jti,
        token_hash=tokens.digest(given.token),
        token_expires_at=_until(ctx.platform, ctx.now),
    )
    _wake(ctx, identity.id)


async def _quarantine(ctx: Context, id: str) -> None:
    """Neither holder goes on; whoever runs the platform finds out which one is the copy."""
    node = await commands.lock(ctx, id)
    await store.note_conflict(ctx.db, id, org=PLATFORM_ORG, now=ctx.now)
    details = {"name": node.name, "reason": CONFLICT}
    audit.record(ctx, Permission.INFRA_NODE_OPERATE, id, org=PLATFORM_ORG, details=details)
    await commands.quarantine(ctx, id, reason=CONFLICT)
    _wake(ctx, id)


def _next(at: Platform, node: str, name: str, *, jti: str) -> Given:
    nonce = proofs.nonce(at.node_key, node=node, jti=jti)
    return Given(node, name, tokens.new_marked(tokens.NODE, at.node_key), nonce)


def _until(at: Platform, now: datetime) -> datetime:
    return now + at.settings.machines.node_token_lifetime


def _wake(ctx: Context, node: str) -> None:
    """Whoever still waits with an older token finds out at once."""
    ctx.topics |= {topic(node), f"node:{node}"}
