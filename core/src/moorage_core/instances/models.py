"""Rows of instances, their revisions and components, and of plans."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Status = Literal[
    "requested",
    "deploying",
    "running",
    "stopping",
    "stopped",
    "starting",
    "restarting",
    "configuring",
    "upgrading",
    "rolling_back",
    "rotating",
    "failed",
    "deleting",
    "delete_failed",
    "deleted",
]
Health = Literal["healthy", "degraded", "unhealthy", "progressing", "unknown"]
Outcome = Literal["pending", "applied", "discarded"]
Effect = Literal["none", "reconfigure", "restart"]


@dataclass(frozen=True)
class Instance:
    id: str
    org_id: str
    project_id: str
    app_id: str
    app_slug: str
    name: str
    status: Status
    settled: Status
    """What it is when no operation is at it: what one that was cancelled leaves."""
    status_reason: str | None
    operator_id: str
    operating_mode: str
    control_plane_scope: str
    runtime_backend: str
    topology_mode: str | None
    version_id: str
    app_version: str
    config: dict[str, Any]
    revision: int
    runtime_version: str | None
    endpoints: dict[str, Any]
    health: Health
    health_reasons: list[str]
    conditions: list[dict[str, Any]]
    observed_at: datetime | None
    observed_until: datetime | None
    last_operation_id: str | None
    requested_by: str
    correlation_id: str
    version: int
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None
    deployed: bool
    """Whether it ever came to run: a revision of it was applied."""


@dataclass(frozen=True)
class Revision:
    instance_id: str
    number: int
    version_id: str
    app_version: str
    config: dict[str, Any]
    kind: str
    operation_id: str
    outcome: Outcome
    created_by: str
    created_at: datetime


@dataclass(frozen=True)
class Component:
    """What is wanted of a component, and what there is."""

    instance_id: str
    key: str
    place: int
    desired: int
    current: int
    ready: int
    health: Health
    summary: str | None


@dataclass(frozen=True)
class OperatorSeen:
    """Who acts for an instance, and whether anybody listens."""

    operator_id: str
    name: str
    serves: str
    listening: bool
    last_seen_at: datetime | None


@dataclass(frozen=True)
class Shown:
    """An instance with all that a reader is told of it."""

    instance: Instance
    components: list[Component]
    operator: OperatorSeen | None
    access: str | None = None
    """The manifest's words on how people reach it, filled in."""


@dataclass(frozen=True)
class Plan:
    id: str
    org_id: str
    project_id: str
    instance_id: str | None
    kind: str
    input: dict[str, Any]
    content: dict[str, Any]
    read: dict[str, Any]
    created_by: str
    expires_at: datetime
    applied_operation_id: str | None
    correlation_id: str
    version: int
    created_at: datetime


@dataclass(frozen=True)
class Change:
    """What an instance is to be, as a plan shows it and a request asks for it."""

    kind: str
    version_id: str
    app_version: str
    config: dict[str, Any]
    effects: dict[str, Effect] = field(default_factory=dict[str, Effect])
    """By changed field of the configuration."""
    loses: tuple[str, ...] = ()
