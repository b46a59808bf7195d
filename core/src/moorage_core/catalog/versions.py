"""Use cases of versions: drafting, publishing, and the slow goodbye."""

from moorage_core.artifacts import commands as artifacts
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.catalog import commands, rules, store
from moorage_core.catalog.manifests import Read
from moorage_core.catalog.models import (
    App,
    FullVersion,
    NamedArtifact,
    ShownVersion,
    UsedArtifact,
    Version,
)
from moorage_core.context import Context
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.http import etag
from moorage_core.kit import pagination
from moorage_core.kit.ids import AppVersionId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_manifest import Manifest

NOUN = "app version"
READ = Permission.CATALOG_APP_READ


async def create(ctx: Context, app_id: str) -> ShownVersion:
    """Draft a version from the manifest that was read before."""
    key = Permission.CATALOG_VERSION_CREATE
    app = await commands.lock_own(ctx, app_id, key=key)
    manifest, kept = _checked(ctx, app)
    limits = ctx.platform.settings.limits
    have = await store.count_versions(ctx.db, app_id, org=app.org_id)
    rules.check_room_for_draft(app, have, drafts=limits.app_drafts, versions=limits.app_versions)
    version = await store.add_version(
        ctx.db, id=AppVersionId.new(), app=app, number=manifest.version, texts=kept, now=ctx.now
    )
    if version is None:
        number = manifest.version
        other = await store.find_version_by_number(ctx.db, number, org=app.org_id, app=app_id)
        raise rules.number_taken(app, number, other)
    _record(ctx, key, registry.VERSION_DRAFTED, app, version)
    return await _shown(ctx, version)


async def update(ctx: Context, id: str, *, expected: int) -> ShownVersion:
    """Replace a draft's manifest and runbook. Its number stays."""
    key = Permission.CATALOG_VERSION_CREATE
    app, version = await _lock(ctx, id, key=key)
    etag.check(NOUN, id, have=version.version, expected=expected)
    rules.check_draft(version)
    _, kept = _checked(ctx, app, number=version.number)
    version = await store.update_draft(ctx.db, id, org=app.org_id, texts=kept, now=ctx.now)
    _record(ctx, key, registry.VERSION_DRAFTED, app, version)
    return await _shown(ctx, version)


async def delete(ctx: Context, id: str, *, expected: int | None) -> None:
    """Throw a draft away. Its number is free again."""
    key = Permission.CATALOG_VERSION_CREATE
    app, version = await _lock(ctx, id, key=key)
    etag.check(NOUN, id, have=version.version, expected=expected)
    rules.check_draft(version)
    await store.delete_draft(ctx.db, id, org=app.org_id)
    _record(ctx, key, registry.VERSION_DELETED, app, version, bump=1)


async def list_in_app(
    ctx: Context, app_id: str, page: PageRequest, *, status: str | None, number: str | None
) -> Page[Version]:
    """Newest first; drafts for the publisher's own alone."""
    await commands.get_visible(ctx, app_id)
    seen = rules.sight(ctx.principal, READ)
    rows = await store.list_versions(
        ctx.db, page, app=app_id, scope=seen, status=status, number=number
    )
    return pagination.page(rows, page, key=lambda version: version.id)


async def get(ctx: Context, id: str) -> ShownVersion:
    ctx.checked.add(READ)
    version = await store.find_version(ctx.db, id, scope=rules.sight(ctx.principal, READ))
    if version is None:
        known = await store.find_version(ctx.db, id, scope=rules.sight(ctx.principal, None))
        if known is None:
            raise hidden(NOUN, id)
        await commands.get_visible(ctx, known.app_id)
        raise hidden(NOUN, id)
    return await _shown(ctx, version)


async def publish(ctx: Context, id: str, *, manifest_digest: str | None) -> ShownVersion:
    """Make a draft final, with the artifacts that its manifest names by digest."""
    key = Permission.CATALOG_VERSION_PUBLISH
    app, version = await _lock(ctx, id, key=key)
    rules.check_draft(version)
    rules.check_digest(version, manifest_digest)
    digests = [str(item["digest"]) for item in version.manifest["artifacts"]]
    org, project = app.org_id, app.project_id
    have = await artifacts.find_by_digest(ctx.db, org=org, project=project, digests=digests)
    used = rules.resolve(version.manifest, have)
    await store.use_artifacts(ctx.db, id, org=org, project=project, used=used)
    version = await store.set_status(
        ctx.db, id, org=org, status=rules.PUBLISHED, note=None, now=ctx.now
    )
    _record(ctx, key, registry.VERSION_PUBLISHED, app, version)
    return await _shown(ctx, version)


