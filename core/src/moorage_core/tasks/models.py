"""Rows of tasks and of what hosts say."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Task:
    id: str
    org_id: str
    project_id: str
    operation_id: str
    allocation_id: str
    node_id: str
    reach: str
    kind: str
    key: str
    attempt: int
    fence: int
    run_as: str
    input: dict[str, Any]
    timeout_seconds: int
    output_limit: int
    repeatable: bool
    status: str
    cancel_requested_at: datetime | None
    due_at: datetime
    sent_at: datetime | None
    sent_count: int
    started_at: datetime | None
    ended_at: datetime | None
    changed: bool | None
    result: dict[str, Any] | None
    error_code: str | None
    error_message: str | None
    stdout_bytes: int
    stderr_bytes: int
    content_bytes: int
    wakes: str | None
    late: dict[str, Any] | None
    correlation_id: str
    traceparent: str | None
    version: int
    created_at: datetime
    node_name: str | None = None
    """Of the machine; left out where nobody reads it."""


@dataclass(frozen=True)
class Evidence:
    id: str
    org_id: str
    project_id: str | None
    node_id: str
    allocation_id: str | None
    kind: str
    key: str
    said_at: datetime | None
    received_at: datetime
    data: dict[str, Any]


# What passes between the platform and a node


@dataclass(frozen=True)
class Hold:
    """A task that an agent says it has."""

    task: str
    state: str


@dataclass(frozen=True)
class Binding:
    """Who holds the node."""

    allocation_id: str
    org_id: str
    project_id: str


@dataclass(frozen=True)
class HandedTask:
    """A task as an agent gets it. The values of secrets stand in `secrets` and nowhere else."""

    id: str
    kind: str
    key: str
    operation_id: str
    fence: int
    allocation_id: str | None
    """None for what the platform wants done on a node that nobody holds."""
    correlation_id: str
    traceparent: str | None
    run_as: str
    timeout: int
    output_limit: int
    input: dict[str, Any]
    secrets: dict[str, str]
    """Name to value, in base64."""


@dataclass(frozen=True)
class Polling:
    """The node of a poll, as it stood at the look."""

    status: str
    inventory_at: datetime | None
    run_id: str | None
    boot_id: str | None
    agent_version: str | None
    trust: str | None


@dataclass(frozen=True)
class Handed:
    """What a poll has to say about tasks."""

    node: Polling
    tasks: list[HandedTask]
    cancel: list[str]
    forget: list[str]
    binding: Binding | None

    @property
    def urgent(self) -> bool:
        """Whether there is something to say at once."""
        return bool(self.tasks or self.cancel or self.forget)


@dataclass(frozen=True)
class Report:
    """What an agent says about a task."""

    task: str
    fence: int
    state: str
    at: datetime | None = None
    changed: bool | None = None
    result: dict[str, Any] | None = None
    error_code: str | None = None
    error_message: str | None = None


@dataclass(frozen=True)
class Answered:
    """What became of a report: recorded, repeated, late or refused."""

    task: str
    outcome: str


@dataclass(frozen=True)
class Origin:
    """Where an operation comes from, as far as it decides what its tasks may bring."""

    version_id: str | None
    """Of the app whose controller does it; None for a session."""
    overridden: bool
    """Somebody answers for bringing what was revoked."""
