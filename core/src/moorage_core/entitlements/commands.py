"""Use cases of entitlements, and what other slices ask about them."""

from dataclasses import replace

from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.catalog.models import App, Version
from moorage_core.context import Context
from moorage_core.entitlements import app_keys as keys_of
from moorage_core.entitlements import holding, looking, rules, store
from moorage_core.entitlements.models import Entitlement
from moorage_core.entitlements.schemas import (
    EntitlementCreate,
    EntitlementDetail,
    EntitlementRead,
    EntitlementUpdate,
    OfferRead,
    PermissionDiffRead,
)
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.http import etag
from moorage_core.kit import pagination
from moorage_core.kit.db import Db
from moorage_core.kit.ids import EntitlementId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.tenancy import commands as tenancy
from moorage_manifest.declarations import Declaration

READ = Permission.CATALOG_ENTITLEMENT_READ
CREATE = Permission.CATALOG_ENTITLEMENT_CREATE
UPDATE = Permission.CATALOG_ENTITLEMENT_UPDATE
CONSENT = Permission.CATALOG_ENTITLEMENT_CONSENT
DELETE = Permission.CATALOG_ENTITLEMENT_DELETE

# For other slices

in_order = rules.in_order
waiting = rules.waiting
to_compare = rules.to_compare
Consent = rules.Consent
is_app_key = keys_of.is_foreign
authorize_app = holding.authorize_app
authorize_on_app = holding.authorize_on_app
list_meant = holding.list_meant
check_grant = holding.check_grant
missing_app_keys = holding.missing_app_keys


async def find_for(db: Db, *, project: str, app: str) -> Entitlement | None:
    """The entitlement of a project to an app, enabled or not. `app` is an id."""
    return await store.find_for(db, project=project, app=app)


async def get(ctx: Context, id: str, *, key: str = READ, lock: bool = False) -> Entitlement:
    """An entitlement in whose project the caller holds `key`."""
    orgs = sorted(ctx.principal.scope.orgs)
    entitlement = await store.find(ctx.db, id, orgs=orgs, lock=lock)
    if entitlement is None:
        raise hidden("entitlement", id)
    authorize(ctx, key, _resource(entitlement))
    return entitlement


async def list_enabled(
    db: Db,
    *,
    orgs: list[str],
    project: str | None,
    id: str | None,
    slugs: list[str] | None,
    limit: int,
) -> list[Entitlement]:
    """Those in use in orgs, in one project, or the one; to any app or some; newest first."""
    return await store.list_enabled(db, orgs=orgs, project=project, id=id, slugs=slugs, limit=limit)


def app_keys(ctx: Context, entitlement: Entitlement) -> list[str]:
    """The app's keys that the caller holds through the entitlement."""
    return keys_of.held(entitlement, ctx.principal)


# Looking


async def offer(
    ctx: Context, project: str, app: str, *, channel: str | None, versions: str
) -> OfferRead:
    """What a tenant would accept if it entitled the project now."""
    place = await tenancy.get_project(ctx, project, key=READ)
    wish = _wish(channel, versions, location="query.versions")
    found = await looking.shared_app(ctx, app, org=place.org_id, project=project, key=READ)
    present = await store.find_for(ctx.db, project=project, app=found.id)
    return await looking.offer(ctx, found, wish, present=present)


async def list_in_project(
    ctx: Context, project: str, page: PageRequest, *, app: str | None
) -> Page[EntitlementRead]:
    await tenancy.get_project(ctx, project, key=READ)
    rows = await store.list_page(ctx.db, page, project=project, app=app)
    shown = pagination.page(rows, page, key=lambda each: each.id)
    return Page([looking.shown(ctx, each) for each in shown.items], shown.next)


async def read(ctx: Context, id: str) -> EntitlementDetail:
    entitlement = await get(ctx, id)
    world = await looking.world_of(ctx, entitlement, key=READ)
    return await looking.detail(ctx, entitlement, world)


async def diff(ctx: Context, id: str, *, version: str | None) -> PermissionDiffRead:
    """What a version asks for, against what was accepted."""
    return await looking.diff(ctx, await get(ctx, id), version=version)


# Changing


async def create(ctx: Context, project: str, new: EntitlementCreate) -> EntitlementDetail:
    """Entitle a project to an app, accepting what the version asks for that it comes to."""
    place = await tenancy.get_project(ctx, project, key=CREATE)
    wish = _wish(new.channel, new.versions, location="body.versions")
    app = await looking.shared_app(ctx, new.app, org=place.org_id, project=project, key=CREATE)
    if await store.find_for(ctx.db, project=project, app=app.id) is not None:
        raise _already(app)
    world = await looking.versions_of(ctx.db, app.id)
    version = rules.wanted(wish, *world.facts)
    if version is None:
        raise rules.no_version(wish, app.slug)
    asked = await looking.declared(ctx.db, version)
    rules.check_consent(version, new.consent, rules.everything(asked))
    made = _new(ctx, app, wish, version, asked, org=place.org_id, project=project)
    entitlement = await store.add(ctx.db, made)
    if entitlement is None:
        raise _already(app)
    _record(ctx, CREATE, registry.ENTITLEMENT_CREATED, entitlement)
    return await looking.detail(ctx, entitlement, world)


