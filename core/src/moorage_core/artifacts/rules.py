"""What may happen to an artifact, on each of its two axes, and what a good signature is.

`lifecycle` is what the publisher thinks of it, `trust` what can be proved about it. They move apart
from each other: a promoted artifact can be revoked, a revoked one stays promoted.
"""

import base64
import re
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

from moorage_core.artifacts.models import Artifact, PublisherKey, Usage
from moorage_core.errors import ApiError, Conflict, Fault

IDLE = timedelta(hours=24)
"""An upload that nobody went on with for so long is thrown away."""
KEPT = timedelta(hours=24)
"""Bytes outlive their last row by this: a backup may be under way that has the row."""
SETTLING = timedelta(hours=1)
"""Bytes that came later than this are not looked at: their row may be about to say so."""
SIGNED_PREFIX = b"moorage artifact v1\n"
PROVED_PREFIX = b"moorage publisher key v1\n"
_FIELD = 2**255 - 19
_CURVE = -121665 * pow(121666, -1, _FIELD)
"""Ed25519's d, of RFC 8032."""
_REPOSITORY = re.compile(
    r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*"
)
_PATH = re.compile(r"[A-Za-z0-9._~+@=:,-]+(?:/[A-Za-z0-9._~+@=:,-]+)*")


class Lifecycle(StrEnum):
    UPLOADING = "uploading"
    PUBLISHED = "published"
    PROMOTED = "promoted"
    DEPRECATED = "deprecated"
    RETIRED = "retired"


class Trust(StrEnum):
    UNVERIFIED = "unverified"
    VERIFIED = "verified"
    FAILED = "failed"
    REVOKED = "revoked"


NEXT: dict[Lifecycle, frozenset[Lifecycle]] = {
    Lifecycle.UPLOADING: frozenset(),
    Lifecycle.PUBLISHED: frozenset({Lifecycle.DEPRECATED, Lifecycle.RETIRED}),
    Lifecycle.PROMOTED: frozenset({Lifecycle.DEPRECATED, Lifecycle.RETIRED}),
    Lifecycle.DEPRECATED: frozenset({Lifecycle.PUBLISHED, Lifecycle.RETIRED}),
    Lifecycle.RETIRED: frozenset(),
}
"""What a publisher may ask for. Completing an upload and promoting a version do the rest."""


class ContentTaken(Conflict):
    """The project has an artifact with this content already."""

    code = "content_taken"


class ArtifactTooLarge(ApiError):
    """The artifact is larger than this platform takes."""

    status = 422
    code = "artifact_too_large"


class ProjectFull(Conflict):
    """The project may not keep so many bytes."""

    code = "project_full"


class TooManyUploads(Conflict):
    """The project has as many uploads open as it may."""

    code = "too_many_uploads"


class SourceUnusable(ApiError):
    """The artifact cannot be registered at this source."""

    status = 422
    code = "source_unusable"


class LocationUnusable(ApiError):
    """This is not a location inside a source."""

    status = 422
    code = "location_unusable"


class NotUploading(Conflict):
    """The artifact takes no bytes."""

    code = "not_uploading"


class UploadOffset(Conflict):
    """The upload stands at another offset."""

    code = "upload_offset"


class UploadBusy(Conflict):
    """Another request is writing this upload."""

    code = "upload_busy"


class UploadIncomplete(Conflict):
    """Not all bytes have arrived."""

    code = "upload_incomplete"


class MoreThanAnnounced(ApiError):
    """The upload has more bytes than were announced."""

    status = 422
    code = "more_than_announced"


class DigestMismatch(ApiError):
    """The bytes are not those that were announced."""

    status = 422
    code = "digest_mismatch"


class UploadStalled(Conflict):
    """The bytes stopped coming."""

    code = "upload_stalled"


class StoreFull(ApiError):
    """The platform has no room for more bytes."""

    status = 503
    code = "store_full"


class ContentUnavailable(ApiError):
    """The platform cannot deliver these bytes."""

    status = 503
    code = "content_unavailable"


