"""HTTP in, one command, HTTP out: nodes and enrolments."""

from typing import Any

from fastapi import Response

from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound
from moorage_core.fleet import commands as fleet
from moorage_core.http import etag
from moorage_core.http.etag import ExpectedVersion
from moorage_core.http.routing import Ctx, Routes
from moorage_core.kit.ids import EnrolmentId, NodeId
from moorage_core.kit.pagination import Page, PageRead, Paging
from moorage_core.kit.wire import Slug
from moorage_core.nodes import commands, rules, verbs
from moorage_core.nodes.models import Enrolment
from moorage_core.nodes.schemas import (
    EnrolmentCreate,
    EnrolmentIssued,
    EnrolmentRead,
    NodeAct,
    NodeBatchCreate,
    NodeBatchRead,
    NodeCreate,
    NodeName,
    NodeRead,
    NodeUpdate,
    StatusName,
)

routes = Routes(tag="nodes")
NEW_LINE = "POST /v1/nodes/{node}/enrolments issues a new line; the lost one stops working."
ADD_ERRORS = (rules.NameTaken, rules.AddressMissing, *fleet.PLACE_ERRORS)
VERB_ERRORS = (NotFound, rules.StatusForbids)
FREE_ERRORS = (*VERB_ERRORS, rules.NodeHeld)


@routes.mutation(
    "POST",
    "/v1/nodes",
    key=Permission.INFRA_NODE_ENROL,
    status_code=201,
    response_model=NodeRead,
    answers=ADD_ERRORS,
)
async def create_node(new: NodeCreate, ctx: Ctx) -> commands.Held:
    """Announce a machine. With an agent it is `enrolling` until its host has enrolled."""
    return await commands.create(ctx, new)


@routes.mutation(
    "POST",
    "/v1/node-batches",
    key=Permission.INFRA_NODE_ENROL,
    status_code=201,
    response_model=NodeBatchRead,
    answers=(*ADD_ERRORS, rules.AgentMissing),
    rotate=NEW_LINE,
)
async def create_nodes(new: NodeBatchCreate, ctx: Ctx) -> dict[str, Any]:
    """Announce many machines at once, and get the line of each."""
    return {"items": await commands.create_batch(ctx, new)}


@routes.read("/v1/nodes", key=Permission.INFRA_NODE_READ, response_model=PageRead[NodeRead])
async def list_nodes(
    ctx: Ctx,
    page: Paging,
    region: Slug | None = None,
    sku: Slug | None = None,
    status: StatusName | None = None,
    unreachable: bool | None = None,
    name: NodeName | None = None,
) -> Page[commands.Held]:
    """The platform's machines."""
    wanted = commands.Filter(region, sku, status, unreachable, name)
    return await commands.list_nodes(ctx, wanted, page)


@routes.read(
    "/v1/nodes/{node}",
    key=Permission.INFRA_NODE_READ,
    response_model=NodeRead,
    answers=(NotFound,),
)
async def get_node(node: NodeId, ctx: Ctx, response: Response) -> commands.Held:
    """One machine: its state, what holds it, what it is made of."""
    return _with_etag(response, await commands.get(ctx, node))


@routes.mutation(
    "PATCH",
    "/v1/nodes/{node}",
    key=Permission.INFRA_NODE_OPERATE,
    response_model=NodeRead,
    answers=(NotFound, *etag.ERRORS, rules.NameTaken),
)
async def update_node(
    node: NodeId, change: NodeUpdate, expected: ExpectedVersion, ctx: Ctx, response: Response
) -> commands.Held:
    """Rename, label or cordon a machine, or say where it is reached."""
    return _with_etag(response, await verbs.update(ctx, node, change, expected=expected))


@routes.mutation(
    "POST",
    "/v1/nodes/{node}/maintenance",
    key=Permission.INFRA_NODE_OPERATE,
    response_model=NodeRead,
    answers=FREE_ERRORS,
)
async def maintain_node(node: NodeId, act: NodeAct, ctx: Ctx) -> commands.Held:
    """Take a machine out that nobody holds. `resume` brings it back."""
    return await verbs.maintain(ctx, node, reason=act.reason)


@routes.mutation(
    "POST",
    "/v1/nodes/{node}/quarantine",
    key=Permission.INFRA_NODE_OPERATE,
    response_model=NodeRead,
    answers=VERB_ERRORS,
)
async def quarantine_node(node: NodeId, act: NodeAct, ctx: Ctx) -> commands.Held:
    """Take a machine out that something is wrong with, held or not. It gets no work meanwhile."""
    return await verbs.quarantine(ctx, node, reason=act.reason)


@routes.mutation(
    "POST",
    "/v1/nodes/{node}/resume",
    key=Permission.INFRA_NODE_OPERATE,
    response_model=NodeRead,
    answers=VERB_ERRORS,
)
async def resume_node(node: NodeId, ctx: Ctx) -> commands.Held:
    """Bring a machine back from maintenance or quarantine."""
    return await verbs.resume(ctx, node)


@routes.mutation(
    "POST",
    "/v1/nodes/{node}/reimage",
    key=Permission.INFRA_NODE_OPERATE,
    status_code=202,
    response_model=NodeRead,
    answers=(*FREE_ERRORS, rules.NotForAgents),
)
async def reimage_node(node: NodeId, act: NodeAct, ctx: Ctx) -> commands.Held:
    """Have a machine imaged anew. The provisioner's command does it; without one, you do."""
    return await verbs.reimage(ctx, node, reason=act.reason)


@routes.mutation(
    "POST",
    "/v1/nodes/{node}/retire",
    key=Permission.INFRA_NODE_OPERATE,
    response_model=NodeRead,
    answers=FREE_ERRORS,
)
async def retire_node(node: NodeId, act: NodeAct, ctx: Ctx) -> commands.Held:
    """Take a machine out for good. Its agent stops, its name may be given again."""
    return await verbs.retire(ctx, node, reason=act.reason)


@routes.mutation(
    "POST",
    "/v1/nodes/{node}/enrolments",
    key=Permission.INFRA_NODE_ENROL,
    status_code=201,
    response_model=EnrolmentIssued,
    answers=(NotFound, rules.StatusForbids, rules.NotForAgents, rules.AgentMissing),
    rotate=NEW_LINE,
)
async def issue_enrolment(node: NodeId, new: EnrolmentCreate, ctx: Ctx) -> commands.Issued:
    """The line that makes a host this node. Lines issued before and not used stop working."""
    return await commands.issue_enrolment(ctx, node, new)


@routes.read(
    "/v1/nodes/{node}/enrolments",
    key=Permission.INFRA_NODE_READ,
    response_model=PageRead[EnrolmentRead],
    answers=(NotFound,),
)
async def list_enrolments(node: NodeId, ctx: Ctx, page: Paging) -> Page[Enrolment]:
    """The lines that were issued for a machine, and what became of them."""
    return await commands.list_enrolments(ctx, node, page)


@routes.mutation(
    "DELETE",
    "/v1/enrolments/{enrolment}",
    key=Permission.INFRA_NODE_ENROL,
    status_code=204,
    answers=(NotFound,),
)
async def revoke_enrolment(enrolment: EnrolmentId, ctx: Ctx) -> None:
    """Take a line back. A host that has used it stays."""
    await commands.revoke_enrolment(ctx, enrolment)


def _with_etag(response: Response, held: commands.Held) -> commands.Held:
    etag.put(response, held.node.version)
    return held
