"""Principals that proved themselves moments ago: a busy caller costs a look-up every two seconds.

A change to a principal (a role, a disabled account, a revoked key) marks the topic
`principal:<id>`; every process forgets the principal when it hears that, and after `SECONDS` in any
case.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from moorage_core.authz.principals import Principal

SECONDS = 2.0
KEPT = 10_000
TOPIC = "principal:"


def topic(principal_id: str) -> str:
    return TOPIC + principal_id


class PrincipalCache:
    def __init__(self, *, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._entries: OrderedDict[bytes, tuple[Principal, float]] = OrderedDict()
        self._asking: dict[bytes, asyncio.Task[Principal]] = {}
        self._heard = 0

    def find(self, credential: bytes) -> Principal | None:
        entry = self._entries.get(credential)
        if entry is None or entry[1] < self._monotonic():
            return None
        return entry[0]

    async def look_up(
        self, credential: bytes, ask: Callable[[], Coroutine[Any, Any, Principal]]
    ) -> Principal:
        """Ask once, however many requests with this credential arrive together."""
        task = self._asking.get(credential)
        if task is None:
            task = asyncio.create_task(ask())
            self._asking[credential] = task
            heard = self._heard
            task.add_done_callback(lambda done: self._answered(credential, done, heard))
        # A caller who goes away must not take the answer from the others.
        return await asyncio.shield(task)

    def _answered(self, credential: bytes, task: asyncio.Task[Principal], heard: int) -> None:
        del self._asking[credential]
        # An answer that was asked for before the last change may be older than the change.
        fresh = heard == self._heard
        if fresh and not task.cancelled() and task.exception() is None:
            self.keep(credential, task.result())

    def keep(self, credential: bytes, principal: Principal) -> None:
        self._entries[credential] = (principal, self._monotonic() + SECONDS)
        self._entries.move_to_end(credential)
        if len(self._entries) > KEPT:
            self._entries.popitem(last=False)

    def hear(self, topics: Iterable[str] | None) -> None:
        """Forget whom a wake-up names; everyone when wake-ups may have been missed."""
        if topics is None:
            self._heard += 1
            self._entries.clear()
            return
        changed = {name.removeprefix(TOPIC) for name in topics if name.startswith(TOPIC)}
        if changed:
            self._heard += 1
            stale = [key for key, (who, _) in self._entries.items() if who.id in changed]
            for key in stale:
                del self._entries[key]
