"""A workshop does what fits, and sends the rest away at once."""

import asyncio
import threading

import pytest

from moorage_core.errors import Busy
from moorage_core.kit.workshop import Workshop


async def test_work_is_done_off_the_loop_and_its_result_comes_back() -> None:
    workshop = Workshop("test", hands=1, at_once=2, busy="full")

    thread = await workshop.do(threading.current_thread)

    assert thread is not threading.current_thread()
    assert thread.name.startswith("test")


async def test_an_error_of_the_work_is_the_callers() -> None:
    workshop = Workshop("test", hands=1, at_once=2, busy="full")

    with pytest.raises(ZeroDivisionError):
        await workshop.do(lambda: 1 // 0)


async def test_whoever_finds_it_full_is_told_so_and_room_comes_back() -> None:
    workshop = Workshop("test", hands=1, at_once=2, busy="Come again.")
    go = threading.Event()
    first = asyncio.ensure_future(workshop.do(go.wait))
    second = asyncio.ensure_future(workshop.do(lambda: "second"))
    await asyncio.sleep(0)

    with pytest.raises(Busy, match="Come again"):
        await workshop.do(lambda: "third")
    go.set()

    assert [await first, await second] == [True, "second"]
    assert await workshop.do(lambda: "later") == "later"


async def test_nobody_takes_more_than_their_share() -> None:
    workshop = Workshop("test", hands=1, at_once=8, busy="Come again.", share=2)
    go = threading.Event()
    first = asyncio.ensure_future(workshop.do(go.wait, whose="one"))
    second = asyncio.ensure_future(workshop.do(lambda: "second", whose="one"))
    await asyncio.sleep(0)

    with pytest.raises(Busy, match="Come again"):
        await workshop.do(lambda: "third", whose="one")
    other = asyncio.ensure_future(workshop.do(lambda: "other's", whose="two"))
    await asyncio.sleep(0)
    go.set()

    assert [await first, await second, await other] == [True, "second", "other's"]
    assert await workshop.do(lambda: "later", whose="one") == "later"
