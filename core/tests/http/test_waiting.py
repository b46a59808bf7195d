"""Requests that sleep: they hear of the caller's leaving, and of nothing that did not happen."""

import asyncio
from typing import Any

from starlette.requests import Request

from moorage_core.http import waiting
from moorage_core.kit.wakeups import Waiter


class Line:
    """A server's end of a request. A read that is broken off takes the request with it."""

    def __init__(self) -> None:
        self.left = asyncio.Event()
        self.broken = False

    async def receive(self) -> dict[str, Any]:
        if self.broken:
            return {"type": "http.disconnect"}
        try:
            await self.left.wait()
        except asyncio.CancelledError:
            self.broken = True
            raise
        return {"type": "http.disconnect"}


def request_on(line: Line) -> Request:
    return Request({"type": "http", "headers": []}, receive=line.receive)


async def test_whoever_is_woken_again_and_again_is_still_there() -> None:
    request, waiter = request_on(Line()), Waiter()

    slept: list[bool] = []
    for _ in range(3):
        waiter.wake()
        slept.append(await waiting.sleep(waiter, 5, request))

    assert slept == [True, True, True]
    waiting.end_look_out(request.scope)


async def test_whoever_leaves_is_noticed_in_a_later_sleep_too() -> None:
    line, waiter = Line(), Waiter()
    request = request_on(line)
    waiter.wake()
    await waiting.sleep(waiter, 5, request)

    line.left.set()

    assert not await waiting.sleep(waiter, 5, request)


async def test_nobody_is_looked_for_once_the_request_is_answered() -> None:
    line, waiter = Line(), Waiter()
    request = request_on(line)
    waiter.wake()
    await waiting.sleep(waiter, 5, request)

    waiting.end_look_out(request.scope)
    await asyncio.wait({request.scope[waiting.LOOK_OUT]})

    assert line.broken
