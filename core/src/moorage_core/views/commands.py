"""Use cases of views: controllers publish, people read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from moorage_core import unit
from moorage_core.authz.authorize import missing
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.catalog import commands as catalog
from moorage_core.context import Context, Trace
from moorage_core.controllers import acting
from moorage_core.entitlements import commands as entitlements
from moorage_core.entitlements import holding
from moorage_core.errors import Fault, Malformed
from moorage_core.events import commands as events
from moorage_core.instances import commands as instances
from moorage_core.instances.models import Instance
from moorage_core.kit.pagination import PageRequest, encode_cursor
from moorage_core.platform import Platform
from moorage_core.views import rules, store
from moorage_core.views.models import NewRow, Row, View
from moorage_core.views.schemas import ViewPut

MARK = "row_"
"""What the cursors of rows begin with."""


@dataclass(frozen=True)
class RowPage:
    view: dict[str, Any]
    items: list[Row]
    next: str | None


async def put(
    platform: Platform, who: Principal, instance: str, name: str, given: ViewPut, *, trace: Trace
) -> View:
    """Take what a controller publishes."""
    key = Permission.APPS_INSTANCE_OBSERVE
    async with unit.work(
        platform, who.home_org, principal=who, trace=trace, scope=who.scope
    ) as ctx:
        found = await acting.act(ctx, instance, key=key, fence=given.fence)
        org, project = found.org_id, found.project_id
        declared = rules.find(await catalog.manifest_of(ctx, found.version_id), name)
        rows = rules.rows(given.upserts, declared, project=project)
        before = await store.lock(ctx.db, instance, name, org=org, project=project, now=ctx.now)
        rules.check_generation(before, given.generation)
        view = await _put(ctx, before, given, rows, org=org, project=project)
        events.hint(ctx, instance, "views", name)
    return view


async def _put(
    ctx: Context, before: View, given: ViewPut, rows: list[NewRow], *, org: str, project: str
) -> View:
    generation = given.generation
    if rows:
        await store.put_rows(ctx.db, before, rows, org=org, project=project, generation=generation)
    if given.deletes:
        await store.delete_rows(ctx.db, before, given.deletes, org=org)
    if given.complete:
        await store.delete_earlier(ctx.db, before, org=org, generation=generation)
    there = await store.count_rows(ctx.db, before, org=org)
    kept = min(there, rules.MOST_ROWS)
    if there > kept:
        await store.drop_rows(ctx.db, before, org=org, surplus=there - kept)
    total = max(there, given.total or 0)
    return await store.save(
        ctx.db,
        before,
        org=org,
        generation=generation,
        rows=kept,
        total=total,
        truncated=rules.is_truncated(
            before, generation, kept=kept, dropped=there - kept, total=total
        ),
        now=ctx.now,
    )


async def list_of_instance(ctx: Context, instance: str) -> list[dict[str, Any]]:
    """Every view that the instance's version declares, and which of them the caller can read."""
    found = await instances.get(ctx, instance)
    manifest = await catalog.manifest_of(ctx, found.version_id)
    published = await store.list_of(ctx.db, instance, org=found.org_id)
    entitlement = await entitlements.find_for(ctx.db, project=found.project_id, app=found.app_id)
    held = entitlements.app_keys(ctx, entitlement) if entitlement else []
    return [
        _shown(
            found,
            declared,
            published.get(declared["name"]),
            readable=declared["permission"] in held,
        )
        for declared in manifest["views"]
    ]


async def read(ctx: Context, instance: str, name: str, page: PageRequest) -> RowPage:
    """A page of rows: those of the caller's project, and those of nobody for its admins."""
    found = await instances.get(ctx, instance)
    declared = rules.find(await catalog.manifest_of(ctx, found.version_id), name)
    org, project = found.org_id, found.project_id
    await holding.authorize_app(
        ctx, declared["permission"], project=project, org=org, app=found.app_id
    )
    rows = await store.list_rows(
        ctx.db,
        instance,
        name,
        org=org,
        projects=[project],
        all_rows=_runs_it(ctx.principal, found),
        after=_after(page),
        limit=page.fetch,
    )
    shown = rows[: page.limit]
    more = _cursor(shown[-1].key) if len(rows) > page.limit else None
    view = (await store.list_of(ctx.db, instance, org=org)).get(name)
    return RowPage(_shown(found, declared, view, readable=True), shown, more)


def _cursor(key: str) -> str:
    """A row is called as the app likes, a cursor as pages do."""
    return encode_cursor(MARK + key.encode().hex())


def _after(page: PageRequest) -> str:
    if not page.after:
        return ""
    try:
        if not page.after.startswith(MARK):
            raise ValueError(page.after)
        return bytes.fromhex(page.after.removeprefix(MARK)).decode()
    except ValueError as err:
        raise Malformed(
            "The cursor was not made by this list. Start it without `after`.",
            errors=[Fault("query.after", "not a cursor of this list")],
        ) from err


def _runs_it(who: Principal, instance: Instance) -> bool:
    key = str(Permission.APPS_INSTANCE_UPDATE)
    place = {"org": instance.org_id, "project": instance.project_id}
    return not missing(who, frozenset({key}), **place)


def _shown(
    instance: Instance, declared: Mapping[str, Any], view: View | None, *, readable: bool
) -> dict[str, Any]:
    return {
        "instance_id": instance.id,
        "name": declared["name"],
        "title": declared["title"],
        "columns": declared["columns"],
        "key": declared["key"],
        "permission": declared["permission"],
        "readable": readable,
        "observed_at": view and view.observed_at,
        "generation": view.generation if view else 0,
        "row_count": view.row_count if view else 0,
        "total": view.total if view else 0,
        "truncated": view.truncated if view else False,
    }
