"""Use cases of apps, and how other slices look at the catalog."""

from collections.abc import Mapping
from typing import Any, NoReturn

from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize, authorize_anywhere, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.catalog import rules, store
from moorage_core.catalog.models import App, Shelf, UsedArtifact, Version
from moorage_core.catalog.schemas import AppCreate, AppUpdate
from moorage_core.context import Context
from moorage_core.errors import Forbidden
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.families import commands as families
from moorage_core.http import etag
from moorage_core.kit import pagination
from moorage_core.kit.db import Db
from moorage_core.kit.ids import AppId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.tenancy import commands as tenancy
from moorage_manifest import Manifest

# For other slices


async def find_visible(
    ctx: Context, app: str, *, key: str = Permission.CATALOG_APP_READ
) -> App | None:
    """An app that the caller may see: in its own project, or because its publisher shows it."""
    ctx.checked.add(key)
    return await store.find_app(ctx.db, app, scope=rules.sight(ctx.principal, key))


async def get_visible(ctx: Context, app: str, *, key: str = Permission.CATALOG_APP_READ) -> App:
    """The same; a 404 where there is none, a 403 where it is the key that is missing."""
    found = await find_visible(ctx, app, key=key)
    if found is None:
        await _refuse(ctx, app, key)
    return found


async def is_closed(db: Db, app: str) -> bool:
    """Whether an app that somebody is entitled to was closed with its publisher's project."""
    return await store.is_closed(db, app)


def is_offered_to(app: App, *, org: str, project: str) -> bool:
    """Whether a project sees the app, whoever asks."""
    return rules.is_offered_to(app, org=org, project=project)


async def versions_of(db: Db, app: str, *named: str | None) -> list[Version]:
    """What was ever published of an app, newest first; very old versions are left out.

    Those that are `named`, by their numbers or ids, are among them, however old they are.
    """
    return await store.versions_of(db, app, named=[each for each in named if each is not None])


async def declarations_of(db: Db, *versions: str) -> dict[str, dict[str, Any]]:
    """What published versions ask for, by the digest of it: large, so only of those in question."""
    return await store.declarations_of(db, *versions)


async def channels_of(db: Db, app: str) -> dict[str, str]:
    """The version's id that each channel points to."""
    return {row.channel: row.version_id for row in await store.list_channels(db, app=app)}


async def declared(ctx: Context, *versions: str) -> dict[str, dict[str, Any]]:
    """The same, kept in memory: for whoever asks often and for few."""
    return await ctx.platform.published.declarations(ctx.db, *versions)


async def manifest_of(ctx: Context, version: str) -> Mapping[str, Any]:
    """What a published version says about itself, as JSON."""
    return await ctx.platform.published.document(ctx.db, version)


async def read_manifest(ctx: Context, version: str) -> Manifest:
    """The same, understood."""
    return await ctx.platform.published.manifest(ctx.db, version)


async def artifacts_of(db: Db, *versions: str) -> list[UsedArtifact]:
    """What published versions use, with the trust that it has now."""
    return await store.artifacts_of(db, *versions)


async def shelves(db: Db, apps: list[str], *, newest: int, named: list[str]) -> dict[str, Shelf]:
    """What there is of each of some apps that are open, in the same few statements for any number.

    Of each app the `newest` versions, those that channels point to, and those `named` by id.
    """
    found = await store.list_open(db, apps)
    known = await store.newest_of(db, [app.id for app in found], limit=newest, named=named)
    channels = await store.channels_of_each(db, apps)
    used = await store.artifacts_of(db, *(v.id for v in known if v.status != "retired"))
    return rules.shelved(found, known, channels, used)


# Apps


async def create(ctx: Context, project: str, new: AppCreate) -> App:
    """Register an app. Its slug is its own on the whole platform from then on."""
    # Locked: two at once do not both take the last room, and a project that goes takes all with it.
    key = Permission.CATALOG_APP_CREATE
    where = await tenancy.get_project(ctx, project, key=key, lock=True)
    have = await store.count_apps(ctx.db, org=where.org_id, project=project)
    rules.check_room_for_app(have, limit=ctx.platform.settings.limits.project_apps)
    rules.check_slug(new.slug, await families.known(ctx.db))
    if await store.is_slug_taken(ctx.db, new.slug):
        raise rules.SlugTaken(
            f"An app with the slug {new.slug} exists on this platform, perhaps one that you cannot "
            "see. Choose another slug."
        )
    app = await store.add_app(
        ctx.db,
        id=AppId.new(),
        org=where.org_id,
        project=project,
        slug=new.slug,
        name=new.name,
        summary=new.summary,
        visibility=new.visibility,
        now=ctx.now,
    )
    _record(ctx, key, registry.APP_CREATED, app)
    return app


