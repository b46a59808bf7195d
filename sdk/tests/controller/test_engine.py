"""What the engine does with a platform that refuses, and one that gives the operation to others."""

import asyncio
from typing import Any

import pytest

import moorage
from moorage import Unprocessable
from moorage.controller import engine, outbox
from moorage.controller.briefs import Brief, Instance
from moorage.controller.holds import Ended, Wish
from moorage.controller.reports import Observed, Report
from sdk.tests.controller.sample import MANIFEST

INSTANCE = Instance(
    id="ins_1",
    name="one",
    org_id="org_1",
    project_id="prj_1",
    app_slug="sample",
    app_version="2.0.0",
)


class Desk:
    """A platform that takes down what it is told, unless `judge` has something against it."""

    def __init__(self, **known: Any) -> None:
        told = {"id": "opn_1", "kind": "instance.restart", "fence": 1, "correlation_id": "c"}
        self.brief = Brief.model_validate({**told, "instance": INSTANCE, **known})
        self.said: list[Report] = []
        self.cancelled = asyncio.Event()
        self.refuses: dict[str, BaseException] = {}

    async def report(self, said: Report) -> None:
        if said.message in self.refuses:
            raise self.refuses[said.message]
        self.said.append(said)

    async def cancel_asked(self) -> None:
        await self.cancelled.wait()

    async def settle(self, *, stop: bool) -> None: ...

    async def task(self, wish: Wish) -> Ended:
        raise NotImplementedError

    async def output(self, task: str, stream: str) -> bytes:
        raise NotImplementedError

    async def put_secret(self, name: str, **given: Any) -> None: ...

    async def principals(self) -> list[dict[str, Any]]:
        return []

    async def observe(self, observed: Observed) -> None: ...


@pytest.fixture
def app() -> moorage.App:
    return moorage.App.from_text(MANIFEST)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "SOON", 0.0)


def malformed() -> Unprocessable:
    return Unprocessable("too long", status=422, code="malformed", correlation_id="none")


async def test_what_is_told_beside_the_work_and_refused_is_a_bug(app: moorage.App) -> None:
    @app.instance.restart
    async def restart(op: moorage.InstanceOperation) -> None:
        op.message("too long")
        await asyncio.Event().wait()

    desk = Desk()
    desk.refuses["too long"] = malformed()

    await engine.perform(app, desk)

    assert (desk.said[-1].state, desk.said[-1].recovery) == ("failed", "retryable")
    assert desk.said[-1].error is not None
    assert desk.said[-1].error.code == "bug"


async def test_an_end_that_is_refused_is_a_bug(app: moorage.App) -> None:
    @app.instance.restart
    async def restart(op: moorage.InstanceOperation) -> None:
        raise moorage.Wait("too long")

    desk = Desk()
    desk.refuses["too long"] = malformed()

    await engine.perform(app, desk)

    assert [said.state for said in desk.said] == ["failed"]


async def test_work_that_is_lost_stops_at_once_and_says_nothing(app: moorage.App) -> None:
    stopped = asyncio.Event()

    @app.instance.restart
    async def restart(op: moorage.InstanceOperation) -> None:
        op.message("still here")
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    desk = Desk()
    desk.refuses["still here"] = moorage.Lost("taken over")

    with pytest.raises(moorage.Lost):
        await engine.perform(app, desk)

    assert stopped.is_set()
    assert desk.said == []


async def test_the_end_of_a_step_is_told_with_the_next_and_not_once_more(app: moorage.App) -> None:
    async def pause() -> None:
        for _ in range(5):  # long enough for whatever is told soon
            await asyncio.sleep(0)

    @app.instance.restart
    async def restart(op: moorage.InstanceOperation) -> None:
        for name in ("one", "two"):
            await op.step(name, pause)

    desk = Desk()

    await engine.perform(app, desk)

    told = [[(step.name, step.status) for step in said.steps] for said in desk.said]
    assert told == [
        [("one", "running")],
        [("one", "succeeded"), ("two", "running")],
        [("two", "succeeded")],
    ]


async def test_a_cancel_turns_the_work_round(app: moorage.App) -> None:
    desk = Desk()

    @app.instance.restart
    async def restart(op: moorage.InstanceOperation) -> None:
        desk.cancelled.set()
        await asyncio.Event().wait()

    await engine.perform(app, desk)

    assert [said.state for said in desk.said] == ["undoing", "cancelled"]


async def test_a_lost_undo_is_taken_up_in_its_direction(app: moorage.App) -> None:
    desk = Desk(direction="undo")

    await engine.perform(app, desk)

    assert [said.state for said in desk.said] == ["undoing", "cancelled"]


async def test_what_no_function_does_is_failed_for_good(app: moorage.App) -> None:
    desk = Desk()

    await engine.perform(app, desk)

    assert (desk.said[-1].state, desk.said[-1].recovery) == ("failed", "terminal")
    assert desk.said[-1].error is not None
    assert desk.said[-1].error.code == "not_supported"


async def test_a_parent_without_a_function_for_its_phase_goes_on(app: moorage.App) -> None:
    desk = Desk(kind="member.drain", phase="prepare", input={"component": "worker"})

    await engine.perform(app, desk)

    assert [said.state for said in desk.said] == ["succeeded"]


