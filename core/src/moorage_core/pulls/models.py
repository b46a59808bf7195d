"""Rows of pulls."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Pull:
    id: str
    org_id: str
    project_id: str
    entitlement_id: str
    app_id: str
    version_id: str
    artifact_id: str
    artifact_name: str
    channel: str | None
    holder: str
    created_at: datetime
    expires_at: datetime
