"""Use cases of nodes: announcing them, looking at them, and what other slices do with them."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import authorize, hidden, platform
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Grant, Kind, Principal
from moorage_core.authz.roles import NODE_PERMISSIONS
from moorage_core.context import Context
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.fleet import commands as fleet
from moorage_core.http.principal_cache import topic
from moorage_core.kit import pagination, tokens
from moorage_core.kit.ids import PLATFORM_ORG, EnrolmentId, NodeId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.nodes import rules, store
from moorage_core.nodes.models import Enrolment, Holder, Node, Status
from moorage_core.nodes.schemas import EnrolmentCreate, NodeBatchCreate, NodeCreate
from moorage_core.platform import Platform

REIMAGES = "reimages"
"""The topic of nodes that are to be imaged anew."""

EVENTS: dict[Status, registry.EventType] = {
    Status.ENROLLING: registry.NODE_REIMAGING,
    Status.AVAILABLE: registry.NODE_AVAILABLE,
    Status.ALLOCATED: registry.NODE_ALLOCATED,
    Status.CLEANING: registry.NODE_CLEANING,
    Status.MAINTENANCE: registry.NODE_MAINTENANCE,
    Status.QUARANTINED: registry.NODE_QUARANTINED,
    Status.RETIRED: registry.NODE_RETIRED,
}


@dataclass(frozen=True)
class Held:
    """A node, and what holds it."""

    node: Node
    holder: Holder | None
    in_short: bool = False
    """Its inventory is left out, but for the hardware."""

    @property
    def allocation_id(self) -> str | None:
        return self.holder and self.holder.allocation_id

    @property
    def hardware(self) -> rules.Hardware | None:
        return None if self.node.inventory is None else rules.hardware(self.node.inventory)

    @property
    def inventory(self) -> dict[str, Any] | None:
        return None if self.in_short else self.node.inventory

    def __getattr__(self, name: str) -> Any:
        return getattr(self.node, name)


@dataclass(frozen=True)
class Issued:
    """An enrolment with what is shown once."""

    enrolment: Enrolment
    token: str
    line: str

    def __getattr__(self, name: str) -> Any:
        return getattr(self.enrolment, name)


@dataclass(frozen=True)
class Announced:
    node: Held
    enrolment: Issued | None


@dataclass(frozen=True)
class Filter:
    """Which nodes are wanted."""

    region: str | None = None
    sku: str | None = None
    status: str | None = None
    unreachable: bool | None = None
    name: str | None = None


# What other slices ask


async def find_token_principal(platform: Platform, token: str) -> Principal | None:
    """The node that this token was given to.

    Its grant names a place that is nobody's: what a node may see, it sees as itself.
    """
    async with platform.database.alone(patient=True) as db:
        found = await store.find_principal(
            db, token_hash=tokens.digest(token), now=platform.clock.now()
        )
    if found is None:
        return None
    return dataclasses.replace(as_principal(found["id"], found["name"]), until=found["expires_at"])


def as_principal(id: str, name: str) -> Principal:
    grant = Grant(PLATFORM_ORG, id, frozenset(map(str, NODE_PERMISSIONS)))
    return Principal(Kind.NODE, id, name, grants=(grant,))


async def lock(ctx: Context, id: str) -> Node:
    """The node, locked, in a transaction that sees the platform's own."""
    node = await store.find(ctx.db, id, org=PLATFORM_ORG, lock=True)
    if node is None:
        raise hidden("node", id)
    return node


# What the platform itself does with nodes: whoever calls has asked whether it may, and records it


async def take(ctx: Context, ids: list[str]) -> None:
    """Nodes that were chosen, and are locked, are held from now on."""
    for node in await store.take(ctx.db, ids, org=PLATFORM_ORG, now=ctx.now):
        publish(ctx, registry.NODE_ALLOCATED, node)


async def hand_over(ctx: Context, ids: list[str], *, org: str) -> None:
    """From now on people and apps of this org are root there."""
    await store.hand_over(ctx.db, ids, org=PLATFORM_ORG, holder=org)


async def clean(ctx: Context, id: str) -> None:
    await _move(ctx, await lock(ctx, id), Status.CLEANING)


async def give_back(ctx: Context, id: str) -> None:
    await _move(ctx, await lock(ctx, id), Status.AVAILABLE)


async def quarantine(ctx: Context, id: str, *, reason: str) -> None:
    await _move(ctx, await lock(ctx, id), Status.QUARANTINED, reason=reason)


