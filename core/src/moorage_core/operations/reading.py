"""Looking at operations, and what all of their use cases leave behind."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Kind
from moorage_core.context import Context
from moorage_core.errors import Forbidden
from moorage_core.kit import pagination
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.operations import hooks, queue_store, recovery, shapes, store
from moorage_core.operations.models import Operation, Step
from moorage_core.tenancy import commands as tenancy

shown = shapes.shown


async def get(
    ctx: Context, id: str, *, key: str = Permission.APPS_OPERATION_READ, lock: bool = False
) -> Operation:
    who = ctx.principal
    operation = await store.find(ctx.db, id, orgs=sorted(who.scope.orgs), lock=lock)
    bound = who.kind in (Kind.OPERATION, Kind.WATCH)
    if operation is None or (bound and who.operation != id):
        raise hidden("operation", id)
    authorize(ctx, key, place(operation))
    return operation


async def show(ctx: Context, id: str) -> Operation:
    (operation,) = await seen(ctx, [await get(ctx, id)])
    return operation


async def find(ctx: Context, id: str) -> Operation | None:
    """For whoever asked for it a moment ago, and waits for its end."""
    operation = await store.find(ctx.db, id, orgs=sorted(ctx.principal.scope.orgs))
    return None if operation is None else (await seen(ctx, [operation]))[0]


async def seen(ctx: Context, operations: Sequence[Operation]) -> list[Operation]:
    """Operations as the caller sees them: what can be asked of each, the rest of the world being
    as it is, and of what it was given and answered only what is for them."""
    barred = await _barred(ctx, [each for each in operations if recovery.reopening(each)])
    withheld = set[str]()
    for target, mine in _by_target(ctx, operations):
        withheld |= await target.list_withheld(ctx, mine)
    names = await _names(ctx, operations)
    return [
        replace(
            each,
            is_barred=each.id in barred,
            is_withheld=each.id in withheld,
            instance_name=names.get(each.app_instance_id or ""),
            member_name=names.get(each.member_id or ""),
        )
        for each in operations
    ]


async def _names(ctx: Context, operations: Sequence[Operation]) -> dict[str, str]:
    """What the instances and members of operations are called, in one statement."""
    instances = sorted({each.app_instance_id for each in operations if each.app_instance_id})
    if not instances:
        return {}
    members = sorted({each.member_id for each in operations if each.member_id})
    orgs = sorted({each.org_id for each in operations})
    return await store.list_names(ctx.db, instances, members, orgs=orgs)


async def _barred(ctx: Context, operations: Sequence[Operation]) -> set[str]:
    instances = sorted({each.app_instance_id for each in operations if each.app_instance_id})
    if not instances:
        return set()
    orgs = sorted({each.org_id for each in operations})
    found = await store.list_circumstances(ctx.db, instances, orgs=orgs)
    around = {each.instance_id: each for each in found}
    barred = {
        each.id
        for each in operations
        if recovery.goes(each, instance=around[each.instance_id].status)
    }
    for target, mine in _by_target(ctx, operations):
        barred |= await target.list_barred(ctx, mine, around)
    return barred


def _by_target(
    ctx: Context, operations: Sequence[Operation]
) -> list[tuple[hooks.Target, list[Operation]]]:
    words = sorted({hooks.word(each.kind) for each in operations if each.app_instance_id})
    return [
        (ctx.platform.targets[word], [each for each in operations if hooks.word(each.kind) == word])
        for word in words
    ]


async def list_by_correlation(
    ctx: Context, correlation: str, *, orgs: list[str], projects: list[str], limit: int
) -> list[Operation]:
    """What came of one request, in places that the caller may look at; the oldest first."""
    found = await store.list_by_correlation(
        ctx.db, correlation, orgs=orgs, projects=projects, limit=limit
    )
    return await seen(ctx, found)


async def list_visible(
    ctx: Context, page: PageRequest, *, project: str | None, wanted: dict[str, str | None]
) -> Page[Operation]:
    """The operations of one project, or all that the caller may read."""
    key = Permission.APPS_OPERATION_READ
    if project is not None:
        await tenancy.get_project(ctx, project, key=key)
        orgs, projects = list[str](), [project]
    else:
        orgs, projects = _everywhere(ctx, key)
    rows = await queue_store.list_page(ctx.db, page, orgs=orgs, projects=projects, wanted=wanted)
    return pagination.page(await seen(ctx, rows), page, key=lambda operation: operation.id)


async def list_children(
    ctx: Context, id: str, page: PageRequest, *, status: str | None
) -> Page[Operation]:
    parent = await get(ctx, id)
    rows = await queue_store.list_page(
        ctx.db,
        page,
        orgs=[],
        projects=[parent.project_id],
        wanted={"parent": id, "status": status},
    )
    return pagination.page(await seen(ctx, rows), page, key=lambda operation: operation.id)


async def list_steps(ctx: Context, id: str) -> list[Step]:
    operation = await show(ctx, id)
    steps = await queue_store.list_steps(ctx.db, [id], org=operation.org_id)
    return [replace(each, result=None) for each in steps] if operation.is_withheld else steps


def _everywhere(ctx: Context, key: str) -> tuple[list[str], list[str]]:
    ctx.checked.add(key)
    orgs, projects = ctx.principal.orgs_with(key), ctx.principal.projects_with(key)
    if not orgs and not projects:
        raise Forbidden(f"This needs the permission {key} in at least one org or project.")
    return orgs, projects


def place(operation: Operation) -> Resource:
    return Resource("operation", operation.id, operation.org_id, operation.project_id)


def note(ctx: Context, action: str, operation: Operation, *, why: str | None = None) -> None:
    """For the audit log."""
    audit.record(
        ctx,
        action,
        operation.id,
        org=operation.org_id,
        project=operation.project_id,
        app=operation.app_slug,
        instance=operation.app_instance_id,
        details={
            "status": operation.status,
            "reason": why or operation.reason,
            "message": operation.message,
            "allocations": operation.allocations,
            "lease_expires_at": _moment(operation.lease_expires_at),
        },
    )


def _moment(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
