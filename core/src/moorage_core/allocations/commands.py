"""Use cases of allocations: ask for machines, look at them, give them back."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import psycopg

from moorage_core.allocations import placement, rules, store
from moorage_core.allocations.models import Allocation, Candidate, Held, Host, MachineWish
from moorage_core.allocations.placement import Choice, Chosen, Wish
from moorage_core.allocations.schemas import (
    AllocationRequest,
    AllocationUpdate,
    NodeAllocationRequest,
)
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize, hidden, platform
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.fleet import commands as fleet
from moorage_core.fleet.models import Region, Sku
from moorage_core.http import etag
from moorage_core.kit import pagination
from moorage_core.kit.db import org_scope
from moorage_core.kit.ids import PLATFORM_ORG, AllocationId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.nodes import commands as nodes
from moorage_core.nodes.models import Node
from moorage_core.nodes.models import Status as NodeStatus
from moorage_core.operations import commands as operations
from moorage_core.policy import commands as policy
from moorage_core.policy.models import Wanted
from moorage_core.tasks.models import Evidence
from moorage_core.tenancy import commands as tenancy

TOPIC = "allocations"
"""Moves when one is on its way."""
PEOPLE = "memberships"
"""Moves when people may have to leave machines."""
CREATE, READ = Permission.INFRA_ALLOCATION_CREATE, Permission.INFRA_ALLOCATION_READ
RELEASE, UPDATE = Permission.INFRA_ALLOCATION_RELEASE, Permission.INFRA_ALLOCATION_UPDATE
EVENTS = {
    "requested": registry.ALLOCATION_REQUESTED,
    "provisioning": registry.ALLOCATION_PROVISIONING,
    "active": registry.ALLOCATION_ACTIVE,
    "releasing": registry.ALLOCATION_RELEASING,
    "released": registry.ALLOCATION_RELEASED,
    "failed": registry.ALLOCATION_FAILED,
    "release_failed": registry.ALLOCATION_RELEASE_FAILED,
}

PLACE_ERRORS = (placement.NoCapacity, *fleet.PLACE_ERRORS)
"""What `place` refuses with, for the routes that lead there."""

# Asking for machines


async def request(ctx: Context, project: str, new: AllocationRequest) -> tuple[list[Held], Choice]:
    """Let the platform choose nodes: as many as were asked for, or none."""
    added, choice = await place(ctx, project, MachineWish(**new.model_dump()))
    _record_request(ctx, CREATE, added, project=project, details={"strategy": new.strategy})
    return await _with_hosts(ctx, added), choice


async def place(ctx: Context, project: str, new: MachineWish) -> tuple[list[Allocation], Choice]:
    """The same as a part of another slice's change, which records it."""
    where = await tenancy.get_project(ctx, project, key=CREATE)
    region = await fleet.require_region(ctx.db, new.region)
    sku = await fleet.require_sku(ctx.db, new.sku)
    wanted = Wanted(
        project, None, "allocate", region=new.region, sku=new.sku, allocations=new.count
    )
    await policy.require(ctx, wanted)
    await ctx.db.set_scope(ctx.principal.scope.with_org(PLATFORM_ORG))
    wish = Wish(where.org_id, new.count, new.strategy, _can_reimage(ctx))
    choice = await _choose(ctx, wish, region, sku, project=project)
    rows = _rows(ctx, choice, new, region, sku, org=where.org_id, strategy=new.strategy)
    return await _add(ctx, rows, org=where.org_id, project=project), choice


async def request_node(
    ctx: Context, node: str, new: NodeAllocationRequest
) -> tuple[list[Held], Choice]:
    """Give a project one named node. Its quotas and overlays hold all the same."""
    key = Permission.INFRA_NODE_ALLOCATE
    authorize(ctx, key, platform())
    place = await store.find_place(ctx.db, node)
    if place is None:
        raise hidden("node", node)
    org = await store.find_project_owner(ctx.db, new.project)
    if org is None:
        raise hidden("project", new.project)
    region = await fleet.require_region(ctx.db, place["region"])
    sku = await fleet.require_sku(ctx.db, place["sku"])
    await ctx.db.set_scope(ctx.principal.scope.with_org(org))
    wanted = Wanted(new.project, None, "allocate", region=region.slug, sku=sku.slug, allocations=1)
    await policy.require(ctx, wanted, org=org)
    await store.hold_pool(ctx.db, region=region.id, sku=sku.id)
    (found,) = await store.lock_candidates(ctx.db, [node], project=new.project)
    placement.check_free(found, org=org, can_reimage=_can_reimage(ctx))
    reimage = placement.needs_reimage(found, org)
    chosen = Chosen(found, reimage, f"named by those who run the platform: {new.reason}")
    choice = Choice((chosen,), 1, 1, {})
    rows = _rows(ctx, choice, new, region, sku, org=org, strategy="named")
    added = await _add(ctx, rows, org=org, project=new.project)
    details = {"reason": new.reason, "node": found.name}
    _record_request(ctx, key, added, project=new.project, details=details)
    return await _with_hosts(ctx, added), choice


