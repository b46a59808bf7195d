"""Reading events: by cursor, waiting for the next, or as a stream that never ends."""

import asyncio
from typing import Annotated, Any

from fastapi import Header, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import StringConstraints

from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.errors import Malformed
from moorage_core.events import commands, movements, rules, streaming
from moorage_core.events.models import Event, Wanted
from moorage_core.events.schemas import EventsRead, wire
from moorage_core.http import authentication, waiting
from moorage_core.http.routing import PlatformDep, Routes
from moorage_core.kit.ids import InstanceId, OrgId, ProjectId
from moorage_core.platform import Platform

routes = Routes(tag="events")

Cursor = Annotated[
    str,
    StringConstraints(pattern=r"^([0-9]{1,18}|latest)$"),
    Query(
        description="The `next` of the answer before, or `latest`. Left out: the oldest event kept."
    ),
]
Types = Annotated[
    list[Annotated[str, StringConstraints(max_length=100, pattern=r"^[a-z][a-z0-9_.]*(\.\*)?$")]],
    Query(alias="type", max_length=20, description="Only these types; `iam.*` is a whole family."),
]
Watch = Annotated[
    list[InstanceId],
    Query(max_length=movements.MOST, description="Instances to give hints about as they move."),
]


@routes.read(
    "/v1/events",
    key=Permission.EVENTS_EVENT_READ,
    response_model=EventsRead,
    answers=(rules.CursorExpired,),
    waits=True,
)
async def list_events(
    request: Request,
    platform: PlatformDep,
    after: Cursor | None = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    wait: Annotated[float, Query(ge=0, le=60, description="Seconds to wait for the first.")] = 0,
    org: OrgId | None = None,
    project: ProjectId | None = None,
    types: Types = [],  # noqa: B006 - FastAPI copies it
    instance: Annotated[
        InstanceId | None, Query(description="Only those of this instance, its members and work.")
    ] = None,
    newest_first: Annotated[bool, Query(description="Go back in time from the newest.")] = False,
) -> dict[str, Any]:
    """Events in order, after a cursor. With `wait`, answers as soon as there is one.

    With `newest_first` the order is turned round: `next` leads to what happened earlier, until an
    answer holds nothing. There is nothing to wait for then.
    """
    if newest_first and wait:
        raise Malformed("What happened earlier does not have to be waited for: leave out `wait`.")
    wanted = Wanted(limit, org, project, tuple(types), instance, newest_first)
    principal: Principal = request.state.principal
    found, cursor = await commands.read(platform, principal, wanted, after=_cursor(after))
    if not found and wait:
        with platform.waiting.seat(principal.id):
            found, cursor = await _wait(platform, request, wanted, cursor, seconds=wait)
    source = platform.settings.url
    return {"items": [wire(event, source=source) for event in found], "next": str(cursor)}


async def _wait(
    platform: Platform, request: Request, wanted: Wanted, cursor: int, *, seconds: float
) -> tuple[list[Event], int]:
    """Look whenever something may have come, until something has, or time is up."""
    found: list[Event] = []
    deadline = asyncio.get_running_loop().time() + seconds
    with platform.hub.watch(streaming.topics(request.state.principal)) as waiter:
        while not found:
            # Who was allowed a while ago may not be now.
            principal = await authentication.authenticate(platform, request)
            found, cursor = await commands.read(platform, principal, wanted, after=cursor)
            left = deadline - asyncio.get_running_loop().time()
            if found or left <= 0 or not await waiting.sleep(waiter, left, request):
                break
    return found, cursor


@routes.read(
    "/v1/events/stream",
    key=Permission.EVENTS_EVENT_READ,
    answers=(rules.CursorExpired,),
    waits=True,
    response_class=StreamingResponse,
)
async def stream_events(
    request: Request,
    platform: PlatformDep,
    after: Cursor | None = None,
    org: OrgId | None = None,
    project: ProjectId | None = None,
    types: Types = [],  # noqa: B006 - FastAPI copies it
    last_event_id: Annotated[
        str | None, Header(max_length=40, description="Sent by browsers when they reconnect.")
    ] = None,
    watch: Watch = [],  # noqa: B006 - FastAPI copies it
) -> StreamingResponse:
    """Server-sent events that go on for as long as you listen.

    `Last-Event-ID` replays what you missed. With `watch`, messages called `moved` come in between:
    hints, without an id, that something of an instance is worth another look.
    """
    wanted = Wanted(200, org, project, tuple(types))
    cursor = _cursor(last_event_id or after or "latest")
    stream = streaming.Stream(platform, request, wanted, tuple(dict.fromkeys(watch)))
    await stream.begin(cursor)
    return StreamingResponse(stream.texts(), media_type="text/event-stream")


def _cursor(value: str | None) -> int | None:
    if value is None:
        return None
    if value == "latest":
        return rules.LATEST
    if not (value.isascii() and value.isdigit() and len(value) <= 18):
        raise Malformed("The cursor was not given by this API. Use `next` or an event's id.")
    return int(value)
