"""HTTP in, one command, HTTP out: the protocol with agents. docs/reference/agent-protocol.md."""

from typing import Annotated, Any, Literal

from fastapi import Query, Request
from fastapi.responses import Response, StreamingResponse

from moorage_core.agents import commands
from moorage_core.agents.schemas import (
    AgentEnrol,
    AgentEnrolled,
    AgentEvidence,
    AgentOutcomes,
    AgentOutput,
    AgentPoll,
    AgentPolled,
    AgentProve,
    AgentProved,
    AgentReports,
    AgentTaken,
    kept,
)
from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound, TooLarge
from moorage_core.http.routing import PUBLIC, PlatformDep, Routes
from moorage_core.kit import tokens
from moorage_core.kit.ids import TaskId
from moorage_core.nodes import identity, presence, proofs
from moorage_core.tasks import commands as tasks
from moorage_core.tasks.models import Report

routes = Routes(tag="agent")
CHUNK = 256 * 1024
"""The most bytes of output in one call."""

Offset = Annotated[int, Query(ge=0, le=(1 << 53) - 1, description="Where these bytes begin.")]


@routes.machine(
    "GET",
    "/v1/agent/agent.pyz",
    key=PUBLIC,
    why_public="the pasted line knows its digest",
    response_class=Response,
    answers=(NotFound,),
)
async def get_agent(platform: PlatformDep) -> Response:
    """The agent, as one file for Python."""
    agent = platform.handout.agent
    if agent is None:
        raise NotFound("No agent is installed beside this platform.")
    return Response(agent, media_type="application/octet-stream")


@routes.machine(
    "GET",
    "/v1/agent/ca.pem",
    key=PUBLIC,
    why_public="the pasted line knows its digest, and certificates are no secret",
    response_class=Response,
    answers=(NotFound,),
)
async def get_authorities(platform: PlatformDep) -> Response:
    """The certificates of the platform's own authority, two while it is being changed."""
    found = platform.handout.authorities
    if found is None:
        raise NotFound("This platform has no authority of its own: trust what your host trusts.")
    return Response(found, media_type="application/x-pem-file")


@routes.machine(
    "POST",
    "/v1/agent/enrol",
    key=PUBLIC,
    why_public="proved by the enrolment token and the new key",
    any_text=True,
    claim=proofs.enrolment_claim,
    status_code=201,
    response_model=AgentEnrolled,
    answers=(proofs.EnrolmentRefused, proofs.KeyNotUsable),
)
async def enrol_agent(said: AgentEnrol, request: Request, platform: PlatformDep) -> dict[str, Any]:
    """Become a node, with the token of the pasted line."""
    given = await identity.enrol(
        platform,
        token=said.token,
        public_key=said.public_key.model_dump(),
        assertion=said.assertion,
        said=said.model_dump(
            mode="json", include={"agent_version", "hostname", "machine_id", "boot_id"}
        )
        | {"inventory": kept(said.inventory)[0]},
        trace=request.state.trace,
    )
    return {
        "node_id": given.node,
        "name": given.name,
        "nonce": given.nonce,
        "token": given.token,
        "expires_in": _lifetime(platform),
    }


@routes.machine(
    "POST",
    "/v1/agent/token",
    key=PUBLIC,
    why_public="proved by an assertion that the node's key signed",
    claim=proofs.exchange_claim,
    response_model=AgentProved,
    answers=(proofs.AssertionRefused, proofs.NodeRetired, proofs.IdentityConflict),
)
async def prove_agent(said: AgentProve, request: Request, platform: PlatformDep) -> dict[str, Any]:
    """Exchange an assertion for a token of minutes. The token and the nonce before end."""
    given = await identity.exchange(
        platform, node=said.node_id, assertion=said.assertion, trace=request.state.trace
    )
    return {
        "token": given.token,
        "expires_in": _lifetime(platform),
        "nonce": given.nonce,
        "server_time": platform.clock.now(),
    }


@routes.machine(
    "POST",
    "/v1/agent/poll",
    key=Permission.INFRA_AGENT_REPORT,
    response_model=AgentPolled,
    any_text=True,
)
async def poll_agent(said: AgentPoll, request: Request, platform: PlatformDep) -> dict[str, Any]:
    """Say that you are there and what you hold, and wait for work."""
    bearer = request.headers["authorization"].partition(" ")[2].strip()
    return await commands.poll(
        platform,
        request.state.principal,
        said,
        token_hash=tokens.digest(bearer),
        request=request,
    )


@routes.machine(
    "POST",
    "/v1/agent/reports",
    key=Permission.INFRA_AGENT_REPORT,
    response_model=AgentOutcomes,
    any_text=True,
)
async def report_agent(
    said: AgentReports, request: Request, platform: PlatformDep
) -> dict[str, Any]:
    """Say what became of tasks."""
    node = commands.node_of(request.state.principal)
    reports = [
        Report(
            task=each.task,
            fence=each.fence,
            state=each.state,
            at=each.at,
            changed=each.changed,
            result=each.result,
            error_code=each.error and each.error.code,
            error_message=each.error and each.error.message,
        )
        for each in said.reports
    ]
    return {"results": await tasks.report(platform, node, reports)}


@routes.machine(
    "PUT",
    "/v1/agent/tasks/{task}/output/{stream}",
    key=Permission.INFRA_AGENT_REPORT,
    response_model=AgentOutput,
    answers=(NotFound, *tasks.OUTPUT_ERRORS),
    streams=True,
)
async def put_agent_output(
    task: TaskId,
    stream: Literal["stdout", "stderr", "content"],
    request: Request,
    platform: PlatformDep,
    offset: Offset = 0,
) -> dict[str, int]:
    """Bytes of a task's output, from an offset on."""
    node = commands.node_of(request.state.principal)
    content = await _read(request)
    after = await tasks.append_output(platform, node, task, stream, offset=offset, content=content)
    return {"next_offset": after}


@routes.machine(
    "GET",
    "/v1/agent/tasks/{task}/content",
    key=Permission.INFRA_AGENT_REPORT,
    response_class=StreamingResponse,
    answers=(NotFound, *tasks.CONTENT_ERRORS),
)
async def get_agent_content(
    task: TaskId, request: Request, platform: PlatformDep
) -> StreamingResponse:
    """The bytes of the artifact that a task names."""
    node = commands.node_of(request.state.principal)
    content = await tasks.open_content(platform, node, task)
    return StreamingResponse(
        content.chunks,
        media_type="application/octet-stream",
        headers={"content-length": str(content.size)},
    )


@routes.machine(
    "POST",
    "/v1/agent/evidence",
    key=Permission.INFRA_AGENT_REPORT,
    response_model=AgentTaken,
    any_text=True,
)
async def add_agent_evidence(
    said: AgentEvidence, request: Request, platform: PlatformDep
) -> dict[str, int]:
    """Say what the host saw. It is kept as your word."""
    node = commands.node_of(request.state.principal)
    items = said.model_dump(mode="json")["items"]
    return await presence.add_evidence(platform, node, items)


async def _read(request: Request) -> bytes:
    """The body, which is a piece: larger ones are cut by the sender."""
    content = bytearray()
    async for piece in request.stream():
        content += piece
        if len(content) > CHUNK:
            raise TooLarge(f"Send {CHUNK} bytes of output at a time at most.")
    return bytes(content)


def _lifetime(platform: PlatformDep) -> int:
    return int(platform.settings.machines.node_token_lifetime.total_seconds())
