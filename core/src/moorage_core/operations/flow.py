"""How operations move: every change of state goes through here.

The caller has locked the instance's row, which is what makes these decisions one by one. A move is
written, told to whoever owns the target, published, and then `settle` lets start whoever can: it
ends waves and phases of parents, and moves to `ready` what order allows. Nothing else makes an
operation ready, so a claim need not ask.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from moorage_core.authz.principals import Kind
from moorage_core.context import Context, Trace
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.operations import hooks, ordering, queue_store, recovery, rules, store
from moorage_core.operations.models import Move, Operation, Standing
from moorage_core.operations.ordering import Entry

SSH_TASKS = "ssh-tasks"
"""Moves when there is something to do on a host without agent."""
OVER = rules.ENDED | {"blocked"}
"""Whose tasks are stopped."""
EVENTS = {
    "running": registry.OPERATION_RUNNING,
    "waiting": registry.OPERATION_WAITING,
    "blocked": registry.OPERATION_BLOCKED,
    "undoing": registry.OPERATION_UNDOING,
    "succeeded": registry.OPERATION_SUCCEEDED,
    "failed": registry.OPERATION_FAILED,
    "cancelled": registry.OPERATION_CANCELLED,
    "abandoned": registry.OPERATION_ABANDONED,
}
"""Events by the state that was reached. That something stands in line is nobody's event."""


# Moving


async def move(
    ctx: Context, changes: Sequence[tuple[Operation, Operation]], *, org: str
) -> list[Operation]:
    """Write operations as they are to be, each with what it was; tell whoever must know."""
    if not changes:
        return []
    written = [_written(ctx, before, after) for before, after in changes]
    await queue_store.save(ctx.db, written, org=org)
    moves = [
        Move(after, before.status)
        for (before, _), after in zip(changes, written, strict=True)
        if after.status != before.status
    ]
    await _count(ctx, moves, org=org)
    for each in moves:
        _follow(ctx, each)
    # One that nobody ever had has no tasks: of a thousand that are cancelled most are such.
    over = [each.operation for each in moves if each.operation.status in OVER]
    await stop_tasks(ctx, [each.id for each in over if not recovery.is_untouched(each)], org=org)
    for operation in written:
        mark(ctx, operation)
    await tell(ctx, moves)
    for each in moves:
        parent = each.operation
        if parent.ended_at is not None and parent.children_ended < parent.children_total:
            await _end_children(ctx, parent)
    return written


def _written(ctx: Context, before: Operation, after: Operation) -> Operation:
    if after.status != before.status:
        rules.check_move(before.id, before.status, after.status)
    ended = after.status in rules.ENDED
    keeps = after.status in rules.HELD or (
        after.status == "ready" and before.status in rules.HELD and after.holder is not None
    )
    return replace(
        after,
        version=before.version + 1,
        updated_at=ctx.now,
        ended_at=(before.ended_at or ctx.now) if ended else None,
        holder=after.holder if keeps else None,
        lease_expires_at=after.lease_expires_at if after.status in rules.HELD else None,
        due_at=after.due_at if after.status == "waiting" else None,
    )


async def _count(ctx: Context, moves: Sequence[Move], *, org: str) -> None:
    """Parents know how many of their children have ended, and how."""
    counts: dict[str, list[int]] = {}
    for each in moves:
        if each.operation.parent_id is None:
            continue
        before, after = each.before, each.operation.status
        count = counts.setdefault(each.operation.parent_id, [0, 0, 0])
        for at, states in enumerate((rules.ENDED, {"succeeded"}, rules.LOST)):
            count[at] += (after in states) - (before in states)
    changed = [(id, *count) for id, count in sorted(counts.items()) if any(count)]
    if changed:
        rows = [(id, ended, succeeded, failed) for id, ended, succeeded, failed in changed]
        await queue_store.count_children(ctx.db, rows, org=org)


def _follow(ctx: Context, move: Move) -> None:
    """What every move brings with it: an event, and a word to controllers."""
    operation = move.operation
    event = EVENTS.get(operation.status)
    if event is not None:
        publish(ctx, event, operation)
    if operation.status == "ready":
        ctx.topics.add(f"opr:{operation.operator_id}")


