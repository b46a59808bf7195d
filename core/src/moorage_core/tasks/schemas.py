"""Wire shapes of tasks."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from moorage_core.kit.ids import AllocationId, OperationId, OrgId, ProjectId, TaskId
from moorage_core.kit.wire import WHOLE, Input, Moment, Output

Kind = Literal["exec", "put", "get", "packages", "service", "access-sync", "probe", "wipe"]
Stream = Literal["stdout", "stderr", "content"]
StatusName = Literal[
    "queued", "sent", "running", "succeeded", "failed", "cancelled", "timed_out", "unknown"
]
Key = Annotated[str, StringConstraints(max_length=200, pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/-]*$")]


class TaskCreate(Input):
    """One thing to do on one machine."""

    key: Key
    """Your name for it, `step/name`: asking again with the same gives you the same task."""
    kind: Kind
    allocation: AllocationId
    """One of the operation's machines."""
    input: dict[str, Any]
    """What the kind takes; docs/reference/agent-protocol.md has the list."""
    run_as: Annotated[str, StringConstraints(pattern=r"^[a-z_][a-z0-9_-]{0,31}$")] = "root"
    """The account on the machine, for `exec`."""
    timeout: Annotated[int, Field(ge=1, le=86_400), WHOLE] = 600
    """Seconds that it may take on the machine."""
    output_limit: Annotated[int, Field(ge=0, le=1 << 26), WHOLE] | None = None
    """Bytes of each output stream that are kept. Left out: as the platform is set, 1 MiB."""
    attempt: Annotated[int, Field(ge=1, le=10_000), WHOLE] = 1
    """Another attempt at the same, once the one before has ended."""
    repeatable: bool = False
    """Whether it may be done again where nobody knows how it ended."""


class TasksCreate(Input):
    """All are taken, or none."""

    tasks: Annotated[list[TaskCreate], Field(min_length=1, max_length=500)]


class TaskRead(Output):
    id: TaskId
    org_id: OrgId
    project_id: ProjectId
    operation_id: OperationId
    allocation_id: AllocationId
    node_name: str | None
    """What the machine is called."""
    kind: Kind
    key: str
    attempt: int
    fence: int
    run_as: str
    timeout_seconds: int
    output_limit: int
    repeatable: bool
    status: StatusName
    cancel_requested_at: Moment | None
    sent_at: Moment | None
    started_at: Moment | None
    ended_at: Moment | None
    changed: bool | None
    """Whether it changed anything, for kinds that make sure of something."""
    result: dict[str, Any] | None
    error_code: str | None
    error_message: str | None
    stdout_bytes: int
    stderr_bytes: int
    content_bytes: int
    late: dict[str, Any] | None
    """What the machine said of it after it was given up."""
    correlation_id: str
    version: int
    created_at: Moment


class TasksRead(Output):
    tasks: list[TaskRead]


class TaskPageRead(Output):
    """One page of an operation's tasks. Ask again with `after` = `next` until `next` is null."""

    items: list[TaskRead]
    next: str | None
    open: int
    """How many tasks of the operation, on all pages, have not ended."""
