"""Rows of logins, access grants and certificates."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Login:
    id: str
    org_id: str
    user_id: str
    login: str
    uid: int
    version: int
    created_at: datetime


@dataclass(frozen=True)
class AccessGrant:
    id: str
    org_id: str
    project_id: str
    allocation_id: str
    user_id: str
    login_id: str
    login: str
    uid: int
    principal: str
    sudo: bool
    forwarding: bool
    reason: str | None
    granted_by: str
    expires_at: datetime
    ended_at: datetime | None
    ended_because: str | None
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class Certificate:
    serial: int
    org_id: str
    project_id: str
    grant_id: str
    key_id: str
    fingerprint: str
    correlation_id: str
    issued_at: datetime
    expires_at: datetime


@dataclass(frozen=True)
class Authority:
    id: str
    org_id: str
    public_key: str
    secret_id: str
    created_at: datetime
    retired_at: datetime | None