async def stop_tasks(ctx: Context, operations: list[str], *, org: str) -> None:
    """End whatever is under way on machines for operations that have ended."""
    if not operations:
        return
    for task in await store.stop_tasks(ctx.db, operations, org=org, now=ctx.now):
        ctx.topics |= {f"node:{task['node_id']}", f"task:{task['id']}"}
        if task["reach"] == "ssh":
            ctx.topics.add(SSH_TASKS)


async def tell(ctx: Context, moves: Sequence[Move]) -> None:
    """Tell whoever owns the targets, each of its own kinds."""
    by_target: dict[tuple[str, str], list[Move]] = {}
    for each in moves:
        key = hooks.word(each.operation.kind), each.operation.correlation_id
        by_target.setdefault(key, []).append(each)
    for (word, _), mine in by_target.items():
        with part_of(ctx, mine[0].operation):
            await ctx.platform.targets[word].moved(ctx, mine)


@contextmanager
def part_of(ctx: Context, operation: Operation) -> Generator[None]:
    """What happens in the block belongs to the request that asked for the operation.

    What somebody asks for now is a request of its own, and keeps its own correlation id.
    """
    before = ctx.trace
    if ctx.principal.kind is Kind.SYSTEM:
        ctx.trace = Trace(operation.correlation_id, operation.traceparent)
    try:
        yield
    finally:
        ctx.trace = before


def mark(ctx: Context, operation: Operation) -> None:
    """Wake whoever waits for it, and whoever looks at its instance."""
    ctx.topics.add(f"op:{operation.id}")
    if operation.app_instance_id is not None:
        events.hint(ctx, operation.app_instance_id, "operations")


def publish(ctx: Context, event: registry.EventType, operation: Operation) -> None:
    mark(ctx, operation)
    error = operation.error or {}
    data = registry.Operation(
        id=operation.id,
        kind=operation.kind,
        status=operation.status,
        reason=operation.reason,
        fence=operation.fence,
        allocations=operation.allocations,
        parent_id=operation.parent_id,
        member_id=operation.member_id,
        direction=operation.direction,
        attempt=operation.attempt,
        error_code=error.get("code"),
    )
    with part_of(ctx, operation):
        events.publish(
            ctx,
            event,
            data,
            subject=operation.id,
            version=operation.version,
            org=operation.org_id,
            project=operation.project_id,
            app=operation.app_slug,
            instance=operation.app_instance_id,
        )


async def _end_children(ctx: Context, parent: Operation) -> None:
    """No child outlives its parent. Those of one that failed can be tried again with it."""
    org = parent.org_id
    left = await queue_store.list_children(ctx.db, parent.id, org=org, statuses=sorted(rules.OPEN))
    error = {"code": "parent_ended", "message": f"Operation {parent.id} ended: {parent.status}."}
    changes = [
        (each, replace(each, status=parent.status, recovery="retryable", error=error))
        if parent.status == "failed"
        else (each, recovery.abandoned(each, reason=parent.message or "abandoned"))
        if parent.status == "abandoned"
        else (each, replace(each, status="cancelled", message=error["message"]))
        for each in left
    ]
    await move(ctx, changes, org=org)


# Settling


async def settle(ctx: Context, instance: str, *, org: str) -> dict[str, Operation]:
    """Let start whoever can, now that something has moved. Those that move by that, by id."""
    line = await queue_store.list_line(ctx.db, instance, org=org)
    parents = [each for each in line if each.phase == "children"]
    moved = await _end_parts(ctx, parents, org=org)
    if moved:
        line = await queue_store.list_line(ctx.db, instance, org=org)
    waiting = await _list_unbegun(ctx, line, org=org)
    entries = _entries(line, waiting)
    ids = ordering.startable(entries, _slots(line))
    started = await _start(ctx, ids, instance=instance, org=org) if ids else []
    return moved | {each.id: each for each in started}


async def _list_unbegun(ctx: Context, line: Sequence[Standing], *, org: str) -> list[Standing]:
    """Children that were never begun: all of them where somebody else stands in line too, and
    otherwise as many as could start."""
    roots = [each for each in line if each.parent_id is None and each.instance_lock != "none"]
    parents = [each for each in roots if each.is_parent]
    alone = len(roots) == 1
    if not parents or (alone and parents[0].phase != "children"):
        return []
    limits = [each.max_parallel if alone else None for each in parents]
    return await queue_store.list_unbegun(ctx.db, [each.id for each in parents], limits, org=org)


