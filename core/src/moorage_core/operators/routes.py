"""HTTP in, one command, HTTP out: app operators."""

from fastapi import Response

from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound
from moorage_core.http import etag
from moorage_core.http.etag import OptionalVersion
from moorage_core.http.routing import Ctx, Routes
from moorage_core.kit.ids import AppId, AppOperatorId, ProjectId
from moorage_core.kit.pagination import Page, PageRead, Paging
from moorage_core.operators import commands, rules
from moorage_core.operators.models import AppOperator, ShownOperator
from moorage_core.operators.schemas import AppOperatorCreate, AppOperatorRead

routes = Routes(tag="app operators")


@routes.mutation(
    "POST",
    "/v1/projects/{project}/app-operators",
    key=Permission.CATALOG_OPERATOR_CREATE,
    status_code=201,
    response_model=AppOperatorRead,
    answers=(
        NotFound,
        rules.NotAnOperatorAccount,
        rules.AppNotOffered,
        rules.AlreadyRegistered,
    ),
)
async def register_app_operator(
    project: ProjectId, new: AppOperatorCreate, ctx: Ctx, response: Response
) -> AppOperator:
    """Register a service account as an operator of an app.

    The publisher's operators serve whoever chooses them; another project's serve that project.
    """
    operator = await commands.register(ctx, project, new)
    etag.put(response, operator.version)
    return operator


@routes.read(
    "/v1/projects/{project}/app-operators",
    key=Permission.CATALOG_OPERATOR_READ,
    response_model=PageRead[AppOperatorRead],
    answers=(NotFound,),
)
async def list_app_operators(project: ProjectId, ctx: Ctx, page: Paging) -> Page[AppOperator]:
    """The app operators that a project registered."""
    return await commands.list_in_project(ctx, project, page)


@routes.read(
    "/v1/apps/{app}/operators",
    key=Permission.CATALOG_OPERATOR_READ,
    response_model=PageRead[AppOperatorRead],
    answers=(NotFound,),
)
async def list_operators_of_app(app: AppId, ctx: Ctx, page: Paging) -> Page[ShownOperator]:
    """The operators of an app that can serve you: its publisher's, and your own."""
    return await commands.list_of_app(ctx, app, page)


@routes.read(
    "/v1/app-operators/{operator}",
    key=Permission.CATALOG_OPERATOR_READ,
    response_model=AppOperatorRead,
    answers=(NotFound,),
)
async def get_app_operator(operator: AppOperatorId, ctx: Ctx, response: Response) -> ShownOperator:
    """One app operator."""
    found = await commands.get(ctx, operator)
    etag.put(response, found.version)
    return found


@routes.mutation(
    "DELETE",
    "/v1/app-operators/{operator}",
    key=Permission.CATALOG_OPERATOR_DELETE,
    status_code=204,
    answers=(NotFound, etag.Stale, rules.ServesInstances),
)
async def remove_app_operator(operator: AppOperatorId, expected: OptionalVersion, ctx: Ctx) -> None:
    """Remove an app operator. It can claim nothing more."""
    await commands.remove(ctx, operator, expected=expected)