async def deprecate(ctx: Context, id: str, *, note: str) -> ShownVersion:
    """Advise against a version. It goes on working, also where a channel points to it."""
    key = Permission.CATALOG_VERSION_DEPRECATE
    return await _move(ctx, id, key, registry.VERSION_DEPRECATED, rules.DEPRECATED, note)


async def restore(ctx: Context, id: str) -> ShownVersion:
    """Take a deprecation back."""
    key = Permission.CATALOG_VERSION_DEPRECATE
    app, version = await _lock(ctx, id, key=key)
    if version.status == rules.DRAFT:
        raise rules.InvalidTransition(f"Version {version.number} ({id}) is a draft: publish it.")
    return await _moved(ctx, app, version, key, registry.VERSION_RESTORED, rules.PUBLISHED, None)


async def retire(ctx: Context, id: str, *, reason: str) -> ShownVersion:
    """End a version for good: nobody begins to use it any more."""
    key = Permission.CATALOG_VERSION_RETIRE
    return await _move(ctx, id, key, registry.VERSION_RETIRED, rules.RETIRED, reason)


async def _move(
    ctx: Context, id: str, key: str, event: registry.EventType, after: str, note: str
) -> ShownVersion:
    app, version = await _lock(ctx, id, key=key)
    if after == rules.RETIRED:
        rules.check_off_channels(version, await store.list_channels(ctx.db, app=app.id))
    return await _moved(ctx, app, version, key, event, after, note)


async def _moved(
    ctx: Context,
    app: App,
    version: Version,
    key: str,
    event: registry.EventType,
    after: str,
    note: str | None,
) -> ShownVersion:
    rules.check_transition(version, after)
    moved = await store.set_status(
        ctx.db, version.id, org=app.org_id, status=after, note=note, now=ctx.now
    )
    _record(ctx, key, event, app, moved)
    return await _shown(ctx, moved)


async def _lock(ctx: Context, id: str, *, key: str) -> tuple[App, FullVersion]:
    """A version that the caller may change, and its app, in the order in which all lock them."""
    app_id = await store.find_app_of(ctx.db, id, scope=rules.sight(ctx.principal, None))
    if app_id is None:
        shown = rules.sight(ctx.principal, READ)
        if await store.find_version(ctx.db, id, scope=shown) is not None:
            raise commands.foreign(NOUN, id, key)
        raise hidden(NOUN, id)
    app = await commands.lock_own(ctx, app_id, key=key)
    version = await store.lock_version(ctx.db, id, org=app.org_id)
    if version is None:
        raise hidden(NOUN, id)
    authorize(ctx, key, Resource(NOUN, id, version.org_id, version.project_id))
    return app, version


def _checked(
    ctx: Context, app: App, *, number: str | None = None
) -> tuple[Manifest, dict[str, object]]:
    """What was read before the transaction, if it is good and about this app."""
    read: Read | None = ctx.prepared
    assert read is not None, "who may draft this app's versions had the manifest read"
    rules.check_manifest(read.faults)
    assert read.manifest is not None, "a reading without faults has a manifest"
    rules.check_fit(app, read.manifest, number=number)
    rules.check_runbook(read.manifest, str(read.kept["runbook"]))
    return read.manifest, read.kept


async def _shown(ctx: Context, version: FullVersion) -> ShownVersion:
    named: list[NamedArtifact] | list[UsedArtifact]
    if version.status == rules.DRAFT:
        named = [rules.named(item) for item in version.manifest["artifacts"]]
    else:
        named = await store.artifacts_of(ctx.db, version.id)
    rows = await store.list_channels(ctx.db, app=version.app_id)
    channels = [row.channel for row in rows if row.version_id == version.id]
    return ShownVersion(**version.__dict__, artifacts=named, channels=channels)


def _record(
    ctx: Context,
    action: str,
    event: registry.EventType,
    app: App,
    version: Version,
    *,
    bump: int = 0,
) -> None:
    org, project = app.org_id, app.project_id
    data = registry.Version(
        id=version.id,
        app_id=app.id,
        slug=app.slug,
        number=version.number,
        status=version.status,
        manifest_digest=version.manifest_digest,
    )
    details = data.model_dump(exclude={"id", "slug"}) | {"event": event.type, "note": version.note}
    audit.record(ctx, action, version.id, org=org, project=project, app=app.slug, details=details)
    events.publish(
        ctx,
        event,
        data,
        subject=version.id,
        version=version.version + bump,
        org=org,
        project=project,
        app=app.slug,
    )
