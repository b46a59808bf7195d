"""HTTP in, one command, HTTP out: credentials to pull, and the bytes."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import Header, Request
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from moorage_core.artifacts import commands as artifacts
from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound
from moorage_core.http import waiting
from moorage_core.http.routing import Ctx, PlatformDep, Routes
from moorage_core.kit.ids import ProjectId, PullId
from moorage_core.policy import commands as policy
from moorage_core.pulls import commands, rules
from moorage_core.pulls.schemas import PullCreate, PullIssued

routes = Routes(tag="pulls")


class Download(StreamingResponse):
    """Closes what it gives out, whoever ended it and however early."""

    def __init__(self, chunks: AsyncGenerator[bytes], **options: Any) -> None:
        super().__init__(chunks, **options)
        self._chunks = chunks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with aclosing(self._chunks):
            await super().__call__(scope, receive, send)


Standard = Annotated[str | None, Header(include_in_schema=False, max_length=200)]
"""A header that HTTP itself describes."""


@routes.mutation(
    "POST",
    "/v1/projects/{project}/pulls",
    key=Permission.CATALOG_ARTIFACT_PULL,
    status_code=201,
    response_model=PullIssued,
    answers=(NotFound, policy.PolicyRefused, rules.VersionTwice),
    rotate="ask for another with a new Idempotency-Key; this one expires within minutes.",
)
async def create_pull(project: ProjectId, new: PullCreate, ctx: Ctx) -> dict[str, Any]:
    """Ask for a credential to pull one artifact of a version, where policy allows it.

    It is good for minutes, for you alone, and for this artifact alone.
    """
    return await commands.issue(ctx, project, new)


@routes.machine(
    "GET",
    "/v1/pulls/{pull}/content",
    key=Permission.CATALOG_ARTIFACT_PULL,
    answers=(
        NotFound,
        policy.PolicyRefused,
        rules.SecretWrong,
        rules.PullExpired,
        rules.RangeNotSatisfiable,
        *artifacts.CONTENT_ERRORS,
    ),
    response_class=StreamingResponse,
)
async def get_pull_content(
    pull: PullId,
    request: Request,
    platform: PlatformDep,
    moorage_pull: Annotated[
        str | None, Header(max_length=200, description="The pull's secret. Required.")
    ] = None,
    wanted: Annotated[
        str | None, Header(alias="range", include_in_schema=False, max_length=200)
    ] = None,
    if_range: Standard = None,
) -> StreamingResponse:
    """The bytes of the artifact, or those that `Range` names.

    Trust, entitlement, policy and source are judged again at each request. Compare the bytes with
    the digest, which is the `ETag` too, before you use them.
    """
    opening = commands.open_content(
        platform,
        request.state.principal,
        pull,
        secret=moorage_pull,
        wanted=wanted,
        if_range=if_range,
        trace=request.state.trace,
    )
    opened = await waiting.unless_gone(opening, request)
    headers = {
        "accept-ranges": "bytes",
        "content-disposition": "attachment",
        "etag": commands.etag_of(opened.artifact),
        **opened.span.headers,
    }
    return Download(
        opened.chunks,
        status_code=206 if opened.span.is_part else 200,
        headers=headers,
        # Whatever it is called: nothing that a browser should open in the platform's name.
        media_type="application/octet-stream",
    )
