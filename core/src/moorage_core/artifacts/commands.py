"""Use cases of artifacts: what a project registers, changes, revokes and removes."""

from collections.abc import AsyncIterator

from moorage_core.artifacts import rules, store
from moorage_core.artifacts.models import Artifact, Signature, Usage
from moorage_core.artifacts.rules import Lifecycle, Trust
from moorage_core.artifacts.schemas import ArtifactCreate, ArtifactUpdate
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize, hidden, platform
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.http import etag
from moorage_core.kit import pagination
from moorage_core.kit.db import Db
from moorage_core.kit.ids import ArtifactId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.platform import Platform
from moorage_core.sources import commands as sources
from moorage_core.tenancy import commands as tenancy

DISCARD_TOPIC = "artifacts.discard"
"""Moves when bytes are no longer needed."""

CONTENT_ERRORS = (rules.ContentUnavailable, *sources.FETCH_ERRORS)
"""What `open_content` raises, for routes that give out what it opens."""

FETCH_ERRORS = tuple(err for err in sources.FETCH_ERRORS if err is not sources.SourceMismatch)
"""Why what lies at a source could not be read."""

# For other slices


async def find_by_digest(
    db: Db, *, org: str, project: str, digests: list[str]
) -> dict[str, Artifact]:
    """The project's artifacts with these contents, none of which goes away meanwhile."""
    found = await store.list_by_digest(db, org=org, project=project, digests=digests)
    return {artifact.digest: artifact for artifact in found}


async def find_any(db: Db, id: str) -> Artifact | None:
    """An artifact of any project, for whoever was already found to be allowed to use it."""
    return await store.find_any(db, id)


async def signatures_of(db: Db, artifact_id: str) -> list[Signature]:
    """What proves an artifact: its signatures by keys that are not revoked."""
    return await store.list_live_signatures(db, artifact_id)


async def mark_promoted(ctx: Context, *, org: str, project: str, ids: list[str]) -> None:
    """A channel points to a version that is made of these. The promotion itself is audited."""
    for artifact in await store.promote(ctx.db, ids, org=org, project=project, now=ctx.now):
        publish(ctx, registry.ARTIFACT_UPDATED, artifact)


async def open_content(at: Platform, artifact: Artifact, *, offset: int) -> AsyncIterator[bytes]:
    """The bytes from `offset` to the end, from wherever they lie. Hold no transaction meanwhile."""
    if artifact.source_id is None:
        return await at.blobs.open(artifact.digest, size=artifact.size, offset=offset)
    return await sources.open_remote(
        at,
        artifact.source_id,
        org=artifact.org_id,
        kind=artifact.kind,
        location=artifact.location or "",
        digest=artifact.digest,
        size=artifact.size,
        offset=offset,
    )


# Artifacts


async def register(ctx: Context, project: str, new: ArtifactCreate) -> Artifact:
    """Announce bytes that will be uploaded, or that lie at a source.

    Both are nobody's to use before the platform has seen them: `uploads.complete`.
    """
    key = Permission.CATALOG_ARTIFACT_CREATE
    where = await tenancy.get_project(ctx, project, key=key)
    rules.check_size(new.size, limit=ctx.platform.settings.limits.artifact_bytes)
    rules.check_place(kind=new.kind, source=new.source, location=new.location)
    if new.source is not None:
        found = await sources.find_usable(ctx.db, new.source, org=where.org_id)
        rules.check_source(new.source, found=found and found.kind, kind=new.kind)
    rules.check_allowed(new.digest, await store.find_revocation(ctx.db, new.digest))
    since = ctx.now - rules.KEPT
    used = await store.lock_usage(ctx.db, org=where.org_id, project=project, deleted_since=since)
    artifact = await store.add(
        ctx.db,
        Artifact(
            id=ArtifactId.new(),
            org_id=where.org_id,
            project_id=project,
            name=new.name,
            kind=new.kind,
            digest=new.digest,
            size=new.size,
            media_type=new.media_type,
            source_id=new.source,
            location=new.location,
            lifecycle=Lifecycle.UPLOADING,
            trust=Trust.UNVERIFIED,
            trust_reason=None,
            version=1,
            created_at=ctx.now,
            updated_at=ctx.now,
        ),
    )
    if artifact is None:
        raise rules.ContentTaken(
            f"The project has an artifact with the digest {new.digest} already."
            f" GET /v1/projects/{project}/artifacts?digest={new.digest} shows it."
        )
    # After that: who goes on with what was announced needs no more room.
    limits = ctx.platform.settings.artifacts
    most = Usage(limits.project_bytes, limits.open_uploads)
    rules.check_usage(artifact, used, limits=most)
    record(ctx, key, registry.ARTIFACT_CREATED, artifact)
    return artifact


async def list_in_project(
    ctx: Context, project: str, page: PageRequest, *, digest: str | None, trust: str | None
) -> Page[Artifact]:
    await tenancy.get_project(ctx, project, key=Permission.CATALOG_ARTIFACT_READ)
    rows = await store.list_in_project(ctx.db, page, project=project, digest=digest, trust=trust)
    return pagination.page(rows, page, key=lambda artifact: artifact.id)


async def get(
    ctx: Context,
    id: str,
    *,
    key: str = Permission.CATALOG_ARTIFACT_READ,
    lock: bool = False,
    project_deleted: bool = False,
) -> Artifact:
    orgs = sorted(ctx.principal.scope.orgs)
    artifact = await store.find(ctx.db, id, orgs=orgs, lock=lock, project_deleted=project_deleted)
    if artifact is None:
        raise hidden("artifact", id)
    authorize(ctx, key, Resource("artifact", id, artifact.org_id, artifact.project_id))
    return artifact


