"""The end of tasks that run beside something else."""

import asyncio
from collections.abc import Iterable
from typing import Any

AGAIN_SECONDS = 1.0


async def end(tasks: Iterable["asyncio.Task[Any]"]) -> None:
    """Cancel tasks until each has ended. What they raised is nobody's any more.

    Saying it once is not enough. `asyncio.wait_for` of Python 3.11, which the pool of connections
    uses, drops a cancellation that arrives in the moment of its answer; work in a loop would then
    go on for good, and whoever waits for its end with it.
    """
    left = {*tasks}
    while left:
        for task in left:
            task.cancel()
        ended, left = await asyncio.wait(left, timeout=AGAIN_SECONDS)
        for task in ended:
            if not task.cancelled():
                task.exception()
