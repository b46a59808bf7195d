"""Wire shapes of pulls."""

from typing import Annotated, Literal

from pydantic import StringConstraints

from moorage_core.kit.ids import (
    AppId,
    AppVersionId,
    ArtifactId,
    OrgId,
    ProjectId,
    PublisherKeyId,
    PullId,
)
from moorage_core.kit.wire import Input, Moment, Output


class PullCreate(Input):
    app: AppId
    version: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z_.+-]{1,200}$")] | None = None
    """Its number or its id. Left out with `channel`: the version that your entitlement comes to."""
    channel: Literal["dev", "staging", "prod"] | None = None
    """The version that this channel points to now."""
    artifact: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$")]
    """Its name in the version's manifest."""


class PullSignature(Output):
    """A signature of the artifact's publisher, and the key to check it with."""

    key_id: PublisherKeyId
    public_key: dict[str, str]
    signature: str
    """Ed25519 over the line `moorage artifact v1`, a line feed, and the digest; base64url."""


class PullIssued(Output):
    id: PullId
    org_id: OrgId
    project_id: ProjectId
    app_id: AppId
    version_id: AppVersionId
    version: str
    """The version's number."""
    artifact_id: ArtifactId
    artifact: str
    digest: str
    size: int
    media_type: str
    signatures: list[PullSignature]
    holder: str
    """Whoever asked: nobody else can use it."""
    created_at: Moment
    expires_at: Moment
    """A transfer that has begun by then goes on."""
    url: str
    """GET it with your own credentials and the secret in the header Moorage-Pull."""
    secret: str
    """Shown once."""
