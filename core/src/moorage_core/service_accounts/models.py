"""Rows of service accounts and their keys."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class ServiceAccount:
    id: str
    org_id: str
    project_id: str
    name: str
    permissions: list[str]
    disabled_at: datetime | None
    version: int
    created_at: datetime
    updated_at: datetime

    @property
    def disabled(self) -> bool:
        return self.disabled_at is not None


@dataclass(frozen=True)
class ServiceAccountKey:
    id: str
    org_id: str
    project_id: str
    service_account_id: str
    kind: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
