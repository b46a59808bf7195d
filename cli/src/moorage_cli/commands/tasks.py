"""`moor tasks`."""

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from moorage.models import TaskCreate
from moorage_cli import durations, machine_output
from moorage_cli.connection import Session
from moorage_cli.durations import Duration
from moorage_cli.failures import Refused
from moorage_cli.output import Record, Rows
from moorage_cli.verbs import Limit, group, verb

app = group("Tasks: things that are done on machines under an operation.")

Id = Annotated[str, typer.Argument(metavar="TASK", help="The task's id.")]
Of = Annotated[str, typer.Argument(metavar="OPERATION", help="The operation's id.")]
COLUMNS = ("id", "key", "kind", "allocation_id", "status", "changed", "error_code")
TEN_MINUTES = "10m"


class Kind(StrEnum):
    EXEC = "exec"
    PUT = "put"
    GET = "get"
    PACKAGES = "packages"
    SERVICE = "service"
    PROBE = "probe"


class Stream(StrEnum):
    STDOUT = "stdout"
    STDERR = "stderr"
    CONTENT = "content"


class Status(StrEnum):
    QUEUED = "queued"
    SENT = "sent"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    UNKNOWN = "unknown"


@verb(app, "list")
async def list_tasks(
    at: Session,
    operation: Of,
    status: Annotated[Status | None, typer.Option(help="Only those in this state.")] = None,
    limit: Limit = None,
) -> Rows:
    """The tasks of an operation."""
    found = at.client.tasks.all(operation, status=status.value if status else None)
    return Rows(found, COLUMNS, limit)


@verb(app, "get")
async def get_task(
    at: Session,
    task: Id,
    wait: Annotated[bool, typer.Option("--wait", help="Until it has ended.")] = False,
) -> Record:
    """One task: what came of it."""
    return Record(await (at.client.tasks.wait(task) if wait else at.client.tasks.get(task)))


@verb(app, "create")
async def create_task(
    at: Session,
    operation: Of,
    kind: Annotated[Kind, typer.Argument(help="What kind of thing.")],
    allocation: Annotated[str, typer.Option(help="The machine, by its allocation's id.")],
    key: Annotated[str, typer.Option(help="Your name for it; the same again is the same task.")],
    input: Annotated[  # noqa: A002 - the option's name
        Path, typer.Option(metavar="FILE", help="What the kind takes, as JSON. -: standard input.")
    ],
    run_as: Annotated[str, typer.Option(help="The account on the machine.")] = "root",
    timeout: Duration = TEN_MINUTES,  # noqa: ASYNC109 - the task's, not this function's
    attempt: Annotated[int, typer.Option(help="Another attempt at the same.")] = 1,
) -> Record:
    """Have a thing done on a machine of your operation. Needs its token in MOOR_TOKEN."""
    task = TaskCreate(
        key=key,
        kind=kind.value,
        allocation=allocation,
        input=_read(input),
        run_as=run_as,
        timeout=durations.seconds(timeout),
        attempt=attempt,
    )
    (made,) = await at.client.tasks.create(operation, [task])
    return Record(made)


@verb(app, "output")
async def show_output(
    at: Session,
    task: Id,
    stream: Annotated[Stream, typer.Option(help="Which stream.")] = Stream.STDOUT,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on until the task ends.")
    ] = False,
) -> None:
    """What a task has printed so far, as it is."""
    writer = machine_output.Writer(sys.stdout.buffer, plain=sys.stdout.isatty())
    offset, ended = 0, False
    while not ended:
        piece = await at.client.tasks.output(
            task, stream=stream.value, offset=offset, wait=30 if follow else 0
        )
        writer.write(piece.content)
        offset, ended = piece.next_offset, piece.ended or not (follow or piece.content)
    writer.close()


@verb(app, "cancel")
async def cancel_task(at: Session, task: Id) -> Record:
    """Stop a task. One that a machine has begun ends when its process tree is gone."""
    return Record(await at.client.tasks.cancel(task))


def _read(file: Path) -> dict[str, Any]:
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
        document: object = json.loads(text)
    except (OSError, ValueError) as err:
        raise Refused(f"{file} cannot be read as JSON: {err}.") from err
    if not isinstance(document, dict):
        raise Refused(f"{file} holds no JSON object.")
    return cast(dict[str, Any], document)
