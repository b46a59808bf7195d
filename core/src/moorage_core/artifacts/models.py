"""Rows of artifacts, publisher keys and signatures."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Artifact:
    id: str
    org_id: str
    project_id: str
    name: str
    kind: str
    digest: str
    size: int
    media_type: str
    source_id: str | None
    """None: the platform's own store."""
    location: str | None
    lifecycle: str
    trust: str
    trust_reason: str | None
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class Usage:
    """What a project has, or may have, of what is limited."""

    bytes: int
    uploads: int


@dataclass(frozen=True)
class PublisherKey:
    id: str
    org_id: str
    project_id: str
    name: str
    public_key: dict[str, Any]
    version: int
    created_at: datetime
    updated_at: datetime
    revoked_at: datetime | None

    @property
    def revoked(self) -> bool:
        return self.revoked_at is not None


@dataclass(frozen=True)
class Signature:
    artifact_id: str
    key_id: str
    signature: bytes
    public_key: dict[str, Any]
    created_at: datetime
    revoked_at: datetime | None
    """When its key was revoked: it counts for nothing since."""