async def _choose(ctx: Context, wish: Wish, region: Region, sku: Sku, *, project: str) -> Choice:
    """Choose among those of a pool, alone. Those who run nodes may still come in between."""
    await store.hold_pool(ctx.db, region=region.id, sku=sku.id)
    names = any(
        g.org == PLATFORM_ORG and Permission.INFRA_NODE_READ in g.permissions
        for g in ctx.principal.grants
    )
    found = await store.list_candidates(ctx.db, region=region.id, sku=sku.id, project=project)
    while True:
        choice = placement.choose(found, wish)
        placement.check_enough(
            choice, sku=sku.slug, region=region.slug, count=wish.count, names=names
        )
        ids = [each.node.id for each in choice.chosen]
        now = {n.id: n for n in await store.lock_candidates(ctx.db, ids, project=project)}
        if all(_is_as_it_was(each, now.get(each.node.id), wish) for each in choice.chosen):
            return choice
        # What is locked does not change any more, so there is an end to this.
        found = [now.get(node.id, node) for node in found]


def _is_as_it_was(chosen: Chosen, now: Candidate | None, wish: Wish) -> bool:
    if now is None:
        return False
    free = placement.obstacle(now, org=wish.org, can_reimage=wish.can_reimage) is None
    return free and placement.needs_reimage(now, wish.org) == chosen.reimage


