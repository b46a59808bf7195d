"""Use cases of policy: write a layer, see what layers leave, decide."""

from dataclasses import replace
from typing import Any

from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import (
    Resource,
    authorize,
    authorize_anywhere,
    hidden,
    platform,
)
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Grant
from moorage_core.context import Context
from moorage_core.entitlements import commands as entitlements
from moorage_core.errors import Stale
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.http import etag
from moorage_core.kit.ids import PLATFORM_ORG, OverlayId
from moorage_core.policy import consequences, gathering, limits, rules, store
from moorage_core.policy.limits import Layer
from moorage_core.policy.models import (
    LEVELS,
    OF_THE_PLATFORM,
    Decision,
    OverlayRow,
    Place,
    Wanted,
    Written,
)
from moorage_core.policy.schemas import OverlayDocument
from moorage_core.tenancy import commands as tenancy

READ, UPDATE = Permission.POLICY_OVERLAY_READ, Permission.POLICY_OVERLAY_UPDATE
PolicyRefused = rules.PolicyRefused

# For other slices


async def decide(
    ctx: Context, wanted: Wanted, *, key: str = Permission.CATALOG_APP_READ
) -> Decision:
    """What every layer says to a request. `key` is what lets the caller see the app.

    The caller has asked for its own key on the project before.
    """
    return await _decide(ctx, wanted, org=await _org_of(ctx, wanted.project), key=key)


async def require(
    ctx: Context,
    wanted: Wanted,
    *,
    key: str = Permission.CATALOG_APP_READ,
    org: str | None = None,
    distrust: bool = True,
) -> Decision:
    """The decision, if every layer allows it; PolicyRefused with every reason otherwise.

    What quotas are held against stays as it is until the caller's transaction ends. `org` is the
    project's, where the caller came by another way than a role there. Without `distrust` somebody
    who may override policy answers for what is not trusted.
    """
    org = org or await _org_of(ctx, wanted.project)
    decision = await _decide(ctx, wanted, org=org, key=key, hold=True)
    if not distrust:
        kept = tuple(each for each in decision.verdicts if each.layer != "trust")
        decision = replace(decision, verdicts=kept)
    if not decision.allowed:
        raise PolicyRefused(decision, org=org, project=wanted.project)
    return decision


async def require_again(
    ctx: Context, wanted: Wanted, *, org: str, distrust: bool = True
) -> Decision:
    """The same before the work begins, when nobody is there to ask for it.

    What the request needs is in use already.
    """
    again = replace(wanted, counted=True)
    return await require_of_project(ctx, again, org=org, distrust=distrust)


async def require_of_project(
    ctx: Context, wanted: Wanted, *, org: str, distrust: bool = True
) -> Decision:
    """The same for something that the project has already, whoever asks.

    What the project would see is seen: who may change a thing need not see its app's page.
    """
    return await require(_seeing(ctx, wanted, org), wanted, org=org, distrust=distrust)


async def decide_of_project(ctx: Context, wanted: Wanted, *, org: str) -> Decision:
    """What every layer says to a change of something that the project has already."""
    key = Permission.CATALOG_APP_READ
    return await _decide(_seeing(ctx, wanted, org), wanted, org=org, key=key)


def _seeing(ctx: Context, wanted: Wanted, org: str) -> Context:
    grant = Grant(org, wanted.project, frozenset({str(Permission.CATALOG_APP_READ)}))
    return replace(ctx, principal=replace(ctx.principal, grants=(grant,)))


async def _org_of(ctx: Context, project: str) -> str:
    org = await store.find_org(ctx.db, project, orgs=sorted(ctx.principal.scope.orgs))
    if org is None:
        raise hidden("project", project)
    return org


async def _decide(
    ctx: Context, wanted: Wanted, *, org: str, key: str, hold: bool = False
) -> Decision:
    wanted = await gathering.completed(ctx, wanted)
    return rules.judge(await gathering.facts(ctx, wanted, org=org, key=key, hold=hold), wanted)


# Layers, each by the place where it is


async def global_place(ctx: Context, *, write: bool = False) -> Place:
    """Everybody is below the platform's layer, so whoever may read layers may read it."""
    if write:
        authorize(ctx, Permission.POLICY_GLOBAL_UPDATE, platform())
    else:
        authorize_anywhere(ctx, READ)
    return Place("global", PLATFORM_ORG)


async def tenant_place(ctx: Context, org: str) -> Place:
    """The platform's word on one org. Its people read it with what is left to their projects."""
    authorize(ctx, Permission.POLICY_GLOBAL_UPDATE, platform())
    found = await tenancy.get_org(ctx, org)
    await ctx.db.set_scope(ctx.principal.scope.with_org(found.id))
    return Place("tenant", found.id)


