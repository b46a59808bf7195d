"""Use cases of channels: which version stands where, and how it came there."""

from dataclasses import replace

from moorage_core.artifacts import commands as artifacts
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import hidden
from moorage_core.authz.permissions import Permission
from moorage_core.catalog import commands, rules, store
from moorage_core.catalog.models import App, Channel, Promotion, Version
from moorage_core.catalog.schemas import PromotionCreate
from moorage_core.context import Context
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.kit import pagination
from moorage_core.kit.ids import PromotionId
from moorage_core.kit.pagination import Page, PageRequest

KEY = Permission.CATALOG_VERSION_PROMOTE


async def promote(ctx: Context, app_id: str, new: PromotionCreate) -> Promotion:
    """Point a channel to a version. The app's lock puts promotions in one order."""
    app = await commands.lock_own(ctx, app_id, key=KEY)
    version = await store.lock_version(ctx.db, new.version, org=app.org_id)
    if version is None or version.app_id != app_id:
        raise hidden("app version", new.version)
    used = await store.artifacts_of(ctx.db, version.id)
    present = (await commands.channels_of(ctx.db, app_id)).get(new.channel)
    rules.check_promotable(version, new.channel, used, present)
    org, project = app.org_id, app.project_id
    await store.set_channel(
        ctx.db,
        new.channel,
        org=org,
        project=project,
        app=app_id,
        version=version.id,
        now=ctx.now,
    )
    promotion = await _keep(ctx, app, new.channel, version, previous=present, reason=new.reason)
    ids = [artifact.artifact_id for artifact in used]
    await artifacts.mark_promoted(ctx, org=org, project=project, ids=ids)
    app = await _count_on(ctx, app)
    data = registry.Promotion(
        app_id=app_id,
        slug=app.slug,
        channel=new.channel,
        version_id=version.id,
        number=version.number,
        manifest_digest=version.manifest_digest,
        previous_version_id=present,
    )
    _record(ctx, app, promotion, registry.VERSION_PROMOTED, data)
    return promotion


async def clear(ctx: Context, app_id: str, channel: str) -> None:
    """Let a channel point to nothing. Promotions and clearings have one order."""
    app = await commands.lock_own(ctx, app_id, key=KEY)
    present = (await commands.channels_of(ctx.db, app_id)).get(channel)
    if present is None:
        raise hidden("channel", channel)
    await store.clear_channel(ctx.db, channel, org=app.org_id, app=app_id)
    kept = await _keep(ctx, app, channel, None, previous=present, reason=None)
    app = await _count_on(ctx, app)
    data = registry.ClearedChannel(
        app_id=app_id, slug=app.slug, channel=channel, previous_version_id=present
    )
    _record(ctx, app, kept, registry.CHANNEL_CLEARED, data)


async def list_channels(ctx: Context, app_id: str) -> list[Channel]:
    app = await commands.get_visible(ctx, app_id)
    return await store.list_channels(ctx.db, app=app.id)


async def list_in_app(
    ctx: Context, app_id: str, page: PageRequest, *, channel: str | None
) -> Page[Promotion]:
    """Newest first. Who, why and by which request is for the publisher's own."""
    app = await commands.get_visible(ctx, app_id)
    rows = await store.list_promotions(
        ctx.db, app=app_id, channel=channel, before=page.after_number, limit=page.fetch
    )
    if not rules.is_own(app, rules.sight(ctx.principal, Permission.CATALOG_APP_READ)):
        rows = [_for_strangers(row) for row in rows]
    return pagination.page(rows, page, key=lambda promotion: str(promotion.sequence))


def _for_strangers(promotion: Promotion) -> Promotion:
    return replace(
        promotion,
        actor_kind=None,
        actor_id=None,
        actor_name=None,
        correlation_id=None,
        reason=None,
    )


async def _keep(
    ctx: Context,
    app: App,
    channel: str,
    version: Version | None,
    *,
    previous: str | None,
    reason: str | None,
) -> Promotion:
    return await store.add_promotion(
        ctx.db,
        {
            "id": PromotionId.new(),
            "app": app.id,
            "channel": channel,
            "version": version and version.id,
            "number": version and version.number,
            "manifest_digest": version and version.manifest_digest,
            "previous": previous,
            "actor_kind": ctx.principal.kind,
            "actor_id": ctx.principal.id,
            "actor_name": ctx.principal.name,
            "correlation_id": ctx.trace.correlation_id,
            "reason": reason,
            "now": ctx.now,
        },
        org=app.org_id,
        project=app.project_id,
    )


async def _count_on(ctx: Context, app: App) -> App:
    """Events are about the app, whose version grows: so a reader meets promotions in order."""
    return await store.update_app(
        ctx.db, app.id, org=app.org_id, name=None, summary=None, visibility=None, now=ctx.now
    )


def _record(
    ctx: Context,
    app: App,
    promotion: Promotion,
    event: registry.EventType,
    data: registry.Promotion | registry.ClearedChannel,
) -> None:
    org, project, slug = app.org_id, app.project_id, app.slug
    details = data.model_dump(exclude={"slug"}) | {"event": event.type, "reason": promotion.reason}
    audit.record(ctx, KEY, promotion.id, org=org, project=project, app=slug, details=details)
    events.publish(
        ctx,
        event,
        data,
        subject=app.id,
        version=app.version,
        org=org,
        project=project,
        app=slug,
    )
