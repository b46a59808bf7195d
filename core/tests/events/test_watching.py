"""A stream that watches an instance, from a real server: hints between what is kept."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
from granian.constants import Interfaces
from granian.server.embed import Server

from core.tests.callers import Caller
from core.tests.factories.controllers import LIVELY, Replica, Watcher, make_replica
from core.tests.factories.instances import Echo, make_echo
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site
from moorage_core.kit.ids import InstanceId

WITHIN = 20.0
Message = dict[str, str]


@pytest.fixture(scope="module")
async def address(site: Site) -> AsyncIterator[str]:
    """The platform of these tests behind a socket: the tests' own transport streams nothing."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = Server(site.api, port=port, interface=Interfaces.ASGINL, log_enabled=False)
    serving = asyncio.create_task(server.serve())
    yield f"http://127.0.0.1:{port}"
    site.platform.hub.close()
    server.stop()
    await serving


@pytest.fixture(scope="module")
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site), more=LIVELY)


@pytest.fixture
async def replica(echo: Echo) -> Replica:
    return await make_replica(echo)


@pytest.fixture
async def watcher(echo: Echo, replica: Replica) -> Watcher:
    return await replica.watch((await echo.running())["id"])


@dataclass
class Listener:
    """Somebody who keeps what a stream says."""

    said: list[Message] = field(default_factory=list[Message])
    heard: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self, answer: httpx2.Response) -> None:
        message: Message = {}
        async for line in answer.aiter_lines():
            if not line and message:
                self.said.append(message)
                self.heard.set()
                message = {}
            elif line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                message[name] = value

    async def until(self, has: Callable[[list[Message]], bool]) -> list[Message]:
        async with asyncio.timeout(WITHIN):
            while not has(self.said):
                self.heard.clear()
                await self.heard.wait()
        return self.said

    async def hint(self, **wanted: Any) -> Message:
        """The first hint that says this."""
        said = await self.until(lambda said: any(_says(each, wanted) for each in said))
        return next(each for each in said if _says(each, wanted))


def _says(message: Message, wanted: dict[str, Any]) -> bool:
    return message["event"] == "moved" and wanted.items() <= json.loads(message["data"]).items()


@asynccontextmanager
async def listening(
    address: str, caller: Caller, *watched: str, forget: bool = True, **more: str
) -> AsyncIterator[Listener]:
    """A stream that has hinted at everything, as it does at its beginning."""
    query = {"watch": list(watched)}
    async with (
        httpx2.AsyncClient(base_url=address, timeout=None, headers=caller.proof | more) as client,
        client.stream("GET", "/v1/events/stream", params=query) as answer,
    ):
        assert answer.status_code == 200
        listener = Listener()
        task = asyncio.create_task(listener.listen(answer))
        try:
            for instance in watched:
                await listener.hint(instance=instance, what="views", name=None)
            if forget:
                listener.said.clear()
            yield listener
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@pytest.mark.rule("EV-11")
async def test_a_watched_instance_is_hinted_at_as_it_moves(
    address: str, echo: Echo, watcher: Watcher
) -> None:
    name = f"{echo.app['slug'].replace('-', '_')}.keys"
    async with listening(address, echo.admin, watcher.instance) as listener:
        await watcher.send("PUT", f"views/{name}", generation=1, upserts=[], complete=True)
        of_view = await listener.hint(what="views", name=name)
        await watcher.observe()
        of_itself = await listener.hint(what="instance")
        await echo.ask(watcher.instance, "restart")
        of_operation = await listener.hint(what="operations")

    hints = [of_view, of_itself, of_operation]
    assert [json.loads(each["data"])["instance"] for each in hints] == [watcher.instance] * 3
    assert all("id" not in each for each in hints)


async def test_a_step_that_was_reported_is_hinted_at(
    address: str, echo: Echo, watcher: Watcher
) -> None:
    await echo.ask(watcher.instance, "restart")
    (brief,) = await echo.claim()
    async with listening(address, echo.admin, watcher.instance) as listener:
        await echo.say(brief, "running", message="half-way")
        hint = await listener.hint(what="operations")
        await echo.say(brief, "succeeded")

    assert json.loads(hint["data"]) == {
        "instance": watcher.instance,
        "what": "operations",
        "name": None,
    }


async def test_other_instances_are_not_hinted_at(
    address: str, echo: Echo, replica: Replica, watcher: Watcher
) -> None:
    other = await replica.watch((await echo.running())["id"])
    async with listening(address, echo.admin, watcher.instance) as listener:
        await other.observe()
        await watcher.observe()
        await listener.hint(what="instance")

    told = [json.loads(each["data"]) for each in listener.said if each["event"] == "moved"]
    assert {each["instance"] for each in told} == {watcher.instance}


@pytest.mark.rule("EV-11")
async def test_hints_do_not_disturb_the_replay_of_what_is_kept(
    address: str, echo: Echo, watcher: Watcher
) -> None:
    site = echo.tenant.site
    async with listening(address, echo.admin, watcher.instance) as listener:
        await echo.ask(watcher.instance, "restart")
        await echo.work()
        await site.number()
        said = await listener.until(lambda said: _types(said)[-1:] == ["apps.instance.running"])
    kept = [each for each in said if "id" in each]

    last = {"last-event-id": kept[0]["id"]}
    async with listening(address, echo.admin, watcher.instance, forget=False, **last) as again:
        replayed = await again.until(lambda said: len(_types(said)) >= len(kept) - 1)

    # More may have come since, which the replay goes on with.
    assert [each for each in replayed if "id" in each][: len(kept) - 1] == kept[1:]


def _types(said: list[Message]) -> list[str]:
    return [each["event"] for each in said if "id" in each]


@pytest.mark.rule("EV-11")
async def test_who_loses_the_right_to_look_gets_no_more_hints(
    address: str, echo: Echo, watcher: Watcher
) -> None:
    site = echo.tenant.site
    viewer = await site.actor("viewer", project=echo.tenant.project)
    async with listening(address, viewer, watcher.instance) as listener:
        await site.rows("DELETE FROM memberships WHERE user_id = %s", viewer.id)
        site.platform.principals.hear(None)
        await watcher.observe()
        said = await listener.until(lambda said: said[-1]["event"] == "end" if said else False)

    assert [each["event"] for each in said] == ["end"]


@pytest.mark.rule("EV-11")
async def test_a_stranger_watches_nothing(echo: Echo, watcher: Watcher) -> None:
    stranger = (await make_tenant(echo.tenant.site)).admin

    theirs = await stranger.get(f"/v1/events/stream?watch={watcher.instance}")
    nobodys = await stranger.get(f"/v1/events/stream?watch={InstanceId.new()}")

    assert (theirs.status_code, theirs.json()["code"]) == (404, "not_found")
    assert nobodys.status_code == 404


async def test_one_stream_watches_a_few_instances(echo: Echo) -> None:
    query = "&".join(f"watch={InstanceId.new()}" for _ in range(5))

    answer = await echo.admin.get(f"/v1/events/stream?{query}")

    assert answer.status_code == 422
