"""Wake-ups: keyed, coalesced, across processes, and through a lost connection."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from hypothesis import given
from hypothesis import strategies as st

from core.tests.callers import Urls
from moorage_core.errors import Busy
from moorage_core.kit.wakeups import PAYLOAD_LIMIT, Hub, chunks

WITHIN = 30.0


async def nothing_moved() -> Iterable[str]:
    return ()


@asynccontextmanager
async def running_hub(url: str, catch_up: Any = nothing_moved) -> AsyncIterator[Hub]:
    hub = Hub(url, catch_up=catch_up)
    async with hub.running():
        async with asyncio.timeout(WITHIN):
            await hub.listening.wait()
        yield hub


async def test_a_mark_wakes_who_watches_the_topic_and_nobody_else(urls: Urls) -> None:
    async with running_hub(urls.system) as hub:
        with hub.watch(["org:a"]) as concerned, hub.watch(["org:b"]) as other:
            hub.mark(["org:a"])

            assert await concerned.wait(WITHIN)
            assert not await other.wait(0)


async def test_a_mark_between_looking_and_sleeping_is_not_lost(urls: Urls) -> None:
    async with running_hub(urls.system) as hub:
        with hub.watch(["org:a"]) as waiter:
            hub.mark(["org:a"])
            await asyncio.sleep(0)

            assert await waiter.wait(WITHIN)


async def test_another_process_hears_of_it(urls: Urls) -> None:
    async with running_hub(urls.system) as here, running_hub(urls.system) as there:
        with there.watch(["op:1"]) as waiter:
            here.mark(["op:1"])

            assert await waiter.wait(WITHIN)


async def test_a_lost_connection_is_taken_up_again_and_everyone_looks(
    urls: Urls, sql: psycopg.AsyncConnection[Any]
) -> None:
    async with running_hub(urls.system) as here, running_hub(urls.system) as there:
        with there.watch(["op:1"]) as waiter:
            await sql.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE usename = 'moorage_system' AND datname = current_database()"
            )
            woken_by_the_loss = await waiter.wait(WITHIN)
            async with asyncio.timeout(WITHIN):
                await here.listening.wait()
                await there.listening.wait()
            here.mark(["op:1"])

            assert woken_by_the_loss
            assert await waiter.wait(WITHIN)


async def test_a_hint_that_nobody_sent_is_caught_up(urls: Urls, monkeypatch: Any) -> None:
    monkeypatch.setattr("moorage_core.kit.wakeups.CATCH_UP_SECONDS", 0.01)

    async def moved() -> Iterable[str]:
        return ("org:a",)

    async with running_hub(urls.system, moved) as hub:
        with hub.watch(["org:a"]) as waiter:
            assert await waiter.wait(WITHIN)


async def test_nothing_stays_registered_after_the_wait(urls: Urls) -> None:
    hub = Hub(urls.system, catch_up=nothing_moved)

    with hub.watch(["org:a", "org:b"]):
        assert hub.waiting == 2

    assert hub.waiting == 0


@given(st.lists(st.text("abcdef:", min_size=1, max_size=200), max_size=300))
def test_payloads_fit_and_together_name_every_topic(topics: list[str]) -> None:
    payloads = list(chunks("sender", topics))

    assert all(len(payload.encode()) <= PAYLOAD_LIMIT for payload in payloads)
    assert [topic for payload in payloads for topic in json.loads(payload)[1]] == topics


async def test_catching_up_goes_on_after_whatever_went_wrong(urls: Urls, monkeypatch: Any) -> None:
    monkeypatch.setattr("moorage_core.kit.wakeups.CATCH_UP_SECONDS", 0.01)
    monkeypatch.setattr("moorage_core.kit.wakeups.PAUSE_SECONDS", 0.01)
    troubles: list[Exception] = [Busy("no connection"), ValueError("a bug"), OSError("gone")]

    async def troubled() -> Iterable[str]:
        if troubles:
            raise troubles.pop()
        return ("org:a",)

    async with running_hub(urls.system, troubled) as hub:
        with hub.watch(["org:a"]) as waiter:
            assert await waiter.wait(WITHIN)
