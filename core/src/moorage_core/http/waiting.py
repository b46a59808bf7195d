"""What every request that waits has in common: a seat, a sleep, and an end when the caller leaves.

Seats are counted per principal and process, so that one caller cannot fill the house. Whoever
sleeps wakes by a topic, by time, or because the caller has gone; nobody reads for an empty chair.
When the process is to stop, everybody is sent home with what there is.
"""

import asyncio
from collections import Counter
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.types import Scope

from moorage_core.errors import Busy, TooMany
from moorage_core.kit import endings, metrics
from moorage_core.kit.wakeups import Waiter

T = TypeVar("T")
LOOK_OUT = "moorage.look_out"


class WaitingRoom:
    def __init__(self, seats: int) -> None:
        self._seats = seats
        self._taken: Counter[str] = Counter()

    @contextmanager
    def seat(self, principal: str) -> Generator[None]:
        """Hold one of the principal's seats."""
        if self._taken[principal] >= self._seats:
            raise TooMany(
                f"You have {self._seats} requests waiting on this server already. "
                "Close some, or wait for more at once with one of them.",
                headers={"Retry-After": "5"},
            )
        self._taken[principal] += 1
        try:
            with metrics.WAITING.track_inprogress():
                yield
        finally:
            self._taken[principal] -= 1
            if not self._taken[principal]:
                del self._taken[principal]


async def sleep(waiter: Waiter, seconds: float, request: Request) -> bool:
    """Sleep until woken, for so long at most. False once the caller, or the server, has to go."""
    gone = _look_out(request)
    woken = asyncio.create_task(waiter.wait(seconds))
    try:
        await asyncio.wait({gone, woken}, return_when=asyncio.FIRST_COMPLETED)
        return not gone.done() and not waiter.dismissed
    finally:
        woken.cancel()


def _look_out(request: Request) -> asyncio.Task[None]:
    """Ends when the caller leaves: one for all sleeps of a request.

    Each call of `receive` that is broken off can take the rest of the request with it, and the
    next one says then that the caller has left.
    """
    if LOOK_OUT not in request.scope:
        request.scope[LOOK_OUT] = asyncio.create_task(_gone(request))
    return request.scope[LOOK_OUT]


def end_look_out(scope: Scope) -> None:
    """Look for nobody any more: the request is answered."""
    if LOOK_OUT in scope:
        scope[LOOK_OUT].cancel()


async def unless_gone(work: Coroutine[Any, Any, T], request: Request) -> T:
    """What the work leads to. It ends where it is once the caller has gone."""
    gone = asyncio.create_task(_gone(request))
    working = asyncio.create_task(work)
    try:
        await asyncio.wait({gone, working}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            await endings.end([working])
            raise Busy("Whoever asked has gone.")
        return working.result()
    finally:
        gone.cancel()
        working.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
