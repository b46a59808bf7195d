"""HTTP in, one command, HTTP out: artifacts, their bytes and signatures, publisher keys."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Query, Request, Response

from moorage_core.artifacts import commands, publisher_keys, rules, uploads
from moorage_core.artifacts.models import Artifact, PublisherKey, Signature
from moorage_core.artifacts.schemas import (
    ArtifactCreate,
    ArtifactRead,
    ArtifactUpdate,
    Digest,
    PublisherKeyCreate,
    PublisherKeyRead,
    Received,
    Revocation,
    SignatureCreate,
    SignatureRead,
    TrustState,
)
from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound
from moorage_core.http import etag
from moorage_core.http.etag import ExpectedVersion, OptionalVersion
from moorage_core.http.routing import Ctx, PlatformDep, Routes
from moorage_core.kit.ids import ArtifactId, ProjectId, PublisherKeyId
from moorage_core.kit.pagination import Page, PageRead, Paging

routes = Routes(tag="artifacts")


@routes.mutation(
    "POST",
    "/v1/projects/{project}/artifacts",
    key=Permission.CATALOG_ARTIFACT_CREATE,
    status_code=201,
    response_model=ArtifactRead,
    answers=(
        NotFound,
        rules.ContentTaken,
        rules.ArtifactRevoked,
        rules.ArtifactTooLarge,
        rules.ProjectFull,
        rules.TooManyUploads,
        rules.SourceUnusable,
        rules.LocationUnusable,
    ),
)
async def create_artifact(
    project: ProjectId, new: ArtifactCreate, ctx: Ctx, response: Response
) -> Artifact:
    """Announce bytes that you will upload, or register bytes that lie at a source.

    Both are `uploading` until you complete them.
    """
    return _with_etag(response, await commands.register(ctx, project, new))


@routes.read(
    "/v1/projects/{project}/artifacts",
    key=Permission.CATALOG_ARTIFACT_READ,
    response_model=PageRead[ArtifactRead],
    answers=(NotFound,),
)
async def list_artifacts(
    project: ProjectId,
    ctx: Ctx,
    page: Paging,
    digest: Annotated[Digest | None, Query(description="Only the one with these bytes.")] = None,
    trust: Annotated[TrustState | None, Query(description="Only those so trusted.")] = None,
) -> Page[Artifact]:
    """The artifacts of a project."""
    return await commands.list_in_project(ctx, project, page, digest=digest, trust=trust)


@routes.read(
    "/v1/artifacts/{artifact}",
    key=Permission.CATALOG_ARTIFACT_READ,
    response_model=ArtifactRead,
    answers=(NotFound,),
    waits=True,
)
async def get_artifact(
    artifact: ArtifactId, request: Request, platform: PlatformDep, response: Response
) -> dict[str, Any]:
    """One artifact; while it is uploading, with the bytes that have arrived."""
    state = request.state
    found = await uploads.find(
        platform,
        state.principal,
        artifact,
        key=Permission.CATALOG_ARTIFACT_READ,
        trace=state.trace,
    )
    _with_etag(response, found)
    return {**asdict(found), "received": await uploads.received(platform, found)}


@routes.machine(
    "PUT",
    "/v1/artifacts/{artifact}/content",
    key=Permission.CATALOG_ARTIFACT_CREATE,
    response_model=Received,
    answers=(
        NotFound,
        rules.NotUploading,
        rules.UploadOffset,
        rules.UploadBusy,
        rules.MoreThanAnnounced,
        rules.UploadStalled,
        rules.StoreFull,
    ),
    streams=True,
)
async def put_artifact_content(
    artifact: ArtifactId,
    request: Request,
    platform: PlatformDep,
    offset: Annotated[
        int, Query(ge=0, le=(1 << 53) - 1, description="Where these bytes begin.")
    ] = 0,
) -> dict[str, int]:
    """Upload bytes of an artifact, all or some, from an offset on.

    The body is the bytes as they are. An upload goes on where the last one ended, also where that
    was cut: `received` of the artifact tells.
    """
    received = await uploads.append(
        platform,
        request.state.principal,
        artifact,
        request.stream(),
        offset=offset,
        declared=_declared(request),
        trace=request.state.trace,
    )
    return {"received": received}


@routes.mutation(
    "POST",
    "/v1/artifacts/{artifact}/complete",
    key=Permission.CATALOG_ARTIFACT_CREATE,
    response_model=ArtifactRead,
    answers=(
        NotFound,
        rules.NotUploading,
        rules.UploadBusy,
        rules.UploadIncomplete,
        rules.ArtifactRevoked,
        rules.DigestMismatch,
        *commands.FETCH_ERRORS,
    ),
    before=uploads.verify,
)
async def complete_artifact(artifact: ArtifactId, ctx: Ctx, response: Response) -> Artifact:
    """All bytes are there: check size and digest, and publish the artifact.

    Uploaded bytes with another digest are thrown away, and can be uploaded again. What lies at a
    source is read once, from its beginning to its end: that takes as long as it takes.
    """
    return _with_etag(response, await uploads.complete(ctx, artifact))


@routes.mutation(
    "PATCH",
    "/v1/artifacts/{artifact}",
    key=Permission.CATALOG_ARTIFACT_UPDATE,
    response_model=ArtifactRead,
    answers=(NotFound, *etag.ERRORS, rules.InvalidTransition),
)
async def update_artifact(
    artifact: ArtifactId,
    change: ArtifactUpdate,
    expected: ExpectedVersion,
    ctx: Ctx,
    response: Response,
) -> Artifact:
    """Deprecate or retire an artifact, or take a deprecation back."""
    return _with_etag(response, await commands.update(ctx, artifact, change, expected=expected))


@routes.mutation(
    "DELETE",
    "/v1/artifacts/{artifact}",
    key=Permission.CATALOG_ARTIFACT_DELETE,
    status_code=204,
    answers=(NotFound, etag.Stale, rules.ArtifactUsed, rules.ArtifactRevoked),
)
async def delete_artifact(artifact: ArtifactId, expected: OptionalVersion, ctx: Ctx) -> None:
    """Remove an artifact that no published version is made of, or an upload of one."""
    await commands.delete(ctx, artifact, expected=expected)


@routes.mutation(
    "POST",
    "/v1/artifacts/{artifact}/revoke",
    key=Permission.CATALOG_ARTIFACT_REVOKE,
    response_model=ArtifactRead,
    answers=(NotFound, rules.ArtifactRevoked, rules.UploadIncomplete),
)
async def revoke_artifact(
    artifact: ArtifactId, given: Revocation, ctx: Ctx, response: Response
) -> Artifact:
    """Stop every new use of an artifact, at once and for good."""
    return _with_etag(response, await commands.revoke(ctx, artifact, reason=given.reason))


@routes.mutation(
    "POST",
    "/v1/break-glass/artifacts/{artifact}/revoke",
    key=Permission.PLATFORM_ARTIFACT_REVOKE,
    response_model=ArtifactRead,
    answers=(NotFound, rules.ArtifactRevoked, rules.UploadIncomplete),
)
async def revoke_artifact_as_platform(
    artifact: ArtifactId, given: Revocation, ctx: Ctx, response: Response
) -> Artifact:
    """Break-glass: take any tenant's artifact out of use. The tenant sees who did it and why.

    It is the bytes that are revoked, wherever they are and whoever brings them again.
    """
    revoked = await commands.revoke_as_platform(ctx, artifact, reason=given.reason)
    return _with_etag(response, revoked)


@routes.mutation(
    "POST",
    "/v1/artifacts/{artifact}/signatures",
    key=Permission.CATALOG_ARTIFACT_SIGN,
    response_model=ArtifactRead,
    answers=(
        NotFound,
        rules.ArtifactRevoked,
        rules.UploadIncomplete,
        rules.KeyRevoked,
        rules.SignatureInvalid,
        rules.AlreadySigned,
    ),
)
async def sign_artifact(
    artifact: ArtifactId, new: SignatureCreate, ctx: Ctx, response: Response
) -> Artifact:
    """Add a publisher's signature over the digest. A good one makes the artifact verified."""
    return _with_etag(response, await publisher_keys.sign(ctx, artifact, new))


