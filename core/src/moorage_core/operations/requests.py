"""What other slices ask of operations: to record a wish, to wake what waits, to end it.

All of it is part of the caller's change, which authorizes and audits it, in an instance whose row
the caller has locked.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from moorage_core.authz.authorize import hidden
from moorage_core.context import Context
from moorage_core.events import registry
from moorage_core.kit.ids import OperationId
from moorage_core.operations import flow, queue_store, rules
from moorage_core.operations import recovery as stopping
from moorage_core.operations.models import (
    InstanceRef,
    NewChild,
    NewOperation,
    Operation,
    Recovery,
)


async def lock_instance(ctx: Context, id: str, *, org: str) -> InstanceRef:
    """The instance, whose operations change nothing until the caller is done. Raises if absent."""
    found = await queue_store.lock_instance(ctx.db, id, org=org)
    if found is None:
        raise hidden("instance", id)
    return found


async def request(ctx: Context, new: NewOperation) -> Operation:
    """Record a wish, and its children's. Whoever can start, starts."""
    instance = new.instance
    org, project = instance.org_id, instance.project_id
    # Ids of one moment are in no order of their own; children are begun in that of the wish.
    ids = sorted(OperationId.new() for _ in range(1 + len(new.children)))
    row = _row(ctx, new, id=ids[0])
    children = zip(ids[1:], new.children, strict=True)
    rows = [row, *(_child(row, each, id=id) for id, each in children)]
    place = await queue_store.add(ctx.db, instance.id, rows, org=org, project=project, now=ctx.now)
    operation = _written(ctx, row, org=org, project=project, place=place)
    flow.publish(ctx, registry.OPERATION_REQUESTED, operation)
    if new.preempts:
        await _preempt(ctx, operation)
    moved = await flow.settle(ctx, instance.id, org=org)
    return moved.get(operation.id, operation)


def _written(ctx: Context, row: dict[str, Any], *, org: str, project: str, place: int) -> Operation:
    """The operation that a row has become. Nobody else has seen it yet."""
    return Operation(
        **row,
        org_id=org,
        project_id=project,
        place=place,
        message=None,
        fence=0,
        lease_expires_at=None,
        deadline=None,
        version=1,
        created_at=ctx.now,
        updated_at=ctx.now,
        ended_at=None,
    )


def _row(ctx: Context, new: NewOperation, *, id: str) -> dict[str, Any]:
    is_parent = new.parent or bool(new.children)
    assert not (is_parent and new.member), "children keep their members, a parent has none"
    return {
        "id": id,
        "kind": new.kind,
        "status": "pending",
        "reason": new.reason,
        "requested_by_kind": str(ctx.principal.kind),
        "requested_by": ctx.principal.id,
        "requested_by_name": ctx.principal.name,
        "correlation_id": ctx.trace.correlation_id,
        "traceparent": ctx.trace.traceparent,
        "app_slug": new.instance.app_slug,
        "app_instance_id": new.instance.id,
        "parent_id": None,
        "member_id": new.member,
        "member_ids": list(new.members),
        "app_id": new.instance.app_id,
        "operator_id": new.instance.operator_id,
        "version_id": new.version_id or new.instance.version_id,
        "action": new.action,
        "input": new.input,
        "instance_lock": new.lock,
        "wave": 0,
        "phase": "prepare" if is_parent else None,
        "max_parallel": new.max_parallel,
        "failure_budget": new.failure_budget,
        "children_total": len(new.children),
        "preempts": new.preempts,
        "patient": new.patient,
        "timeout_seconds": new.timeout,
        "wakes_on": [],
        "allocations": sorted(new.allocations),
    }


def _child(parent: dict[str, Any], new: NewChild, *, id: str) -> dict[str, Any]:
    return parent | {
        "id": id,
        "kind": new.kind,
        # One that cannot be done yet stands in no line.
        "status": "waiting" if new.waits_for else "pending",
        "parent_id": parent["id"],
        "member_id": new.member,
        "member_ids": [],
        "input": new.input,
        "instance_lock": "shared",
        "wave": new.wave,
        "phase": None,
        "max_parallel": None,
        "failure_budget": None,
        "children_total": 0,
        "preempts": False,
        "patient": new.patient,
        "timeout_seconds": new.timeout,
        "wakes_on": list(new.waits_for),
        "allocations": list(new.allocations),
    }


async def _preempt(ctx: Context, operation: Operation) -> None:
    """Ask whoever stands before it to stop."""
    org = operation.org_id
    for seen in await queue_store.list_open(ctx.db, operation.instance_id, org=org):
        if seen.place < operation.place and seen.parent_id is None:
            (ahead,) = await queue_store.lock(ctx.db, [seen.id], org=org)
            if stopping.can_cancel(ahead):
                await stop(ctx, ahead, reason=f"Operation {operation.id} goes before it.")


async def list_open(ctx: Context, instance: str, *, org: str) -> list[Operation]:
    """What has not ended of an instance, in order; children after their parent."""
    return await queue_store.list_open(ctx.db, instance, org=org)


async def wake(ctx: Context, instance: str, *, org: str, topics: set[str]) -> None:
    """Something moved that operations of the instance may wait for."""
    found = await queue_store.list_waiting(ctx.db, instance, org=org, topics=sorted(topics))
    if found:
        changes = [(each, stopping.woken(each, now=ctx.now)) for each in found]
        await flow.move(ctx, changes, org=org)
        await flow.settle(ctx, instance, org=org)


