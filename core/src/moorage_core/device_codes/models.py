"""Rows of codes, as either side sees them."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Asked:
    """What whoever decides gets to see."""

    id: str
    client: str
    address: str
    lifetime_seconds: int
    created_at: datetime
    expires_at: datetime
    user_id: str | None
    """Whoever decided."""
    approved: bool | None


@dataclass(frozen=True)
class Waiting:
    """What the program that waits is about to become."""

    id: str
    client: str
    lifetime_seconds: int
    user_id: str | None
    user_name: str | None
    approved: bool | None
