"""Wire shapes of artifacts, publisher keys and signatures."""

import base64
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, StringConstraints

from moorage_core.kit.ids import ArtifactId, OrgId, ProjectId, PublisherKeyId, SourceId
from moorage_core.kit.wire import NO_CONTROL, WHOLE, Input, Moment, Name, Output, Reason

ArtifactName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$")]
"""Fits a file name on any system; leads nowhere."""
Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
MediaType = Annotated[
    str,
    StringConstraints(
        max_length=127, pattern=r"^[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*$"
    ),
]
Size = Annotated[int, Field(ge=0, le=(1 << 53) - 1), WHOLE]
Location = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=NO_CONTROL)]
SignatureText = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{86}$")]
TrustState = Literal["unverified", "verified", "failed", "revoked"]


def _text(value: object) -> object:
    """Bytes of a signature as base64url without padding."""
    if isinstance(value, bytes):
        return base64.urlsafe_b64encode(value).decode().rstrip("=")
    return value


class ArtifactCreate(Input):
    name: ArtifactName
    digest: Digest
    """SHA-256 of the bytes."""
    size: Size
    """How many bytes."""
    media_type: MediaType = "application/octet-stream"
    kind: Literal["blob", "oci"] = "blob"
    source: SourceId | None = None
    """Where the bytes lie already. Left out: you upload them to the platform's own store."""
    location: Location | None = None
    """Where in the source: a path below its address, or the repository in an OCI registry."""


class ArtifactUpdate(Input):
    lifecycle: Literal["published", "deprecated", "retired"]
    """`published` takes a deprecation back. `retired` is final."""


class ArtifactRead(Output):
    id: ArtifactId
    org_id: OrgId
    project_id: ProjectId
    name: str
    kind: str
    digest: str
    size: int
    media_type: str
    source_id: SourceId | None
    """Null: the platform's own store."""
    location: str | None
    lifecycle: str
    """uploading, published, promoted, deprecated or retired."""
    trust: str
    """unverified, verified, failed or revoked."""
    trust_reason: str | None
    received: int | None = None
    """Bytes that have arrived while it is uploading: where to go on. Null at a source; lists do not
    tell."""
    version: int
    created_at: Moment
    updated_at: Moment


class Received(Output):
    received: int
    """Bytes that have arrived in all: the offset to go on from."""


class Revocation(Input):
    reason: Reason
    """Shown to whoever meets the refusal."""


class PublisherPublicKey(Input):
    """An Ed25519 public key as a JWK."""

    kty: Literal["OKP"]
    crv: Literal["Ed25519"]
    x: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{43}$")]


class PublisherKeyCreate(Input):
    name: Name
    public_key: PublisherPublicKey
    """The private half stays yours."""
    proof: SignatureText | None = None
    """Required. By this key: Ed25519 over the line `moorage publisher key v1`, a line feed, and the
    project's id, in base64url without padding."""


class PublisherKeyRead(Output):
    id: PublisherKeyId
    org_id: OrgId
    project_id: ProjectId
    name: str
    public_key: dict[str, str]
    revoked: bool
    revoked_at: Moment | None
    version: int
    created_at: Moment
    updated_at: Moment


class SignatureCreate(Input):
    key: PublisherKeyId
    """A key of the artifact's own project."""
    signature: SignatureText
    """Ed25519 over the line `moorage artifact v1`, a line feed, and the digest, in base64url
    without padding."""


class SignatureRead(Output):
    artifact_id: ArtifactId
    key_id: PublisherKeyId
    public_key: dict[str, str]
    """To check with."""
    signature: Annotated[str, BeforeValidator(_text)]
    created_at: Moment
    revoked_at: Moment | None
    """When its key was revoked: it counts for nothing since."""
