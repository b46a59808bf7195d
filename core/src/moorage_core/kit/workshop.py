"""Slow work for the processor, off the event loop, by few hands and with a short queue.

Without a limit on who may wait, a queue of strangers' work would keep everybody else from theirs,
and hold memory meanwhile.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from moorage_core.errors import Busy

T = TypeVar("T")


class Workshop:
    def __init__(
        self, name: str, *, hands: int, at_once: int, busy: str, share: int | None = None
    ) -> None:
        """`at_once` counts what is under way or waiting; whoever comes then is told `busy`.

        So is who has `share` of it already: nobody keeps all the others out.
        """
        self._threads = ThreadPoolExecutor(max_workers=hands, thread_name_prefix=name)
        self._lock = threading.Lock()
        self._at_once, self._share = at_once, share
        self._inside = Counter[str]()
        self._busy = busy

    async def do(self, work: Callable[[], T], *, whose: str = "") -> T:
        """`whose` is who the share is counted for."""
        self._enter(whose)
        future = self._threads.submit(work)
        # Not where it is awaited: who hangs up leaves a thread at work.
        future.add_done_callback(lambda _: self._leave(whose))
        return await asyncio.wrap_future(future)

    def _enter(self, whose: str) -> None:
        with self._lock:
            full = self._inside.total() >= self._at_once
            if full or (self._share is not None and self._inside[whose] >= self._share):
                raise Busy(self._busy)
            self._inside[whose] += 1

    def _leave(self, whose: str) -> None:
        with self._lock:
            self._inside[whose] -= 1
            if not self._inside[whose]:
                del self._inside[whose]
