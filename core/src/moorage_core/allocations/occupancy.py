"""What members do with the machines that they stand on.

An allocation carries members of one instance only; while it does, it is released through them.
Whoever calls has asked whether it may, has locked the instance, and records the change.
"""

from collections.abc import Sequence
from dataclasses import replace

from moorage_core.allocations import commands, rules, store
from moorage_core.allocations.models import Allocation, Host
from moorage_core.context import Context
from moorage_core.events import registry


async def lock_named(
    ctx: Context, ids: Sequence[str], *, org: str, project: str
) -> list[Allocation]:
    """Those of some allocations that are the project's. They stay as they are for now."""
    return await store.lock_named(ctx.db, sorted(ids), org=org, project=project)


async def find_hosts(ctx: Context, ids: Sequence[str]) -> dict[str, Host]:
    """The nodes of some allocations, as far as they are held."""
    found = await store.list_hosts(ctx.db, sorted(ids)) if ids else []
    return {host.allocation_id: host for host in found}


async def bind(ctx: Context, ids: Sequence[str], *, org: str, instance: str) -> None:
    """Members of the instance stand on these from now on. The caller has locked them."""
    await store.bind(ctx.db, sorted(ids), org=org, instance=instance, now=ctx.now)


async def vacate(
    ctx: Context, ids: Sequence[str], *, org: str, give_back: frozenset[str], soil: bool = False
) -> list[str]:
    """Members have gone. Where none is left, the machine is the project's to use again: those.

    Those in `give_back` are released. With `soil`, nobody knows what was left there: they are
    dirty from now on, and can only be released.
    """
    freed = await store.free_empty(ctx.db, sorted(ids), org=org, now=ctx.now)
    for row in freed:
        if row.status not in rules.HOLDS_FOR_USE:
            continue
        left = await _soil(ctx, row) if soil else row
        if row.id in give_back:
            message = f"Allocation {row.name} is being released: its member is gone."
            commands.publish(ctx, await commands.leave(ctx, left, message=message))
    return [row.id for row in freed]


async def _soil(ctx: Context, row: Allocation) -> Allocation:
    dirty = sorted({*row.dirty, rules.ABANDONED})
    row = await store.save(ctx.db, replace(row, dirty=dirty), org=row.org_id, now=ctx.now)
    commands.publish(ctx, row, registry.ALLOCATION_UPDATED)
    return row
