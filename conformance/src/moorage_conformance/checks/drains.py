"""Drains of a member that is busy: whoever waits, for how long, and what ends it."""

import asyncio
import time
from collections.abc import Mapping

from moorage.models import OperationRead
from moorage_conformance.findings import Broken
from moorage_conformance.judging import Check, Judge
from moorage_conformance.life import Life
from moorage_conformance.plan import Busy
from moorage_conformance.stage import Stage
from moorage_conformance.world import World

POLICIES = Check("MB-3", "A drain of a busy member waits, waits so long, or does not wait.")
CHECKS = (POLICIES,)

DEADLINE = 2
WITHIN = 30.0
LOOK_AGAIN = 0.1


async def live(stage: Stage, judge: Judge, worlds: Mapping[str, World]) -> None:
    """One member is drained by each policy while it has something to do."""
    busy = stage.plan.said.busy
    if busy is None or not {"add", "drain (wait)", "resume (wait)"} <= worlds.keys():
        return
    one = Life(stage)
    async with stage.acting():
        try:
            await one.done(await one.deploy())
            await one.done(await one.add())
            with judge.on(POLICIES):
                await _waits(one, busy)
                await _waits_so_long(one, busy)
                await _does_not_wait(one, busy)
        finally:
            await one.end()


async def _waits(one: Life, busy: Busy) -> None:
    await one.stage.hosts.run(one.spare, busy.begin)
    asked = await one.drain({"policy": "wait"})
    found = await _waiting(one, asked)
    if found.status != "waiting":
        raise Broken(
            "A drain with the policy wait waits while the member is busy.",
            f"It is {found.status}.",
            found.correlation_id,
        )
    await _freed(one, busy, asked)


async def _waits_so_long(one: Life, busy: Busy) -> None:
    await one.stage.hosts.run(one.spare, busy.begin)
    since = time.monotonic()
    ended = await one.done(await one.drain({"policy": "deadline", "deadline": DEADLINE}))
    took = time.monotonic() - since
    if took < DEADLINE:
        raise Broken(
            f"A drain with a deadline of {DEADLINE} seconds waits that long.",
            f"It took {took:.1f} seconds.",
            ended.correlation_id,
        )
    await _freed(one, busy, ended)


async def _does_not_wait(one: Life, busy: Busy) -> None:
    await one.stage.hosts.run(one.spare, busy.begin)
    ended = await one.done(await one.drain({"policy": "force"}), patience=WITHIN)
    await _freed(one, busy, ended)


async def _freed(one: Life, busy: Busy, asked: OperationRead) -> None:
    """Whatever kept the member is over: the drain ends, and the member works again."""
    await one.stage.hosts.run(one.spare, busy.end)
    await one.done(asked)
    await one.done(await one.resume())


async def _waiting(one: Life, asked: OperationRead) -> OperationRead:
    """The member's own operation, once it waits or has ended."""
    ends = time.monotonic() + WITHIN
    while True:
        found = [each async for each in one.client.operations.children(asked)]
        if found and (found[0].status == "waiting" or found[0].ended_at is not None):
            return found[0]
        if time.monotonic() > ends:
            return found[0] if found else asked
        await asyncio.sleep(LOOK_AGAIN)
