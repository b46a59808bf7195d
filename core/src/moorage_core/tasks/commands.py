"""Use cases of tasks: asked for under an operation, read by those who may, done by nodes."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from moorage_core import unit
from moorage_core.artifacts import commands as artifacts
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Kind, Principal
from moorage_core.catalog import commands as catalog
from moorage_core.context import Context, Trace
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.kit import pagination
from moorage_core.kit.ids import TaskId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.operations import commands as operations
from moorage_core.operations.models import Operation
from moorage_core.platform import Platform
from moorage_core.tasks import acceptance, delivery, kinds, reporting, rules, store
from moorage_core.tasks.acceptance import Known, Machine, Wish
from moorage_core.tasks.models import Task

# For whoever speaks with nodes

for_poll = delivery.for_poll
report = reporting.report
refuse = delivery.refuse
append_output = reporting.append_output
open_content = reporting.open_content
OUTPUT_ERRORS = (rules.OutputOffset, rules.OutputFull, rules.OutputEnded)
CONTENT_ERRORS = (acceptance.ArtifactMissing, *artifacts.CONTENT_ERRORS)


# For other slices


async def add_internal(
    ctx: Context,
    operation: Operation,
    *,
    allocation: str,
    kind: str,
    key: str,
    input: dict[str, Any],  # noqa: A002 - the field's own name
    timeout: int,  # noqa: ASYNC109 - the task's, not this function's
    wakes: str | None = "allocations",
    queued_for: timedelta = rules.QUEUED_FOR,
) -> Task:
    """A task of the platform's own. `wakes` moves when it ends.

    Where the last one of this key has not ended, that one: ask again once it has.
    """
    org, project = operation.org_id, operation.project_id
    machines = await store.lock_machines(ctx.db, operation.id, [allocation], org=org)
    limit = ctx.platform.settings.machines.output_limit
    wish = Wish(key, kind, allocation, input, "root", timeout, limit, 1, repeatable=True)
    acceptance.check_wish(wish, "task", machines, internal=True)
    last = (await _known(ctx, operation, [wish])).last(wish)
    if last is not None and not last.ended:
        return (await store.list_named(ctx.db, operation.id, org=org, ids=[last.id]))[last.id]
    row = _row(ctx, operation, wish, machines, queued_for=queued_for)
    row |= {"attempt": last.attempt + 1 if last else 1, "wakes": wakes}
    (task,) = await store.add(ctx.db, [row], org=org, project=project)
    _wake(ctx, [task])
    return task


# Asking


async def create(
    platform: Platform, who: Principal, operation: str, wishes: Sequence[Wish], *, trace: Trace
) -> list[Task]:
    """All the tasks of a call, or none: those that are there already, and new ones."""
    key = Permission.APPS_TASK_CREATE
    acceptance.check_not_watch(who)
    async with unit.work(
        platform, who.home_org, principal=who, trace=trace, scope=who.scope
    ) as ctx:
        machines = await _machines(ctx, operation, wishes, key=key)
        held = await operations.hold(ctx, operation, key=key)
        acceptance.check_distinct(wishes)
        for at, wish in enumerate(wishes):
            acceptance.check_wish(wish, f"body.tasks.{at}", machines, internal=False)
        await _check_artifacts(ctx, held, wishes)
        known = await _known(ctx, held, wishes)
        new = [wish for wish in wishes if acceptance.is_new(wish, known.last(wish))]
        acceptance.check_room(new, machines)
        tasks = await _add(ctx, held, new, machines)
        if new:
            details = acceptance.details(wishes, new=len(new))
            org, project = held.org_id, held.project_id
            audit.record(ctx, key, operation, org=org, project=project, details=details)
        old = [known.id(wish) for wish in wishes if wish.name not in tasks]
        tasks |= await _named(ctx, held, old)
    return [tasks[wish.name] for wish in wishes]


async def _machines(
    ctx: Context, operation: str, wishes: Sequence[Wish], *, key: str
) -> dict[str, Machine]:
    """Those of the caller's own operation; of others nothing is looked at."""
    who = ctx.principal
    if who.kind is not Kind.OPERATION or who.id != operation:
        return {}
    ids = sorted({wish.allocation for wish in wishes})
    if who.instance is not None:
        ids = await _touch(ctx, await operations.get(ctx, operation, key=key), wishes, ids)
    return await store.lock_machines(ctx.db, operation, ids, org=who.home_org)


