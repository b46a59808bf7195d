"""Use cases of app operators."""

from collections.abc import Sequence
from dataclasses import replace

from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import (
    Resource,
    authorize,
    authorize_anywhere,
    hidden,
    missing,
    sees,
)
from moorage_core.authz.permissions import Permission
from moorage_core.catalog import commands as catalog
from moorage_core.context import Context
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.http import etag
from moorage_core.kit import pagination
from moorage_core.kit.ids import AppOperatorId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.operators import rules, store
from moorage_core.operators.models import AppOperator, ShownOperator
from moorage_core.operators.schemas import AppOperatorCreate
from moorage_core.service_accounts import commands as service_accounts
from moorage_core.tenancy import commands as tenancy

NOUN = "app operator"
READ = Permission.CATALOG_OPERATOR_READ
NAMED = 5
"""Instances that a refusal names."""


async def register(ctx: Context, project: str, new: AppOperatorCreate) -> AppOperator:
    """Let a service account claim the operations of an app.

    For everybody where the project publishes the app, for its own instances otherwise.
    """
    where = await tenancy.get_project(ctx, project, key=Permission.CATALOG_OPERATOR_CREATE)
    app = await catalog.get_visible(ctx, new.app)
    offered = catalog.is_offered_to(app, org=where.org_id, project=project)
    rules.check_offered(app, project, offered=offered)
    account = await service_accounts.find_in_project(
        ctx.db, new.service_account, org=where.org_id, project=project
    )
    if account is None:
        raise hidden("service account", new.service_account)
    rules.check_account(account)
    operator = await store.add(
        ctx.db,
        id=AppOperatorId.new(),
        app=app.id,
        slug=app.slug,
        org=where.org_id,
        project=project,
        account=account.id,
        name=new.name,
        serves=rules.serves(app, project),
        now=ctx.now,
    )
    if operator is None:
        raise rules.AlreadyRegistered(
            f"Service account {account.id} is an operator of app {app.slug} already."
        )
    _record(ctx, Permission.CATALOG_OPERATOR_CREATE, registry.OPERATOR_REGISTERED, operator)
    return operator


async def list_in_project(ctx: Context, project: str, page: PageRequest) -> Page[AppOperator]:
    await tenancy.get_project(ctx, project, key=READ)
    rows = await store.list_in_project(ctx.db, page, project=project)
    return pagination.page(await _heard(ctx, rows), page, key=lambda operator: operator.id)


async def list_of_app(ctx: Context, app_id: str, page: PageRequest) -> Page[ShownOperator]:
    """Those that can serve the caller: the publisher's, and those of the caller's projects."""
    app = await catalog.get_visible(ctx, app_id)
    authorize_anywhere(ctx, READ)
    rows = await store.list_serving(
        ctx.db,
        page,
        app=app.id,
        orgs=ctx.principal.orgs_with(READ),
        projects=ctx.principal.projects_with(READ),
    )
    found = pagination.page(await _heard(ctx, rows), page, key=lambda operator: operator.id)
    return Page([_shown(ctx, row) for row in found.items], found.next)


async def get(ctx: Context, id: str) -> ShownOperator:
    """An operator of the caller's project, or a publisher's for an app that the caller sees."""
    operator = await store.find(ctx.db, id, orgs=sorted(ctx.principal.scope.orgs))
    if operator is None:
        raise hidden(NOUN, id)
    if not _is_near(ctx, operator):
        shown = operator.serves == rules.PUBLISHER and await catalog.find_visible(
            ctx, operator.app_id
        )
        if not shown:
            raise hidden(NOUN, id)
        authorize_anywhere(ctx, READ)
    else:
        authorize(ctx, READ, Resource(NOUN, id, operator.org_id, operator.project_id))
    (heard,) = await _heard(ctx, [operator])
    return _shown(ctx, heard)


async def find_serving(ctx: Context, id: str, *, app: str, project: str) -> AppOperator | None:
    """An operator of an app that can serve a project: its publisher's, or the project's own."""
    found = await store.find(ctx.db, id, orgs=sorted(ctx.principal.scope.orgs))
    if found is None or found.app_id != app:
        return None
    return found if found.serves == rules.PUBLISHER or found.project_id == project else None


async def remove(ctx: Context, id: str, *, expected: int | None) -> None:
    """Take an operator away that serves nobody. It can claim nothing more."""
    key = Permission.CATALOG_OPERATOR_DELETE
    operator = await store.find(ctx.db, id, orgs=sorted(ctx.principal.scope.orgs), lock=True)
    if operator is None or not _is_near(ctx, operator):
        await get(ctx, id)
        raise catalog.foreign(NOUN, id, key)
    authorize(ctx, key, Resource(NOUN, id, operator.org_id, operator.project_id))
    etag.check(NOUN, id, have=operator.version, expected=expected)
    named = await store.list_served(ctx.db, id, limit=NAMED)
    rules.check_serves_nobody(id, named, await store.count_served(ctx.db, id))
    operator = await store.remove(ctx.db, id, org=operator.org_id, now=ctx.now)
    _record(ctx, key, registry.OPERATOR_REMOVED, operator)


def _is_near(ctx: Context, operator: AppOperator) -> bool:
    """Whether the caller holds anything where the operator lives."""
    return sees(ctx.principal, org=operator.org_id, project=operator.project_id)


async def _heard(ctx: Context, operators: Sequence[AppOperator]) -> list[AppOperator]:
    """With whether anybody listens, in one statement."""
    listening = await store.list_listening(ctx.db, [each.id for each in operators])
    return [replace(each, listening=each.id in listening) for each in operators]


def _shown(ctx: Context, operator: AppOperator) -> ShownOperator:
    """Which account it is, is for those who may look at operators where it lives."""
    org, project = operator.org_id, operator.project_id
    own = not missing(ctx.principal, frozenset({READ}), org=org, project=project)
    shown = ShownOperator(**operator.__dict__)
    return shown if own else replace(shown, service_account_id=None)


def _record(ctx: Context, action: str, event: registry.EventType, operator: AppOperator) -> None:
    org, project, slug = operator.org_id, operator.project_id, operator.app_slug
    data = registry.Operator(
        id=operator.id,
        app_id=operator.app_id,
        slug=slug,
        service_account_id=operator.service_account_id,
        serves=operator.serves,
    )
    details = data.model_dump(exclude={"id", "slug"}) | {"name": operator.name}
    audit.record(ctx, action, operator.id, org=org, project=project, app=slug, details=details)
    events.publish(
        ctx,
        event,
        data,
        subject=operator.id,
        version=operator.version,
        org=org,
        project=project,
        app=slug,
    )
