"""Rows of the event log."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Event:
    seq: int
    id: str
    type: str
    org_id: str
    project_id: str | None
    subject: str
    subject_version: int
    app_slug: str | None
    app_instance_id: str | None
    correlation_id: str
    traceparent: str | None
    at: datetime
    data: dict[str, Any]


@dataclass(frozen=True)
class Stream:
    """How far a stream is numbered, and from where it is still kept."""

    last: int
    floor: int


@dataclass(frozen=True)
class Wanted:
    """What a reader asked for, before what they may see is taken into account."""

    limit: int
    org: str | None = None
    project: str | None = None
    types: tuple[str, ...] = ()
    instance: str | None = None
    newest_first: bool = False

    @property
    def patterns(self) -> list[str]:
        """Types for LIKE: `iam.*` means all of a family."""
        return [like(pattern) for pattern in self.types]


def like(pattern: str) -> str:
    """A type, or a family such as `iam.*`, as a LIKE pattern."""
    return pattern.replace("_", r"\_").replace("*", "%")