class InvalidTransition(Conflict):
    """The artifact's lifecycle does not allow this."""

    code = "invalid_transition"


class ArtifactRevoked(Conflict):
    """The artifact was revoked."""

    code = "artifact_revoked"


class ArtifactUsed(Conflict):
    """A published version is made of this artifact."""

    code = "artifact_used"


class KeyTaken(Conflict):
    """The project has had this key already."""

    code = "key_taken"


class KeyRevoked(Conflict):
    """The publisher's key was revoked."""

    code = "key_revoked"


class KeyNotUsable(ApiError):
    """This is not a usable Ed25519 public key."""

    status = 422
    code = "key_not_usable"


class KeyNotProved(ApiError):
    """Nothing shows that whoever registers the key has its private half."""

    status = 422
    code = "key_not_proved"


class SignatureInvalid(ApiError):
    """The signature is not one of this artifact by this key."""

    status = 422
    code = "signature_invalid"


class AlreadySigned(Conflict):
    """The key has signed this artifact already."""

    code = "already_signed"


# Registering


def check_size(size: int, *, limit: int) -> None:
    if size > limit:
        raise ArtifactTooLarge(
            f"It has {size} bytes; this platform takes {limit} at most (limits.artifact_bytes).",
            errors=[Fault("body.size", f"more than {limit}")],
        )


def check_usage(artifact: Artifact, used: Usage, *, limits: Usage) -> None:
    """Whether the project has room for one more; `used` is without it."""
    if used.uploads >= limits.uploads:
        raise TooManyUploads(
            f"The project has {used.uploads} artifacts that were announced and not completed, of"
            f" {limits.uploads} (artifacts.open_uploads): 0 are left. Complete or delete one."
        )
    left = max(0, limits.bytes - used.bytes)
    if artifact.source_id is None and artifact.size > left:
        raise ProjectFull(
            f"It has {artifact.size} bytes. The project may have {limits.bytes} in the"
            f" platform's store (artifacts.project_bytes) and uses {used.bytes}: {left} are left."
            " Announced bytes count, and deleted ones for a day, until the disk is rid of them.",
            errors=[Fault("body.size", f"{left} bytes are left")],
        )


def check_place(*, kind: str, source: str | None, location: str | None) -> None:
    """In the platform's store there is no location; at a source there must be one."""
    if source is None and (location is not None or kind != "blob"):
        raise SourceUnusable(
            "Without a source the platform itself holds the bytes: then there is no location, and"
            " the kind is blob. Name the source to register what lies elsewhere.",
            errors=[Fault("body.source", "missing")],
        )
    if source is not None and location is None:
        raise LocationUnusable(
            "Say where in the source it lies: a path, or the repository of an OCI registry.",
            errors=[Fault("body.location", "missing")],
        )
    if location is not None:
        _check_location(kind, location)


def _check_location(kind: str, location: str) -> None:
    """A path below the source's address, or an OCI repository. It leads nowhere else."""
    if kind == "oci":
        good = _REPOSITORY.fullmatch(location) is not None
    else:
        steps = location.split("/")
        good = _PATH.fullmatch(location) is not None and not {".", ".."} & set(steps)
    if not good or len(location) > 255:
        raise LocationUnusable(
            "A location is a relative path of plain letters, digits and ._~+@=:,- between slashes,"
            " with no . or .. step; in an OCI registry it is the repository's name in lower case.",
            errors=[Fault("body.location", "not a location")],
        )


def check_source(id: str, *, found: str | None, kind: str) -> None:
    """`found` is the kind of the source; None where the project has no such source."""
    if found is None:
        raise SourceUnusable(
            f"There is no enabled source {id} that this project can use.",
            errors=[Fault("body.source", "not usable")],
        )
    fits = {"oci": "oci", "https": "blob"}[found]
    if fits != kind:
        raise SourceUnusable(
            f"The source {id} is of the kind {found}: artifacts there are of the kind {fits}.",
            errors=[Fault("body.kind", f"must be {fits}")],
        )


