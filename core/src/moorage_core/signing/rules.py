"""When keys sign, and what a token of ours says. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

ALGORITHM = "Ed25519"
ANNOUNCED_BEFORE = timedelta(hours=1)
"""How long a key is published before it signs, so that every verifier has it by then."""


@dataclass(frozen=True)
class KeyTimes:
    signs_from: datetime
    signs_until: datetime
    verifies_until: datetime


def next_key(
    existing: list[KeyTimes], *, now: datetime, lifetime: timedelta, token_lifetime: timedelta
) -> KeyTimes | None:
    """The times of the key to make now; None while the present ones suffice."""
    last = max((key.signs_until for key in existing), default=now)
    if last - now > ANNOUNCED_BEFORE:
        return None
    start = now if not existing or last <= now else last
    return KeyTimes(
        start, start + lifetime, start + lifetime + token_lifetime + timedelta(minutes=5)
    )


def claims(
    *, issuer: str, subject: str, credential: str, now: datetime, lifetime: timedelta, id: str
) -> dict[str, Any]:
    """A token says who and by which key.

    What they may do is read from the live row at each call.
    """
    return {
        "iss": issuer,
        "aud": issuer,
        "sub": subject,
        "key": credential,
        "iat": int(now.timestamp()),
        "exp": int((now + lifetime).timestamp()),
        "jti": id,
    }