async def update(
    ctx: Context, id: str, change: EntitlementUpdate, *, expected: int
) -> EntitlementDetail:
    """Change what it comes to, disable or enable. Disabling takes effect at once."""
    entitlement = await get(ctx, id, key=UPDATE, lock=True)
    etag.check("entitlement", id, have=entitlement.version, expected=expected)
    if change.consent is not None:
        authorize(ctx, CONSENT, _resource(entitlement))
    channel = change.channel or entitlement.channel
    wish = _wish(
        None if channel == "none" else channel,
        change.versions or entitlement.versions,
        location="body.versions",
    )
    world = await looking.world_of(ctx, entitlement, key=UPDATE)
    version = rules.wanted_anew(entitlement, wish, *world.facts, consent=change.consent)
    changed = replace(
        entitlement,
        channel=wish.channel,
        versions=wish.versions,
        enabled=entitlement.enabled if change.enabled is None else change.enabled,
    )
    if version is not None:
        asked = await looking.declared(ctx.db, version)
        if rules.is_newly_accepted(entitlement, version, asked, consent=change.consent):
            changed = _accepting(ctx, changed, version, asked)
    entitlement = await store.write(ctx.db, changed, now=ctx.now)
    _record(ctx, UPDATE, registry.ENTITLEMENT_UPDATED, entitlement)
    return await looking.detail(ctx, entitlement, world)


async def consent(ctx: Context, id: str, *, given: str) -> EntitlementDetail:
    """Accept what a version asks for that the entitlement can come to."""
    entitlement = await get(ctx, id, key=CONSENT, lock=True)
    world = await looking.world_of(ctx, entitlement, key=CONSENT)
    version = rules.to_accept(entitlement, *world.facts, given=given)
    asked = await looking.declared(ctx.db, version)
    rules.check_consent(version, given, rules.beyond(entitlement, asked))
    accepting = _accepting(ctx, entitlement, version, asked)
    entitlement = await store.write(ctx.db, accepting, now=ctx.now)
    _record(ctx, CONSENT, registry.ENTITLEMENT_CONSENTED, entitlement)
    return await looking.detail(ctx, entitlement, world)


async def delete(ctx: Context, id: str, *, expected: int | None) -> None:
    """Take the right away. The keys of the app that it gave are gone at once."""
    entitlement = await get(ctx, id, key=DELETE, lock=True)
    etag.check("entitlement", id, have=entitlement.version, expected=expected)
    entitlement = await store.delete(ctx.db, id, org=entitlement.org_id, now=ctx.now)
    _record(ctx, DELETE, registry.ENTITLEMENT_DELETED, entitlement)


# What is kept


def _wish(channel: str | None, versions: str, *, location: str) -> rules.Wanted:
    return rules.Wanted(channel, rules.constraint(versions, location=location).text)


def _new(
    ctx: Context,
    app: App,
    wish: rules.Wanted,
    version: Version,
    asked: Declaration,
    *,
    org: str,
    project: str,
) -> Entitlement:
    return Entitlement(
        id=EntitlementId.new(),
        org_id=org,
        project_id=project,
        app_id=app.id,
        app_slug=app.slug,
        channel=wish.channel,
        versions=wish.versions,
        enabled=True,
        accepted=asked.model_dump(mode="json"),
        accepted_digest=version.declaration_digest,
        accepted_version_id=version.id,
        accepted_by=ctx.principal.id,
        accepted_at=ctx.now,
        version=1,
        created_at=ctx.now,
        updated_at=ctx.now,
        admitted=[],
    )


def _accepting(
    ctx: Context, entitlement: Entitlement, version: Version, asked: Declaration
) -> Entitlement:
    return replace(
        entitlement,
        accepted=asked.model_dump(mode="json"),
        accepted_digest=version.declaration_digest,
        accepted_version_id=version.id,
        accepted_by=ctx.principal.id,
        accepted_at=ctx.now,
    )


def _already(app: App) -> rules.AlreadyEntitled:
    return rules.AlreadyEntitled(
        f"The project is entitled to {app.slug} already. Change that entitlement instead."
    )


def _resource(entitlement: Entitlement) -> Resource:
    return Resource("entitlement", entitlement.id, entitlement.org_id, entitlement.project_id)


def _record(ctx: Context, action: str, event: registry.EventType, entitlement: Entitlement) -> None:
    org, project = entitlement.org_id, entitlement.project_id
    slug = entitlement.app_slug
    data = registry.Entitlement(
        id=entitlement.id,
        app_id=entitlement.app_id,
        slug=slug,
        channel=entitlement.channel,
        versions=entitlement.versions,
        enabled=entitlement.enabled,
        accepted_digest=entitlement.accepted_digest,
    )
    details = data.model_dump(exclude={"id", "slug"})
    audit.record(ctx, action, entitlement.id, org=org, project=project, app=slug, details=details)
    events.publish(
        ctx,
        event,
        data,
        subject=entitlement.id,
        version=entitlement.version,
        org=org,
        project=project,
        app=slug,
    )
