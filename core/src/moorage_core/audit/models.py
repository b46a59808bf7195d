"""Rows of the audit log."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Entry:
    """One entry that has its number."""

    seq: int
    id: str
    at: datetime
    org_id: str
    project_id: str | None
    actor_kind: str
    actor_id: str
    actor_name: str
    credential: str | None
    action: str
    target: str
    outcome: str
    count: int
    break_glass: bool
    reason: str | None
    correlation_id: str
    app_slug: str | None
    app_instance_id: str | None
    details: dict[str, Any]
    target_name: str | None = None


@dataclass(frozen=True)
class Seal:
    """A statement about the entries `first_seq` to `last_seq`."""

    number: int
    first_seq: int
    last_seq: int
    entries: int
    """How many there were. Fewer than the numbers span: some were missing already."""
    root: bytes
    previous: bytes
    at: str
    """In the spelling of `rules.timestamp`."""
    key_id: str
    signature: bytes = b""

    def signed(self, signature: bytes) -> "Seal":
        return replace(self, signature=signature)


@dataclass(frozen=True)
class Denials:
    """Refusals of one principal on one route within one minute."""

    org_id: str
    project_id: str | None
    principal_kind: str
    principal_id: str
    principal_name: str
    route: str
    minute: datetime
    permission: str
    count: int
    correlation_id: str


@dataclass(frozen=True)
class Wanted:
    """What a reader asked for, before what they may see is taken into account."""

    org: str | None = None
    project: str | None = None
    actor: str | None = None
    action: str | None = None
    target: str | None = None
    outcome: str | None = None
    correlation_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    newest_first: bool = False
