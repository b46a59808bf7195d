"""Rows of nodes and enrolments."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    ENROLLING = "enrolling"
    AVAILABLE = "available"
    ALLOCATED = "allocated"
    CLEANING = "cleaning"
    MAINTENANCE = "maintenance"
    QUARANTINED = "quarantined"
    RETIRED = "retired"


@dataclass(frozen=True)
class Node:
    id: str
    org_id: str
    name: str
    region_id: str
    sku_id: str
    region: str
    """The region's slug, and the SKU's: what people know them by."""
    sku: str
    reach: str
    address: str | None
    ssh_port: int | None
    status: str
    status_reason: str | None
    status_since: datetime
    cordoned: bool
    last_org_id: str | None
    generation: int
    reimage_requested_at: datetime | None
    reimage_started_at: datetime | None
    """When the provisioner was begun with. Until its host enrols, it may be overwritten."""
    conflict_at: datetime | None
    enrolled_at: datetime | None
    hostname: str | None
    agent_version: str | None
    boot_id: str | None
    run_id: str | None
    trust: str | None
    inventory: dict[str, Any] | None
    inventory_at: datetime | None
    last_seen_at: datetime | None
    unreachable_since: datetime | None
    labels: dict[str, Any]
    version: int
    created_at: datetime
    updated_at: datetime

    @property
    def reachable(self) -> bool | None:
        """Whether its agent is heard of; None where there is none to hear of."""
        if self.reach != "agent" or self.enrolled_at is None:
            return None
        return self.unreachable_since is None


@dataclass(frozen=True)
class Enrolment:
    id: str
    org_id: str
    node_id: str
    expires_at: datetime
    created_at: datetime
    created_by: str
    used_at: datetime | None
    revoked_at: datetime | None
    created_by_name: str | None = None


@dataclass(frozen=True)
class Holder:
    """What holds a node, and whose it is."""

    allocation_id: str
    org_id: str
    org_name: str


@dataclass(frozen=True)
class Identity:
    """What a node's next proof is held against."""

    id: str
    name: str
    status: str
    public_key: dict[str, Any] | None
    nonce_hash: bytes | None
    used_nonce_hash: bytes | None
    used_jti: str | None
    conflict_at: datetime | None


@dataclass(frozen=True)
class Facts:
    """What an agent says of itself at every poll."""

    run_id: str
    boot_id: str | None
    agent_version: str
    trust: str | None
