"""A stream of server-sent events: what is kept, in order, and hints about instances in between.

A hint costs no query. The waiter knows which topics woke it, and as long as these are hints alone
there is nothing to read. While nobody is registered (when the caller's orgs have changed, or before
the stream began) hints are lost; so whenever the stream registers it hints at everything once.
"""

import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import asdict

from fastapi import Request

from moorage_core.authz.principals import Principal
from moorage_core.context import Context
from moorage_core.errors import ApiError
from moorage_core.events import commands, movements
from moorage_core.events.models import Event, Wanted
from moorage_core.events.movements import Movement
from moorage_core.events.schemas import wire
from moorage_core.http import authentication
from moorage_core.instances import commands as instances
from moorage_core.kit.wakeups import Waiter
from moorage_core.platform import Platform

KEEP_ALIVE_SECONDS = 15.0


def topics(principal: Principal) -> list[str]:
    """What wakes whoever reads events."""
    return [f"org:{org}" for org in principal.scope.orgs]


class Stream:
    """One listener, from the first look to the end."""

    def __init__(
        self, platform: Platform, request: Request, wanted: Wanted, watched: tuple[str, ...]
    ) -> None:
        self._platform = platform
        self._request = request
        self._wanted = wanted
        self._watched = watched
        self._principal: Principal = request.state.principal
        self._found: list[Event] = []
        self._cursor = 0

    async def begin(self, cursor: int | None) -> None:
        """Look before the answer begins: a refusal is an answer then, and not a broken stream."""
        await self._check_watched(self._principal)
        await self._read(cursor)
        with self._platform.waiting.seat(self._principal.id):
            pass

    async def texts(self) -> AsyncIterator[str]:
        yield f": here from {self._cursor}\n\n"
        for text in self._events():
            yield text
        with self._platform.waiting.seat(self._principal.id):
            try:
                while True:
                    names = [*topics(self._principal), *map(movements.subject, self._watched)]
                    with self._platform.hub.watch(names) as waiter:
                        async for text in self._listen(waiter, self._principal.scope.orgs):
                            yield text
                        if waiter.dismissed:
                            return  # The listener comes back, to a server that stays.
            except ApiError as err:
                said = {"code": err.code, "detail": err.detail}
                yield f"event: end\ndata: {json.dumps(said)}\n\n"

    async def _listen(self, waiter: Waiter, orgs: frozenset[str]) -> AsyncIterator[str]:
        """Say what comes, for as long as what it waits for is what it should wait for."""
        hints, look = movements.every(self._watched), True
        while not waiter.dismissed:
            await self._prove(again=look)
            if self._principal.scope.orgs != orgs:
                return
            for text in _hints(hints):
                yield text
            hints = []
            if look and await self._read(self._cursor):
                for text in self._events():
                    yield text
                continue
            woken = await waiter.wait(KEEP_ALIVE_SECONDS)
            if not woken:
                yield ": still here\n\n"
            heard = waiter.take()
            hints, look = (
                movements.told(heard, self._watched),
                not woken or movements.is_news(heard),
            )

    async def _prove(self, *, again: bool) -> None:
        """Who was allowed a minute ago may not be now."""
        principal = await authentication.authenticate(self._platform, self._request)
        if again or principal != self._principal:
            await self._check_watched(principal)
        self._principal = principal

    async def _check_watched(self, principal: Principal) -> None:
        if not self._watched:
            return
        platform, trace = self._platform, self._request.state.trace
        async with platform.database.transaction(principal.scope, read_only=True) as db:
            ctx = Context(principal, db, platform.clock, trace, platform)
            for instance in self._watched:
                await instances.get(ctx, instance)

    async def _read(self, cursor: int | None) -> bool:
        """Whether there is anything new."""
        self._found, self._cursor = await commands.read(
            self._platform, self._principal, self._wanted, after=cursor
        )
        return bool(self._found)

    def _events(self) -> Iterable[str]:
        source = self._platform.settings.url
        for event in self._found:
            data = json.dumps(wire(event, source=source), ensure_ascii=False)
            yield f"id: {event.seq}\nevent: {event.type}\ndata: {data}\n\n"


def _hints(moved: Iterable[Movement]) -> Iterable[str]:
    """Without an id: what a listener has seen is counted by what is kept."""
    for movement in moved:
        yield f"event: moved\ndata: {json.dumps(asdict(movement))}\n\n"