async def request_reimage(ctx: Context, id: str, *, reason: str) -> None:
    """Have a node imaged anew. Once its host has enrolled again, its generation is one more.

    The sweep runs the provisioner's command. Where it fails, or no host enrols in time, the node
    is quarantined.
    """
    node = await lock(ctx, id)
    rules.check_has_agent(node)
    wanted = await store.request_reimage(ctx.db, id, org=PLATFORM_ORG, reason=reason, now=ctx.now)
    ctx.topics.add(REIMAGES)
    publish(ctx, registry.NODE_REIMAGING, wanted)


async def call_off_reimage(ctx: Context, node: Node) -> bool:
    """End a wish for an image of a locked node. False where the provisioner may be at it."""
    timeout = ctx.platform.settings.machines.reimage_timeout
    if rules.is_imaging(node, timeout=timeout, now=ctx.now):
        return False
    await store.call_off_reimage(ctx.db, node.id, org=PLATFORM_ORG)
    return True


async def _move(ctx: Context, node: Node, after: Status, *, reason: str | None = None) -> None:
    if rules.transition(node, after) is None and reason == node.status_reason:
        return
    moved = await store.set_status(
        ctx.db, node.id, org=PLATFORM_ORG, status=after, reason=reason, now=ctx.now
    )
    publish(ctx, EVENTS[after], moved)


# Announcing


async def create(ctx: Context, new: NodeCreate) -> Held:
    authorize(ctx, Permission.INFRA_NODE_ENROL, platform())
    [node] = await _add(ctx, [new])
    record(ctx, Permission.INFRA_NODE_ENROL, registry.NODE_CREATED, node)
    return Held(node, None)


async def create_batch(ctx: Context, batch: NodeBatchCreate) -> list[Announced]:
    """Many at once, each with its line."""
    authorize(ctx, Permission.INFRA_NODE_ENROL, platform())
    nodes = await _add(ctx, batch.nodes)
    with_agent = [node for node in nodes if node.reach == "agent"]
    issued = await _issue(ctx, with_agent, expires_in=batch.expires_in)
    details = {"nodes": [node.name for node in nodes]}
    audit.record(ctx, Permission.INFRA_NODE_ENROL, nodes[0].id, org=PLATFORM_ORG, details=details)
    for node in nodes:
        publish(ctx, registry.NODE_CREATED, node)
    return [Announced(Held(node, None), issued.get(node.id)) for node in nodes]


async def _add(ctx: Context, new: Sequence[NodeCreate]) -> list[Node]:
    regions = {slug: await fleet.require_region(ctx.db, slug) for slug in {n.region for n in new}}
    skus = {slug: await fleet.require_sku(ctx.db, slug) for slug in {n.sku for n in new}}
    names = [each.name for each in new]
    taken = await store.list_taken(ctx.db, names, org=PLATFORM_ORG)
    taken += sorted({name for name in names if names.count(name) > 1}) if len(names) > 1 else []
    if taken:
        raise rules.NameTaken(f"These names are taken or given twice: {', '.join(taken[:20])}.")
    rows: list[dict[str, Any]] = []
    for each in new:
        rules.check_reach(reach=each.reach, address=each.address)
        rows.append(
            {
                "id": NodeId.new(),
                "name": each.name,
                "region_id": regions[each.region].id,
                "sku_id": skus[each.sku].id,
                "reach": each.reach,
                "address": each.address,
                "ssh_port": each.ssh_port,
                "status": Status.AVAILABLE if each.reach == "ssh" else Status.ENROLLING,
                "at": ctx.now.isoformat(),
                "labels": each.labels,
            }
        )
    added = {node.id: node for node in await store.add_many(ctx.db, rows, org=PLATFORM_ORG)}
    return [added[row["id"]] for row in rows]


# Enrolments


async def issue_enrolment(ctx: Context, id: str, new: EnrolmentCreate) -> Issued:
    """A line for a host to become this node. Lines that nobody has used end with it."""
    authorize(ctx, Permission.INFRA_NODE_ENROL, platform())
    node = await lock(ctx, id)
    rules.check_has_agent(node)
    await store.revoke_open(ctx.db, org=PLATFORM_ORG, node=id, now=ctx.now)
    issued = (await _issue(ctx, [node], expires_in=new.expires_in))[id]
    _record_enrolment(ctx, registry.ENROLMENT_ISSUED, issued.enrolment, node)
    return issued


async def issue_line(ctx: Context, node: Node, *, expires_in: timedelta) -> str:
    """A line for the provisioner. It is the platform that asks: no audit entry, but an event."""
    await store.revoke_open(ctx.db, org=PLATFORM_ORG, node=node.id, now=ctx.now)
    issued = (await _issue(ctx, [node], expires_in=int(expires_in.total_seconds())))[node.id]
    data = registry.Enrolment(id=issued.enrolment.id, node_id=node.id)
    events.publish(
        ctx,
        registry.ENROLMENT_ISSUED,
        data,
        subject=node.id,
        version=node.version,
        org=PLATFORM_ORG,
    )
    return issued.line


