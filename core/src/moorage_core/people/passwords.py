"""Argon2, off the event loop.

Apart from rules because hashing takes a while and its own threads. Few may wait for those: a queue
of strangers' guesses would keep everybody else from signing in, and hold memory meanwhile.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from moorage_core.errors import Busy

T = TypeVar("T")

AT_ONCE = 8
"""Hashes that one process has under way or waiting. Whoever comes then is told to come again."""

_hasher = PasswordHasher()
_threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="argon2")
_room = threading.BoundedSemaphore(AT_ONCE)
# Checked where an account does not exist, so that the answer takes as long as where it does.
_nobody = _hasher.hash("nobody has this password")


async def hash_password(password: str) -> str:
    return await _run(lambda: _hasher.hash(password))


async def is_right(stored: str | None, password: str) -> bool:
    right = await _run(lambda: _verify(stored or _nobody, password))
    return right and stored is not None


async def _run(work: Callable[[], T]) -> T:
    if not _room.acquire(blocking=False):
        raise Busy("Too many passwords are being checked right now. Try again shortly.")
    future = _threads.submit(work)
    # Not where it is awaited: who hangs up leaves a thread at work.
    future.add_done_callback(lambda _: _room.release())
    return await asyncio.wrap_future(future)


def _verify(stored: str, password: str) -> bool:
    try:
        return _hasher.verify(stored, password)
    except (VerificationError, InvalidHashError):
        return False