async def org_place(ctx: Context, org: str, *, write: bool = False) -> Place:
    """Whoever is in one of the org's projects is below its layer, and may read it."""
    place = Resource("org", org, org, by_any_project=not write)
    authorize(ctx, UPDATE if write else READ, place)
    return Place("org", org)


async def project_place(ctx: Context, project: str, *, write: bool = False) -> Place:
    found = await tenancy.get_project(ctx, project, key=UPDATE if write else READ)
    return Place("project", found.org_id, found.id)


async def entitlement_place(ctx: Context, id: str, *, write: bool = False) -> Place:
    held = await entitlements.get(ctx, id, key=UPDATE if write else READ)
    return Place("entitlement", held.org_id, held.project_id, held.id, held.app_slug)


async def get_overlay(ctx: Context, place: Place) -> OverlayRow:
    return await store.find(ctx.db, place) or _unwritten(place)


async def put_overlay(
    ctx: Context, place: Place, document: OverlayDocument, *, expected: int
) -> Written:
    """Write a layer whole. It may only narrow what those above leave."""
    limits.check_dimensions(document.unknown)
    given = limits.constraints_checked(limits.read(document.model_dump()))
    limits.check_app(given, place.app)
    row = await store.find(ctx.db, place, lock=True) or _unwritten(place)
    etag.check("overlay of", _owner(place), have=row.version, expected=expected)
    here, above = await _around(ctx, place, given)
    limits.check_narrows(given, above)
    written = await _write(ctx, place, row, limits.write(given))
    breaks = await consequences.of(ctx, place, above, limits.read(row.document), here)
    _record(ctx, place, written)
    return Written(written, breaks, await _notes(ctx, place, given))


async def get_effective(ctx: Context, project: str) -> dict[str, Any]:
    """What the layers above and in a project leave, and which layer each limit comes from."""
    place = await project_place(ctx, project)
    rows = {row.level: row for row in await store.list_chain(ctx.db, place)}
    held = [rows.get(level) or _unwritten(Place(level, place.org)) for level in LEVELS[:-1]]
    layers = [Layer(row.level, row.level, limits.read(row.document)) for row in held]
    return {"project_id": project, "layers": held, **limits.with_origins(layers)}


async def explain(ctx: Context, wanted: Wanted) -> Decision:
    key = Permission.POLICY_DECISION_EXPLAIN
    project = await tenancy.get_project(ctx, wanted.project, key=key)
    rules.check_app_is_named(wanted)
    return await _decide(ctx, wanted, org=project.org_id, key=key)


async def _around(ctx: Context, place: Place, given: limits.Limits) -> tuple[Layer, list[Layer]]:
    """The layer as it will be, and those above it."""
    chain = gathering.layers(await store.get_chain(ctx.db, place), entitled=True)
    at = LEVELS.index(place.level)
    return Layer(place.level, chain[at].name, given), chain[:at]


async def _write(
    ctx: Context, place: Place, row: OverlayRow, document: dict[str, Any]
) -> OverlayRow:
    if row.version:
        return await store.update(ctx.db, row.id, org=place.org, document=document, now=ctx.now)
    added = await store.add(ctx.db, place, id=OverlayId.new(), document=document, now=ctx.now)
    if added is None:
        raise Stale("Somebody wrote this layer a moment ago. Read it again, then decide.")
    return added


async def _notes(ctx: Context, place: Place, given: limits.Limits) -> list[str]:
    """Which names are nobody's today. Whether a tenant has a source is not told to the platform."""
    named, apps = limits.named_sources(given), sorted(given.versions)
    if not named and not apps:
        return []
    found, sources = await store.list_names(ctx.db, org=place.org, apps=apps, sources=named)
    if place.level in OF_THE_PLATFORM:
        sources |= {name for name in named if "/" in name}
    return limits.notes(given, apps=found, sources=sources)


def _owner(place: Place) -> str:
    if place.level == "global":
        return "the platform"
    return place.entitlement or place.project or place.org


def _unwritten(place: Place) -> OverlayRow:
    return OverlayRow("", place.level, place.org, place.project, place.entitlement, {}, 0, None)


def _record(ctx: Context, place: Place, row: OverlayRow) -> None:
    key = Permission.POLICY_GLOBAL_UPDATE if place.level in OF_THE_PLATFORM else UPDATE
    org, project, app = place.org, place.project, place.app
    data = registry.Overlay(
        level=place.level, entitlement_id=place.entitlement, document=row.document
    )
    audit.record(ctx, key, row.id, org=org, project=project, app=app, details=data.model_dump())
    events.publish(
        ctx,
        registry.OVERLAY_WRITTEN,
        data,
        subject=row.id,
        version=row.version,
        org=org,
        project=project,
        app=app,
    )
