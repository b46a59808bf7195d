"""HTTP in, one command, HTTP out: tasks, for those who ask for them and those who look."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeVar

from fastapi import Query, Request, Response

from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.errors import NotFound
from moorage_core.http import authentication, etag, waiting
from moorage_core.http.routing import Ctx, PlatformDep, Routes
from moorage_core.kit.ids import OperationId, TaskId
from moorage_core.kit.pagination import Paging
from moorage_core.operations import commands as operations
from moorage_core.platform import Platform
from moorage_core.tasks import acceptance, commands, rules
from moorage_core.tasks.acceptance import Wish
from moorage_core.tasks.models import Task
from moorage_core.tasks.schemas import (
    StatusName,
    Stream,
    TaskCreate,
    TaskPageRead,
    TaskRead,
    TasksCreate,
    TasksRead,
)

routes = Routes(tag="tasks")
T = TypeVar("T")

Wait = Annotated[float, Query(ge=0, le=60, description="Seconds to wait for the end.")]
AT_ONCE = 1 << 20
"""Bytes of output in one answer."""
NEXT_OFFSET, ENDED = "moorage-next-offset", "moorage-ended"


class Output(Response):
    """Whatever a machine wrote: nothing that a browser should open in the platform's name."""

    media_type = "application/octet-stream"


@routes.machine(
    "POST",
    "/v1/operations/{operation}/tasks",
    key=Permission.APPS_TASK_CREATE,
    response_model=TasksRead,
    answers=(NotFound, *acceptance.ERRORS),
)
async def create_tasks(
    operation: OperationId, new: TasksCreate, request: Request, platform: PlatformDep
) -> dict[str, Any]:
    """Have things done on machines of your operation. Needs the operation's token.

    All are taken, or none. A key that was used before, for the same wish on the same machine,
    gives you the task that it named.
    """
    wishes = [_wish(each, platform) for each in new.tasks]
    state = request.state
    tasks = await commands.create(platform, state.principal, operation, wishes, trace=state.trace)
    return {"tasks": tasks}


@routes.read(
    "/v1/operations/{operation}/tasks",
    key=Permission.APPS_TASK_READ,
    response_model=TaskPageRead,
    answers=(NotFound,),
    waits=True,
)
async def list_operation_tasks(
    operation: OperationId,
    request: Request,
    platform: PlatformDep,
    page: Paging,
    status: Annotated[StatusName | None, Query(description="Only tasks in this state.")] = None,
    wait: Wait = 0,
) -> dict[str, Any]:
    """The tasks of an operation. With `wait`, answers when all have ended, or time is up."""

    async def look(ctx: Context) -> tuple[dict[str, Any], bool]:
        found, left = await commands.list_of_operation(ctx, operation, page, status=status)
        return {"items": found.items, "next": found.next, "open": left}, left == 0

    return await _wait(platform, request, f"op:{operation}", look, seconds=wait)


@routes.read(
    "/v1/tasks/{task}",
    key=Permission.APPS_TASK_READ,
    response_model=TaskRead,
    answers=(NotFound,),
    waits=True,
)
async def get_task(
    task: TaskId, request: Request, platform: PlatformDep, response: Response, wait: Wait = 0
) -> Task:
    """One task. With `wait`, answers when it has ended, or time is up."""

    async def look(ctx: Context) -> tuple[Task, bool]:
        found = await commands.get(ctx, task)
        return found, found.ended_at is not None

    found = await _wait(platform, request, f"task:{task}", look, seconds=wait)
    etag.put(response, found.version)
    return found


@routes.read(
    "/v1/tasks/{task}/output",
    key=Permission.APPS_TASK_READ,
    answers=(NotFound,),
    waits=True,
    response_class=Output,
)
async def get_task_output(
    task: TaskId,
    request: Request,
    platform: PlatformDep,
    stream: Annotated[Stream, Query()] = "stdout",
    offset: Annotated[int, Query(ge=0, le=1 << 40, description="The first byte wanted.")] = 0,
    wait: Annotated[float, Query(ge=0, le=60, description="Seconds to wait for a byte.")] = 0,
) -> Output:
    """Output of a task, as far as it has come. With `wait`, answers as soon as there is more.

    `Moorage-Next-Offset` says where the next bytes begin, `Moorage-Ended` whether none will come.
    """

    async def look(ctx: Context) -> tuple[tuple[Task, bytes], bool]:
        found, content = await commands.read_output(ctx, task, stream, offset=offset, limit=AT_ONCE)
        return (found, content), bool(content) or found.ended_at is not None

    found, content = await _wait(platform, request, f"task:{task}", look, seconds=wait)
    complete = found.ended_at is not None and len(content) < AT_ONCE
    headers = {
        NEXT_OFFSET: str(offset + len(content)),
        ENDED: "true" if complete else "false",
        "content-disposition": "attachment",
    }
    return Output(content, headers=headers)


@routes.mutation(
    "POST",
    "/v1/tasks/{task}/cancel",
    key=Permission.APPS_TASK_CANCEL,
    response_model=TaskRead,
    answers=(NotFound, rules.TaskEnded, operations.PlatformsOwn),
)
async def cancel_task(task: TaskId, ctx: Ctx, response: Response) -> Task:
    """Stop a task. One that a machine has begun ends when its whole process tree is gone."""
    found = await commands.cancel(ctx, task)
    etag.put(response, found.version)
    return found


def _wish(new: TaskCreate, platform: Platform) -> Wish:
    given = new.model_dump()
    if new.output_limit is None:
        given["output_limit"] = platform.settings.machines.output_limit
    return Wish(**given)


async def _wait(
    platform: Platform,
    request: Request,
    topic: str,
    look: Callable[[Context], Awaitable[tuple[T, bool]]],
    *,
    seconds: float,
) -> T:
    """Look until there is what was waited for, or time is up. Nothing is held in between."""
    principal = request.state.principal
    deadline = asyncio.get_running_loop().time() + seconds
    with platform.hub.watch([topic]) as waiter, platform.waiting.seat(principal.id):
        while True:
            async with platform.database.transaction(
                principal.scope, read_only=True, patient=True
            ) as db:
                ctx = Context(principal, db, platform.clock, request.state.trace, platform)
                found, enough = await look(ctx)
            left = deadline - asyncio.get_running_loop().time()
            if enough or left <= 0 or not await waiting.sleep(waiter, left, request):
                return found
            # Who was allowed a while ago may not be now.
            principal = await authentication.authenticate(platform, request)
