"""Rows of allocations."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


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
    status: str
    message: str | None
    dirty: str
    placement: dict[str, Any]
    scheduler_type: str | None
    metadata: dict[str, Any]
    requested_by: str
    setup_operation_id: str | None
    release_operation_id: str | None
    held_from: datetime | None
    held_until: datetime | None
    attempt: int
    due_at: datetime | None
    correlation_id: str
    version: int
    created_at: datetime
    updated_at: datetime
