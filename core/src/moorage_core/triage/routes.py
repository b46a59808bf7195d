"""HTTP in, one command, HTTP out: triage."""

from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound
from moorage_core.http.routing import Ctx, Routes
from moorage_core.triage import commands
from moorage_core.triage.commands import Triage
from moorage_core.triage.schemas import CorrelationId, TriageOpen, TriageRead

routes = Routes(tag="triage")


@routes.read(
    "/v1/triage/{correlation}",
    key=Permission.APPS_OPERATION_READ,
    response_model=TriageRead,
    answers=(NotFound,),
)
async def get_triage(correlation: CorrelationId, ctx: Ctx) -> Triage:
    """What came of one request: operations, steps, tasks, events and audit in one timeline.

    Every answer and every error carries the id. Where something failed, the cause stands first, and
    what can be done about it.
    """
    return await commands.read(ctx, correlation)


@routes.mutation(
    "POST",
    "/v1/platform/triage/{correlation}",
    key=Permission.PLATFORM_INSTANCE_READ_TRIAGE,
    response_model=TriageRead,
    answers=(NotFound,),
)
async def open_triage(correlation: CorrelationId, given: TriageOpen, ctx: Ctx) -> Triage:
    """Break-glass: look at what came of a tenant's request. The tenant sees who did, and why."""
    return await commands.open_foreign(ctx, correlation, org=given.org, reason=given.reason)
