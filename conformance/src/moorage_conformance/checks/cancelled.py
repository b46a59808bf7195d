"""A life in which everything is cancelled, at every step that it begins, before it is let through.

An operation is asked for, cancelled as its first step begins, asked for again, cancelled as its
second one begins, and so on, until it has no such step: then it goes through, and life goes on.
Where somebody wants that less often, it is cancelled at its last step and at some before that.
"""

from collections.abc import Mapping, Sequence

from moorage import Conflict
from moorage.models import OperationRead
from moorage_conformance import life
from moorage_conformance.findings import Broken
from moorage_conformance.judging import Check, Judge
from moorage_conformance.life import Act, Life
from moorage_conformance.road import Answer, Exchange, Forward
from moorage_conformance.stage import Stage
from moorage_conformance.world import World

BACK = Check("OP-10", "A cancelled operation is taken back, or rolls forward past no return.")
NAMED = Check("OP-11", "What a cancelled operation could not take back is named.")
CHECKS = (BACK, NAMED)

REASON = "A conformance run changed its mind."
MOST = 50
NEVER = 1000
"""A step that nothing has: it is let through."""


class Cancels:
    """Asks for a cancel just before the platform hears that a step begins."""

    def __init__(self, one: Life, *, at: int) -> None:
        self._one, self._left = one, at
        self.asked: OperationRead | None = None
        """What to cancel, once it is known."""
        self.reached = False
        self.refused = False

    async def __call__(self, exchange: Exchange, forward: Forward) -> Answer | None:
        reported = any(said.steps for said in exchange.reports())
        self._left -= len(exchange.begun)
        if reported and self._left < 0 and not self.reached and self.asked is not None:
            self.reached = True
            try:
                await self._one.client.operations.cancel(self.asked, reason=REASON)
            except Conflict:
                self.refused = True
        return await forward()


async def live(stage: Stage, judge: Judge, steps: Mapping[str, int]) -> None:
    """Cancel what can be cancelled. A deployment is cancelled with an instance for each step.

    `steps` says how many an act takes that nobody cancels.
    """
    if not steps:
        return
    async with stage.acting():
        for step in places(steps["deploy"], most=stage.cancels):
            one = Life(stage)
            try:
                deploy = Act("deploy", "instance.deploy", Life.deploy)
                if not await _cancelled(stage, judge, one, deploy, step):
                    await _live_on(stage, judge, one, steps)
                    return
            finally:
                await one.end()


def places(steps: int, *, most: int | None) -> Sequence[int]:
    """At which steps something is cancelled, one try after the other; pure."""
    if most is None:
        return range(MOST)
    count = min(most, steps)
    return [*(steps - 1 - n * steps // count for n in reversed(range(count))), NEVER]


async def _live_on(stage: Stage, judge: Judge, one: Life, steps: Mapping[str, int]) -> None:
    for act in life.acts(stage):
        tries = places(steps.get(act.name, 0), most=stage.cancels)
        if act.kind == "member.replace":
            # Parts that are done stay: a new member that has joined is not sent away. So it is
            # cancelled as the new one joins, and then let through.
            tries = [0, NEVER]
        for step in tries:
            if not await _cancelled(stage, judge, one, act, step):
                break


async def _cancelled(stage: Stage, judge: Judge, one: Life, act: Act, step: int) -> bool:
    """Whether the operation was taken back, and can be asked for again."""
    before = await one.look() if one.id else World(hosts=await stage.hosts.look())
    cancels = Cancels(one, at=step)
    with stage.road.bent(cancels):
        cancels.asked = await act.ask(one)
        ended = await one.settled(cancels.asked)
    if not cancels.reached or cancels.refused:
        if ended.status != "succeeded":
            raise Broken(f"{act.name} succeeds.", f"It is {ended.status}.", ended.correlation_id)
        return False
    after = await one.look()
    if act.kind == "instance.deploy":
        # Members that have joined stay until the instance goes: what is theirs is shown as such.
        joined = {each["machine"] for each in after.members.values() if each["status"] == "ready"}
        before, after = (
            World(hosts=[{} if n in joined else each for n, each in enumerate(world.hosts)])
            for world in (before, after)
        )
    return await _judge(judge, one, act, ended, before.differences(after))


async def _judge(
    judge: Judge, one: Life, act: Act, ended: OperationRead, different: list[str]
) -> bool:
    said = f"{act.name} was cancelled: "
    parts = [ended, *[each async for each in one.client.operations.children(ended)]]
    done = [each for each in parts if each.status == "succeeded"]
    if ended in done or any(each.no_return for each in done):
        judge.expect(
            BACK,
            any(each.no_return for each in parts),
            f"{said}it is taken back.",
            "It succeeded, and no step of it was one of no return.",
            ended.correlation_id,
        )
        return False
    if went_on := [each for each in done if each.cancel_requested_at]:
        judge.broken(
            BACK,
            f"{said}it is taken back.",
            f"{went_on[0].kind} succeeded, and no step of it was one of no return.",
            went_on[0].correlation_id,
        )
        return True
    judge.kept(BACK)
    judge.expect(
        NAMED,
        not different or any(part.residue for part in parts),
        f"{said}what was not taken back is named.",
        f"{'; '.join(different)}, and the residue is empty.",
        ended.correlation_id,
    )
    return True
