"""What the platform itself does between a wish and its end: one step at a time, looked at anew.

Each step is one transaction in the tenant's org, with the allocation's row locked. It trusts only
what it sees there, so it does not matter who wakes it, how often, or after how long.
"""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from moorage_core import unit
from moorage_core.allocations import commands, rules, store
from moorage_core.allocations.models import Allocation, TaskSeen
from moorage_core.allocations.rules import Seen, Step
from moorage_core.context import Context
from moorage_core.events import registry
from moorage_core.kit.db import org_scope
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.nodes import commands as nodes
from moorage_core.nodes.models import Node, Status
from moorage_core.operations import commands as operations
from moorage_core.operations.models import Operation
from moorage_core.platform import Platform
from moorage_core.tasks import commands as tasks

AFTERWARDS = timedelta(minutes=5)
"""An operation outlives its tasks by this: it is ended, not run out."""
IMAGES = 2
"""So many times the limit of an image: whoever runs the command gives it up before."""
PROOFS = {rules.SETUP: "setup", rules.WIPE: "wipe", rules.VERIFY: "probe"}


async def advance(platform: Platform, id: str, *, org: str) -> bool:
    """Do the next thing for an allocation, if there is one to do now."""
    scope = org_scope(org).with_org(PLATFORM_ORG)
    async with unit.work(platform, org, scope=scope) as ctx:
        row = await commands.lock_with_instance(ctx, id, org=org)
        if row is None or row.due_at is None:
            return False
        ctx.trace.correlation_id = row.correlation_id
        node = await nodes.lock(ctx, row.node_id)
        found = await _tasks(ctx, row)
        step = rules.next_step(_seen(ctx, row, node, found))
        await _do(ctx, _with_proof(row, found), node, step)
    return step.act != "wait"


async def _tasks(ctx: Context, row: Allocation) -> list[TaskSeen]:
    operation = _operation(row)
    return [] if operation is None else await store.list_tasks(ctx.db, operation, org=row.org_id)


def _operation(row: Allocation) -> str | None:
    return row.release_operation_id if row.status == "releasing" else row.setup_operation_id


def _seen(ctx: Context, row: Allocation, node: Node, found: list[TaskSeen]) -> Seen:
    return Seen(
        id=row.id,
        status=row.status,
        reimage=row.reimage,
        reimage_from=row.reimage_from,
        gpus=row.gpus,
        node_status=node.status,
        generation=node.generation,
        image_awaited=_image_awaited(ctx, node),
        unreachable_since=node.unreachable_since,
        overdue=row.due_at is not None and row.due_at <= ctx.now,
        tasks={task.key: task for task in found},
    )


def _image_awaited(ctx: Context, node: Node) -> bool:
    """Time counts from when the provisioner was begun with: before that, nodes queue for it."""
    settings = ctx.platform.settings.machines
    if node.reimage_requested_at is None or not settings.reimage_command:
        return False
    started = node.reimage_started_at
    return started is None or ctx.now < started + IMAGES * settings.reimage_timeout


def _with_proof(row: Allocation, found: list[TaskSeen]) -> Allocation:
    """What nodes said stays with the allocation, whatever becomes of tasks."""
    ended = {PROOFS[t.key]: rules.proof(t) for t in found if t.key in PROOFS and not t.is_open}
    return replace(row, proof={**row.proof, **ended})


async def _do(ctx: Context, row: Allocation, node: Node, step: Step) -> None:
    acts = {
        "reimage": _reimage,
        "hold_on": _hold_on,
        "probe": _probe,
        "activate": _activate,
        "fail": _fail,
        "wipe": _wipe,
        "verify": _verify,
        "release": _release,
        "give_up": _give_up,
    }
    act = acts.get(step.act)
    if act is not None:
        await act(ctx, row, node, step)


# Making ready


async def _reimage(ctx: Context, row: Allocation, node: Node, step: Step) -> None:
    """The old image goes before the new holder comes; its node proves a new key then."""
    wait = IMAGES * ctx.platform.settings.machines.reimage_timeout
    await nodes.request_reimage(
        ctx, node.id, reason=f"for allocation {row.id}: another org had it before"
    )
    message = "The node is being imaged anew: another org had it before."
    row = replace(row, reimage_from=node.generation, due_at=ctx.now + wait, message=message)
    row = await store.save(ctx.db, row, org=row.org_id, now=ctx.now)
    commands.publish(ctx, row, registry.ALLOCATION_UPDATED)


async def _hold_on(ctx: Context, row: Allocation, node: Node, step: Step) -> None:
    """Look again later: the node's turn has not come, or it is being imaged."""
    wait = ctx.platform.settings.machines.reimage_timeout
    await store.save(ctx.db, replace(row, due_at=ctx.now + wait), org=row.org_id, now=ctx.now)