async def list_apps(
    ctx: Context, page: PageRequest, *, slug: str | None, org: str | None, project: str | None
) -> Page[App]:
    """The apps that the caller may see; `org` and `project` narrow to those of a publisher."""
    key = Permission.CATALOG_APP_READ
    authorize_anywhere(ctx, key)
    narrowed = org is not None or project is not None
    if narrowed and not ctx.principal.places(key, org=org, project=project):
        raise Forbidden(f"This needs the permission {key} in the org or project that you ask for.")
    rows = await store.list_apps(
        ctx.db, page, scope=rules.sight(ctx.principal, key), slug=slug, org=org, project=project
    )
    return pagination.page(rows, page, key=lambda app: app.id)


async def update(ctx: Context, id: str, change: AppUpdate, *, expected: int) -> App:
    """Rename, or show to more or fewer. Nobody who is entitled loses sight of the app."""
    app = await lock_own(ctx, id, key=Permission.CATALOG_APP_UPDATE)
    etag.check("app", id, have=app.version, expected=expected)
    if change.visibility is not None and rules.narrows(app.visibility, change.visibility):
        entitled = await store.count_entitled_beyond(
            ctx.db, id, org=app.org_id, visibility=change.visibility
        )
        rules.check_nobody_left_behind(app, change.visibility, entitled)
    app = await store.update_app(
        ctx.db,
        id,
        org=app.org_id,
        name=change.name,
        summary=change.summary,
        visibility=change.visibility,
        now=ctx.now,
    )
    _record(ctx, Permission.CATALOG_APP_UPDATE, registry.APP_UPDATED, app)
    return app


async def delete(ctx: Context, id: str, *, expected: int | None) -> None:
    """Remove an app of which nothing was ever published, so nobody can be entitled to it."""
    app = await lock_own(ctx, id, key=Permission.CATALOG_APP_DELETE)
    etag.check("app", id, have=app.version, expected=expected)
    rules.check_never_published(app, await store.count_published(ctx.db, id, org=app.org_id))
    app = await store.delete_app(ctx.db, id, org=app.org_id, now=ctx.now)
    _record(ctx, Permission.CATALOG_APP_DELETE, registry.APP_DELETED, app)


async def lock_own(ctx: Context, id: str, *, key: str) -> App:
    """An app that the caller may change. Its lock puts all changes of it in one order."""
    app = await store.lock_app(ctx.db, id, scope=rules.sight(ctx.principal, None))
    if app is None:
        if await find_visible(ctx, id) is not None:
            raise foreign("app", id, key)
        raise hidden("app", id)
    authorize(ctx, key, Resource("app", id, app.org_id, app.project_id))
    return app


def foreign(noun: str, id: str, key: str) -> Forbidden:
    """For those to whom the thing is shown and who may not change it."""
    return Forbidden(
        f"This needs the permission {key} on {noun} {id}, which belongs to another project. "
        "Only its publisher changes it."
    )


async def _refuse(ctx: Context, app: str, key: str) -> NoReturn:
    """Say why not to somebody who may know the app, and nothing to everybody else."""
    known = rules.sight(ctx.principal, None)
    found = await store.find_app(ctx.db, app, scope=known)
    if found is None:
        raise hidden("app", app)
    if rules.is_own(found, known):
        authorize(ctx, key, Resource("app", app, found.org_id, found.project_id))
    raise Forbidden(
        f"This needs the permission {key} for app {app}. "
        "Somebody who holds it can give you a role that contains it."
    )


def _record(ctx: Context, action: str, event: registry.EventType, app: App) -> None:
    org, project = app.org_id, app.project_id
    data = registry.App(id=app.id, slug=app.slug, name=app.name, visibility=app.visibility)
    details = data.model_dump(exclude={"id"})
    audit.record(ctx, action, app.id, org=org, project=project, app=app.slug, details=details)
    events.publish(
        ctx,
        event,
        data,
        subject=app.id,
        version=app.version,
        org=org,
        project=project,
        app=app.slug,
    )
