"""Use cases of members: looking at them, and what other slices ask of them.

What people ask of members is in `verbs`; how members follow their operations is in `following`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from moorage_core.access import residents
from moorage_core.allocations import commands as allocations
from moorage_core.allocations import occupancy
from moorage_core.allocations.models import Allocation, MachineWish
from moorage_core.authz.authorize import Resource, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.entitlements import commands as entitlements
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.instances import commands as instances
from moorage_core.instances.models import Instance
from moorage_core.kit import pagination
from moorage_core.kit.ids import MemberId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.members import brief, rules, store
from moorage_core.members.models import Member, Placement, Survey, Wanted
from moorage_core.operations.models import InstanceRef, NewChild
from moorage_manifest import Manifest

READ = Permission.APPS_INSTANCE_READ
PLACE_ERRORS = rules.PLACE_ERRORS
ALLOCATION_ERRORS = allocations.PLACE_ERRORS
"""What allocating machines refuses with, for the routes that lead there."""
BRIEFED = 1000
"""Members of one instance of which a controller is told."""
EVENTS = {
    "requested": registry.MEMBER_REQUESTED,
    "joining": registry.MEMBER_JOINING,
    "ready": registry.MEMBER_READY,
    "draining": registry.MEMBER_DRAINING,
    "drained": registry.MEMBER_DRAINED,
    "removing": registry.MEMBER_REMOVING,
    "replacing": registry.MEMBER_REPLACING,
    "failed": registry.MEMBER_FAILED,
    "removed": registry.MEMBER_REMOVED,
}

# Looking


async def get(ctx: Context, id: str, *, key: str = READ) -> Member:
    """A member of an instance that the caller holds `key` on; a tombstone as well."""
    member = await store.find(ctx.db, id, orgs=sorted(ctx.principal.scope.orgs))
    if member is None:
        raise hidden("member", id)
    where = Resource("member", id, member.org_id, member.project_id)
    await entitlements.authorize_on_app(ctx, key, where, app=member.app_id)
    return member


async def list_of_instance(
    ctx: Context, instance: str, page: PageRequest, wanted: Wanted
) -> Page[Member]:
    found = await instances.get(ctx, instance, key=READ)
    rows = await store.list_page(ctx.db, page, wanted, org=found.org_id, instance=instance)
    return pagination.page(rows, page, key=lambda member: member.id)


async def briefs(
    ctx: Context, instances: list[str], *, org: str
) -> dict[str, list[dict[str, Any]]]:
    """What controllers are told of the live members of instances, by instance. At most 1,000 each.

    The number of statements is always the same.
    """
    found = await store.list_live(ctx.db, instances, org=org, limit=BRIEFED)
    told = await _brief(ctx, found)
    briefed: dict[str, list[dict[str, Any]]] = {id: [] for id in instances}
    for member in found:
        briefed[member.instance_id].append(told[member.id])
    return briefed


async def follow_version(
    ctx: Context, row: Instance, *, manifest: Manifest, version_id: str, number: str
) -> None:
    """The instance became another version, and its live members with it. It is locked."""
    org = row.org_id
    machines = await store.set_version(
        ctx.db, row.id, org=org, version_id=version_id, number=number, now=ctx.now
    )
    if rules.knows_people(manifest):
        await residents.settle(ctx, machines, org=org, project=row.project_id)
    else:
        await residents.leave(ctx, machines, org=org)


async def briefs_named(ctx: Context, ids: Sequence[str], *, org: str) -> dict[str, dict[str, Any]]:
    """The same of some members, by id; of those that are gone too."""
    return await _brief(ctx, await store.list_named(ctx.db, sorted(ids), org=org))


async def find_live(
    ctx: Context, ids: Sequence[str], *, instance: str, org: str
) -> dict[str, Member]:
    """Those of the named members that the instance has, by id."""
    found = await store.list_named(ctx.db, sorted(set(ids)), org=org)
    return {m.id: m for m in found if m.instance_id == instance and m.is_live}


async def _brief(ctx: Context, members: Sequence[Member]) -> dict[str, dict[str, Any]]:
    ids = sorted({m.allocation_id for m in members if m.allocation_id is not None})
    hosts = await occupancy.find_hosts(ctx, ids)
    return {m.id: brief.member(m, hosts.get(m.allocation_id or "")) for m in members}


async def report_observed(
    ctx: Context, instance: str, *, org: str, said: Mapping[str, Mapping[str, Any]]
) -> None:
    """What a controller saw of members, by id: health, and what it notes. Never a state.

    Of a member of another instance, or of one that is gone, it can say nothing.
    """
    locked = await store.lock(ctx.db, sorted(said), org=org)
    await note(ctx, [m for m in locked if m.instance_id == instance], said, org=org)


async def note(
    ctx: Context, members: Sequence[Member], said: Mapping[str, Mapping[str, Any]], *, org: str
) -> None:
    """What a controller says of locked members, by id, where it says anything new."""
    before = {m.id: m for m in members if rules.says_new(m, said[m.id])}
    if not before:
        return
    news = {id: {key: said[id].get(key) for key in rules.SAID} for id in before}
    for after in await store.note(ctx.db, news, org=org, now=ctx.now):
        events.hint(ctx, after.instance_id, "instance")
        if after.health != before[after.id].health:
            publish(ctx, after, registry.MEMBER_HEALTH_CHANGED)


# Making members


async def survey(
    ctx: Context,
    placements: Mapping[str, Placement],
    *,
    manifest: Manifest,
    org: str,
    project: str,
    instance: str | None = None,
    lock: bool = False,
) -> Survey:
    """Look whether members could stand where placements say, by component. Raises where not.

    For plans and for deciding by policy (`Survey.regions`, `Survey.skus`); `add_rows` looks again.
    """
    rules.check_known(manifest, placements)
    ids = sorted({id for each in placements.values() for id in each.allocations})
    found = await _named(ctx, ids, org=org, project=project, lock=lock)
    for row in found.values():
        rules.check_machine(row, instance=instance, runtime_backend=manifest.runtime_backend)
    have = await store.list_components_on(ctx.db, ids, org=org) if ids else {}
    rules.check_sharing(manifest, placements, have)
    wished, named = list(placements.values()), list(found.values())
    return Survey(
        regions=_every(*(row.region for row in named), *(wish.region for wish in wished)),
        skus=_every(*(row.sku for row in named), *(wish.sku for wish in wished)),
        size=sum(each.size for each in placements.values()),
        named=found,
    )


async def add_rows(
    ctx: Context,
    instance: InstanceRef,
    placements: Mapping[str, Placement],
    *,
    manifest: Manifest,
    in_waves: bool = False,
    replaces: str | None = None,
) -> list[NewChild]:
    """Make members, by component, and what is to be asked of each: a `member.add`.

    The caller has locked the instance, whose rows of components exist, and puts the children into
    the operation that it asks for. Machines that are asked for by SKU are allocated here. With
    `in_waves` it is a deployment: components start one after the other, as the manifest has them,
    and machines stay where a member could not join. One that `replaces` another is none
    more.
    """
    org, project = instance.org_id, instance.project_id
    wanted = {key: each for key, each in placements.items() if each.size}
    more = {key: each.size for key, each in wanted.items()}
    found = await survey(
        ctx, wanted, manifest=manifest, org=org, project=project, instance=instance.id, lock=True
    )
    if replaces is None:
        await _grow(ctx, instance, manifest, more)
    machines = {
        key: [found.named[id] for id in each.allocations] or await _allocate(ctx, project, each)
        for key, each in wanted.items()
    }
    ids = sorted({row.id for rows in machines.values() for row in rows})
    await occupancy.bind(ctx, ids, org=org, instance=instance.id)
    if rules.knows_people(manifest):
        await residents.settle(ctx, ids, org=org, project=project)
    rows = await _rows(ctx, instance, manifest, wanted, machines, replaces)
    added = await store.add(ctx.db, rows, org=org, project=project, now=ctx.now)
    for member in added:
        publish(ctx, member)
    states = {row.id: row.status for each in machines.values() for row in each}
    waves = rules.waves(manifest) if in_waves else {}
    seconds = rules.timeout(manifest, "member.add")
    return [
        NewChild(
            "member.add",
            member.id,
            _told(member, keep=in_waves or member.keep_allocation),
            wave=waves.get(member.component, 0),
            allocations=(str(member.allocation_id),),
            timeout=seconds,
            waits_for=_awaited(member, states),
        )
        for member in added
    ]


def _told(member: Member, *, keep: bool) -> dict[str, Any]:
    """What the app is told besides the member itself."""
    given = {"component": member.component, "keep_machine": keep}
    return given if member.replaces_id is None else given | {"replaces": member.replaces_id}


def _awaited(member: Member, states: Mapping[str, str]) -> tuple[str, ...]:
    """Nothing can be done on a machine that is not there yet."""
    there = states[str(member.allocation_id)] == "active"
    return () if there else (topic(str(member.allocation_id)),)


def topic(allocation: str) -> str:
    """What an operation waits for that needs a machine."""
    return f"allocation:{allocation}"


async def _named(
    ctx: Context, ids: list[str], *, org: str, project: str, lock: bool
) -> dict[str, Allocation]:
    if lock:
        rows = await occupancy.lock_named(ctx, ids, org=org, project=project) if ids else []
    else:
        rows = await allocations.find_many(ctx, ids) if ids else []
    found = {row.id: row for row in rows if row.project_id == project}
    for id in ids:
        if id not in found:
            raise hidden("allocation", id)
    return found


async def _grow(
    ctx: Context, instance: InstanceRef, manifest: Manifest, more: Mapping[str, int]
) -> None:
    """There is room for so many more, those on their way counted; so many are wanted from now."""
    org = instance.org_id
    live = await store.count_live(ctx.db, instance.id, org=org)
    rules.check_room(manifest, {key: each.live for key, each in live.items()}, more)
    desired = {key: (live[key].staying if key in live else 0) + n for key, n in more.items()}
    await store.set_desired(ctx.db, desired, org=org, instance=instance.id)


async def _allocate(ctx: Context, project: str, placement: Placement) -> list[Allocation]:
    assert placement.sku is not None, "whoever says how many says of what"
    assert placement.region is not None, "and where"
    wish = MachineWish(placement.sku, placement.region, placement.count)
    rows, _ = await allocations.place(ctx, project, wish)
    return rows


async def _rows(
    ctx: Context,
    instance: InstanceRef,
    manifest: Manifest,
    wanted: Mapping[str, Placement],
    machines: Mapping[str, Sequence[Allocation]],
    replaces: str | None,
) -> list[dict[str, Any]]:
    org = instance.org_id
    ids = {r.id for rows in machines.values() for r in rows if r.status == "active"}
    hosts = await occupancy.find_hosts(ctx, sorted(ids))
    more = {key: len(rows) for key, rows in machines.items()}
    first = await store.take_numbers(ctx.db, more, org=org, instance=instance.id)
    # In the order of their names, as lists show them.
    new = iter(sorted(MemberId.new() for _ in range(sum(more.values()))))
    return [
        {
            "id": next(new),
            "instance_id": instance.id,
            "component": key,
            "name": rules.member_name(key, first[key] + number),
            "allocation_id": row.id,
            "node_name": row.node_name,
            "host_address": brief.address(hosts.get(row.id)),
            "managed": bool(wanted[key].count),
            "keep_allocation": wanted[key].keep_allocations,
            "version_id": instance.version_id,
            "app_version": manifest.version,
            "replaces_id": replaces,
            "correlation_id": ctx.trace.correlation_id,
        }
        for key, rows in machines.items()
        for number, row in enumerate(rows)
    ]


# Taking all of them away


async def remove_children(
    ctx: Context, instance: InstanceRef, *, manifest: Manifest, keep_allocations: bool, reason: str
) -> list[NewChild]:
    """What a decommission asks of every live member, the last component of the manifest first."""
    members = await store.lock_live(ctx.db, instance.id, org=instance.org_id)
    if keep_allocations:
        ids = [member.id for member in members]
        await store.keep_allocations(ctx.db, ids, org=instance.org_id, now=ctx.now)
    none = {member.component: 0 for member in members}
    await store.set_desired(ctx.db, none, org=instance.org_id, instance=instance.id)
    order = list(manifest.components)[::-1]
    given = rules.drain_input("force", None, owner="user", reason=reason)
    return [
        NewChild(
            "member.remove",
            member.id,
            {**given, "drained": member.status == "drained", "lost": False},
            wave=order.index(member.component) if member.component in order else 0,
            allocations=(member.allocation_id,) if member.allocation_id else (),
            timeout=rules.timeout(manifest, "member.remove"),
        )
        for member in members
    ]


async def bury(ctx: Context, instance: str, *, org: str, reason: str) -> int:
    """Tombstone every live member without the app. Their machines are dirty from then on.

    For break-glass. The caller has locked the instance and ended its operations.
    """
    live = await store.lock_live(ctx.db, instance, org=org)
    gone = [rules.gone(member, reason) for member in live]
    for member in await store.save(ctx.db, gone, org=org, now=ctx.now):
        publish(ctx, member)
    await leave_machines(ctx, live, org=org, soil=True)
    return len(live)


async def leave_machines(
    ctx: Context, members: Sequence[Member], *, org: str, soil: bool = False
) -> None:
    """Those on which nobody is left are free, or go back where the platform got them for this."""
    ids = {m.allocation_id for m in members if m.allocation_id is not None}
    back = frozenset(
        m.allocation_id
        for m in members
        if m.allocation_id is not None and m.managed and not m.keep_allocation
    )
    if ids:
        freed = await occupancy.vacate(ctx, sorted(ids), org=org, give_back=back, soil=soil)
        await residents.leave(ctx, freed, org=org)


# Records


def publish(ctx: Context, member: Member, event: registry.EventType | None = None) -> None:
    """Say what a member has become. Its row is locked."""
    data = registry.Member(
        id=member.id,
        name=member.name,
        component=member.component,
        status=member.status,
        status_reason=member.status_reason,
        health=member.health,
        allocation_id=member.allocation_id,
        source_project_id=member.source_project_id,
        operation_id=member.last_operation_id,
    )
    events.publish(
        ctx,
        event or EVENTS[member.status],
        data,
        subject=member.id,
        version=member.version,
        org=member.org_id,
        project=member.project_id,
        app=member.app_slug,
        instance=member.instance_id,
        topics=(f"ins:{member.instance_id}",),
    )


def _every(*names: str | None) -> tuple[str, ...]:
    return tuple(sorted({name for name in names if name is not None}))
