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