async def fail(
    ctx: Context, id: str, *, org: str, code: str, message: str, recovery: Recovery = "terminal"
) -> Operation:
    """End an operation that cannot go on: its machine is gone. Whatever open state it is in."""
    (operation,) = await queue_store.lock(ctx.db, [id], org=org)
    if operation.status in rules.ENDED:
        return operation
    error = {"code": code, "message": message}
    failed = replace(operation, status="failed", error=error, recovery=recovery)
    (moved,) = await _moved(ctx, [(operation, failed)], org=org)
    return moved


async def rule_out_retry(ctx: Context, members: Sequence[str], *, org: str) -> None:
    """What failed for these members cannot be tried again: they are gone."""
    await queue_store.make_terminal(ctx.db, sorted(members), org=org)


async def end_all(ctx: Context, instance: str, *, org: str, reason: str) -> None:
    """An instance is gone: nothing of it goes on, and nothing that failed is tried again."""
    await abandon_open(ctx, instance, org=org, reason=reason)
    await queue_store.make_all_terminal(ctx.db, instance, org=org)


async def request_cancel(
    ctx: Context, id: str, *, org: str, reason: str, force: bool = False
) -> Operation:
    """Ask an operation to stop. Raises where it cannot any more.

    With `force` it may be past its point of no return: what it is at is gone. One that was asked
    before is left alone then.
    """
    (operation,) = await queue_store.lock(ctx.db, [id], org=org)
    if force:
        operation = replace(operation, no_return=False)
    if force and not stopping.can_cancel(operation):
        return operation
    stopping.check(operation, "cancel")
    operation = await stop(ctx, operation, reason=reason)
    await flow.settle(ctx, operation.instance_id, org=org)
    return operation


async def abandon_open(ctx: Context, instance: str, *, org: str, reason: str) -> list[Operation]:
    """End whatever is open of an instance without its controller.

    What is left on machines is unknown, and stands in each one's residue.
    """
    found = await queue_store.list_open(ctx.db, instance, org=org)
    if not found:
        return []
    found = await queue_store.lock(ctx.db, [each.id for each in found], org=org)
    # Children first: those of a parent that ends would end with it, and be told twice.
    found.sort(key=lambda each: each.parent_id is None)
    changes = [(each, stopping.abandoned(each, reason=reason)) for each in found]
    return await _moved(ctx, changes, org=org)


async def _moved(
    ctx: Context, changes: Sequence[tuple[Operation, Operation]], *, org: str
) -> list[Operation]:
    moved = await flow.move(ctx, changes, org=org)
    for instance in {each.instance_id for each in moved}:
        await flow.settle(ctx, instance, org=org)
    return moved


async def stop(ctx: Context, operation: Operation, *, reason: str) -> Operation:
    """Cancel an operation: at once, by turning it round, or by asking its controller."""
    (stopped,) = await _stop(ctx, [operation], org=operation.org_id, reason=reason)
    if stopped.phase == "children":
        await stop_children(ctx, stopped)
    return stopped


async def stop_children(ctx: Context, parent: Operation) -> None:
    """A parent stops by its children; when the last has ended, it goes on by itself."""
    children = await queue_store.list_children(
        ctx.db, parent.id, org=parent.org_id, statuses=sorted(rules.OPEN)
    )
    to_stop = [each for each in children if stopping.can_cancel(each)]
    await _stop(ctx, to_stop, org=parent.org_id, reason=parent.cancel_reason or "")


async def _stop(
    ctx: Context, operations: Sequence[Operation], *, org: str, reason: str
) -> list[Operation]:
    changes = [(each, _stopped(ctx, each, reason=reason)) for each in operations]
    moved = await flow.move(ctx, changes, org=org)
    for each in moved:
        if each.status != "cancelled":
            flow.publish(ctx, registry.OPERATION_CANCEL_REQUESTED, each)
            ctx.topics.add(f"opr:{each.operator_id}")
    return moved


def _stopped(ctx: Context, operation: Operation, *, reason: str) -> Operation:
    asked = stopping.asked_to_stop(operation, reason=reason, now=ctx.now)
    how = stopping.stop(operation)
    if operation.phase == "children" or how == "is_asked":
        return asked
    if how == "ends":
        return replace(asked, status="cancelled", message=reason)
    return stopping.turned(asked)


# What happens by itself


async def wake_due(ctx: Context, ids: list[str], org: str, instance: str) -> int:
    """Back in line, unless something else has moved them meanwhile."""
    found = await queue_store.lock(ctx.db, ids, org=org)
    changes = [
        (each, stopping.woken(each, now=ctx.now))
        for each in found
        if each.status == "waiting" and each.due_at is not None and each.due_at < ctx.now
    ]
    return len(await _moved(ctx, changes, org=org))


async def stop_late(ctx: Context, ids: list[str], org: str, instance: str) -> int:
    """Ask to stop whose time is over. What cannot be asked, or does not stop, needs a person."""
    stopped = 0
    for id in ids:
        # One by one: a parent that stops has moved its children.
        (each,) = await queue_store.lock(ctx.db, [id], org=org)
        if each.deadline is None or each.deadline >= ctx.now or each.status in rules.ENDED:
            continue
        if stopping.can_cancel(each):
            await stop(ctx, each, reason="Its time is over.")
        elif "blocked" in rules.NEXT[each.status]:
            await flow.move(ctx, [(each, stopping.outlasted(each))], org=org)
        else:
            continue
        stopped += 1
    await flow.settle(ctx, instance, org=org)
    return stopped