# Uploading


@dataclass(frozen=True)
class Verification:
    """What was found when an upload said that it is complete."""

    artifact: str
    received: int
    digest: str | None
    """None where bytes are missing, or where a source has others."""
    busy: bool = False


def check_uploading(artifact: Artifact) -> None:
    if artifact.lifecycle != Lifecycle.UPLOADING:
        raise NotUploading(
            f"Artifact {artifact.id} is {artifact.lifecycle}: all of its bytes are in place."
        )


def check_takes_bytes(artifact: Artifact) -> None:
    check_uploading(artifact)
    if artifact.source_id is not None:
        raise NotUploading(
            f"Artifact {artifact.id} lies at the source {artifact.source_id}. There is nothing to"
            f" upload; POST /v1/artifacts/{artifact.id}/complete lets the platform read it there."
        )


def check_offset(artifact: str, *, offset: int, received: int) -> None:
    if offset != received:
        raise UploadOffset(
            f"The upload of {artifact} stands at {received}. Go on from there.",
            errors=[Fault("query.offset", f"the upload stands at {received}")],
        )


def check_room(artifact: str, *, upto: int, size: int) -> None:
    if upto > size:
        raise MoreThanAnnounced(
            f"Artifact {artifact} was announced with {size} bytes. What would go beyond was not"
            " kept. Announce what you really have as another artifact."
        )


def check_complete(artifact: Artifact, found: Verification) -> None:
    """Whether all bytes are there and are those that were announced."""
    if found.busy:
        raise busy(artifact.id)
    if found.received != artifact.size:
        raise UploadIncomplete(
            f"{found.received} of {artifact.size} bytes of {artifact.id} have arrived."
            f" Go on from offset {found.received}."
        )
    if found.digest != artifact.digest and artifact.source_id is not None:
        # No word on how it differs: that would tell of a file that the caller may not read.
        raise DigestMismatch(
            f"What lies at the location of {artifact.id} is not what was registered: size or digest"
            " is another one. Put the right bytes there, or delete the artifact and register again."
        )
    if found.digest != artifact.digest:
        raise DigestMismatch(
            f"The bytes of {artifact.id} have the digest {found.digest}, announced was"
            f" {artifact.digest}. They were thrown away. Upload again from offset 0."
        )


def busy(artifact: str) -> UploadBusy:
    return UploadBusy(
        f"Another request is writing the upload of {artifact}. Wait until it ends, read how many"
        " bytes have been received, and go on from there.",
        headers={"Retry-After": "2"},
    )


def full(artifact: str) -> StoreFull:
    return StoreFull(
        f"The disk that holds artifacts is full. What arrived of {artifact} is kept; go on from"
        " there when the platform's operator has made room.",
        headers={"Retry-After": "60"},
    )


# Changing


def check_move(artifact: Artifact, after: str) -> None:
    before = Lifecycle(artifact.lifecycle)
    if Lifecycle(after) not in NEXT[before]:
        allowed = ", ".join(sorted(NEXT[before])) or "nothing else"
        raise InvalidTransition(
            f"Artifact {artifact.id} is {before} and cannot become {after}. It can become:"
            f" {allowed}."
        )


def check_not_revoked(artifact: Artifact) -> None:
    if artifact.trust == Trust.REVOKED:
        raise ArtifactRevoked(
            f"Artifact {artifact.id} was revoked: {artifact.trust_reason}. That is final; publish"
            " other bytes."
        )


def check_allowed(digest: str, revoked: str | None) -> None:
    """`revoked` is why the platform has taken these bytes out of use, if it has."""
    if revoked is not None:
        raise ArtifactRevoked(
            f"Those who run the platform have revoked {digest} everywhere ({revoked}). That is"
            " final; publish other bytes."
        )


def check_revocable(artifact: Artifact) -> None:
    check_not_revoked(artifact)
    check_in_use(artifact)


