"""Use cases of apps, and how other slices look at the catalog."""

from typing import NoReturn

from moorage_core.authz.authorize import Resource, authorize, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.catalog import rules, store
from moorage_core.catalog.models import App, UsedArtifact, Version
from moorage_core.context import Context
from moorage_core.errors import Forbidden
from moorage_core.kit.db import Db

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


def is_offered_to(app: App, *, org: str, project: str) -> bool:
    """Whether a project sees the app, whoever asks."""
    return rules.is_offered_to(app, org=org, project=project)


async def versions_of(db: Db, app: str) -> list[Version]:
    """What was ever published of an app, newest first; very old versions are left out."""
    return await store.versions_of(db, app)


async def channels_of(db: Db, app: str) -> dict[str, str]:
    """The version's id that each channel points to."""
    return {row.channel: row.version_id for row in await store.list_channels(db, app=app)}


async def artifacts_of(db: Db, version: str) -> list[UsedArtifact]:
    """What a published version uses, with the trust that it has now."""
    return await store.artifacts_of(db, version)


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
