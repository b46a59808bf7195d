"""HTTP in, one command, HTTP out: actions."""

import asyncio
import json
import re
from typing import Annotated, Any

from fastapi import Header, Request, Response
from fastapi.responses import JSONResponse

from moorage_core.actions import commands, rules
from moorage_core.actions.schemas import ActionList, ActionName, ActionRun
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.context import Context
from moorage_core.entitlements import app_keys
from moorage_core.errors import ApiError, NotFound
from moorage_core.http import authentication, etag, waiting
from moorage_core.http.idempotency import REPLAYED
from moorage_core.http.routing import Ctx, Routes
from moorage_core.kit.ids import InstanceId
from moorage_core.operations import reading
from moorage_core.operations.models import Operation
from moorage_core.operations.shapes import OperationRead
from moorage_core.platform import Platform
from moorage_core.policy import commands as policy

routes = Routes(tag="actions")

LONGEST_WAIT = 60
WAIT = re.compile(r"(?:^|[,;\s])wait=(\d{1,4})(?:$|[,;\s])")


@routes.read(
    "/v1/instances/{instance}/actions",
    key=Permission.APPS_INSTANCE_READ,
    response_model=ActionList,
    answers=(NotFound,),
)
async def list_actions(instance: InstanceId, ctx: Ctx) -> dict[str, Any]:
    """The actions that the instance's version declares."""
    return {"items": await commands.list_of_instance(ctx, instance)}


async def _wait(
    platform: Platform, principal: Principal, request: Request, response: Response
) -> Response:
    """Whoever prefers to wait gets the action at its end, if that comes in time.

    The action is asked for by now: whatever keeps the caller from waiting does not unsay that.
    """
    try:
        return await _end(platform, principal, request, response)
    except ApiError:
        return response


async def _end(
    platform: Platform, principal: Principal, request: Request, response: Response
) -> Response:
    preferred = WAIT.search(request.headers.get("prefer", ""))
    if preferred is None or response.status_code != 202:
        return response
    id = json.loads(bytes(response.body))["id"]
    seconds = min(int(preferred[1]), LONGEST_WAIT)
    deadline = asyncio.get_running_loop().time() + seconds
    with platform.hub.watch([f"op:{id}"]) as waiter, platform.waiting.seat(principal.id):
        while True:
            async with platform.database.transaction(
                principal.scope, read_only=True, patient=True
            ) as db:
                ctx = Context(principal, db, platform.clock, request.state.trace, platform)
                found = await reading.find(ctx, id)
            if found is not None and found.ended_at is not None:
                return _ended(found, response)
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0 or not await waiting.sleep(waiter, left, request):
                return response
            principal = await authentication.authenticate(platform, request)


def _ended(operation: Operation, response: Response) -> Response:
    body = OperationRead.model_validate(operation).model_dump(mode="json")
    headers = {"preference-applied": "wait"}
    if REPLAYED in response.headers:
        headers[REPLAYED] = response.headers[REPLAYED]
    ended = JSONResponse(body, 200, headers=headers)
    etag.put(ended, operation.version)
    return ended


@routes.mutation(
    "POST",
    "/v1/instances/{instance}/actions/{action}",
    key=Permission.APPS_INSTANCE_READ,
    status_code=202,
    response_model=OperationRead,
    responses={200: {"model": OperationRead, "description": "It has ended; see `status`."}},
    after=_wait,
    answers=(
        NotFound,
        rules.ActionUnknown,
        rules.ActionInputInvalid,
        rules.ActionNeedsMember,
        rules.InstanceNotRunning,
        app_keys.EntitlementMissing,
        policy.PolicyRefused,
    ),
)
async def run_action(
    instance: InstanceId,
    action: ActionName,
    given: ActionRun,
    ctx: Ctx,
    response: Response,
    prefer: Annotated[
        str | None, Header(description="`wait=10` answers at the end, if that comes in time.")
    ] = None,
) -> Operation:
    """Have an app do something that it declares. Needs the key that the action declares, too.

    It is an operation. With `Prefer: wait=10` you get it at its end, with 200, if it ends in so
    many seconds; with 202 otherwise.
    """
    operation = await commands.run(ctx, instance, action, given)
    etag.put(response, operation.version)
    return operation
