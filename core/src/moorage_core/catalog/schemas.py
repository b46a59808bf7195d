"""Wire shapes of apps, versions, channels and promotions."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from moorage_core.kit.ids import (
    AppId,
    AppVersionId,
    ArtifactId,
    OrgId,
    ProjectId,
    PromotionId,
)
from moorage_core.kit.wire import SHOWN, Input, Moment, Name, Output
from moorage_manifest import forms, versions

AppSlug = Annotated[str, StringConstraints(max_length=40, pattern=f"^{forms.SLUG.pattern}$")]
Line = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=SHOWN)]
Note = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=SHOWN)]
Digest = Annotated[str, StringConstraints(pattern=f"^{forms.DIGEST.pattern}$")]
ManifestText = Annotated[str, StringConstraints(min_length=1, max_length=262_144)]
RunbookText = Annotated[
    str, StringConstraints(max_length=262_144, pattern=r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$")
]
VersionNumber = Annotated[
    str, StringConstraints(max_length=versions.LONGEST, pattern=versions.PATTERN)
]
Visibility = Literal["project", "org", "platform"]
Status = Literal["draft", "published", "deprecated", "retired"]
ChannelName = Literal["dev", "staging", "prod"]


class AppCreate(Input):
    slug: AppSlug
    """The app's name in addresses and keys. Unique on the whole platform; it never changes."""
    name: Name
    summary: Line
    visibility: Visibility = "project"
    """Who sees the app: its own project, its org, or everybody on the platform."""


class AppUpdate(Input):
    name: Name | None = None
    summary: Line | None = None
    visibility: Visibility | None = None


class AppRead(Output):
    id: AppId
    org_id: OrgId
    project_id: ProjectId
    """The publisher."""
    publisher_name: str | None
    """The org that it belongs to."""
    slug: str
    name: str
    summary: str
    visibility: Visibility
    version: int
    created_at: Moment
    updated_at: Moment


class VersionWrite(Input):
    manifest: ManifestText
    """The text of `manifest.yaml`."""
    runbook: RunbookText = ""
    """The text of the runbook, Markdown."""


class VersionPublish(Input):
    manifest_digest: Digest | None = None
    """Publish only if the draft's manifest still has this digest."""


class VersionDeprecate(Input):
    note: Note
    """What users should do instead."""


class VersionRetire(Input):
    reason: Note


class VersionRead(Output):
    id: AppVersionId
    app_id: AppId
    number: str
    status: Status
    manifest_digest: str
    declaration_digest: str
    """Of what the version asks for: consent names it."""
    note: str | None
    """Why it was deprecated or retired."""
    version: int
    created_at: Moment
    updated_at: Moment
    published_at: Moment | None
    deprecated_at: Moment | None
    retired_at: Moment | None


class VersionArtifact(Output):
    name: str
    digest: str
    size: int
    media_type: str
    artifact_id: ArtifactId | None
    """Null in a draft: artifacts are looked up when it is published."""
    lifecycle: str | None
    trust: str | None


class VersionDetail(VersionRead):
    manifest_text: str
    """As it was sent; the digest is of this text."""
    manifest: dict[str, Any]
    """What it says, with what it leaves out filled in."""
    declaration: dict[str, Any]
    """What it asks for."""
    runbook: str
    artifacts: list[VersionArtifact]
    channels: list[ChannelName]
    """That point to it now."""


class ChannelRead(Output):
    channel: ChannelName
    version_id: AppVersionId
    number: str
    status: Status
    manifest_digest: str
    updated_at: Moment


class PromotionCreate(Input):
    channel: ChannelName
    version: AppVersionId
    reason: Note | None = None


class PromotionRead(Output):
    id: PromotionId
    app_id: AppId
    channel: ChannelName
    sequence: Annotated[int, Field(ge=1)]
    """Its place among all promotions of the app."""
    version_id: AppVersionId | None
    """Null, with its number and digest: the channel was cleared."""
    number: str | None
    manifest_digest: str | None
    previous_version_id: AppVersionId | None
    at: Moment
    actor_kind: str | None
    """Who did it, why, and the request's correlation id: for the publisher's own; null to
    others."""
    actor_id: str | None
    actor_name: str | None
    correlation_id: str | None
    reason: str | None
