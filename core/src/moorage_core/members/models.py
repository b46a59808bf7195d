"""Rows of members, and what is asked for them."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Status = Literal[
    "requested",
    "joining",
    "ready",
    "draining",
    "drained",
    "removing",
    "replacing",
    "failed",
    "removed",
]
Health = Literal["healthy", "degraded", "unhealthy", "unknown"]
Owner = Literal["user", "platform", "app"]
"""Whose side drained a member. Only that side lets it work again."""
DrainPolicy = Literal["wait", "deadline", "force"]
"""How a drain treats what runs there: let it end, let it end until then, or end it."""


@dataclass(frozen=True)
class Wanted:
    """Which members somebody asks for; what is left out is not narrowed."""

    component: str | None
    status: Status | None
    removed: bool
    changed_since: datetime | None


@dataclass(frozen=True)
class Member:
    id: str
    org_id: str
    project_id: str
    instance_id: str
    component: str
    name: str
    status: Status
    settled: Status
    """The state in which its last operation found it: what is left when that is cancelled."""
    status_reason: str | None
    health: Health
    health_reasons: list[str]
    allocation_id: str | None
    node_name: str | None
    host_address: str | None
    source_project_id: str
    managed: bool
    """The platform allocated its machine for it, and gives it back with it."""
    keep_allocation: bool
    """Somebody asked to keep that machine all the same."""
    version_id: str
    app_version: str
    runtime_version: str | None
    config_hash: str | None
    adapter_detail: dict[str, Any]
    drain_owner: Owner | None
    drain_reason: str | None
    replaces_id: str | None
    last_operation_id: str | None
    correlation_id: str
    version: int
    created_at: datetime
    updated_at: datetime
    removed_at: datetime | None
    app_id: str
    app_slug: str
    """Its instance's."""

    @property
    def is_live(self) -> bool:
        return self.status != "removed"


@dataclass(frozen=True)
class Placement:
    """Machines for new members of one component: named, or so many of a SKU in a region."""

    allocations: tuple[str, ...] = ()
    count: int = 0
    sku: str | None = None
    region: str | None = None
    keep_allocations: bool = False
    """Machines that the platform allocates for this stay the project's when a member goes."""

    @property
    def size(self) -> int:
        return self.count or len(self.allocations)


@dataclass(frozen=True)
class Count:
    """The live members of a component."""

    component: str
    live: int
    staying: int
    """Without those for whose removal an operation is open."""


@dataclass(frozen=True)
class Survey:
    """The machines that placements name, as they are: fit for it."""

    regions: tuple[str, ...] = ()
    skus: tuple[str, ...] = ()
    size: int = 0
    """How many members would be made."""
    named: dict[str, Any] = field(default_factory=dict[str, Any])
    """Allocations by id."""
