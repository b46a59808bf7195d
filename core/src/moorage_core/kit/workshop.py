"""Slow work for the processor, off the event loop, by few hands and with a short queue.

Without a limit on who may wait, a queue of strangers' work would keep everybody else from theirs,
and hold memory meanwhile.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from moorage_core.errors import Busy

T = TypeVar("T")


class Workshop:
    def __init__(self, name: str, *, hands: int, at_once: int, busy: str) -> None:
        """`at_once` counts what is under way or waiting; whoever comes then is told `busy`."""
        self._threads = ThreadPoolExecutor(max_workers=hands, thread_name_prefix=name)
        self._room = threading.BoundedSemaphore(at_once)
        self._busy = busy

    async def do(self, work: Callable[[], T]) -> T:
        if not self._room.acquire(blocking=False):
            raise Busy(self._busy)
        future = self._threads.submit(work)
        # Not where it is awaited: who hangs up leaves a thread at work.
        future.add_done_callback(lambda _: self._room.release())
        return await asyncio.wrap_future(future)