@routes.read(
    "/v1/artifacts/{artifact}/signatures",
    key=Permission.CATALOG_ARTIFACT_READ,
    response_model=PageRead[SignatureRead],
    answers=(NotFound,),
)
async def list_artifact_signatures(artifact: ArtifactId, ctx: Ctx, page: Paging) -> Page[Signature]:
    """The signatures of an artifact, each with the public key to check it with."""
    return await publisher_keys.list_signatures(ctx, artifact, page)


@routes.mutation(
    "POST",
    "/v1/projects/{project}/publisher-keys",
    key=Permission.CATALOG_PUBLISHER_KEY_CREATE,
    status_code=201,
    response_model=PublisherKeyRead,
    answers=(NotFound, rules.KeyTaken, rules.KeyNotUsable, rules.KeyNotProved),
)
async def create_publisher_key(
    project: ProjectId, new: PublisherKeyCreate, ctx: Ctx
) -> PublisherKey:
    """Register the public half of a key that the project signs artifacts with."""
    return await publisher_keys.create(ctx, project, new)


@routes.read(
    "/v1/projects/{project}/publisher-keys",
    key=Permission.CATALOG_PUBLISHER_KEY_READ,
    response_model=PageRead[PublisherKeyRead],
    answers=(NotFound,),
)
async def list_publisher_keys(project: ProjectId, ctx: Ctx, page: Paging) -> Page[PublisherKey]:
    """The publisher keys of a project, revoked ones too."""
    return await publisher_keys.list_in_project(ctx, project, page)


@routes.mutation(
    "POST",
    "/v1/publisher-keys/{publisher_key}/revoke",
    key=Permission.CATALOG_PUBLISHER_KEY_REVOKE,
    response_model=PublisherKeyRead,
    answers=(NotFound, rules.KeyRevoked),
)
async def revoke_publisher_key(
    publisher_key: PublisherKeyId, given: Revocation, ctx: Ctx
) -> PublisherKey:
    """Revoke a key. What it alone has signed is no longer trusted, at once."""
    return await publisher_keys.revoke(ctx, publisher_key, reason=given.reason)


def _declared(request: Request) -> int:
    """How many bytes the body says it has; 0 where it does not say."""
    given = request.headers.get("content-length", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 19 else 0


def _with_etag(response: Response, artifact: Artifact) -> Artifact:
    etag.put(response, artifact.version)
    return artifact
