"""Rows of entitlements."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Entitlement:
    id: str
    org_id: str
    project_id: str
    app_id: str
    app_slug: str
    channel: str | None
    versions: str
    """A constraint on version numbers, such as `^1.2`."""
    enabled: bool
    accepted: dict[str, Any]
    """The declaration that was accepted: `moorage_manifest.Declaration` as JSON."""
    accepted_digest: str
    accepted_version_id: str
    accepted_by: str
    accepted_at: datetime
    version: int
    created_at: datetime
    updated_at: datetime
    admitted: list[str]
    """Family keys that the platform lets the app use today."""
    app_name: str | None = None
    accepted_by_name: str | None = None
