"""Rows of runtime secrets."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class RuntimeSecret:
    id: str
    org_id: str
    project_id: str
    operation_id: str
    name: str
    purpose: str
    secret_id: str
    expires_at: datetime
    version: int
    created_at: datetime
