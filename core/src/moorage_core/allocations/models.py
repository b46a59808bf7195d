"""Rows of allocations."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Status = Literal[
    "requested", "provisioning", "active", "releasing", "released", "failed", "release_failed"
]
Strategy = Literal["spread", "pack"]
"""Over as many racks as there are, or into as few."""


@dataclass(frozen=True)
class Allocation:
    id: str
    org_id: str
    project_id: str
    name: str
    node_id: str
    node_name: str
    region: str
    sku: str
    gpus: int
    price_micros: int
    currency: str
    status: Status
    message: str | None
    dirty: list[str]
    placement: dict[str, Any]
    scheduler_type: str | None
    metadata: dict[str, Any]
    requested_by: str
    setup_operation_id: str | None
    release_operation_id: str | None
    reimage: bool
    """Another org had the node before: it is imaged anew first."""
    reimage_from: int | None
    proof: dict[str, Any]
    held_from: datetime | None
    held_until: datetime | None
    attempt: int
    due_at: datetime | None
    correlation_id: str
    version: int
    created_at: datetime
    updated_at: datetime
    instance_id: str | None
    """The instance whose members stand on it. Of one only."""
    instance_name: str | None = None
    requested_by_name: str | None = None


@dataclass(frozen=True)
class MachineWish:
    """Machines of one SKU in one region: all of them, or none."""

    sku: str
    region: str
    count: int = 1
    strategy: Strategy = "spread"
    name: str | None = None
    scheduler_type: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Occupant:
    """Who stands on a machine."""

    instance_id: str
    instance_name: str
    members: list[str]
    """By name."""


@dataclass(frozen=True)
class Host:
    """What a holder is told of its node."""

    allocation_id: str
    reach: str
    status: str
    status_reason: str | None
    address: str | None
    ssh_port: int | None
    inventory: dict[str, Any] | None
    last_seen_at: datetime | None
    unreachable_since: datetime | None


@dataclass(frozen=True)
class Held:
    """An allocation, and its node as long as it is held."""

    allocation: Allocation
    host: Host | None


@dataclass(frozen=True)
class TaskSeen:
    """How one of the platform's own tasks went so far."""

    id: str
    key: str
    status: str
    result: Mapping[str, Any] | None
    error_code: str | None
    error_message: str | None
    ended_at: datetime | None

    @property
    def is_open(self) -> bool:
        return self.ended_at is None


@dataclass(frozen=True)
class Candidate:
    """A node of the wanted SKU in the wanted region, as placement sees it."""

    id: str
    name: str
    status: str
    cordoned: bool
    reach: str
    reachable: bool
    last_org_id: str | None
    status_since: datetime
    rack: str
    """Of its label `rack`; empty where it has none."""
    held_here: bool
    """By the project that asks."""
