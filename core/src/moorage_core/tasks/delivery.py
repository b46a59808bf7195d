"""What a poll of a node leads to, in one transaction that a look without news costs one statement.

A node sees its own rows and nothing of the org that holds it. Only where a task needs more, a
secret or another slice's say, does the rest of the transaction see the task's org.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from moorage_core import unit
from moorage_core.context import Context
from moorage_core.kit.db import Scope, org_scope
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.platform import Platform
from moorage_core.runtime_secrets import commands as runtime_secrets
from moorage_core.runtime_secrets.models import Refused, Wanting
from moorage_core.tasks import kinds, node_store, opening, rules
from moorage_core.tasks.models import Binding, Handed, HandedTask, Hold, Polling, Task
from moorage_core.tasks.opening import Sealed


async def for_poll(
    platform: Platform,
    node: str,
    holds: Sequence[Hold],
    *,
    fresh: bool = True,
    reach: Literal["agent", "ssh"] = "agent",
    token_hash: bytes | None = None,
) -> Handed:
    """What to tell a node. Tasks in the answer count as sent from now on.

    `fresh` for the first look of a poll. While it waits, what it said grows old, and only what is
    new is handed over. A worker of ours that does a node's tasks over SSH asks in its place. A node
    in quarantine begins nothing of its holder's; it still hears what is to stop. One that calls
    with a token which is not its own any more hears nothing.
    """
    sent: list[Task] = []
    inputs: dict[str, dict[str, Any]] = {}
    sealed: Sealed = {}
    async with unit.work(platform, PLATFORM_ORG, scope=Scope(principal=node), patient=True) as ctx:
        rows = await node_store.look(
            ctx.db, node, holds=[hold.task for hold in holds], reach=reach, token_hash=token_hash
        )
        if not rows:
            raise rules.token_ended()
        standing = _standing(rows)
        plan = rules.plan(standing, holds, fresh=fresh, now=ctx.now, at_once=rules.AT_ONCE[reach])
        if plan.changes:
            sent = await _tell(ctx, node, plan)
            for org in sorted({task.org_id for task in sent if _needs_more(platform, task)}):
                of_org = [task for task in sent if task.org_id == org]
                inputs |= await _render(ctx, of_org, org=org, node=node)
                given, failed = await _secrets(ctx, of_org, org=org, node=node)
                sealed |= given
                sent = [task for task in sent if task.id not in failed]
    binding = _binding(rows)
    sent.sort(key=lambda task: (task.kind not in kinds.PLATFORMS_OWN, task.id))
    opened = await opening.open_all(platform, sent, inputs, sealed)
    await _settle(platform, node, opened, due={row["id"]: row["due_at"] for row in rows})
    tasks = [
        _handed(task, inputs, opened.ready[task.id], binding)
        for task in sorted(sent, key=lambda task: task.id)
        if task.id in opened.ready
    ]
    return Handed(_polling(rows), tasks, plan.cancel, plan.forget, binding)


async def refuse(platform: Platform, node: str, *, code: str, message: str) -> int:
    """End the tasks of a host that cannot be entered; how many they were.

    Nothing counts as handed over: no secret was on its way. Of those that ran there when the last
    connection broke nobody knows how they ended.
    """
    async with unit.work(platform, PLATFORM_ORG, scope=Scope(principal=node)) as ctx:
        rows = await node_store.look(ctx.db, node, holds=[], reach="ssh")
        standing = _standing(rows)
        lost = [task.id for task in standing if task.status == "running"]
        if lost:
            await _tell(ctx, node, rules.Plan([], [], [], [], [], lost))
        waiting = [(task.id, code, message) for task in standing if task.status != "running"]
        if waiting:
            ended = await node_store.fail_unsent(ctx.db, node, waiting, now=ctx.now)
            await conclude(ctx, ended, node=node)
    return len(lost) + len(waiting)


async def conclude(ctx: Context, ended: Sequence[Task], *, node: str) -> None:
    """Tell those who wait for the tasks, and the slices that have a say in them."""
    for task in ended:
        ctx.topics |= {f"task:{task.id}", f"op:{task.operation_id}"}
        if task.wakes:
            ctx.topics.add(task.wakes)
        hook = ctx.platform.task_hooks.get(task.kind)
        if hook is not None:
            await ctx.db.set_scope(org_scope(task.org_id, principal=node))
            await hook.ended(ctx, task)


async def _tell(ctx: Context, node: str, plan: rules.Plan) -> list[Task]:
    """Note what is told; the tasks that are sent.

    Whoever waits for one of those waits for output or the end: there is nothing to see yet.
    """
    changed = await node_store.tell(
        ctx.db,
        node,
        send=plan.send,
        again=plan.again,
        cancel=plan.cancel,
        drop=plan.drop,
        lost=plan.lost,
        keep=plan.keep,
        now=ctx.now,
    )
    await conclude(
        ctx, [task for task in changed if task.id in {*plan.drop, *plan.lost}], node=node
    )
    meant = {*plan.send, *plan.again}
    sent = [task for task in changed if task.id in meant]
    return sorted(sent, key=lambda task: task.id)


def _needs_more(platform: Platform, task: Task) -> bool:
    return task.kind in platform.task_hooks or bool(kinds.secret_names(task.kind, task.input))


async def _render(
    ctx: Context, tasks: Sequence[Task], *, org: str, node: str
) -> dict[str, dict[str, Any]]:
    await ctx.db.set_scope(org_scope(org, principal=node))
    hooks = ctx.platform.task_hooks
    return {
        task.id: await hooks[task.kind].render(ctx, task) for task in tasks if task.kind in hooks
    }


async def _secrets(
    ctx: Context, tasks: Sequence[Task], *, org: str, node: str
) -> tuple[Sealed, set[str]]:
    """The sealed secrets of tasks, and the tasks that ended because they cannot have theirs."""
    wanting = [
        Wanting(task.id, task.key, task.operation_id, task.project_id, task.fence, names)
        for task in tasks
        if (names := kinds.secret_names(task.kind, task.input))
    ]
    if not wanting:
        return {}, set()
    given = await runtime_secrets.hand_over(ctx, wanting, org=org, node=node)
    refused = [
        (id, verdict.code, verdict.message)
        for id, verdict in given.items()
        if isinstance(verdict, Refused)
    ]
    if refused:
        failed = await node_store.fail_unsent(ctx.db, node, refused, now=ctx.now)
        await conclude(ctx, failed, node=node)
    sealed = {id: found for id, found in given.items() if not isinstance(found, Refused)}
    return sealed, {id for id, _, _ in refused}


async def _settle(
    platform: Platform, node: str, opened: opening.Opened, *, due: dict[str, datetime]
) -> None:
    """Note what did not go after all, and why."""
    if not opened.left and not opened.failed:
        return
    async with unit.work(platform, PLATFORM_ORG, scope=Scope(principal=node)) as ctx:
        if opened.left:
            await node_store.put_back(ctx.db, node, [(id, due[id]) for id in opened.left])
        if opened.failed:
            ended = await node_store.fail_unsent(ctx.db, node, opened.failed, now=ctx.now)
            await conclude(ctx, ended, node=node)


def _handed(
    task: Task,
    inputs: dict[str, dict[str, Any]],
    secrets: dict[str, str],
    binding: Binding | None,
) -> HandedTask:
    """The last list of people, for a node that was taken from its holder, is the platform's own."""
    unheld = binding is None and task.kind in kinds.IN_QUARANTINE
    return HandedTask(
        id=task.id,
        kind=task.kind,
        key=task.key,
        operation_id=task.operation_id,
        fence=task.fence,
        allocation_id=None if unheld else task.allocation_id,
        correlation_id=task.correlation_id,
        traceparent=task.traceparent,
        run_as=task.run_as,
        timeout=task.timeout_seconds,
        output_limit=task.output_limit,
        input=inputs.get(task.id, task.input),
        secrets=secrets,
    )


def _polling(rows: Sequence[dict[str, Any]]) -> Polling:
    first = rows[0]
    return Polling(
        first["node_status"],
        first["inventory_at"],
        first["run_id"],
        first["boot_id"],
        first["agent_version"],
        first["trust"],
    )


def _standing(rows: Sequence[dict[str, Any]]) -> list[rules.Standing]:
    """Work waits until somebody has looked at a node that was taken out; what is to stop does
    not."""
    return [
        rules.Standing(
            row["id"],
            row["status"],
            row["ended"],
            row["cancelling"],
            row["told_at"],
            waits=row["node_status"] == "quarantined" and row["kind"] not in kinds.IN_QUARANTINE,
            kind=row["kind"],
            own=row["own"],
            due_at=row["due_at"],
        )
        for row in rows
        if row["id"] is not None
    ]


def _binding(rows: Sequence[dict[str, Any]]) -> Binding | None:
    first = rows[0]
    if first["allocation_id"] is None:
        return None
    return Binding(first["allocation_id"], first["org_id"], first["project_id"])
