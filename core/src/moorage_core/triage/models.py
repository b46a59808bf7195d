"""What is read of a request, and what it is made into."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Step:
    operation_id: str
    phase: str
    number: int
    name: str
    status: str
    attempt: int
    message: str | None
    started_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True)
class Task:
    id: str
    operation_id: str
    allocation_id: str
    kind: str
    key: str
    attempt: int
    status: str
    exit_code: int | None
    error_code: str | None
    error_message: str | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    tail: bytes
    """The last that it wrote, where it did not succeed."""


@dataclass(frozen=True)
class Event:
    type: str
    subject: str
    subject_version: int
    at: datetime
    data: dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """Of the audit log."""

    id: str
    at: datetime
    actor_kind: str
    actor_id: str
    actor_name: str
    action: str
    target: str
    outcome: str
    count: int
    break_glass: bool
    reason: str | None
    details: dict[str, Any]


@dataclass(frozen=True)
class Refusal:
    """What the caller was told."""

    at: datetime
    route: str
    permission: str
    status: int
    code: str
    title: str
    detail: str
    errors: list[dict[str, str]]


@dataclass(frozen=True)
class Moment:
    """One thing that happened."""

    at: datetime
    kind: str
    """`request`, `refusal`, `operation`, `step`, `task` or `event`."""
    id: str
    """Of the thing that it happened to."""
    text: str
    status: str | None = None
    details: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Cause:
    """Why it failed: the innermost thing that did."""

    code: str
    message: str
    operation_id: str
    step: str | None = None
    task_id: str | None = None
    exit_code: int | None = None
    log: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Next:
    """What can be done about it."""

    verb: str
    operation_id: str
    text: str
