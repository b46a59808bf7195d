"""Use cases of channels: which version stands where, and how it came there."""

from dataclasses import replace

from moorage_core.artifacts import commands as artifacts
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import hidden
from moorage_core.authz.permissions import Permission
from moorage_core.catalog import commands, rules, store
from moorage_core.catalog.models import App, Channel, Promotion
from moorage_core.catalog.schemas import PromotionCreate
from moorage_core.context import Context
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.kit import pagination
from moorage_core.kit.ids import PromotionId
from moorage_core.kit.pagination import Page, PageRequest


async def promote(ctx: Context, app_id: str, new: PromotionCreate) -> Promotion:
    """Point a channel to a version. The app's lock puts promotions in one order."""
    app = await commands.lock_own(ctx, app_id, key=Permission.CATALOG_VERSION_PROMOTE)
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
    promotion = await store.add_promotion(
        ctx.db,
        {
            "id": PromotionId.new(),
            "app": app_id,
            "channel": new.channel,
            "version": version.id,
            "number": version.number,
            "manifest_digest": version.manifest_digest,
            "previous": present,
            "actor_kind": ctx.principal.kind,
            "actor_id": ctx.principal.id,
            "actor_name": ctx.principal.name,
            "correlation_id": ctx.trace.correlation_id,
            "reason": new.reason,
            "now": ctx.now,
        },
        org=org,
        project=project,
    )
    ids = [artifact.artifact_id for artifact in used]
    await artifacts.mark_promoted(ctx, org=org, project=project, ids=ids)
    await _record(ctx, app, promotion)
    return promotion


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


async def _record(ctx: Context, app: App, promotion: Promotion) -> None:
    """The event is about the app, whose version grows: so a reader meets promotions in order."""
    org, project = app.org_id, app.project_id
    app = await store.update_app(
        ctx.db, app.id, org=org, name=None, summary=None, visibility=None, now=ctx.now
    )
    data = registry.Promotion(
        app_id=app.id,
        slug=app.slug,
        channel=promotion.channel,
        version_id=promotion.version_id,
        number=promotion.number,
        manifest_digest=promotion.manifest_digest,
        previous_version_id=promotion.previous_version_id,
    )
    details = data.model_dump(exclude={"slug"}) | {"reason": promotion.reason}
    action = Permission.CATALOG_VERSION_PROMOTE
    target = promotion.id
    audit.record(ctx, action, target, org=org, project=project, app=app.slug, details=details)
    events.publish(
        ctx,
        registry.VERSION_PROMOTED,
        data,
        subject=app.id,
        version=app.version,
        org=org,
        project=project,
        app=app.slug,
    )
