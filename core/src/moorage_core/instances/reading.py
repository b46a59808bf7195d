"""Looking at instances: what readers are told, put together from what is known."""

from collections.abc import Sequence
from typing import Any

from moorage_core.artifacts import commands as artifacts
from moorage_core.authz.authorize import authorize_anywhere
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.entitlements import commands as entitlements
from moorage_core.errors import Forbidden
from moorage_core.instances import commands, plan_store, store, telling
from moorage_core.instances.commands import READ
from moorage_core.instances.models import Component, Instance, OperatorSeen, Revision
from moorage_core.kit import pagination
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.operations import reading as operations
from moorage_core.operations.models import Operation
from moorage_core.tenancy import commands as tenancy


async def list_in_project(
    ctx: Context,
    project: str,
    page: PageRequest,
    *,
    app: str | None,
    number: str | None,
    status: str | None,
    deleted: bool,
) -> Page[dict[str, Any]]:
    meant: list[tuple[str, str]] = []
    try:
        await tenancy.get_project(ctx, project, key=READ)
    except Forbidden:
        meant = await entitlements.list_meant(ctx, READ, project=project)
        if not meant:
            raise
    rows = await store.list_page(
        ctx.db,
        page,
        orgs=[],
        projects=[] if meant else [project],
        apps=meant,
        app=app,
        number=number,
        status=status,
        deleted=deleted,
    )
    return await _page(ctx, rows, page)


async def list_everywhere(
    ctx: Context,
    page: PageRequest,
    *,
    app: str | None,
    number: str | None,
    status: str | None,
    deleted: bool,
) -> Page[dict[str, Any]]:
    """In every place where the caller may look at instances, or at those of some apps."""
    meant = await entitlements.list_meant(ctx, READ)
    if meant:
        ctx.checked.add(READ)
    else:
        authorize_anywhere(ctx, READ)
    rows = await store.list_page(
        ctx.db,
        page,
        orgs=ctx.principal.orgs_with(READ),
        projects=ctx.principal.projects_with(READ),
        apps=meant,
        app=app,
        number=number,
        status=status,
        deleted=deleted,
    )
    return await _page(ctx, rows, page)


async def list_using_artifact(
    ctx: Context, artifact: str, page: PageRequest
) -> Page[dict[str, Any]]:
    """The caller's instances whose version uses an artifact: whom a revocation concerns.

    Who neither has such an instance nor sees the artifact where it lives is told of no artifact.
    """
    authorize_anywhere(ctx, READ)
    versions = await plan_store.list_versions_using(ctx.db, artifact)
    rows = await store.list_using(
        ctx.db,
        page,
        versions=versions,
        orgs=ctx.principal.orgs_with(READ),
        projects=ctx.principal.projects_with(READ),
    )
    if not rows and not page.after:
        await artifacts.get(ctx, artifact, key=READ)
    return await _page(ctx, rows, page)


async def read(ctx: Context, id: str) -> dict[str, Any]:
    (found,) = await shown(ctx, [await commands.get(ctx, id)])
    return found


async def list_revisions(ctx: Context, id: str, page: PageRequest) -> Page[Revision]:
    """Newest first."""
    row = await commands.get(ctx, id)
    rows = await store.list_revisions(
        ctx.db, id, org=row.org_id, before=page.after_number, limit=page.fetch
    )
    return pagination.page(rows, page, key=lambda revision: str(revision.number))


async def list_operations(ctx: Context, id: str, page: PageRequest) -> Page[Operation]:
    row = await commands.get(ctx, id, key=Permission.APPS_OPERATION_READ)
    wanted: dict[str, str | None] = {"instance": row.id}
    return await operations.list_visible(ctx, page, project=row.project_id, wanted=wanted)


async def shown(ctx: Context, rows: Sequence[Instance]) -> list[dict[str, Any]]:
    """Instances with all that readers are told. The number of statements is always the same."""
    if not rows:
        return []
    ids = [row.id for row in rows]
    orgs = sorted({row.org_id for row in rows})
    components: dict[str, list[Component]] = {id: [] for id in ids}
    for each in await store.list_components(ctx.db, ids, orgs=orgs):
        components[each.instance_id].append(each)
    seen = await plan_store.list_operators(ctx.db, [row.operator_id for row in rows])
    operators = {each.operator_id: each for each in seen}
    last = await plan_store.list_operations(
        ctx.db, [row.last_operation_id for row in rows if row.last_operation_id], orgs=orgs
    )
    operations = {each["id"]: each for each in last}
    templates = await plan_store.list_access(ctx.db, sorted({row.version_id for row in rows}))
    return [
        _shown(
            ctx,
            row,
            components=components[row.id],
            operator=operators.get(row.operator_id),
            access=telling.access(templates.get(row.version_id), row.endpoints),
            last_operation=operations.get(row.last_operation_id or ""),
        )
        for row in rows
    ]


def _shown(
    ctx: Context, row: Instance, *, operator: OperatorSeen | None, **more: Any
) -> dict[str, Any]:
    absent = None if row.deleted_at else telling.absence(operator)
    stale = row.observed_until is not None and row.observed_until <= ctx.now
    told = {} if operator is None else {**vars(operator), "id": operator.operator_id}
    return {
        **vars(row),
        **more,
        "health": "unknown" if stale else row.health,
        "health_reasons": [telling.STALE] if stale else row.health_reasons,
        "conditions": row.conditions if absent is None else [absent, *row.conditions],
        "operator": told or None,
    }


async def _page(ctx: Context, rows: Sequence[Instance], page: PageRequest) -> Page[dict[str, Any]]:
    found = pagination.page(rows, page, key=lambda row: row.id)
    return Page(await shown(ctx, found.items), found.next)
