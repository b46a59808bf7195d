"""HTTP in, one command, HTTP out: the protocol with controllers.

docs/reference/controller-protocol.md.
"""

from typing import Any

from fastapi import Request

from moorage_core.authz.permissions import Permission
from moorage_core.controllers import acting, claims, commands, rules
from moorage_core.controllers.models import PersonOnCluster
from moorage_core.controllers.schemas import (
    Claim,
    Claimed,
    Observed,
    ObservedTaken,
    Principals,
    ProbesCreate,
    ProbesTaken,
    RepairRequest,
    RepairTaken,
    Reports,
    ReportsTaken,
    UsageReport,
    UsageTaken,
)
from moorage_core.errors import NotFound
from moorage_core.http.routing import PlatformDep, Routes
from moorage_core.instances import commands as instances
from moorage_core.kit.ids import InstanceId, ReplicaId
from moorage_core.operations.models import Operation
from moorage_core.policy import commands as policy
from moorage_core.tasks.models import Task

routes = Routes(tag="controllers")


@routes.machine(
    "POST",
    "/v1/controller/claims",
    key=Permission.APPS_OPERATION_CLAIM,
    response_model=Claimed,
    answers=(rules.NotAnOperator,),
)
async def claim(said: Claim, request: Request, platform: PlatformDep) -> dict[str, Any]:
    """Say that you listen, and get what there is to do: operations, watches, hints, wishes to stop.

    Answers at once where there is something, and waits otherwise. What an answer that got lost
    said is said again to whoever sends the `after` of the one before.
    """
    return await claims.claim(platform, said, request)


@routes.machine(
    "POST",
    "/v1/controller/reports",
    key=Permission.APPS_OPERATION_CLAIM,
    response_model=ReportsTaken,
)
async def report_many(said: Reports, request: Request, platform: PlatformDep) -> dict[str, Any]:
    """Report on many operations at once. Each is proved by its own grant and answered by itself."""
    state = request.state
    return {"reports": await commands.report(platform, state.principal, said, trace=state.trace)}


@routes.machine(
    "DELETE",
    "/v1/controller/replicas/{replica}",
    key=Permission.APPS_OPERATION_CLAIM,
    status_code=204,
    answers=(NotFound,),
)
async def leave(replica: ReplicaId, request: Request, platform: PlatformDep) -> None:
    """Say that you listen no more. What you hold and watch goes to others at once."""
    await commands.leave(platform, request.state.principal, replica)


@routes.machine(
    "PUT",
    "/v1/instances/{instance}/observed",
    key=Permission.APPS_INSTANCE_OBSERVE,
    response_model=ObservedTaken,
    answers=(NotFound, *acting.ERRORS),
)
async def put_observed(
    instance: InstanceId, said: Observed, request: Request, platform: PlatformDep
) -> dict[str, Any]:
    """Say what you see of an instance: health and conditions. It changes no state.

    Needs the token of a watch or of an operation of the instance.
    """
    state = request.state
    seen = await commands.observe(platform, state.principal, instance, said, trace=state.trace)
    return {"instance_id": seen.id, "health": seen.health, "observed_until": seen.observed_until}


@routes.machine(
    "GET",
    "/v1/instances/{instance}/principals",
    key=Permission.APPS_PRINCIPAL_READ,
    response_model=Principals,
    answers=(NotFound, *acting.ERRORS, rules.ScopeNotAsked),
)
async def list_principals(
    instance: InstanceId, request: Request, platform: PlatformDep
) -> dict[str, list[PersonOnCluster]]:
    """Who may be on the machines of an instance: logins, uids, projects.

    Needs the token of a watch or of an operation of the instance, and the scope `principals.read`.
    """
    state = request.state
    found = await commands.list_principals(platform, state.principal, instance, trace=state.trace)
    return {"items": found}


@routes.machine(
    "POST",
    "/v1/instances/{instance}/probes",
    key=Permission.APPS_PROBE_CREATE,
    response_model=ProbesTaken,
    answers=(NotFound, *acting.ERRORS, rules.ProbeUnknown, rules.ProbeMisplaced),
)
async def create_probes(
    instance: InstanceId, said: ProbesCreate, request: Request, platform: PlatformDep
) -> dict[str, list[Task]]:
    """Run commands on members that look and change nothing, as the manifest declares them.

    Needs the token of a watch. The tasks come in the order of the request; wait for each with
    `GET /v1/tasks/{task}`. One that has not ended yet is not begun again.
    """
    state = request.state
    tasks = await commands.probe(platform, state.principal, instance, said, trace=state.trace)
    return {"tasks": tasks}


@routes.machine(
    "POST",
    "/v1/instances/{instance}/repair-requests",
    key=Permission.APPS_INSTANCE_REQUEST_REPAIR,
    status_code=202,
    response_model=RepairTaken,
    answers=(
        NotFound,
        *acting.ERRORS,
        rules.ScopeNotAsked,
        policy.PolicyRefused,
        *instances.REPAIR_ERRORS,
    ),
)
async def request_repair(
    instance: InstanceId, said: RepairRequest, request: Request, platform: PlatformDep
) -> Operation:
    """Ask for a repair of the instance that you watch, since a watch changes nothing.

    Needs the token of a watch and the scope `instance.repair`. There are so many in an hour and no
    more, and policy can switch it off. Asked again for the same reason, it is the one that has not
    ended.
    """
    state = request.state
    return await commands.request_repair(
        platform, state.principal, instance, said, trace=state.trace
    )


@routes.machine(
    "POST",
    "/v1/usage",
    key=Permission.APPS_USAGE_REPORT,
    response_model=UsageTaken,
    answers=(
        NotFound,
        *acting.ERRORS,
        rules.ScopeNotAsked,
        rules.MeterUnknown,
        rules.UsageInvalid,
    ),
)
async def report_usage(
    said: UsageReport, request: Request, platform: PlatformDep
) -> dict[str, int]:
    """Say what was used, in meters that the manifest declares. A key counts once.

    Needs the token of a watch or of an operation, and the scope `usage.report`.
    """
    state = request.state
    return await commands.report_usage(platform, state.principal, said, trace=state.trace)
