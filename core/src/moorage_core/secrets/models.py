"""A secret as it lies in its row: sealed."""

from dataclasses import dataclass, field
from typing import Literal

StoreName = Literal["embedded", "openbao"]


@dataclass(frozen=True)
class SealedSecret:
    """What opens only with a key that is not in the database."""

    id: str
    org_id: str
    store: StoreName
    key_version: int
    wrapped_key: bytes = field(repr=False)
    ciphertext: bytes | None = field(repr=False)
    """None: it lies outside, under `entry`."""
    entry: str | None = None

    @property
    def bound_to(self) -> str:
        """What the sealed value belongs to. On another row it does not open."""
        return f"{self.org_id}/{self.id}"

    @property
    def place(self) -> str:
        """Where it lies outside: by org, secret and entry."""
        assert self.entry is not None, "an embedded secret lies in its row"
        return f"{self.org_id}/{self.id}/{self.entry}"


@dataclass(frozen=True)
class Leftover:
    """An entry outside that is to be destroyed."""

    entry: str
    org_id: str
