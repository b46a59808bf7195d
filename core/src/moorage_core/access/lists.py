"""What nodes are told about people: the newest list, one at a time, until the node confirmed it.

Commands of their own, by noun. A change only counts `wanted` up. A sweep sees that a node is behind
and queues a task; what stands in the task is made at the moment it is handed to the node, so a node
that was cut off for a day gets today's list at its first poll.
"""

from datetime import timedelta
from typing import Any

from moorage_core import unit
from moorage_core.access import commands, logins, node_store, rules, store
from moorage_core.access.authorities import TOPIC
from moorage_core.access.models import Behind, Listed, NodeAccess
from moorage_core.access.rules import Progress, Step
from moorage_core.context import Context
from moorage_core.operations import commands as operations
from moorage_core.operations.models import Operation
from moorage_core.platform import Platform
from moorage_core.tasks import commands as tasks
from moorage_core.tasks.models import Task

KIND = "access-sync"
REASON = "People of the project on the machine"
LEASE = timedelta(days=3650)
"""As long as the machine is held: giving it back ends the session."""
LAST_LEASE = timedelta(days=1)
"""For the empty list of a machine that was taken back, or could not be cleaned."""
TASK_KEY = "access/people"
TIMEOUT_SECONDS = 60
QUEUED_FOR = timedelta(days=365)
"""A host that is cut off finds the task when it is back."""


class AccessLists:
    """What the tasks of kind `access-sync` say, and what their ends mean."""

    async def render(self, ctx: Context, task: Task) -> dict[str, Any]:
        return await render(ctx, task.allocation_id, org=task.org_id)

    async def ended(self, ctx: Context, task: Task) -> None:
        """Note what the node confirmed. What else it needs is the sweep's to send.

        The caller holds the task, and whoever gives the machine back holds the machine and wants
        the task: nothing here may wait for the machine.
        """
        node = await node_store.lock_node(ctx.db, task.allocation_id, org=task.org_id)
        if node is not None and node.task_id == task.id:
            await _conclude(ctx, node, rules.progress(node))


async def bring_up_to_date(at: Platform, behind: Behind) -> Step:
    """Do for one node what comes next; what it was."""
    if behind.residents:
        # On its own: whoever gives out logins holds them all, and should wait for no machine.
        async with unit.work(at, behind.org_id) as ctx:
            await _give_logins(ctx, behind)
    async with unit.work(at, behind.org_id) as ctx:
        return await advance(ctx, behind.allocation_id, org=behind.org_id)


async def _give_logins(ctx: Context, behind: Behind) -> None:
    org, project = behind.org_id, behind.project_id
    for login in await logins.ensure_people(ctx, org=org, project=project):
        logins.record(ctx, login, project=project)


async def advance(ctx: Context, allocation: str, *, org: str) -> Step:
    # The machine first, then its list, as whoever grants does.
    await store.find_machine(ctx.db, allocation, orgs=[org], lock=True)
    node = await node_store.lock_node(ctx.db, allocation, org=org)
    if node is None:
        return Step.NOTHING
    progress = rules.progress(node)
    await _conclude(ctx, node, progress)
    confirmed_old = progress.step is Step.CONFIRM and node.sent < node.wanted
    if progress.step is Step.SEND or confirmed_old:
        await _send(ctx, node)
    return progress.step


async def put_off(at: Platform, behind: Behind, problem: str) -> None:
    """Leave a node alone for a while that cannot be given anything now, and say why."""
    async with unit.work(at, behind.org_id) as ctx:
        node = await node_store.lock_node(ctx.db, behind.allocation_id, org=behind.org_id)
        if node is not None:
            after = rules.pause(node.tries)
            await _put_off(ctx, node, Progress(Step.RETRY, problem=problem, after=after))


async def _conclude(ctx: Context, node: NodeAccess, progress: Progress) -> None:
    if progress.step is Step.CONFIRM:
        await _confirm(ctx, node, progress)
    elif progress.step is Step.RETRY:
        await _put_off(ctx, node, progress)
    elif progress.step is Step.SEND:
        ctx.topics.add(TOPIC)


async def _confirm(ctx: Context, node: NodeAccess, progress: Progress) -> None:
    await node_store.note_confirmed(
        ctx.db,
        node.allocation_id,
        org=node.org_id,
        clashes=list(progress.clashes),
        problem=progress.problem,
        retry_at=ctx.now + progress.after if progress.clashes else None,
        now=ctx.now,
    )
    ctx.topics |= {TOPIC, commands.topic(node.allocation_id)}


async def _put_off(ctx: Context, node: NodeAccess, progress: Progress) -> None:
    await node_store.note_failed(
        ctx.db,
        node.allocation_id,
        org=node.org_id,
        problem=str(progress.problem),
        retry_at=ctx.now + progress.after,
    )
    ctx.topics.add(commands.topic(node.allocation_id))


async def _send(ctx: Context, node: NodeAccess) -> None:
    operation = await _session(ctx, node)
    task = await tasks.add_internal(
        ctx,
        operation,
        allocation=node.allocation_id,
        kind=KIND,
        key=TASK_KEY,
        input={},
        timeout=TIMEOUT_SECONDS,
        wakes=None,
        queued_for=QUEUED_FOR,
    )
    await node_store.note_sending(
        ctx.db, node.allocation_id, org=node.org_id, operation=operation.id, task=task.id
    )


async def _session(ctx: Context, node: NodeAccess) -> Operation:
    """The platform's session on the machine: the one that runs, or a new one."""
    if node.operation_id is not None:
        running = await operations.find_running(ctx, node.operation_id, org=node.org_id)
        if running is not None:
            return running
    return await operations.open_internal(
        ctx,
        org=node.org_id,
        project=node.project_id,
        allocations=[node.allocation_id],
        reason=REASON,
        lease=LEASE if node.allocation_status == rules.LIVE_ALLOCATION else LAST_LEASE,
    )


async def render(ctx: Context, allocation: str, *, org: str) -> dict[str, Any]:
    """The newest list, for the node that is being handed it. Notes that this is the one it has.

    Where the machine is not its holder's any more, it is empty, and no authority is trusted.
    """
    await node_store.hand_out(ctx.db, allocation, org=org)
    machine = await store.find_machine(ctx.db, allocation, orgs=[org])
    if machine is None or machine.status != rules.LIVE_ALLOCATION:
        return {"authorities": [], "people": []}
    authorities = await node_store.list_authorities(ctx.db, retired=False)
    people = await node_store.list_people(
        ctx.db, allocation, org=org, roles=sorted(rules.USING_ROLES), now=ctx.now
    )
    trusted = [authority.public_key for authority in authorities]
    if ctx.platform.settings.access.users == "external":
        # The site has the accounts: only ways in are ours to give.
        entering = [_entry(person) for person in people if person.principal is not None]
        return {"authorities": trusted, "people": entering, "users": "external"}
    return {"authorities": trusted, "people": [_entry(person) for person in people]}


def _entry(person: Listed) -> dict[str, Any]:
    return {
        "login": person.login,
        "uid": person.uid,
        "name": rules.shown_name(person.name, person.login),
        "sudo": person.sudo,
        "forwarding": person.forwarding,
        "principal": [] if person.principal is None else person.principal,
    }
