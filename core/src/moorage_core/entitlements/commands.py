"""Use cases of entitlements, and what other slices ask about them."""

from moorage_core.authz.authorize import Resource, authorize, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.entitlements import app_keys as keys_of
from moorage_core.entitlements import rules, store
from moorage_core.entitlements.models import Entitlement
from moorage_core.kit.db import Db

resolve = rules.resolve
waiting = rules.waiting
beyond = rules.beyond
is_shared = rules.is_shared


# For other slices


async def find_for(db: Db, *, project: str, app: str) -> Entitlement | None:
    """The entitlement of a project to an app, enabled or not. `app` is an id."""
    return await store.find_for(db, project=project, app=app)


async def get(
    ctx: Context, id: str, *, key: str = Permission.CATALOG_ENTITLEMENT_READ, lock: bool = False
) -> Entitlement:
    """An entitlement in whose project the caller holds `key`."""
    orgs = sorted(ctx.principal.scope.orgs)
    entitlement = await store.find(ctx.db, id, orgs=orgs, lock=lock)
    if entitlement is None:
        raise hidden("entitlement", id)
    authorize(ctx, key, _resource(entitlement))
    return entitlement


async def list_in(
    db: Db, *, org: str, project: str | None = None, after: str = "", limit: int = 500
) -> list[Entitlement]:
    """Entitlements of an org, or of one of its projects, in the order of their ids."""
    return await store.list_in(db, org=org, project=project, after=after, limit=limit)


def app_keys(ctx: Context, entitlement: Entitlement) -> list[str]:
    """The app's keys that the caller holds through the entitlement."""
    return keys_of.held(entitlement, ctx.principal)


def _resource(entitlement: Entitlement) -> Resource:
    return Resource("entitlement", entitlement.id, entitlement.org_id, entitlement.project_id)
