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
    previous_secret_id: str | None
    previous_until: datetime | None
    """Until then the key before the newest is tried as well."""
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
    """What the host showed when it was last asked."""
    offered_at: datetime | None
    host_key: str | None
    """What it must show. None: nothing is done there."""
    confirmed_at: datetime | None
    confirmed_by: str | None
    problem: str | None
    version: int
    updated_at: datetime


@dataclass(frozen=True)
class HostView:
    """How a host without agent is reached, set or not yet. The keys are shown by fingerprint."""

    allocation_id: str
    credential_id: str | None
    address: str
    port: int
    state: str
    offered_fingerprint: str | None
    offered_at: datetime | None
    host_fingerprint: str | None
    confirmed_at: datetime | None
    confirmed_by: str | None
    problem: str | None
    version: int


@dataclass(frozen=True)
class OpenWork:
    """A node of an org that has open tasks."""

    node_id: str
    allocation_id: str
    org_id: str
    project_id: str