def _rows(
    ctx: Context,
    choice: Choice,
    new: MachineWish | NodeAllocationRequest,
    region: Region,
    sku: Sku,
    *,
    org: str,
    strategy: str,
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    # In the order of their names, as lists show them.
    ids = sorted(AllocationId.new() for _ in choice.chosen)
    for number, (id, chosen) in enumerate(zip(ids, choice.chosen, strict=True), start=1):
        at_once = chosen.node.reach == "ssh"
        rows.append(
            {
                "id": id,
                "name": rules.name(new.name, number, len(choice.chosen), sku=sku.slug, id=id),
                "node_id": chosen.node.id,
                "node_name": chosen.node.name,
                "region": region.slug,
                "sku": sku.slug,
                "gpus": sku.gpus,
                "price_micros": sku.price_micros,
                "currency": sku.currency,
                "status": "active" if at_once else "requested",
                "placement": {
                    "strategy": strategy,
                    "why": chosen.why,
                    "considered": choice.considered,
                    "free": choice.free,
                },
                "scheduler_type": new.scheduler_type,
                "metadata": new.metadata,
                "requested_by": ctx.principal.id,
                "reimage": chosen.reimage,
                "held_from": ctx.now.isoformat() if at_once else None,
                "due_at": None if at_once else ctx.now.isoformat(),
                "correlation_id": ctx.trace.correlation_id,
            }
        )
    return rows


async def _add(
    ctx: Context, rows: list[dict[str, Any]], *, org: str, project: str
) -> list[Allocation]:
    try:
        added = await store.add(ctx.db, rows, org=org, project=project, now=ctx.now)
    except psycopg.errors.UniqueViolation as err:
        if err.diag.constraint_name != "allocations_name":
            raise
        names = ", ".join(row["name"] for row in rows[:5])
        raise rules.NameTaken(
            f"The project has an allocation of this name already: {names}. Choose another."
        ) from err
    if not added:
        raise hidden("project", project)
    await nodes.take(ctx, [row.node_id for row in added])
    at_once = [row.node_id for row in added if row.status == "active"]
    if at_once:
        await nodes.hand_over(ctx, at_once, org=org)
    for row in added:
        publish(ctx, row)
    return sorted(added, key=lambda row: row.id)


def _can_reimage(ctx: Context) -> bool:
    return bool(ctx.platform.settings.machines.reimage_command)


# Looking


async def get(ctx: Context, id: str, *, key: str = READ, lock: bool = False) -> Allocation:
    """An allocation that the caller holds `key` on. Other slices come in through here."""
    orgs = sorted(ctx.principal.scope.orgs)
    row = await store.find(ctx.db, id, orgs=orgs, lock=lock)
    if row is None:
        raise hidden("allocation", id)
    authorize(ctx, key, Resource("allocation", id, row.org_id, row.project_id))
    return row


async def find_many(ctx: Context, ids: Sequence[str]) -> list[Allocation]:
    """Those of some allocations that are in the caller's orgs. The caller asks for its key."""
    return await store.list_named(ctx.db, sorted(ids), orgs=sorted(ctx.principal.scope.orgs))


async def find_host(ctx: Context, row: Allocation) -> Host | None:
    """The node of an allocation that the caller has got, while it is held."""
    return next(iter(await store.list_hosts(ctx.db, [row.id])), None)


async def get_held(ctx: Context, id: str) -> Held:
    (held,) = await _with_hosts(ctx, [await get(ctx, id)])
    return held


async def list_in_project(
    ctx: Context, project: str, page: PageRequest, *, status: str | None, live: bool
) -> Page[Held]:
    where = await tenancy.get_project(ctx, project, key=READ)
    rows = await store.list_page(
        ctx.db, page, org=where.org_id, project=project, status=status, live=live
    )
    found = pagination.page(rows, page, key=lambda row: row.id)
    return Page(await _with_hosts(ctx, found.items), found.next)


async def list_evidence(ctx: Context, id: str, page: PageRequest) -> tuple[Held, Page[Evidence]]:
    """What a host said while it was held, and how it was cleaned."""
    row = await get(ctx, id)
    rows = await store.list_evidence(ctx.db, page, org=row.org_id, allocation=id)
    return Held(row, None), pagination.page(rows, page, key=lambda each: each.id)


async def _with_hosts(ctx: Context, rows: Sequence[Allocation]) -> list[Held]:
    found = await store.list_hosts(ctx.db, [row.id for row in rows]) if rows else []
    hosts = {host.allocation_id: host for host in found}
    return [Held(row, hosts.get(row.id)) for row in rows]


# Changing


async def update(ctx: Context, id: str, change: AllocationUpdate, *, expected: int) -> Held:
    """Note something else on an allocation. Nothing depends on it but people and integrations."""
    row = await get(ctx, id, key=UPDATE, lock=True)
    etag.check("allocation", id, have=row.version, expected=expected)
    changes = change.model_dump(exclude_none=True)
    try:
        row = await store.describe(ctx.db, id, org=row.org_id, changes=changes, now=ctx.now)
    except psycopg.errors.UniqueViolation as err:
        raise rules.NameTaken(
            f"The project has an allocation named {change.name} already."
        ) from err
    _audit(ctx, UPDATE, row, {"changed": sorted(changes)})
    publish(ctx, row, registry.ALLOCATION_UPDATED)
    (held,) = await _with_hosts(ctx, [row])
    return held


async def release(ctx: Context, id: str, *, reason: str | None) -> Held:
    """Give a machine back. It is cleaned, and shown to be clean, before anybody else gets it.

    What is at work on it ends at once, and so does the time that is paid for. A release that
    failed is tried again.
    """
    row = await get(ctx, id, key=RELEASE, lock=True)
    if row.instance_id is not None:
        rules.check_unoccupied(row, await store.find_occupant(ctx.db, id, org=row.org_id))
    before = row.status
    row = await leave(ctx, row, message=f"Allocation {row.name} is being released.")
    (held,) = await _with_hosts(ctx, [row])
    _audit(ctx, RELEASE, row, {"reason": reason, "before": before})
    publish(ctx, row)
    return held


async def force_release(ctx: Context, id: str, *, reason: str) -> Held:
    """Take a machine from its holder without cleaning it. It stays out until somebody looks."""
    authorize(ctx, Permission.PLATFORM_ALLOCATION_RELEASE, platform())
    owner = await store.find_owner(ctx.db, id)
    if owner is None:
        raise hidden("allocation", id)
    org, project = owner["org_id"], owner["project_id"]
    await ctx.db.set_scope(ctx.principal.scope.with_org(org))
    row = await lock_with_instance(ctx, id, org=org)
    assert row is not None, "its owner was found a moment ago"
    rules.check_live(row.id, row.status)
    await _end_work(ctx, row, message=f"Allocation {row.name} was taken back.")
    await nodes.quarantine(ctx, row.node_id, reason=rules.force_reason(id))
    dirty = sorted({*row.dirty, rules.FORCED})
    forced = replace(
        row,
        status="released",
        message=f"Taken back by those who run the platform: {reason}",
        dirty=dirty,
        held_until=row.held_until or ctx.now,
        due_at=None,
    )
    row = await store.save(ctx.db, forced, org=org, now=ctx.now)
    if row.instance_id is not None:
        await ctx.platform.occupants.lost(ctx, row)
    audit.record_break_glass(
        ctx,
        Permission.PLATFORM_ALLOCATION_RELEASE,
        id,
        org=org,
        project=project,
        reason=reason,
    )
    publish(ctx, row)
    return Held(row, None)


async def lock_with_instance(ctx: Context, id: str, *, org: str) -> Allocation | None:
    """An allocation, locked, and before it the instance whose members stand there.

    Everybody takes the two in this order. None as well where the instance came or went meanwhile:
    whoever looks again finds it.
    """
    seen = await store.find(ctx.db, id, orgs=[org])
    if seen is not None and seen.instance_id is not None:
        await operations.lock_instance(ctx, seen.instance_id, org=org)
    row = await store.find(ctx.db, id, orgs=[org], lock=True)
    same = seen is not None and row is not None and seen.instance_id == row.instance_id
    return row if same else None


async def leave(ctx: Context, row: Allocation, *, message: str) -> Allocation:
    """Begin to give a locked allocation back. Whoever calls has asked whether it may."""
    known = row.org_id in ctx.principal.scope.orgs
    scope = ctx.principal.scope if known else org_scope(row.org_id)
    await ctx.db.set_scope(scope.with_org(PLATFORM_ORG))
    node = await nodes.lock(ctx, row.node_id)
    after = rules.released_to(row)
    rules.check_transition(row.id, row.status, after)
    rules.check_can_clean(row, node.status, node.status_reason)
    await _end_work(ctx, row, message=message)
    if after == "released":
        await _give_back_unused(ctx, row, node)
    elif node.status != NodeStatus.QUARANTINED or row.status == "release_failed":
        await nodes.clean(ctx, node.id)
    left = replace(
        row,
        status=after,
        message=None,
        held_until=(row.held_until or ctx.now) if row.held_from else None,
        due_at=None if after == "released" else ctx.now,
        release_operation_id=None,
        attempt=row.attempt + 1,
    )
    return await store.save(ctx.db, left, org=row.org_id, now=ctx.now)


async def _give_back_unused(ctx: Context, row: Allocation, node: Node) -> None:
    """Nothing of the project's ever came to it."""
    if node.status == NodeStatus.QUARANTINED:
        return
    imaged = row.reimage_from is None or node.generation > row.reimage_from
    if not imaged and not await nodes.call_off_reimage(ctx, node):
        await nodes.quarantine(ctx, node.id, reason=rules.IMAGING)
    else:
        await nodes.give_back(ctx, node.id)


async def _end_work(ctx: Context, row: Allocation, *, message: str) -> None:
    await operations.end_on_allocation(ctx, row.id, org=row.org_id, message=message)
    ctx.topics |= {TOPIC, PEOPLE}


# Records


def publish(ctx: Context, row: Allocation, event: registry.EventType | None = None) -> None:
    ctx.topics |= {TOPIC, f"node:{row.node_id}"}
    data = registry.Allocation(
        id=row.id,
        name=row.name,
        node_name=row.node_name,
        region=row.region,
        sku=row.sku,
        gpus=row.gpus,
        status=row.status,
        dirty=row.dirty,
        message=row.message,
    )
    events.publish(
        ctx,
        event or EVENTS[row.status],
        data,
        subject=row.id,
        version=row.version,
        org=row.org_id,
        project=row.project_id,
    )


def _record_request(
    ctx: Context, key: str, added: Sequence[Allocation], *, project: str, details: dict[str, Any]
) -> None:
    first = added[0]
    audit.record(
        ctx,
        key,
        first.id if len(added) == 1 else project,
        org=first.org_id,
        project=project,
        details={
            "sku": first.sku,
            "region": first.region,
            "allocations": [row.id for row in added],
            **details,
        },
    )


def _audit(ctx: Context, key: str, row: Allocation, details: dict[str, Any]) -> None:
    audit.record(ctx, key, row.id, org=row.org_id, project=row.project_id, details=details)
