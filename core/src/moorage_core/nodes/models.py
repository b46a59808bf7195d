"""Rows of nodes and enrolments."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Node:
    id: str
    org_id: str
    name: str
    region_id: str
    sku_id: str
    reach: str
    address: str | None
    ssh_port: int | None
    status: str
    status_reason: str | None
    status_since: datetime
    cordoned: bool
    last_org_id: str | None
    generation: int
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