async def _touch(
    ctx: Context, operation: Operation, wishes: Sequence[Wish], allocations: list[str]
) -> list[str]:
    """The machines among those that an app's operation may touch: noted as its own from now on."""
    org, project = operation.org_id, operation.project_id
    manifest = await catalog.manifest_of(ctx, str(operation.version_id))
    bounds = acceptance.bounds_of(operation, manifest)
    standing = await store.list_standing(ctx.db, operation.instance_id, allocations, org=org)
    touched = acceptance.touched(bounds, standing)
    for at, wish in enumerate(wishes):
        acceptance.check_bounds(wish, f"body.tasks.{at}", bounds, standing, touched=touched)
    await store.touch(ctx.db, operation.id, sorted(touched), org=org, project=project)
    return sorted(touched)


async def _known(ctx: Context, held: Operation, wishes: Sequence[Wish]) -> Known:
    found = await store.list_earlier(
        ctx.db,
        held.id,
        org=held.org_id,
        keys=[wish.key for wish in wishes],
        allocations=[wish.allocation for wish in wishes],
        attempts=[wish.attempt for wish in wishes],
    )
    return Known(found)


async def _check_artifacts(ctx: Context, held: Operation, wishes: Sequence[Wish]) -> None:
    digests = sorted({found for wish in wishes if (found := kinds.digest_of(wish.input))})
    if digests and held.version_id is not None:
        used = await catalog.artifacts_of(ctx.db, held.version_id)
        origin = await store.find_origin(ctx.db, held.id, org=held.org_id)
        digests = [
            digest
            for digest in digests
            if acceptance.verified(digest, used, overridden=origin.overridden) is None
        ]
    if not digests:
        return
    named = await artifacts.find_by_digest(
        ctx.db, org=held.org_id, project=held.project_id, digests=digests
    )
    for digest in digests:
        acceptance.usable(digest, named.get(digest))


async def _add(
    ctx: Context, held: Operation, new: Sequence[Wish], machines: dict[str, Machine]
) -> dict[tuple[str, str], Task]:
    if not new:
        return {}
    rows = [_row(ctx, held, wish, machines, queued_for=rules.QUEUED_FOR) for wish in new]
    # Nodes get them in the order of their ids, which is that of the call.
    for row, id in zip(rows, sorted(row["id"] for row in rows), strict=True):
        row["id"] = id
    added = await store.add(ctx.db, rows, org=held.org_id, project=held.project_id)
    _wake(ctx, added)
    return {(task.key, task.allocation_id): task for task in added}


async def _named(ctx: Context, held: Operation, ids: list[str]) -> dict[tuple[str, str], Task]:
    if not ids:
        return {}
    found = await store.list_named(ctx.db, held.id, org=held.org_id, ids=ids)
    return {(task.key, task.allocation_id): task for task in found.values()}


def _row(
    ctx: Context,
    operation: Operation,
    wish: Wish,
    machines: dict[str, Machine],
    *,
    queued_for: timedelta,
) -> dict[str, Any]:
    machine = machines[wish.allocation]
    return {
        "id": TaskId.new(),
        "operation_id": operation.id,
        "allocation_id": wish.allocation,
        "node_id": machine.node_id,
        "reach": machine.reach,
        "kind": wish.kind,
        "key": wish.key,
        "attempt": wish.attempt,
        "fence": operation.fence,
        "run_as": wish.run_as,
        "input": wish.input,
        "fingerprint": wish.fingerprint.hex(),
        "timeout_seconds": wish.timeout,
        "output_limit": wish.output_limit,
        "repeatable": wish.repeatable,
        "due_at": (ctx.now + queued_for).isoformat(),
        "correlation_id": operation.correlation_id,
        "traceparent": operation.traceparent,
        "created_at": ctx.now.isoformat(),
    }


