"""Rows of apps, versions, channels and promotions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class App:
    id: str
    org_id: str
    project_id: str
    slug: str
    name: str
    summary: str
    visibility: str
    version: int
    created_at: datetime
    updated_at: datetime
    publisher_name: str | None = None


@dataclass(frozen=True)
class Version:
    """A version as lists and decisions need it: without its texts, and without what it asks for."""

    id: str
    app_id: str
    org_id: str
    project_id: str
    number: str
    status: str
    manifest_digest: str
    declaration_digest: str
    note: str | None
    version: int
    created_at: datetime
    updated_at: datetime
    published_at: datetime | None
    deprecated_at: datetime | None
    retired_at: datetime | None


@dataclass(frozen=True)
class FullVersion(Version):
    declaration: dict[str, Any]
    """`moorage_manifest.Declaration` as JSON."""
    manifest_text: str
    manifest: dict[str, Any]
    runbook: str


@dataclass(frozen=True)
class Counts:
    """How many versions an app has."""

    drafts: int
    versions: int
    """Drafts included."""


@dataclass(frozen=True)
class UsedArtifact:
    """An artifact as a published version uses it, with what decides whether it can be pulled."""

    version_id: str
    name: str
    artifact_id: str
    org_id: str
    project_id: str
    kind: str
    digest: str
    size: int
    media_type: str
    lifecycle: str
    trust: str
    trust_reason: str | None
    source_id: str | None
    source: str
    """What policy calls its source; `store` for the platform's own."""
    source_enabled: bool


@dataclass(frozen=True)
class Shelf:
    """What there is of one app."""

    app: App
    versions: Sequence[Version]
    """Newest first."""
    channels: Mapping[str, str]
    """Channel to version id."""
    artifacts: Mapping[str, Sequence[UsedArtifact]]
    """By version id; of versions that are not retired."""


@dataclass(frozen=True)
class NamedArtifact:
    """An artifact as a manifest names it, and the one that it turned out to be."""

    name: str
    digest: str
    size: int
    media_type: str
    artifact_id: str | None = None
    lifecycle: str | None = None
    trust: str | None = None


@dataclass(frozen=True)
class ShownVersion(FullVersion):
    """A version with all that is known about it."""

    artifacts: Sequence[NamedArtifact | UsedArtifact]
    channels: list[str]


@dataclass(frozen=True)
class Channel:
    app_id: str
    channel: str
    version_id: str
    number: str
    status: str
    manifest_digest: str
    version: int
    updated_at: datetime


@dataclass(frozen=True)
class Promotion:
    id: str
    app_id: str
    channel: str
    sequence: int
    """Its place among all promotions of the app."""
    version_id: str | None
    """None, with its number and digest: the channel was cleared."""
    number: str | None
    manifest_digest: str | None
    previous_version_id: str | None
    actor_kind: str | None
    """Who, why and in which request: null where it is shown to strangers."""
    actor_id: str | None
    actor_name: str | None
    correlation_id: str | None
    reason: str | None
    at: datetime


@dataclass(frozen=True)
class Sight:
    """Where a caller holds a key that lets them see apps."""

    orgs: list[str]
    """Held in the org or in at least one of its projects."""
    whole: list[str]
    """Held in the whole org."""
    projects: list[str]

    @property
    def params(self) -> dict[str, Any]:
        return {
            "everywhere": bool(self.orgs),
            "orgs": self.orgs,
            "whole": self.whole,
            "projects": self.projects,
        }
