"""Rows of overlays."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class OverlayRow:
    level: str
    org_id: str
    project_id: str | None
    entitlement_id: str | None
    document: dict[str, Any]
    version: int
    """0: never written."""
    updated_at: datetime | None