def _wake(ctx: Context, tasks: Sequence[Task]) -> None:
    ctx.topics |= {f"node:{task.node_id}" for task in tasks}
    if any(task.reach == "ssh" for task in tasks):
        ctx.topics.add(operations.SSH_TASKS)


# Reading and stopping


async def get(
    ctx: Context, id: str, *, key: str = Permission.APPS_TASK_READ, lock: bool = False
) -> Task:
    """A task of a place where the caller holds the key; of its own operation, for a grant."""
    who = ctx.principal
    task = await store.find(ctx.db, id, orgs=sorted(who.scope.orgs), lock=lock)
    bound = who.kind in (Kind.OPERATION, Kind.WATCH)
    if task is None or (bound and who.operation != task.operation_id):
        raise hidden("task", id)
    authorize(ctx, key, Resource("task", id, task.org_id, task.project_id))
    return task


async def list_of_operation(
    ctx: Context, operation: str, page: PageRequest, *, status: str | None
) -> tuple[Page[Task], int]:
    """A page of an operation's tasks, and how many of all of them have not ended."""
    found = await operations.get(ctx, operation, key=Permission.APPS_TASK_READ)
    rows = await store.list_page(ctx.db, page, org=found.org_id, operation=operation, status=status)
    left = await store.count_open(ctx.db, operation, org=found.org_id)
    return pagination.page(rows, page, key=lambda task: task.id), left


async def read_output(
    ctx: Context, id: str, stream: str, *, offset: int, limit: int
) -> tuple[Task, bytes]:
    """Bytes of a task's output from `offset` on."""
    task = await get(ctx, id)
    pieces = await store.list_output(
        ctx.db, id, stream, org=task.org_id, offset=offset, limit=limit
    )
    if not pieces:
        return task, b""
    joined = b"".join(piece["content"] for piece in pieces)
    begin = offset - pieces[0]["at_offset"]
    return task, joined[begin : begin + limit]


async def cancel(ctx: Context, id: str) -> Task:
    """Stop a task. One that a node has ends when the node says so."""
    key = Permission.APPS_TASK_CANCEL
    task = await get(ctx, id, key=key, lock=True)
    _check_not_own(task)
    rules.check_open(task)
    task = await store.cancel(ctx.db, id, org=task.org_id, now=ctx.now)
    org, project = task.org_id, task.project_id
    data = registry.Task(
        id=id,
        operation_id=task.operation_id,
        allocation_id=task.allocation_id,
        kind=task.kind,
        key=task.key,
        status=task.status,
    )
    details = data.model_dump(exclude={"id"})
    audit.record(ctx, key, id, org=org, project=project, details=details)
    events.publish(
        ctx,
        registry.TASK_CANCEL_REQUESTED,
        data,
        subject=id,
        version=task.version,
        org=org,
        project=project,
    )
    ctx.topics |= {f"task:{id}", f"op:{task.operation_id}"}
    _wake(ctx, [task])
    return task


def _check_not_own(task: Task) -> None:
    if task.kind in kinds.PLATFORMS_OWN or task.wakes is not None:
        raise operations.PlatformsOwn(
            f"Task {task.id} ({task.kind}) is the platform's own. It ends by itself."
        )


async def give_up(ctx: Context, ids: list[str], *, org: str) -> list[Task]:
    """End tasks whose time has passed; those that wait for a busy node have more."""
    await store.let_wait(
        ctx.db,
        ids,
        org=org,
        at_once=rules.AT_ONCE,
        since=ctx.now - rules.QUEUED_FOR,
        until=ctx.now + rules.LOOK_AGAIN,
    )
    ended = await store.give_up(ctx.db, ids, org=org, now=ctx.now)
    for task in ended:
        await delivery.conclude(ctx, [task], node=task.node_id)
    # What a node still does is stopped when the node is heard of again.
    _wake(ctx, ended)
    return ended
