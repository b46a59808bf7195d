"""Tasks: one thing that is done on one machine, what it printed, and what came of it."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from moorage import _operations as operations
from moorage._calls import Group, call
from moorage._model import id_of
from moorage._operation import Arguments
from moorage.models import OperationRead, TaskCreate, TaskPageRead, TaskRead, TasksCreate, TasksRead

Stream = Literal["stdout", "stderr", "content"]
Status = Literal[
    "queued", "sent", "running", "succeeded", "failed", "cancelled", "timed_out", "unknown"
]
WAIT_SECONDS = 30.0
MAX_AT_ONCE = 500
"""Tasks that one call takes."""


@dataclass(frozen=True)
class Output:
    """A piece of a task's output."""

    content: bytes = field(repr=False)
    next_offset: int
    """Where the next bytes begin."""
    ended: bool
    """Whether none will come."""


class Tasks(Group):
    """Tasks: things that are done on machines under an operation."""

    async def create(
        self, operation: OperationRead | str, tasks: Sequence[TaskCreate]
    ) -> list[TaskRead]:
        """Have things done on the operation's machines. Needs the operation's token.

        All of a call are taken, or none; more than 500 go in several calls. Asking again with the
        same keys gives you the same tasks.
        """
        made: list[TaskRead] = []
        for at in range(0, len(tasks), MAX_AT_ONCE):
            part = [*tasks[at : at + MAX_AT_ONCE]]
            made += (await self._create(operation, part)).tasks
        return made

    @call(operations.CREATE_TASKS, TasksRead)
    def _create(self, operation: OperationRead | str, tasks: Sequence[TaskCreate]) -> Arguments:
        # A function: by its keys the call can be repeated.
        return Arguments(
            path={"operation": id_of(operation)}, body=lambda: TasksCreate(tasks=[*tasks])
        )

    @call(operations.LIST_OPERATION_TASKS, TaskPageRead)
    def list(
        self,
        operation: OperationRead | str,
        *,
        status: Status | None = None,
        after: str | None = None,
        page_size: int | None = None,
        wait: float = 0,
    ) -> Arguments:
        """A page of an operation's tasks. With `wait`, answers when all have ended, or then."""
        return Arguments(
            path={"operation": id_of(operation)},
            query={"status": status, "after": after, "limit": page_size, "wait": wait or None},
            wait=wait,
        )

    async def all(
        self, operation: OperationRead | str, *, status: Status | None = None
    ) -> AsyncIterator[TaskRead]:
        """Every task of an operation, page by page."""
        after: str | None = None
        while True:
            page = await self.list(operation, status=status, after=after)
            for task in page.items:
                yield task
            if page.next is None:
                return
            after = page.next

    @call(operations.GET_TASK, TaskRead)
    def get(self, task: TaskRead | str, *, wait: float = 0) -> Arguments:
        """One task. With `wait`, answers when it has ended, or after so many seconds."""
        return Arguments(path={"task": id_of(task)}, query={"wait": wait or None}, wait=wait)

    async def wait(self, task: TaskRead | str) -> TaskRead:
        """The task once it has ended, however long that takes. It always ends."""
        while True:
            found = await self.get(task, wait=WAIT_SECONDS)
            if found.ended_at is not None:
                return found

    async def output(
        self,
        task: TaskRead | str,
        *,
        stream: Stream = "stdout",
        offset: int = 0,
        wait: float = 0,
    ) -> Output:
        """Output of a task from `offset` on. With `wait`, answers as soon as there is more."""
        query = {"stream": stream, "offset": offset, "wait": wait or None}
        arguments = Arguments(path={"task": id_of(task)}, query=query, wait=wait)
        answer = await self._send(operations.GET_TASK_OUTPUT, arguments)
        return Output(
            answer.content,
            int(answer.headers["moorage-next-offset"]),
            answer.headers["moorage-ended"] == "true",
        )

    output.__dict__["operation"] = operations.GET_TASK_OUTPUT

    async def follow(
        self, task: TaskRead | str, *, stream: Stream = "stdout"
    ) -> AsyncIterator[bytes]:
        """The output of a task as it comes, to its end."""
        offset = 0
        while True:
            piece = await self.output(task, stream=stream, offset=offset, wait=WAIT_SECONDS)
            if piece.content:
                yield piece.content
            if piece.ended:
                return
            offset = piece.next_offset

    @call(operations.CANCEL_TASK, TaskRead)
    def cancel(self, task: TaskRead | str) -> Arguments:
        """Stop a task. One that a machine has begun ends when its process tree is gone."""
        return Arguments(path={"task": id_of(task)})
