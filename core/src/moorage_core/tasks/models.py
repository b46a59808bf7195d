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
    late: dict[str, Any] | None
    correlation_id: str
    traceparent: str | None
    version: int
    created_at: datetime


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
