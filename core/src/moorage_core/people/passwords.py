"""Argon2, off the event loop.

Apart from rules because hashing takes a while and its own threads.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

_hasher = PasswordHasher()
_threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="argon2")
# Checked where an account does not exist, so that the answer takes as long as where it does.
_nobody = _hasher.hash("nobody has this password")


async def hash_password(password: str) -> str:
    return await asyncio.get_running_loop().run_in_executor(_threads, _hasher.hash, password)


async def is_right(stored: str | None, password: str) -> bool:
    right = await asyncio.get_running_loop().run_in_executor(
        _threads, _verify, stored or _nobody, password
    )
    return right and stored is not None


def _verify(stored: str, password: str) -> bool:
    try:
        return _hasher.verify(stored, password)
    except (VerificationError, InvalidHashError):
        return False
