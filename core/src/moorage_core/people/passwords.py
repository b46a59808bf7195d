"""Argon2, off the event loop.

Apart from rules because hashing takes a while and its own threads.
"""

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from moorage_core.kit.workshop import Workshop

AT_ONCE = 8
"""Hashes that one process has under way or waiting. Whoever comes then is told to come again."""

_hasher = PasswordHasher()
_workshop = Workshop(
    "argon2",
    hands=2,
    at_once=AT_ONCE,
    busy="Too many passwords are being checked right now. Try again shortly.",
)
NOBODY = (
    "$argon2id$v=19$m=65536,t=3,p=4$WNgQtFQTf/7RdtOFjOwiSQ"
    "$JnqmPYLkFt3Lvt7HX6jlArZvrRkcQ4Bca8fkXjkWPVI"
)
"""Of a password that was thrown away. Checked where an account does not exist, so that the answer
takes as long as where it does; written down, so that no process begins with a hash."""


async def hash_password(password: str) -> str:
    return await _workshop.do(lambda: _hasher.hash(password))


async def is_right(stored: str | None, password: str) -> bool:
    right = await _workshop.do(lambda: _verify(stored or NOBODY, password))
    return right and stored is not None


def _verify(stored: str, password: str) -> bool:
    try:
        return _hasher.verify(stored, password)
    except (VerificationError, InvalidHashError):
        return False
