"""Rows of the people tables."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class User:
    id: str
    email: str
    name: str
    has_password: bool
    disabled_at: datetime | None
    locked_until: datetime | None
    version: int
    created_at: datetime
    updated_at: datetime

    @property
    def disabled(self) -> bool:
        return self.disabled_at is not None


@dataclass(frozen=True)
class LoginUser:
    """What signing in needs to know of an account."""

    id: str
    email: str
    name: str
    password_hash: str | None
    wrong_passwords: int
    locked_until: datetime | None
    disabled_at: datetime | None


@dataclass(frozen=True)
class Session:
    id: str
    user_id: str
    user_agent: str
    created_at: datetime
    seen_at: datetime
    expires_at: datetime


@dataclass(frozen=True)
class AccessToken:
    id: str
    user_id: str
    parent_id: str | None
    """The token that it was made with, and ends with."""
    name: str
    permissions: list[str] | None
    org_id: str | None
    project_id: str | None
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