def _entries(line: Sequence[Standing], waiting: Sequence[Standing]) -> list[Entry]:
    """Children begin when their parent is at that, wave by wave; meanwhile they stand in line."""
    everybody = [*line, *waiting]
    parents = {each.id: each for each in line if each.is_parent}
    lowest: dict[str, int] = {}
    for each in everybody:
        if each.parent_id is not None:
            lowest[each.parent_id] = min(each.wave, lowest.get(each.parent_id, each.wave))
    entries: list[Entry] = []
    for each in everybody:
        held_back = False
        if each.parent_id is not None and not each.begun:
            phase = parents[each.parent_id].phase
            held_back = phase != "children" or each.wave > lowest[each.parent_id]
        members = {*each.member_ids, *([each.member_id] if each.member_id else [])}
        entry = Entry(
            id=each.id,
            root=each.parent_id or each.id,
            place=each.place,
            status=each.status,
            lock=each.instance_lock,
            members=frozenset(members),
            yields=each.kind == "instance.repair",
            parts=each.phase == "children",
            begun=each.begun,
            held_back=held_back,
        )
        entries.append(entry)
    return entries


def _slots(line: Sequence[Standing]) -> dict[str, int]:
    """How many children of each parent may start besides those at work."""
    slots: dict[str, int] = {}
    for parent in line:
        if parent.max_parallel is not None:
            working = [
                each
                for each in line
                if each.parent_id == parent.id and each.status in ordering.KEEPS_INSTANCE
            ]
            slots[parent.id] = parent.max_parallel - len(working)
    return slots


async def _start(ctx: Context, ids: list[str], *, instance: str, org: str) -> list[Operation]:
    started = await queue_store.start(ctx.db, instance, ids, org=org, now=ctx.now)
    moves = [Move(each, "pending") for each in started]
    for each in moves:
        _follow(ctx, each)
        mark(ctx, each.operation)
    await tell(ctx, moves)
    return started


# Parents


async def _end_parts(
    ctx: Context, parents: Sequence[Standing], *, org: str
) -> dict[str, Operation]:
    """Parents whose children have all ended go on; too many failures end the rest first."""
    moved: list[Operation] = []
    for parent in parents:
        budget = parent.failure_budget
        if budget is not None and parent.children_failed > budget:
            message = f"Not begun: more than {budget} others failed."
            moved += await _cancel_untouched(ctx, parent.id, org=org, message=message)
    if moved or any(each.children_ended >= each.children_total for each in parents):
        for parent in await queue_store.lock(ctx.db, [each.id for each in parents], org=org):
            if parent.phase == "children" and parent.children_ended >= parent.children_total:
                moved += await _go_on(ctx, parent)
    return {each.id: each for each in moved}


async def _cancel_untouched(
    ctx: Context, parent: str, *, org: str, message: str
) -> list[Operation]:
    """End the children that no controller ever had."""
    children = await queue_store.list_children(
        ctx.db, parent, org=org, statuses=["pending", "ready", "waiting"], untouched=True
    )
    changes = [(each, replace(each, status="cancelled", message=message)) for each in children]
    return await move(ctx, changes, org=org)


async def _go_on(ctx: Context, parent: Operation) -> list[Operation]:
    """After the children: the finish; or back, where all of it is to be taken back.

    Members that were added stay added, so that a bulk which is cancelled half-way is finished for
    those. What an instance's change did is taken back as a whole.
    """
    on = recovery.woken(parent, now=ctx.now)
    wanted = parent.cancel_requested_at is None
    if wanted or (parent.children_succeeded and hooks.word(parent.kind) == "member"):
        on = replace(on, phase="finish")
    elif await queue_store.has_steps(ctx.db, parent.id, org=parent.org_id):
        on = replace(on, phase="prepare", direction="undo")
    else:
        on = replace(on, status="cancelled")
    return await move(ctx, [(parent, on)], org=parent.org_id)
