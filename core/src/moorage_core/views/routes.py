"""HTTP in, one command, HTTP out: views."""

from typing import Any

from fastapi import Request

from moorage_core.authz.permissions import Permission
from moorage_core.controllers import acting
from moorage_core.entitlements import app_keys
from moorage_core.errors import NotFound
from moorage_core.http.routing import Ctx, PlatformDep, Routes
from moorage_core.kit.ids import InstanceId
from moorage_core.kit.pagination import WidePaging
from moorage_core.views import commands, rules
from moorage_core.views.commands import RowPage
from moorage_core.views.models import View
from moorage_core.views.schemas import ViewList, ViewName, ViewPage, ViewPut, ViewState

routes = Routes(tag="views")


@routes.machine(
    "PUT",
    "/v1/instances/{instance}/views/{view}",
    key=Permission.APPS_INSTANCE_OBSERVE,
    response_model=ViewState,
    answers=(
        NotFound,
        *acting.ERRORS,
        rules.ViewUnknown,
        rules.GenerationPassed,
        rules.RowForeign,
        rules.RowInvalid,
    ),
)
async def put_view(
    instance: InstanceId, view: ViewName, given: ViewPut, request: Request, platform: PlatformDep
) -> View:
    """Publish rows of a view. Needs the token of a watch or of an operation of the instance.

    Rows that are sent again replace those of the same key. With `complete`, rows that were not sent
    in this generation go. Of more than 10,000 rows the freshest are kept.
    """
    state = request.state
    return await commands.put(platform, state.principal, instance, view, given, trace=state.trace)


@routes.read(
    "/v1/instances/{instance}/views",
    key=Permission.APPS_INSTANCE_READ,
    response_model=ViewList,
    answers=(NotFound,),
)
async def list_views(instance: InstanceId, ctx: Ctx) -> dict[str, Any]:
    """The views that the instance's version declares."""
    return {"items": await commands.list_of_instance(ctx, instance)}


@routes.read(
    "/v1/instances/{instance}/views/{view}",
    key=Permission.APPS_INSTANCE_READ,
    response_model=ViewPage,
    answers=(NotFound, rules.ViewUnknown, app_keys.EntitlementMissing),
)
async def get_view(instance: InstanceId, view: ViewName, ctx: Ctx, page: WidePaging) -> RowPage:
    """A page of a view's rows. Needs the key that the view declares, too."""
    return await commands.read(ctx, instance, view, page)
