"""HTTP in, one command, HTTP out: operations, and the sessions in which people work on machines."""

import asyncio
from typing import Annotated, Any

from fastapi import Query, Request, Response

from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.errors import NotFound
from moorage_core.http import authentication, etag, waiting
from moorage_core.http.routing import Ctx, PlatformDep, Routes
from moorage_core.kit.ids import InstanceId, MemberId, OperationId, ProjectId
from moorage_core.kit.pagination import Page, PageRead, Paging
from moorage_core.operations import reading, recovery, reports, rules, sessions, verbs
from moorage_core.operations.models import Operation, Step
from moorage_core.operations.report_shapes import ReportCreate
from moorage_core.operations.schemas import LeaseRenew, OperationEnd, SessionCreate, VerbCreate
from moorage_core.operations.shapes import (
    OperationRead,
    ReportTaken,
    SessionIssued,
    StatusName,
    StepsRead,
)
from moorage_core.policy import commands as policy

routes = Routes(tag="operations")

OfStatus = Annotated[StatusName | None, Query(description="Only operations in this state.")]
VERB_ERRORS = (NotFound, rules.InvalidTransition, recovery.RollsForwardOnly)


# Sessions


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
    operation, token = await sessions.open_session(ctx, project, new)
    etag.put(response, operation.version)
    return {**reading.shown(operation), "token": token}


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
    return await sessions.list_sessions(ctx, project, page, status=status)


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
    found = await sessions.renew(ctx, operation, lease=given.lease)
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
    found = await sessions.end(ctx, operation, given)
    etag.put(response, found.version)
    return found


# Looking


@routes.read(
    "/v1/operations",
    key=Permission.APPS_OPERATION_READ,
    response_model=PageRead[OperationRead],
    answers=(NotFound,),
)
async def list_operations(
    ctx: Ctx,
    page: Paging,
    project: ProjectId | None = None,
    instance: InstanceId | None = None,
    member: MemberId | None = None,
    parent: OperationId | None = None,
    kind: Annotated[str | None, Query(max_length=64)] = None,
    status: OfStatus = None,
) -> Page[Operation]:
    """The operations that you may see, newest first; of one project, where you name it."""
    wanted: dict[str, str | None] = {
        "instance": instance,
        "member": member,
        "parent": parent,
        "kind": kind,
        "status": status,
    }
    return await reading.list_visible(ctx, page, project=project, wanted=wanted)


@routes.read(
    "/v1/operations/{operation}",
    key=Permission.APPS_OPERATION_READ,
    response_model=OperationRead,
    answers=(NotFound,),
    waits=True,
)
async def get_operation(
    operation: OperationId,
    request: Request,
    platform: PlatformDep,
    response: Response,
    wait: Annotated[float, Query(ge=0, le=60, description="Seconds to wait for a change.")] = 0,
    since_version: Annotated[
        int | None,
        Query(ge=0, description="Answer as soon as it is beyond this. Without: when it has ended."),
    ] = None,
) -> Operation:
    """One operation: who wants it, why, how far it is, and what can be done about it.

    With `wait`, answers when it has changed since the version that you know, or has ended.
    """
    principal = request.state.principal
    ends = asyncio.get_running_loop().time() + wait
    with platform.hub.watch([f"op:{operation}"]) as waiter, platform.waiting.seat(principal.id):
        while True:
            async with platform.database.transaction(
                principal.scope, read_only=True, patient=True
            ) as db:
                ctx = Context(principal, db, platform.clock, request.state.trace, platform)
                found = await reading.show(ctx, operation)
            etag.put(response, found.version)
            moved = since_version is not None and found.version > since_version
            left = ends - asyncio.get_running_loop().time()
            if moved or found.ended_at is not None or left <= 0:
                return found
            if not await waiting.sleep(waiter, left, request):
                return found
            # Who was allowed a while ago may not be now.
            principal = await authentication.authenticate(platform, request)


@routes.read(
    "/v1/operations/{operation}/steps",
    key=Permission.APPS_OPERATION_READ,
    response_model=StepsRead,
    answers=(NotFound,),
)
async def list_operation_steps(operation: OperationId, ctx: Ctx) -> dict[str, list[Step]]:
    """What was done, step by step, as the controller wrote it down."""
    return {"items": await reading.list_steps(ctx, operation)}


@routes.read(
    "/v1/operations/{operation}/children",
    key=Permission.APPS_OPERATION_READ,
    response_model=PageRead[OperationRead],
    answers=(NotFound,),
)
async def list_operation_children(
    operation: OperationId, ctx: Ctx, page: Paging, status: OfStatus = None
) -> Page[Operation]:
    """The parts of an operation: one for each member."""
    return await reading.list_children(ctx, operation, page, status=status)


# Doing something about it


@routes.mutation(
    "POST",
    "/v1/operations/{operation}/cancel",
    key=Permission.APPS_OPERATION_CANCEL,
    response_model=OperationRead,
    answers=VERB_ERRORS,
)
async def cancel_operation(
    operation: OperationId, given: VerbCreate, ctx: Ctx, response: Response
) -> Operation:
    """Stop an operation and take back what it did. One that nobody began ends at once."""
    found = await verbs.cancel(ctx, operation, reason=given.reason)
    etag.put(response, found.version)
    return found


@routes.mutation(
    "POST",
    "/v1/operations/{operation}/retry",
    key=Permission.APPS_OPERATION_RETRY,
    response_model=OperationRead,
    answers=VERB_ERRORS,
)
async def retry_operation(
    operation: OperationId, given: VerbCreate, ctx: Ctx, response: Response
) -> Operation:
    """Try a failed operation again. Steps that were done are not done again."""
    found = await verbs.retry(ctx, operation, reason=given.reason)
    etag.put(response, found.version)
    return found


@routes.mutation(
    "POST",
    "/v1/operations/{operation}/resume",
    key=Permission.APPS_OPERATION_RESUME,
    response_model=OperationRead,
    answers=VERB_ERRORS,
)
async def resume_operation(
    operation: OperationId, given: VerbCreate, ctx: Ctx, response: Response
) -> Operation:
    """Let a blocked operation go on, now that a person has looked."""
    found = await verbs.resume(ctx, operation, reason=given.reason)
    etag.put(response, found.version)
    return found


@routes.mutation(
    "POST",
    "/v1/operations/{operation}/abandon",
    key=Permission.APPS_OPERATION_ABANDON,
    response_model=OperationRead,
    answers=VERB_ERRORS,
)
async def abandon_operation(
    operation: OperationId, given: VerbCreate, ctx: Ctx, response: Response
) -> Operation:
    """End an operation without its controller. Nobody knows then what is left on its machines."""
    found = await verbs.abandon(ctx, operation, reason=given.reason)
    etag.put(response, found.version)
    return found


# What a controller says


@routes.machine(
    "POST",
    "/v1/operations/{operation}/report",
    key=Permission.APPS_OPERATION_REPORT,
    response_model=ReportTaken,
    answers=(NotFound, *reports.ERRORS),
)
async def report_operation(
    operation: OperationId, said: ReportCreate, request: Request, platform: PlatformDep
) -> dict[str, Any]:
    """Say what has become of an operation, and keep it. Needs the operation's token."""
    found = await reports.report(platform, request.state.principal, operation, said)
    return {**found.__dict__, "cancel_requested": found.cancel_requested_at is not None}