async def update(ctx: Context, id: str, change: ArtifactUpdate, *, expected: int) -> Artifact:
    """Deprecate, retire, or take a deprecation back."""
    key = Permission.CATALOG_ARTIFACT_UPDATE
    artifact = await get(ctx, id, key=key, lock=True)
    etag.check("artifact", id, have=artifact.version, expected=expected)
    rules.check_move(artifact, change.lifecycle)
    artifact = await store.set_lifecycle(
        ctx.db, id, org=artifact.org_id, lifecycle=change.lifecycle, now=ctx.now
    )
    record(ctx, key, registry.ARTIFACT_UPDATED, artifact)
    return artifact


async def revoke(ctx: Context, id: str, *, reason: str) -> Artifact:
    """Stop every new use, at once and for good.

    Also where the project is gone: tenants may still use what it has published.
    """
    key = Permission.CATALOG_ARTIFACT_REVOKE
    artifact = await get(ctx, id, key=key, lock=True, project_deleted=True)
    artifact = await _revoke(ctx, artifact, reason=reason)
    record(ctx, key, registry.ARTIFACT_REVOKED, artifact, reason=reason)
    return artifact


async def revoke_as_platform(ctx: Context, id: str, *, reason: str) -> Artifact:
    """Break-glass: take bytes out of use everywhere. The tenant sees who did it and why.

    Whoever else has the same bytes loses them too, and hears of it. Nobody brings them back.
    """
    key = Permission.PLATFORM_ARTIFACT_REVOKE
    authorize(ctx, key, platform())
    owner = await store.find_owner(ctx.db, id)
    if owner is None:
        raise hidden("artifact", id)
    org, project = owner
    await ctx.db.set_scope(ctx.principal.scope.with_org(org))
    artifact = await store.find(ctx.db, id, orgs=[org], project_deleted=True)
    if artifact is None:
        raise hidden("artifact", id)
    rules.check_in_use(artifact)
    revoked = await _revoke_everywhere(ctx, artifact, reason=reason)
    artifact = next((each for each in revoked if each.id == id), artifact)
    audit.record_break_glass(ctx, key, id, org=org, project=project, reason=reason)
    for each in revoked:
        publish(ctx, registry.ARTIFACT_REVOKED, each)
    data = registry.BreakGlass(action=key, target=id, reason=reason)
    events.publish(
        ctx,
        registry.BREAK_GLASS_USED,
        data,
        subject=id,
        version=artifact.version,
        org=org,
        project=project,
    )
    return artifact


async def _revoke_everywhere(ctx: Context, artifact: Artifact, *, reason: str) -> list[Artifact]:
    """List the bytes as revoked, and revoke the artifacts that have them; which those were."""
    digest, by = artifact.digest, ctx.principal.id
    if not await store.revoke_digest(ctx.db, digest, reason=reason, by=by, now=ctx.now):
        rules.check_allowed(digest, await store.find_revocation(ctx.db, digest))
    alike = await store.list_alike(ctx.db, digest)
    scope = ctx.principal.scope.with_org(artifact.org_id)
    orgs = sorted({org for _, org in alike})
    for org in orgs:
        scope = scope.with_org(org)
    await ctx.db.set_scope(scope)
    ids = [id for id, _ in alike]
    return await store.revoke_all(ctx.db, ids, orgs=orgs, reason=reason, now=ctx.now)


async def _revoke(ctx: Context, artifact: Artifact, *, reason: str) -> Artifact:
    rules.check_revocable(artifact)
    return await store.set_trust(
        ctx.db,
        artifact.id,
        org=artifact.org_id,
        trust=Trust.REVOKED,
        reason=reason,
        now=ctx.now,
    )


async def delete(ctx: Context, id: str, *, expected: int | None) -> None:
    """Remove what no published version is made of, and what of it was uploaded."""
    key = Permission.CATALOG_ARTIFACT_DELETE
    artifact = await get(ctx, id, key=key, lock=True)
    etag.check("artifact", id, have=artifact.version, expected=expected)
    used = await store.is_used(ctx.db, id, org=artifact.org_id)
    rules.check_removable(artifact, used=used)
    artifact = await store.delete(ctx.db, id, org=artifact.org_id, now=ctx.now)
    ctx.topics.add(DISCARD_TOPIC)
    record(ctx, key, registry.ARTIFACT_DELETED, artifact)


# Records


def record(
    ctx: Context,
    action: str,
    event: registry.EventType,
    artifact: Artifact,
    *,
    reason: str | None = None,
) -> None:
    details = data_of(artifact).model_dump(exclude={"id"})
    if reason is not None:
        details["reason"] = reason
    audit.record(
        ctx,
        action,
        artifact.id,
        org=artifact.org_id,
        project=artifact.project_id,
        details=details,
    )
    publish(ctx, event, artifact)


def publish(ctx: Context, event: registry.EventType, artifact: Artifact) -> None:
    events.publish(
        ctx,
        event,
        data_of(artifact),
        subject=artifact.id,
        version=artifact.version,
        org=artifact.org_id,
        project=artifact.project_id,
    )


def data_of(artifact: Artifact) -> registry.Artifact:
    return registry.Artifact(
        id=artifact.id,
        name=artifact.name,
        digest=artifact.digest,
        lifecycle=artifact.lifecycle,
        trust=artifact.trust,
    )
