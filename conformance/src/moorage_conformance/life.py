"""The life of an instance: one of every kind of operation that the app has, in a sensible order.

Every life of an app is the same, so what one pass sees after an operation can be held against what
another saw. The machines are used in the same order too.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from moorage import MoorageError
from moorage.models import MemberRead, OperationRead, PlacementWrite
from moorage_conformance import world
from moorage_conformance.findings import Broken
from moorage_conformance.plan import Answer
from moorage_conformance.stage import Stage
from moorage_conformance.world import World

PATIENCE = 60.0
"""Seconds that an operation may take that nothing holds up, unless the app says otherwise: then
every other patience is in proportion."""
REASON = "A conformance run asks for it."
DRAIN_DEADLINE = 1
_names = itertools.count(1)


class Stuck(Broken):
    """An operation does not come to an end."""


@dataclass(frozen=True)
class Act:
    """One thing that is asked of an instance."""

    name: str
    kind: str
    ask: "Callable[[Life], Awaitable[OperationRead]]"


class Life:
    """One instance, from its deployment to its end."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.client = stage, stage.client
        self.said = stage.plan.said
        self.id = ""
        wanted = sum(self.said.components.values())
        self.first = stage.hosts.machines[:wanted]
        self.spare, self.other = stage.hosts.machines[wanted : wanted + 2]

    # --- asking ----------------------------------------------------------------------------------

    async def deploy(self) -> OperationRead:
        left = iter(self.first)
        components = {
            key: PlacementWrite(allocations=[*itertools.islice(left, count)])
            for key, count in self.said.components.items()
        }
        made = await self.client.instances.deploy(
            self.stage.tenant.project,
            name=f"conformance-{self.stage.app.key[-6:].lower()}-{next(_names)}",
            app=self.stage.app.app,
            operator=self.stage.app.operator,
            version=self.stage.app.first.number,
            components=components,
            config=self.said.config,
        )
        self.id = made.id
        assert made.last_operation is not None
        return await self.client.operations.get(made.last_operation.id)

    async def add(self) -> OperationRead:
        return await self.client.members.add(
            self.id, component=self.said.grow, allocations=[self.spare], reason=REASON
        )

    async def drain(self, policy: "world.Json") -> OperationRead:
        member = await self.member_on(self.spare)
        return await self.client.members.drain(self.id, members=[member], reason=REASON, **policy)

    async def resume(self) -> OperationRead:
        member = await self.member_on(self.spare)
        return await self.client.members.resume(self.id, members=[member], reason=REASON)

    async def replace(self) -> OperationRead:
        member = await self.member_on(self.spare)
        return await self.client.members.replace(member, allocation=self.other, reason=REASON)

    async def remove(self) -> OperationRead:
        member = await self.newest()
        return await self.client.members.remove(self.id, members=[member], reason=REASON)

    async def configure(self) -> OperationRead:
        config = (await self.client.instances.get(self.id)).config
        return await self.client.instances.configure(self.id, config=config | self.said.configure)

    async def upgrade(self) -> OperationRead:
        number = self.stage.app.second.number
        return await self.client.instances.upgrade(self.id, version=number)

    async def rollback(self) -> OperationRead:
        return await self.client.instances.rollback(self.id, accept_losses=True)

    async def act(self, name: str, given: "Mapping[str, Answer | Any]") -> OperationRead:
        """An action of the app's; one of a component is asked of its first member."""
        action = next(each for each in self.stage.plan.manifest.actions if each.name == name)
        member = None if action.component is None else await self.first_of(action.component)
        filled = {
            key: await self._answered(value) if isinstance(value, Answer) else value
            for key, value in given.items()
        }
        return await self.client.actions.run(self.id, name, input=filled, member=member)

    async def _answered(self, wanted: Answer) -> Any:
        every = [o async for o in self.client.operations.list(instance=self.id, kind="action")]
        found = [o for o in every if o.action == wanted.answer and o.status == "succeeded"]
        newest = max(found, key=lambda each: each.created_at)
        return newest.result[wanted.field]

    async def decommission(self) -> OperationRead:
        return await self.client.instances.decommission(self.id, reason=REASON)

    # --- looking ---------------------------------------------------------------------------------

    async def member_on(self, machine: str) -> MemberRead:
        found = [m async for m in self.client.members.list(self.id) if m.allocation_id == machine]
        return found[0]

    async def first_of(self, component: str) -> MemberRead:
        found = [m async for m in self.client.members.list(self.id) if m.component == component]
        return min(found, key=lambda member: member.name)

    async def newest(self) -> MemberRead:
        """The member that came last: on the one spare machine or on the other."""
        found = [m async for m in self.client.members.list(self.id)]
        spares = (self.spare, self.other)
        newest = [m for m in found if m.allocation_id in spares]
        if not newest:
            raise Broken("A member that was added is there until it is removed.", "It is gone.")
        return newest.pop()

    def place(self, machine: str) -> int:
        """Which of the run's hosts a machine is."""
        return self.stage.hosts.machines.index(machine)

    async def look(self) -> World:
        return await world.look(self.client, self.id, self.stage.hosts)

    async def settled(
        self, operation: OperationRead, *, patience: float = PATIENCE
    ) -> OperationRead:
        """The operation once it has ended or is blocked.

        Raises:
            Stuck: it does not, although nothing holds it up.
        """
        patience *= self.said.patience / PATIENCE
        ends = asyncio.get_running_loop().time() + patience
        found = operation
        while found.ended_at is None and found.status != "blocked":
            left = ends - asyncio.get_running_loop().time()
            if left <= 0:
                raise Stuck(
                    f"{found.kind} ends within {patience:g} seconds.",
                    f"It is {found.status}: {await self._what_it_waits_for(found)}",
                    found.correlation_id,
                )
            found = await self.client.operations.get(
                found, since_version=found.version, wait=min(left, 20)
            )
        return found

    async def _what_it_waits_for(self, operation: OperationRead) -> str:
        """A parent says nothing of what its children wait for."""
        async for child in self.client.operations.children(operation, status="blocked"):
            said = child.error.message if child.error else child.message
            return f"{child.kind} of {child.member_name} is blocked: {said}"
        return operation.message or "nothing is said"

    async def done(self, operation: OperationRead, *, patience: float = PATIENCE) -> OperationRead:
        """The operation once it has succeeded.

        Raises:
            Broken: it ended otherwise.
        """
        found = await self.settled(operation, patience=patience)
        if found.status != "succeeded":
            raise Broken(
                f"{found.kind} succeeds.",
                f"It is {found.status}: {found.error.message if found.error else found.message}",
                found.correlation_id,
            )
        return found

    async def end(self) -> None:
        """Take it down, whatever state it is in; the last resort is to go without the app."""
        if not self.id:
            return
        found = await self.client.instances.get(self.id)
        if found.status == "deleted":
            return
        try:
            asked = await self.client.instances.decommission(self.id, reason=REASON, preempt=True)
            await self.done(asked)
        except (MoorageError, Broken):
            await self._abandon()

    async def _abandon(self) -> None:
        for _ in range(2):
            every = [o async for o in self.client.operations.list(instance=self.id)]
            for operation in every:
                for verb in ("cancel", "abandon"):
                    current = await self.client.operations.get(operation)
                    if verb in current.verbs:
                        await getattr(self.client.operations, verb)(current, reason=REASON)


