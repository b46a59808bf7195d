"""Rows of operations."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Operation:
    id: str
    org_id: str
    project_id: str
    kind: str
    status: str
    reason: str
    message: str | None
    requested_by_kind: str
    requested_by: str
    requested_by_name: str
    fence: int
    lease_expires_at: datetime
    deadline: datetime
    correlation_id: str
    traceparent: str | None
    app_slug: str | None
    app_instance_id: str | None
    version: int
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None
    allocations: list[str]
    """The machines that it may touch."""


@dataclass(frozen=True)
class Grant:
    """The right to act for an operation: of one fence, in whoever's hands the token is."""

    id: str
    operation_id: str
    org_id: str
    project_id: str
    fence: int


@dataclass(frozen=True)
class Machine:
    """An allocation as operations see it."""

    id: str
    name: str
    status: str
    node_id: str