async def _probe(ctx: Context, row: Allocation, node: Node, step: Step) -> None:
    wait = ctx.platform.settings.machines.provision_timeout
    parts = {"parts": ["inventory", "residue"]}
    operation = await _open(ctx, row, f"make allocation {row.id} ready", wait)
    row = replace(
        row,
        status="provisioning",
        setup_operation_id=operation.id,
        due_at=ctx.now + wait,
        message=None,
    )
    row = await store.save(ctx.db, row, org=row.org_id, now=ctx.now)
    await _task(ctx, row, operation, kind="probe", key=rules.SETUP, given=parts, wait=wait)
    commands.publish(ctx, row)


async def _activate(ctx: Context, row: Allocation, node: Node, step: Step) -> None:
    await nodes.hand_over(ctx, [row.node_id], org=row.org_id)
    await _close(ctx, row, row.setup_operation_id, "succeeded")
    row = replace(row, status="active", held_from=ctx.now, due_at=None, message=None)
    row = await store.save(ctx.db, row, org=row.org_id, now=ctx.now)
    commands.publish(ctx, row)
    if row.instance_id is not None:
        await ctx.platform.occupants.arrived(ctx, row)


async def _fail(ctx: Context, row: Allocation, node: Node, step: Step) -> None:
    await _close(ctx, row, row.setup_operation_id, "failed", step.message)
    if step.quarantine:
        await nodes.quarantine(ctx, node.id, reason=step.message or "could not be made ready")
    elif node.status != Status.QUARANTINED:
        await nodes.give_back(ctx, node.id)
    row = replace(row, status="failed", due_at=None, message=step.message)
    row = await store.save(ctx.db, row, org=row.org_id, now=ctx.now)
    commands.publish(ctx, row)
    if row.instance_id is not None:
        await ctx.platform.occupants.lost(ctx, row)


# Giving back


async def _wipe(ctx: Context, row: Allocation, node: Node, step: Step) -> None:
    wait = ctx.platform.settings.machines.release_timeout
    operation = await _open(ctx, row, f"clean the machine of allocation {row.id}", wait)
    row = replace(row, release_operation_id=operation.id, due_at=ctx.now + wait)
    row = await store.save(ctx.db, row, org=row.org_id, now=ctx.now)
    await _task(ctx, row, operation, kind="wipe", key=rules.WIPE, given={}, wait=wait)


async def _verify(ctx: Context, row: Allocation, node: Node, step: Step) -> None:
    wait = ctx.platform.settings.machines.release_timeout
    operation = await operations.get_internal(ctx, str(row.release_operation_id), org=row.org_id)
    row = await store.save(ctx.db, row, org=row.org_id, now=ctx.now)
    parts = {"parts": ["residue"]}
    await _task(ctx, row, operation, kind="probe", key=rules.VERIFY, given=parts, wait=wait)


async def _release(ctx: Context, row: Allocation, node: Node, step: Step) -> None:
    await _close(ctx, row, row.release_operation_id, "succeeded")
    await nodes.give_back(ctx, node.id)
    row = replace(row, status="released", due_at=None, message=None)
    commands.publish(ctx, await store.save(ctx.db, row, org=row.org_id, now=ctx.now))


async def _give_up(ctx: Context, row: Allocation, node: Node, step: Step) -> None:
    """It can be tried again. Meanwhile nobody pays for it, and nobody gets the node."""
    await _close(ctx, row, row.release_operation_id, "failed", step.message)
    if node.status != Status.QUARANTINED:
        await nodes.quarantine(ctx, node.id, reason=rules.quarantine_reason(row.id))
    dirty = sorted({*row.dirty, rules.NOT_CLEANED})
    row = replace(row, status="release_failed", due_at=None, message=step.message, dirty=dirty)
    commands.publish(ctx, await store.save(ctx.db, row, org=row.org_id, now=ctx.now))


# What both do


async def _open(ctx: Context, row: Allocation, reason: str, wait: timedelta) -> Operation:
    return await operations.open_internal(
        ctx,
        org=row.org_id,
        project=row.project_id,
        allocations=[row.id],
        reason=reason,
        lease=2 * wait + AFTERWARDS,
    )


async def _close(
    ctx: Context,
    row: Allocation,
    operation: str | None,
    outcome: operations.Outcome,
    message: str | None = None,
) -> None:
    if operation is not None:
        await operations.close(ctx, operation, outcome, org=row.org_id, message=message)


async def _task(
    ctx: Context,
    row: Allocation,
    operation: Operation,
    *,
    kind: str,
    key: str,
    given: dict[str, Any],
    wait: timedelta,
) -> None:
    await tasks.add_internal(
        ctx,
        operation,
        allocation=row.id,
        kind=kind,
        key=key,
        input=given,
        timeout=int(wait.total_seconds()),
        wakes=commands.TOPIC,
        queued_for=wait,
    )
