"""Rows of the tenancy tables."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Org:
    id: str
    slug: str
    name: str
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class Project:
    id: str
    org_id: str
    slug: str
    name: str
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class Membership:
    """Somebody's role in an org, or in one of its projects."""

    id: str
    org_id: str
    project_id: str | None
    user_id: str
    email: str
    name: str
    role: str
    version: int
    created_at: datetime
    updated_at: datetime