def journal(desk: Desk) -> dict[int, tuple[str, str]]:
    """Every step that was told of, by its number: its name, and how it stands."""
    return {step.number: (step.name, step.status) for said in desk.said for step in said.steps}


async def nothing() -> None: ...


async def test_steps_are_taken_beside_one_that_takes_its_time(app: moorage.App) -> None:
    written = asyncio.Event()

    async def write() -> None:
        written.set()

    async def start() -> str:
        await written.wait()
        return "started"

    @app.instance.restart
    async def restart(op: moorage.InstanceOperation) -> dict[str, str]:
        database = op.beside("start the database", start)
        await op.step("write files", write)
        found = await database
        await op.step("use it", nothing)
        return {"database": found}

    desk = Desk()
    await engine.perform(app, desk)

    assert (desk.said[-1].state, desk.said[-1].result) == ("succeeded", {"database": "started"})
    assert journal(desk) == {
        1: ("start the database", "succeeded"),
        2: ("write files", "succeeded"),
        3: ("use it", "succeeded"),
    }


async def test_a_step_that_fails_lets_those_beside_it_end(app: moorage.App) -> None:
    failed = asyncio.Event()

    async def start() -> None:
        await failed.wait()

    async def write() -> None:
        failed.set()
        raise moorage.Fail("disk_full", "The disk is full.")

    @app.instance.restart
    async def restart(op: moorage.InstanceOperation) -> None:
        op.beside("start the database", start)
        await op.step("write files", write)

    desk = Desk()
    await engine.perform(app, desk)

    assert desk.said[-1].error is not None
    assert desk.said[-1].error.code == "disk_full"
    assert [status for _, status in journal(desk).values()] == ["succeeded", "failed"]


async def test_a_step_that_fails_and_nobody_waited_for_fails_the_operation(
    app: moorage.App,
) -> None:
    async def start() -> None:
        raise moorage.Fail("database_refused", "It does not start.")

    @app.instance.restart
    async def restart(op: moorage.InstanceOperation) -> None:
        op.beside("start the database", start)
        await op.step("write files", nothing)

    desk = Desk()
    await engine.perform(app, desk)

    assert desk.said[-1].error is not None
    assert desk.said[-1].error.code == "database_refused"
    assert [status for _, status in journal(desk).values()] == ["failed", "succeeded"]


async def test_whoever_waits_does_not_hide_that_a_step_beside_has_failed(app: moorage.App) -> None:
    async def start() -> None:
        raise moorage.Fail("database_refused", "It does not start.")

    async def wait() -> None:
        raise moorage.Wait("ada is not there yet")

    @app.instance.restart
    async def restart(op: moorage.InstanceOperation) -> None:
        op.beside("start the database", start)
        await op.step("wait for people", wait)

    desk = Desk()
    await engine.perform(app, desk)

    assert desk.said[-1].error is not None
    assert desk.said[-1].error.code == "database_refused"


async def test_a_bug_is_told_when_the_steps_beside_it_have_ended(app: moorage.App) -> None:
    broken, ended = asyncio.Event(), asyncio.Event()

    async def start() -> None:
        await broken.wait()
        ended.set()

    async def write() -> None:
        broken.set()
        raise ZeroDivisionError

    @app.instance.restart
    async def restart(op: moorage.InstanceOperation) -> None:
        op.beside("start the database", start)
        await op.step("write files", write)

    desk = Desk()
    await engine.perform(app, desk)

    assert (desk.said[-1].state, ended.is_set()) == ("failed", True)


async def test_a_step_beside_that_its_own_function_stopped_is_a_bug(app: moorage.App) -> None:
    @app.instance.restart
    async def restart(op: moorage.InstanceOperation) -> None:
        op.beside("start the database", asyncio.Event().wait).cancel()

    desk = Desk()
    await engine.perform(app, desk)

    assert desk.said[-1].state == "failed"


async def test_a_step_that_is_still_at_work_is_taken_up_again_and_not_those_after_it(
    app: moorage.App,
) -> None:
    taken: list[str] = []

    async def take(name: str) -> None:
        taken.append(name)

    @app.instance.restart
    async def restart(op: moorage.InstanceOperation) -> None:
        op.beside("start the database", take, "database")
        await op.step("write files", take, "files")
        await op.step("use it", take, "use")

    names = {"start the database": "running", "write files": "succeeded", "use it": "running"}
    steps = [
        {"phase": "run", "number": number, "name": name, "status": status}
        for number, (name, status) in enumerate(names.items(), 1)
    ]
    desk = Desk(steps=steps)
    await engine.perform(app, desk)

    assert (desk.said[-1].state, sorted(taken)) == ("succeeded", ["database", "use"])


async def test_whoever_cancels_stops_a_step_beside_others_too(app: moorage.App) -> None:
    stopped = asyncio.Event()
    desk = Desk()

    async def start() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    async def cancel() -> None:
        desk.cancelled.set()
        await asyncio.Event().wait()

    @app.instance.restart
    async def restart(op: moorage.InstanceOperation) -> None:
        op.beside("start the database", start)
        await op.step("write files", cancel)

    await engine.perform(app, desk)

    assert (desk.said[-1].state, stopped.is_set()) == ("cancelled", True)
