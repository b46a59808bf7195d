"""The signing keys as this process knows them: it signs and verifies without the database.

A key that signs is announced before its time and verifies after it, so a process that looks now and
then is never surprised. A token under an unknown key makes it look again, at most once a second.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from joserfc.jwk import OKPKey

RELOAD_SECONDS = 1.0


@dataclass(frozen=True)
class SigningKey:
    """A key pair; the private part only where this process signs."""

    id: str
    pair: OKPKey
    signs_from: datetime
    signs_until: datetime
    verifies_until: datetime


class Keyset:
    def __init__(self, *, monotonic: Callable[[], float]) -> None:
        self._keys: dict[str, SigningKey] = {}
        self._monotonic = monotonic
        self._loaded = float("-inf")

    def replace(self, keys: list[SigningKey]) -> None:
        self._keys = {key.id: key for key in keys}
        self._loaded = self._monotonic()

    def may_reload(self) -> bool:
        return self._monotonic() - self._loaded >= RELOAD_SECONDS

    def signer(self, now: datetime) -> SigningKey | None:
        """The newest key whose time to sign is now."""
        current = [k for k in self._keys.values() if k.signs_from <= now < k.signs_until]
        return max(current, key=lambda key: key.signs_from, default=None)

    def verifier(self, id: str, now: datetime) -> SigningKey | None:
        key = self._keys.get(id)
        return key if key is not None and now < key.verifies_until else None

    def published(self, now: datetime) -> list[SigningKey]:
        return [key for key in self._keys.values() if now < key.verifies_until]
