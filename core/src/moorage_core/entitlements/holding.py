"""Keys of apps at the door: who may use one, and who may hand one on.

`authz.authorize` knows the core's keys alone. A key of an app is asked for here, because whether it
is held depends on a row: the entitlement.
"""

from collections.abc import Iterable

from moorage_core.authz.authorize import Resource, authorize, hidden, missing, sees
from moorage_core.context import Context
from moorage_core.entitlements import app_keys, store
from moorage_core.entitlements.models import Entitlement
from moorage_core.families import commands as families

LOOKED_AT = 1000
"""Entitlements that are looked through for a key that somebody wants to hand on."""


async def authorize_app(ctx: Context, key: str, *, project: str, org: str, app: str) -> Entitlement:
    """Let the caller use a key of an app, or of a family, on that app in that project.

    The door for actions and views. Who holds nothing in the project is told what `authorize` would
    tell them: that there is no such thing. `app` is an id.
    """
    ctx.checked.add(key)
    if not sees(ctx.principal, org=org, project=project):
        raise hidden("app", app)
    entitlement = await store.find_for(ctx.db, project=project, app=app)
    if entitlement is None or entitlement.org_id != org:
        raise app_keys.EntitlementMissing(
            f"The project {project} is not entitled to the app {app}. A tenant admin can entitle"
            " it.",
            org=org,
            project=project,
        )
    app_keys.check_held(entitlement, ctx.principal, key)
    return entitlement


async def authorize_on_app(ctx: Context, key: str, resource: Resource, *, app: str) -> None:
    """Let the caller use a key of the core on something of an app. `app` is an id.

    Whoever lacks it may hold a key of a family that means it there: the families that the app is
    admitted to say so.
    """
    org, project = resource.org, resource.project
    assert project is not None, "what is deployed belongs to a project"
    if missing(ctx.principal, frozenset({key}), org=org, project=project) and sees(
        ctx.principal, org=org, project=project
    ):
        entitlement = await store.find_for(ctx.db, project=project, app=app)
        if entitlement is not None and entitlement.org_id == org:
            known = await families.known(ctx.db)
            meant = {each.key for one in known.values() for each in one.keys if each.means == key}
            if meant.intersection(app_keys.held(entitlement, ctx.principal)):
                ctx.checked.add(key)
                return
    authorize(ctx, key, resource)


async def list_meant(
    ctx: Context, key: str, *, project: str | None = None
) -> list[tuple[str, str]]:
    """Where the caller holds a family's key that means this key of the core: project and app.

    For lists, beside the places where they hold the key itself: of all projects that they see
    without it, or of one.
    """
    who = ctx.principal
    places = {project} if project else who.scope.projects - set(who.projects_with(key))
    if not places:
        return []
    known = await families.known(ctx.db)
    meant = {each.key for one in known.values() for each in one.keys if each.means == key}
    found = await store.list_with_keys(
        ctx.db, sorted(meant), orgs=[], projects=sorted(places), limit=LOOKED_AT
    )
    return sorted(
        (each.project_id, each.app_id)
        for each in found
        if meant.intersection(app_keys.held(each, who))
    )


async def check_grant(
    ctx: Context, keys: Iterable[str], *, org: str, project: str
) -> tuple[list[str], list[str]]:
    """Of keys that a service account is to have: those of no app here, and those the caller lacks.

    Whether an entitlement is enabled makes no difference: it may be again tomorrow.
    """
    wanted = sorted(set(keys))
    if not wanted:
        return [], []
    found = await store.list_with_keys(ctx.db, wanted, orgs=[], projects=[project], limit=LOOKED_AT)
    here = [each for each in found if each.org_id == org]
    return app_keys.beyond_ceiling(here, ctx.principal, wanted)


async def missing_app_keys(
    ctx: Context, keys: Iterable[str], *, org: str | None, project: str | None
) -> list[str]:
    """The keys among `keys` that the caller holds on no app, within the place if one is named."""
    wanted = set(keys)
    if not wanted:
        return []
    scope = ctx.principal.scope
    orgs = [] if project else sorted(scope.whole_orgs & ({org} if org else scope.whole_orgs))
    projects = [project] if project else sorted(scope.projects)
    found = await store.list_with_keys(
        ctx.db, sorted(wanted), orgs=orgs, projects=projects, limit=LOOKED_AT
    )
    for each in found:
        if org in (None, each.org_id):
            wanted -= app_keys.due(each, ctx.principal)
    return sorted(wanted)
