"""HTTP in, one command, HTTP out: operations, and the sessions in which people work on machines."""

from typing import Annotated, Any

from fastapi import Query, Response

from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound
from moorage_core.http import etag
from moorage_core.http.routing import Ctx, Routes
from moorage_core.kit.ids import OperationId, ProjectId
from moorage_core.kit.pagination import Page, PageRead, Paging
from moorage_core.operations import commands, rules
from moorage_core.operations.models import Operation
from moorage_core.operations.schemas import (
    LeaseRenew,
    OperationEnd,
    OperationRead,
    SessionCreate,
    SessionIssued,
    StatusName,
)
from moorage_core.policy import commands as policy

routes = Routes(tag="operations")

OfStatus = Annotated[StatusName | None, Query(description="Only operations in this state.")]


@routes.mutation(
    "POST",
    "/v1/projects/{project}/node-sessions",
    key=Permission.INFRA_SESSION_CREATE,
    status_code=201,
    response_model=SessionIssued,
    answers=(NotFound, policy.PolicyRefused, rules.AllocationNotActive),
    rotate="end the session and open another with a new Idempotency-Key.",
)
async def create_node_session(
    project: ProjectId, new: SessionCreate, ctx: Ctx, response: Response
) -> dict[str, Any]:
    """Open a session to work on machines of the project, for a reason and a time.

    It is an operation. Its token is shown once, and opens exactly these machines until the end.
    """
    operation, token = await commands.open_session(ctx, project, new)
    etag.put(response, operation.version)
    return {**operation.__dict__, "token": token}


@routes.read(
    "/v1/projects/{project}/node-sessions",
    key=Permission.INFRA_SESSION_READ,
    response_model=PageRead[OperationRead],
    answers=(NotFound,),
)
async def list_node_sessions(
    project: ProjectId, ctx: Ctx, page: Paging, status: OfStatus = None
) -> Page[Operation]:
    """The sessions on a project's machines, newest first."""
    return await commands.list_sessions(ctx, project, page, status=status)


@routes.read(
    "/v1/operations",
    key=Permission.APPS_OPERATION_READ,
    response_model=PageRead[OperationRead],
    answers=(NotFound,),
)
async def list_operations(
    ctx: Ctx, page: Paging, project: ProjectId | None = None, status: OfStatus = None
) -> Page[Operation]:
    """The operations that you may see, newest first; of one project, where you name it."""
    return await commands.list_visible(ctx, page, project=project, status=status)


@routes.read(
    "/v1/operations/{operation}",
    key=Permission.APPS_OPERATION_READ,
    response_model=OperationRead,
    answers=(NotFound,),
)
async def get_operation(operation: OperationId, ctx: Ctx, response: Response) -> Operation:
    """One operation: who wants it, why, on which machines, until when, and how it ended."""
    found = await commands.get(ctx, operation)
    etag.put(response, found.version)
    return found


@routes.mutation(
    "POST",
    "/v1/operations/{operation}/renew",
    key=Permission.INFRA_SESSION_CREATE,
    response_model=OperationRead,
    answers=(NotFound, rules.OperationEnded, rules.PlatformsOwn),
)
async def renew_operation(
    operation: OperationId, given: LeaseRenew, ctx: Ctx, response: Response
) -> Operation:
    """Let a session go on for longer. The token stays the same."""
    found = await commands.renew(ctx, operation, lease=given.lease)
    etag.put(response, found.version)
    return found


@routes.mutation(
    "POST",
    "/v1/operations/{operation}/end",
    key=Permission.INFRA_SESSION_END,
    response_model=OperationRead,
    answers=(NotFound, rules.OperationEnded, rules.PlatformsOwn),
)
async def end_operation(
    operation: OperationId, given: OperationEnd, ctx: Ctx, response: Response
) -> Operation:
    """End a session. Its token opens nothing from then on, and its tasks are stopped."""
    found = await commands.end(ctx, operation, given)
    etag.put(response, found.version)
    return found
