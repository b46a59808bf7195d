"""Rows of instances, their revisions and components, and of plans."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from moorage_core.members.models import DrainPolicy
from moorage_core.policy.models import Decision
from moorage_manifest import Manifest
from moorage_manifest.vocabulary import OperationKind

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
    created_by_name: str | None = None


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
    created_by_name: str | None = None


@dataclass(frozen=True)
class Asked:
    """What somebody wants of an instance that is there."""

    kind: OperationKind
    config: dict[str, Any] | None = None
    version: str | None = None
    to_revision: int | None = None
    override: str | None = None
    """Why what is not trusted is used all the same."""
    preempt: bool = False
    keep_allocations: bool = False
    accept_losses: bool = False
    policy: DrainPolicy = "wait"
    deadline: int | None = None
    reason: str = ""
    plan: str | None = None

    @property
    def given(self) -> dict[str, Any]:
        """What a plan and its application must agree in."""
        return {
            "config": self.config,
            "version": self.version,
            "to_revision": self.to_revision,
            "override": self.override is not None,
            "preempt": self.preempt,
            "keep_allocations": self.keep_allocations,
        }


@dataclass(frozen=True)
class Proposal:
    """What a request comes to: shown as a plan, or done."""

    kind: OperationKind
    manifest: Manifest
    """Of the version that runs afterwards."""
    version_id: str
    app_version: str
    config: dict[str, Any]
    given: dict[str, Any]
    """The request itself."""
    decision: Decision | None
    """None: it gives something back, and nobody is asked."""
    members: list[dict[str, Any]]
    """Those that it touches: id (None where it would be made), name, component, what it does."""
    effects: dict[str, Effect] = field(default_factory=dict[str, Effect])
    """By changed field of the configuration."""
    loses: tuple[str, ...] = ()
    cost: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    read: dict[str, Any] = field(default_factory=dict[str, Any])
    """What it was made from. A plan whose own is another is stale."""