def acts(stage: Stage) -> list[Act]:
    """What is asked of an instance after its deployment, up to its end."""
    return [act for act in _offered(stage) if stage.acts is None or act.name in stage.acts]


def _offered(stage: Stage) -> Iterator[Act]:
    verbs = stage.plan.manifest.components[stage.plan.said.grow].verbs
    if "add" in verbs:
        yield Act("add", "member.add", Life.add)
        if "drain" in verbs and "resume" in verbs:
            for policy in ("wait", "deadline", "force"):
                said: world.Json = {"policy": policy}
                if policy == "deadline":
                    said["deadline"] = DRAIN_DEADLINE
                yield Act(f"drain ({policy})", "member.drain", lambda life, p=said: life.drain(p))
                yield Act(f"resume ({policy})", "member.resume", Life.resume)
        if "replace" in verbs:
            yield Act("replace", "member.replace", Life.replace)
        if "remove" in verbs:
            yield Act("remove", "member.remove", Life.remove)
    yield Act("configure", "instance.configure", Life.configure)
    yield Act("upgrade", "instance.upgrade", Life.upgrade)
    rollback = stage.plan.manifest.rollback
    if rollback is not None and rollback.supported:
        yield Act("rollback", "instance.rollback", Life.rollback)
    yield Act("stop", "instance.stop", lambda life: life.client.instances.stop(life.id))
    yield Act("start", "instance.start", lambda life: life.client.instances.start(life.id))
    yield Act("restart", "instance.restart", lambda life: life.client.instances.restart(life.id))
    yield Act(
        "repair",
        "instance.repair",
        lambda life: life.client.instances.repair(life.id, reason=REASON),
    )
    yield Act(
        "rotate",
        "credential.rotate",
        lambda life: life.client.instances.rotate(life.id, reason=REASON),
    )
    for name, given in stage.plan.said.actions.items():
        yield Act(f"action {name}", "action", lambda life, n=name, g=given: life.act(n, g))


def every_act(stage: Stage) -> list[Act]:
    """A whole life."""
    return [
        Act("deploy", "instance.deploy", Life.deploy),
        *acts(stage),
        Act("decommission", "instance.decommission", Life.decommission),
    ]