def check_in_use(artifact: Artifact) -> None:
    if artifact.lifecycle == Lifecycle.UPLOADING:
        raise UploadIncomplete(
            f"Artifact {artifact.id} is still being uploaded, so nobody can use it. Delete it."
        )


def check_removable(artifact: Artifact, *, used: bool) -> None:
    if artifact.trust == Trust.REVOKED:
        raise ArtifactRevoked(
            f"Artifact {artifact.id} was revoked and stays, so that its bytes cannot come back"
            " under another id."
        )
    if used:
        raise ArtifactUsed(
            f"A published version is made of artifact {artifact.id}, so it stays. Retire it, or"
            " revoke it where it does harm."
        )


# Signing


def check_public_key(key: dict[str, Any]) -> None:
    try:
        OKPKey.import_key(key)
        _check_point(_decode(key["x"]))
    except (JoseError, ValueError) as err:
        raise KeyNotUsable(
            "The public key is not an Ed25519 JWK.",
            errors=[Fault("body.public_key", "not a valid key")],
        ) from err


def _check_point(key: bytes) -> None:
    """Refuse the points whose order is 1, 2, 4 or 8: the same "signature" fits any message.

    Twice a point of order 8 has y = 0. By the curve's equation that is d·y⁴ + 2·y² = 1.
    """
    y = int.from_bytes(key, "little") & ((1 << 255) - 1)
    if y >= _FIELD or y in (0, 1, _FIELD - 1) or (_CURVE * y**4 + 2 * y**2 - 1) % _FIELD == 0:
        raise ValueError("the point is of small order, or not spelt as it should be")


def check_proof(proof: str | None, public_key: dict[str, Any], *, project: str) -> None:
    """Who registers a key has its private half, and means this project.

    Otherwise somebody's signatures would count in a project that they know nothing of.
    """
    try:
        _verify(proof or "", public_key, PROVED_PREFIX + project.encode())
    except (InvalidSignature, ValueError) as err:
        raise KeyNotProved(
            "The proof does not fit. It is Ed25519 by this key over the line `moorage publisher key"
            f" v1`, a line feed, and the project's id {project}, in base64url without padding.",
            errors=[Fault("body.proof", "not this project's by this key")],
        ) from err


def check_signable(artifact: Artifact) -> None:
    check_not_revoked(artifact)
    if artifact.lifecycle == Lifecycle.UPLOADING:
        raise UploadIncomplete(
            f"Artifact {artifact.id} is still being uploaded. Complete it, then sign it."
        )


def check_key(key: PublisherKey | None, id: str) -> PublisherKey:
    """A live key of the artifact's own project."""
    if key is None:
        raise SignatureInvalid(
            f"The artifact's project has no publisher key {id}.",
            errors=[Fault("body.key", "no such key in this project")],
        )
    if key.revoked:
        raise KeyRevoked(f"The publisher key {id} was revoked. Sign with another.")
    return key


def check_signature(text: str, public_key: dict[str, Any], *, digest: str) -> bytes:
    """The signature's bytes, known to be good."""
    try:
        return _verify(text, public_key, SIGNED_PREFIX + digest.encode())
    except (InvalidSignature, ValueError) as err:
        raise SignatureInvalid(
            "The signature does not fit. It is Ed25519 over the line `moorage artifact v1`, a line"
            " feed, and the artifact's digest, in base64url without padding.",
            errors=[Fault("body.signature", "not this artifact's by this key")],
        ) from err


def _verify(text: str, public_key: dict[str, Any], message: bytes) -> bytes:
    """The signature's bytes. Raises InvalidSignature or ValueError."""
    signature = _decode(text)
    Ed25519PublicKey.from_public_bytes(_decode(public_key["x"])).verify(signature, message)
    return signature


def _decode(text: str) -> bytes:
    """Base64url without padding. binascii's own error is a ValueError."""
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def failed_reason(key: PublisherKey, reason: str) -> str:
    return f"The publisher key {key.name} ({key.id}) was revoked: {reason}"
