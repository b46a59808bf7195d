"""HTTP in, one command, HTTP out: allocations."""

from typing import Annotated, Any

from fastapi import Query, Response

from moorage_core.allocations import commands, placement, rules, shown
from moorage_core.allocations.models import Held, Status
from moorage_core.allocations.schemas import (
    AllocationRead,
    AllocationRelease,
    AllocationRequest,
    AllocationsPlaced,
    AllocationUpdate,
    EvidencePage,
    ForcedRelease,
    NodeAllocationRequest,
)
from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound
from moorage_core.fleet import commands as fleet
from moorage_core.http import etag
from moorage_core.http.etag import ExpectedVersion
from moorage_core.http.routing import Ctx, Routes
from moorage_core.kit.ids import AllocationId, NodeId, ProjectId
from moorage_core.kit.pagination import PageRead, Paging
from moorage_core.policy import commands as policy

routes = Routes(tag="allocations")
PLACE_ERRORS = (NotFound, policy.PolicyRefused, rules.NameTaken, *fleet.PLACE_ERRORS)


@routes.mutation(
    "POST",
    "/v1/projects/{project}/allocations",
    key=Permission.INFRA_ALLOCATION_CREATE,
    status_code=201,
    response_model=AllocationsPlaced,
    answers=(*PLACE_ERRORS, placement.NoCapacity),
)
async def create_allocations(
    project: ProjectId, new: AllocationRequest, ctx: Ctx
) -> dict[str, Any]:
    """Ask for machines by SKU and region. The platform chooses them; all of them, or none."""
    held, choice = await commands.request(ctx, project, new)
    return shown.placed(held, choice, new.strategy, now=ctx.now)


@routes.mutation(
    "POST",
    "/v1/nodes/{node}/allocations",
    key=Permission.INFRA_NODE_ALLOCATE,
    status_code=201,
    response_model=AllocationsPlaced,
    answers=(*PLACE_ERRORS, placement.NodeNotFree),
)
async def create_node_allocation(
    node: NodeId, new: NodeAllocationRequest, ctx: Ctx
) -> dict[str, Any]:
    """Give a project one named node, within its quotas and overlays. The tenant sees who did."""
    held, choice = await commands.request_node(ctx, node, new)
    return shown.placed(held, choice, "named", now=ctx.now)


@routes.read(
    "/v1/projects/{project}/allocations",
    key=Permission.INFRA_ALLOCATION_READ,
    response_model=PageRead[AllocationRead],
    answers=(NotFound,),
)
async def list_allocations(
    project: ProjectId,
    ctx: Ctx,
    page: Paging,
    status: Annotated[Status | None, Query(description="Only those in this state.")] = None,
    live: Annotated[bool, Query(description="Only those that still hold a node.")] = False,
) -> dict[str, Any]:
    """The machines of a project, those that were given back too."""
    found = await commands.list_in_project(ctx, project, page, status=status, live=live)
    items = [shown.allocation(held, now=ctx.now) for held in found.items]
    return {"items": items, "next": found.next}


@routes.read(
    "/v1/allocations/{allocation}",
    key=Permission.INFRA_ALLOCATION_READ,
    response_model=AllocationRead,
    answers=(NotFound,),
)
async def get_allocation(allocation: AllocationId, ctx: Ctx, response: Response) -> dict[str, Any]:
    """One machine: its state, its host, and what it came to so far."""
    return _read(ctx, response, await commands.get_held(ctx, allocation))


@routes.read(
    "/v1/allocations/{allocation}/evidence",
    key=Permission.INFRA_ALLOCATION_READ,
    response_model=EvidencePage,
    answers=(NotFound,),
)
async def get_allocation_evidence(
    allocation: AllocationId, ctx: Ctx, page: Paging
) -> dict[str, Any]:
    """What the host said: how it was made ready and cleaned, and who came in by SSH."""
    held, found = await commands.list_evidence(ctx, allocation, page)
    return shown.evidence(held, found)


@routes.mutation(
    "PATCH",
    "/v1/allocations/{allocation}",
    key=Permission.INFRA_ALLOCATION_UPDATE,
    response_model=AllocationRead,
    answers=(NotFound, *etag.ERRORS, rules.NameTaken),
)
async def update_allocation(
    allocation: AllocationId,
    change: AllocationUpdate,
    expected: ExpectedVersion,
    ctx: Ctx,
    response: Response,
) -> dict[str, Any]:
    """Rename an allocation, or note something else on it."""
    held = await commands.update(ctx, allocation, change, expected=expected)
    return _read(ctx, response, held)


@routes.mutation(
    "POST",
    "/v1/allocations/{allocation}/release",
    key=Permission.INFRA_ALLOCATION_RELEASE,
    response_model=AllocationRead,
    answers=(NotFound, rules.InvalidTransition, rules.NodeTakenOut, rules.Occupied),
)
async def release_allocation(
    allocation: AllocationId, given: AllocationRelease, ctx: Ctx, response: Response
) -> dict[str, Any]:
    """Give a machine back, or try again where that failed. Whoever works on it is out at once."""
    return _read(ctx, response, await commands.release(ctx, allocation, reason=given.reason))


@routes.mutation(
    "POST",
    "/v1/platform/allocations/{allocation}/release",
    key=Permission.PLATFORM_ALLOCATION_RELEASE,
    response_model=AllocationRead,
    answers=(NotFound, rules.InvalidTransition),
)
async def force_release_allocation(
    allocation: AllocationId, given: ForcedRelease, ctx: Ctx, response: Response
) -> dict[str, Any]:
    """Break-glass: take a machine back without cleaning it. The node is quarantined."""
    held = await commands.force_release(ctx, allocation, reason=given.reason)
    return _read(ctx, response, held)


def _read(ctx: Ctx, response: Response, held: Held) -> dict[str, Any]:
    etag.put(response, held.allocation.version)
    return shown.allocation(held, now=ctx.now)