async def list_enrolments(ctx: Context, id: str, page: PageRequest) -> Page[Enrolment]:
    authorize(ctx, Permission.INFRA_NODE_READ, platform())
    if await store.find(ctx.db, id, org=PLATFORM_ORG) is None:
        raise hidden("node", id)
    rows = await store.list_enrolments(ctx.db, page, org=PLATFORM_ORG, node=id)
    return pagination.page(rows, page, key=lambda enrolment: enrolment.id)


async def revoke_enrolment(ctx: Context, id: str) -> None:
    authorize(ctx, Permission.INFRA_NODE_ENROL, platform())
    found = await store.find_enrolment(ctx.db, id, org=PLATFORM_ORG)
    if found is None:
        raise hidden("enrolment", id)
    node = await lock(ctx, found.node_id)
    enrolment = await store.revoke(ctx.db, id, org=PLATFORM_ORG, now=ctx.now)
    _record_enrolment(ctx, registry.ENROLMENT_REVOKED, enrolment, node)


async def _issue(
    ctx: Context, nodes: Sequence[Node], *, expires_in: int | None
) -> dict[str, Issued]:
    handout = ctx.platform.handout
    if nodes and handout.agent is None:
        raise rules.AgentMissing(
            "The package moorage-agent is not installed beside the platform. Install it there,"
            " restart the platform, and ask again."
        )
    settings = ctx.platform.settings.machines
    life = settings.enrolment_lifetime if expires_in is None else timedelta(seconds=expires_in)
    secrets = {
        node.id: tokens.new_marked(tokens.ENROLMENT, ctx.platform.node_key) for node in nodes
    }
    rows = [
        {
            "id": EnrolmentId.new(),
            "node_id": node,
            "hash": tokens.digest(token).hex(),
            "expires_at": (ctx.now + life).isoformat(),
            "at": ctx.now.isoformat(),
            "created_by": ctx.principal.id,
        }
        for node, token in secrets.items()
    ]
    added = await store.add_enrolments(ctx.db, rows, org=PLATFORM_ORG)
    return {
        each.node_id: Issued(each, secrets[each.node_id], handout.line(secrets[each.node_id]))
        for each in added
    }


# Looking


async def list_nodes(ctx: Context, wanted: Filter, page: PageRequest) -> Page[Held]:
    authorize(ctx, Permission.INFRA_NODE_READ, platform())
    rows = await store.list_nodes(ctx.db, page, org=PLATFORM_ORG, **dataclasses.asdict(wanted))
    holders = await store.list_holders(ctx.db, [node.id for node in rows])
    held = [Held(node, holders.get(node.id), in_short=True) for node in rows]
    return pagination.page(held, page, key=lambda each: each.node.id)


async def get(ctx: Context, id: str) -> Held:
    authorize(ctx, Permission.INFRA_NODE_READ, platform())
    node = await store.find(ctx.db, id, org=PLATFORM_ORG)
    if node is None:
        raise hidden("node", id)
    return await held_by(ctx, node)


async def held_by(ctx: Context, node: Node) -> Held:
    """The node with what holds it."""
    return Held(node, (await store.list_holders(ctx.db, [node.id])).get(node.id))


# Records


def publish(ctx: Context, event: registry.EventType, node: Node) -> None:
    """An event of a node, and a wake-up for its poll and for whoever holds it."""
    ctx.topics |= {topic(node.id), f"node:{node.id}", "allocations"}
    data = registry.Node(
        id=node.id,
        name=node.name,
        region=node.region,
        sku=node.sku,
        status=node.status,
        cordoned=node.cordoned,
        reason=node.status_reason,
    )
    events.publish(ctx, event, data, subject=node.id, version=node.version, org=PLATFORM_ORG)


def record(
    ctx: Context, action: str, event: registry.EventType, node: Node, **details: Any
) -> None:
    said = {"name": node.name, "status": node.status, **details}
    audit.record(ctx, action, node.id, org=PLATFORM_ORG, details=said)
    publish(ctx, event, node)


def _record_enrolment(
    ctx: Context, event: registry.EventType, enrolment: Enrolment, node: Node
) -> None:
    details = {"node": node.id, "name": node.name, "event": event.type}
    audit.record(ctx, Permission.INFRA_NODE_ENROL, enrolment.id, org=PLATFORM_ORG, details=details)
    data = registry.Enrolment(id=enrolment.id, node_id=node.id)
    events.publish(ctx, event, data, subject=node.id, version=node.version, org=PLATFORM_ORG)
