"""One life in good weather: what every other pass is held against."""

from moorage.models import OperationRead
from moorage_conformance import life
from moorage_conformance.checks import events
from moorage_conformance.findings import Broken
from moorage_conformance.judging import Check, Judge
from moorage_conformance.life import Act, Life
from moorage_conformance.stage import Stage
from moorage_conformance.world import World

LIVES = Check("ON-1", "The app lives its whole life through catalog, entitlement and instance.")
WAYS_OUT = Check("ON-6", "Upgrade, rollback and removal succeed.")
CLEARED = Check("MB-4", "After a removal nothing of the app is on the machine, or it is named.")
GONE = Check("IN-8", "After a decommission nothing of the app is on any machine, or it is named.")
OUTPUT = Check("AC-2", "Each action succeeds, with the result that the manifest declares.")
CHECKS = (LIVES, WAYS_OUT, CLEARED, GONE, OUTPUT, events.TOLD)

OUT = {"instance.upgrade", "instance.rollback", "member.remove", "instance.decommission"}


async def live(stage: Stage, judge: Judge, worlds: dict[str, World], steps: dict[str, int]) -> None:
    """Live through everything; note the world after each act, and how many steps it took."""
    one, listener, told = Life(stage), await events.listen(stage), set[str]()
    async with stage.acting():
        try:
            for act in life.every_act(stage):
                goes = await one.newest() if act.kind == "member.remove" else None
                mark = stage.road.mark()
                ended = await _succeed(one, act, judge)
                steps[act.name] = sum(len(each.begun) for each in stage.road.since(mark))
                told.add(ended.correlation_id)
                worlds[act.name] = await one.look()
                if goes is not None and goes.allocation_id is not None:
                    left = [one.place(goes.allocation_id)]
                    _expect_clear(judge, CLEARED, worlds[act.name], left, ended)
                if act.kind == "instance.decommission":
                    every = [one.place(machine) for machine in one.first]
                    _expect_clear(judge, GONE, worlds[act.name], every, ended)
            await listener.expect(judge, told)
        finally:
            await one.end()


async def _succeed(one: Life, act: Act, judge: Judge) -> OperationRead:
    """Ask for something, and have it done."""
    check = OUTPUT if act.kind == "action" else WAYS_OUT if act.kind in OUT else LIVES
    try:
        ended = await one.done(await act.ask(one))
    except Broken as err:
        judge.broken(check, f"{act.name} succeeds.", err.seen, *err.evidence)
        raise
    judge.kept(check)
    return ended


def _expect_clear(
    judge: Judge, check: Check, world: World, machines: list[int], ended: OperationRead
) -> None:
    """What is left on machines is named as residue."""
    left = [f"{what} on host {n + 1}" for n in machines for what in world.hosts[n]]
    judge.expect(
        check,
        not left or ended.residue,
        "Nothing is left, or the operation's residue names it.",
        f"{', '.join(left)} is left, and the residue is empty.",
        ended.correlation_id,
    )
