"""An operation that changes hands: taken from a replica that stands still, or given back by it."""

import asyncio
import signal
from collections.abc import Mapping

from moorage.models import OperationRead
from moorage_conformance.findings import Broken
from moorage_conformance.judging import Check, Judge
from moorage_conformance.life import Life
from moorage_conformance.replica import Replica
from moorage_conformance.road import Answer, Exchange, Forward
from moorage_conformance.stage import Stage
from moorage_conformance.world import World

SILENT = Check("OP-2", "A replica that stood still leaves what is another's by now alone.")
BLOCKED = Check("OP-7", "Steps in the journal that the release does not take block the operation.")
LEAVES = Check("OP-16", "A replica that is told to stop hands over what it holds at once.")
CHECKS = (SILENT, BLOCKED, LEAVES)

ANOTHER = "a step of another release"
WITHIN = 60.0
LEAVING = 25.0
"""Seconds that a replica has to let its steps end and leave. A lease has not run out by then."""
AWAKE = 2.0
"""Seconds in which a replica that stood still says what it has to say."""


class Held:
    """Holds the first task that is asked for through a door: the step is under way and stays so."""

    def __init__(self, door: int) -> None:
        self._door = door
        self._for_good = asyncio.Event()
        self.reached = asyncio.Event()

    async def __call__(self, exchange: Exchange, forward: Forward) -> Answer | None:
        answer = await forward()
        if exchange.is_task and exchange.door == self._door:
            self.reached.set()
            await self._for_good.wait()
        return answer

    def let_go(self) -> None:
        self._for_good.set()


class Renamed:
    """Tells whoever claims of steps that are not those that were recorded."""

    def __init__(self) -> None:
        self.told: set[str] = set()

    async def __call__(self, exchange: Exchange, forward: Forward) -> Answer | None:
        answer = await forward()
        if not exchange.is_claim:
            return answer
        document = answer.json
        for brief in document.get("operations", ()):
            if steps := brief.get("steps"):
                steps[0]["name"] = ANOTHER
                self.told.add(brief["id"])
        return answer.saying(document) if self.told else answer


async def live(stage: Stage, judge: Judge, worlds: Mapping[str, World]) -> None:
    """One instance; an operation of it is taken over, one is blocked, and one is handed over."""
    if "add" not in worlds or "configure" not in worlds:
        return
    one = Life(stage)
    try:
        async with stage.acting():
            await one.done(await one.deploy())
        with judge.on(SILENT):
            await _taken_over(stage, one, worlds["add"])
        with judge.on(BLOCKED):
            await _changed(stage, one)
        with judge.on(LEAVES):
            await _left(stage, one)
    finally:
        async with stage.acting():
            await one.end()


async def _taken_over(stage: Stage, one: Life, expected: World) -> None:
    """While one replica stands still in a step, another does what is left; then it wakes up."""
    held = Held(0)
    async with stage.acting(0) as still:
        with stage.road.bent(held):
            asked = await one.add()
            await reached(held, asked)
            still.send(signal.SIGSTOP)
            held.let_go()
        await stage.road.cut(0)
        await still.forget(stage.operator)
        async with stage.acting(1):
            await one.done(asked)
            still.send(signal.SIGCONT)
            await asyncio.sleep(AWAKE)
            different = expected.differences(await one.look())
    if different:
        raise Broken(
            "The world is what the successor made of it.",
            f"{'; '.join(different)}.",
            asked.correlation_id,
        )


async def _changed(stage: Stage, one: Life) -> None:
    """A successor whose release takes other steps does none of them."""
    held = Held(0)
    async with stage.acting(0) as first:
        with stage.road.bent(held):
            asked = await one.configure()
            await reached(held, asked)
            await first.kill()
            await first.forget(stage.operator)
    renamed = Renamed()
    async with stage.acting(0):
        with stage.road.bent(renamed):
            found = await one.settled(asked, patience=WITHIN)
    code = found.error.code if found.error else "no code"
    if found.status != "blocked" or code != "steps_changed":
        raise Broken(
            "The operation is blocked with the code steps_changed.",
            f"It is {found.status} with {code}.",
            found.correlation_id,
        )
    async with stage.acting(0):
        again = await one.client.operations.resume(found, reason="The steps are the same again.")
        await one.done(again)


async def _left(stage: Stage, one: Life) -> None:
    """What a replica held is ready as soon as it has gone."""
    held = Held(0)
    async with stage.acting(0) as leaving:
        with stage.road.bent(held):
            asked = await one.client.instances.repair(one.id, reason="Somebody is to leave.")
            await reached(held, asked)
            await _stop(leaving, asked)
            found = await _holder_gone(one, asked)
    if found is not None:
        raise Broken(
            "What it held is ready for others once it has gone.",
            f"{found.kind} is {found.status} until the lease runs out.",
            found.correlation_id,
        )
    async with stage.acting(0):
        await one.done(asked)


async def reached(held: Held, asked: OperationRead) -> None:
    """Until the operation asks for a task, which is held."""
    try:
        await asyncio.wait_for(held.reached.wait(), WITHIN)
    except TimeoutError as err:
        raise Broken(
            f"{asked.kind} does something on a machine.",
            "It asked for no task.",
            asked.correlation_id,
        ) from err


async def _stop(leaving: Replica, asked: OperationRead) -> None:
    leaving.send(signal.SIGTERM)
    try:
        await asyncio.wait_for(leaving.ended(), LEAVING)
    except TimeoutError as err:
        raise Broken(
            f"A replica that is told to stop is gone after {LEAVING:g} seconds at most.",
            "It still runs.",
            asked.correlation_id,
        ) from err


async def _holder_gone(one: Life, asked: OperationRead) -> OperationRead | None:
    """None where nobody holds the operation, or a part of it; otherwise one that somebody holds."""
    found = await one.client.operations.get(asked)
    children = [each async for each in one.client.operations.children(found)]
    leaves = children or [found]
    return next((each for each in leaves if each.status == "running"), None)
