"""A life in which the controller dies at every call: before the platform has it, and after.

Each crash is one of the same operation: the next replica goes on and dies one call later. So an
operation of five calls is crashed ten times, and has to end as if nothing had happened.
"""

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Hashable, Mapping

from moorage import Client
from moorage.models import OperationRead
from moorage_conformance import life
from moorage_conformance.findings import Broken
from moorage_conformance.judging import Check, Judge
from moorage_conformance.life import Life
from moorage_conformance.replica import Replica
from moorage_conformance.road import Answer, Exchange, Forward
from moorage_conformance.stage import Stage
from moorage_conformance.world import World

TWICE = Check("OP-5", "A controller that dies at any call leaves the world as one that does not.")
JOURNAL = Check("OP-6", "However often it dies, every step succeeds once in the journal.")
CHECKS = (TWICE, JOURNAL)

PATIENCE = 300.0
MOST = 200
"""Crashes of one operation: a controller whose calls never repeat would be killed for ever."""


class Crashes:
    """Kills a replica at each call that it makes for an operation: once before, once after."""

    def __init__(self, replica: Replica, operator: Client, *, most: int) -> None:
        self._replica, self._operator, self._most = replica, operator, most
        self._met: set[tuple[Hashable, str]] = set()
        self._counts: Counter[str] = Counter()
        self._dying: asyncio.Task[None] | None = None

    async def __call__(self, exchange: Exchange, forward: Forward) -> Answer | None:
        if self._dying is not None and not self._dying.done():
            return None
        moment = self._moment(exchange)
        if moment is None:
            return await forward()
        if moment == "after":
            await forward()
        if self._dying is None or self._dying.done():
            self._dying = asyncio.create_task(self._replica.crash(self._operator))
        return None

    async def settle(self) -> None:
        """Until whoever was killed last has a successor."""
        if self._dying is not None:
            await self._dying

    def _moment(self, exchange: Exchange) -> str | None:
        """When to kill it at this call; None where it was killed here both times."""
        here = places(exchange)
        names = {operation for operation, _ in here}
        if not here or any(self._counts[name] >= self._most for name in names):
            return None
        for moment in ("before", "after"):
            if new := {(place, moment) for place in here} - self._met:
                self._met |= new
                self._counts.update(names)
                return moment
        return None


def places(exchange: Exchange) -> set[tuple[str, Hashable]]:
    """Where in which operation a call stands: the same when it is made again by a successor."""
    if exchange.is_task:
        (operation,) = exchange.operations
        wishes = exchange.json.get("tasks", [])
        return {(operation, _digest(wish)) for wish in wishes}
    return {
        (
            said.operation,
            (said.report.get("state"), tuple(_step(step) for step in said.steps)),
        )
        for said in exchange.reports()
    }


def _step(step: Mapping[str, object]) -> Hashable:
    return step.get("phase"), step.get("number"), step.get("name"), step.get("status")


def _digest(wish: Mapping[str, object]) -> str:
    what = [wish.get("allocation"), wish.get("kind"), wish.get("input")]
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()


async def live(stage: Stage, judge: Judge, worlds: Mapping[str, World]) -> None:
    """Live through everything that the undisturbed life has, and be killed all the way."""
    one = Life(stage)
    async with stage.acting() as replica:
        crashes = Crashes(replica, stage.operator, most=stage.crashes or MOST)
        try:
            for act in life.every_act(stage):
                if act.name not in worlds:
                    return
                with stage.road.bent(crashes):
                    asked = await act.ask(one)
                    ended = await one.settled(asked, patience=PATIENCE)
                    await crashes.settle()
                await _judge(judge, one, act.name, ended, worlds[act.name])
                judge.notes[TWICE] = f"It was killed {replica.crashes} times."
        except Broken as err:
            judge.broken(TWICE, err.expected, err.seen, *err.evidence)
            raise
        finally:
            await crashes.settle()
            await one.end()


async def _judge(judge: Judge, one: Life, name: str, ended: OperationRead, expected: World) -> None:
    if ended.status != "succeeded":
        said = ended.error.message if ended.error else ended.message
        raise Broken(f"{name} succeeds.", f"It is {ended.status}: {said}", ended.correlation_id)
    different = expected.differences(await one.look())
    judge.expect(
        TWICE,
        not different,
        f"After {name} the world is what it is without crashes.",
        f"{'; '.join(different)}.",
        ended.correlation_id,
    )
    for operation in [ended, *[each async for each in one.client.operations.children(ended)]]:
        steps = [step async for step in one.client.operations.steps(operation)]
        left = [f"{step.name} is {step.status}" for step in steps if step.status != "succeeded"]
        judge.expect(
            JOURNAL,
            not left,
            f"Every step of {operation.kind} succeeded.",
            f"{'; '.join(left)}.",
            operation.correlation_id,
        )
