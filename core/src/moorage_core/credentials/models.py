"""Rows of access credentials and of hosts without agent."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class AccessCredential:
    id: str
    org_id: str
    project_id: str
    name: str
    username: str
    public_key: str
    fingerprint: str
    secret_id: str | None
    rotated_at: datetime | None
    revoked_at: datetime | None
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class SshHost:
    allocation_id: str
    org_id: str
    project_id: str
    credential_id: str
    address: str
    port: int
    offered_key: str | None
    offered_at: datetime | None
    host_key: str | None
    confirmed_at: datetime | None
    confirmed_by: str | None
    problem: str | None
    version: int
    updated_at: datetime
