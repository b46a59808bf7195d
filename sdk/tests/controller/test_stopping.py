"""A controller that is told to stop ends, whatever the platform does."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

import moorage
from moorage import Client
from moorage.controller import outbox, runner
from moorage.controller.briefs import Brief, Instance, Member
from moorage.controller.runner import Runner
from moorage.controller.settings import Settings
from sdk.tests.controller.sample import MANIFEST

ENDS_WITHIN = 8.0
CLAIM = "POST /v1/controller/claims"
LEAVE = "DELETE /v1/controller/replicas/rep_1"
PRINCIPALS = "GET /v1/instances/ins_1/principals"
REPORT = "POST /v1/controller/reports"
TASK = "POST /v1/operations/opn_1/tasks"
MEMBER = Member(id="mem_1", name="w1", component="worker", status="ready", allocation_id="alc_1")
INSTANCE = Instance(
    id="ins_1",
    name="one",
    org_id="org_1",
    project_id="prj_1",
    app_slug="sample",
    app_version="2.0.0",
    members=[MEMBER],
)
RIGHT = {"instance_id": "ins_1", "grant": "g", "fence": 1}
OPERATION = {**RIGHT, "id": "opn_1", "kind": "instance.restart", "correlation_id": "c0ffee00"}
Handler = Callable[[moorage.InstanceOperation], Awaitable[None]]


class Desk:
    """As much of a platform as hands out something once, and takes reports on it.

    What it has no answer to it hears, and whoever asked waits.
    """

    def __init__(self, **handed_out: Any) -> None:
        claimed = {"replica": {"id": "rep_1"}, "next": 1, **handed_out}
        self._answers: dict[str, Any] = {
            CLAIM: claimed | {"instances": [INSTANCE.model_dump(mode="json")]},
            REPORT: {"reports": [{"operation": "opn_1", "status": "running"}]},
            LEAVE: None,
        }
        self._heard: dict[str, asyncio.Event] = {}
        self._lines: list[asyncio.StreamWriter] = []

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[str]:
        self._door = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        try:
            yield f"http://127.0.0.1:{self._door.sockets[0].getsockname()[1]}"
        finally:
            self.go_away()

    async def hears(self, what: str) -> None:
        await self._heard.setdefault(what, asyncio.Event()).wait()

    def answer_no_more(self, what: str) -> None:
        self._answers.pop(what, None)
        self._heard.pop(what, None)

    def go_away(self) -> None:
        """Whoever calls from now on finds nobody."""
        self._door.close()
        for line in self._lines:
            line.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._lines.append(writer)
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                asked = await _read_request(reader)
                self._heard.setdefault(asked, asyncio.Event()).set()
                if asked in self._answers:
                    body = json.dumps(self._answers[asked]).encode()
                    writer.write(
                        b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body
                    )
                if asked == CLAIM:
                    self._answers.pop(CLAIM, None)


async def _read_request(reader: asyncio.StreamReader) -> str:
    first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(":") for line in rest)}
    await reader.readexactly(int(headers.get("content-length", "0")))
    method, path, _ = first.split(" ")
    return f"{method} {path}"


async def work(machine: moorage.Machine) -> None:
    await machine.exec("work", repeatable=True)


async def work_and_tidy(machine: moorage.Machine) -> None:
    try:
        await work(machine)
    finally:
        await machine.exec("tidy", repeatable=True)


async def waits(op: moorage.InstanceOperation) -> None:
    await op.step("work", work, op.machine(MEMBER))


async def tidies(op: moorage.InstanceOperation) -> None:
    await op.step("work", work_and_tidy, op.machine(MEMBER))


async def tidies_in_a_step(op: moorage.InstanceOperation) -> None:
    try:
        await op.step("work", work, op.machine(MEMBER))
    finally:
        await op.step("tidy", work, op.machine(MEMBER))


@pytest.fixture
def app() -> moorage.App:
    return moorage.App.from_text(MANIFEST)


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "RENEW_EVERY", 0.01)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What ends, ends by itself."""
    monkeypatch.setattr(runner, "STOP_SECONDS", 60.0)
    monkeypatch.setattr(runner, "LEAVE_SECONDS", 60.0)


@asynccontextmanager
async def controller(desk: Desk, app: moorage.App) -> AsyncGenerator[Callable[[], Awaitable[None]]]:
    """A controller at work. What the block gets tells it to stop, and sees it end in time."""
    stopping = asyncio.Event()
    async with (
        desk.open() as url,
        Client(url, auth=moorage.AccessToken("t"), patience=0) as operator,
        Client(url, auth=moorage.AccessToken("t"), patience=0) as machines,
        asyncio.TaskGroup() as group,
    ):
        settings = Settings(url, "a", "k", replica="r", grace=0)
        running = group.create_task(Runner(app, operator, machines, settings).run(stopping))

        async def stop() -> None:
            stopping.set()
            await asyncio.wait({running}, timeout=ENDS_WITHIN)
            assert running.done()

        yield stop


async def test_work_that_is_lost_before_it_begins_takes_up_no_room(app: moorage.App) -> None:
    app.instance.restart(waits)
    brief = Brief.model_validate({**OPERATION, "instance": INSTANCE})
    async with Client("http://127.0.0.1:1", auth=moorage.AccessToken("t")) as client:
        one = Runner(app, client, client, Settings("http://127.0.0.1:1", "a", "k", replica="r"))

        one._begin(brief)
        taken = one.state()[1]["operations"]
        one._drop(brief.id)
        await asyncio.wait({held.work for held in one._held.values()})

    assert (taken, one.state()[1]["operations"]) == (1, 0)


@pytest.mark.parametrize("handler", [waits, tidies, tidies_in_a_step])
async def test_work_in_a_step_ends_though_the_platform_is_gone(
    app: moorage.App, handler: Handler
) -> None:
    app.instance.restart(handler)
    desk = Desk(operations=[OPERATION])

    async with controller(desk, app) as stop:
        await desk.hears(TASK)
        desk.answer_no_more(REPORT)
        await desk.hears(REPORT)
        desk.go_away()

        await stop()


async def test_a_look_ends_though_the_platform_is_gone(app: moorage.App) -> None:
    ended = asyncio.Event()

    @app.watch(every=60)
    async def look(instance: moorage.WatchedInstance) -> moorage.Observed:
        try:
            await instance.principals()
        finally:
            try:
                await instance.principals()
            finally:
                ended.set()
        return moorage.Observed(health="healthy")

    desk = Desk(watches=[RIGHT])

    async with controller(desk, app) as stop:
        await desk.hears(PRINCIPALS)
        desk.go_away()

        await stop()

        async with asyncio.timeout(ENDS_WITHIN):
            await ended.wait()


async def test_a_platform_that_says_nothing_keeps_nobody_from_leaving(
    app: moorage.App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "LEAVE_SECONDS", 0.01)
    app.instance.restart(waits)
    desk = Desk(operations=[OPERATION])

    async with controller(desk, app) as stop:
        await desk.hears(TASK)
        desk.answer_no_more(LEAVE)

        await stop()


async def test_work_that_does_not_stop_keeps_nobody_from_leaving(
    app: moorage.App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "STOP_SECONDS", 0.01)
    at_work, left = asyncio.Event(), asyncio.Event()

    @app.instance.restart
    async def restart(op: moorage.InstanceOperation) -> None:
        at_work.set()
        try:
            await left.wait()
        finally:
            await left.wait()

    desk = Desk(operations=[OPERATION])

    async with controller(desk, app) as stop:
        await at_work.wait()

        await stop()

        await desk.hears(LEAVE)
    left.set()
