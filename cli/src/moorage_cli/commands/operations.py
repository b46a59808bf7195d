"""`moor operations`."""

import sys
from enum import StrEnum
from typing import Annotated

import typer

from moorage.resources.operations import Status
from moorage_cli import consent, durations, names, watching
from moorage_cli.connection import Session
from moorage_cli.durations import HOUR, Duration
from moorage_cli.failures import Refused
from moorage_cli.names import InProject
from moorage_cli.output import Done, Record, Rows
from moorage_cli.verbs import Limit, Yes, group, verb
from moorage_cli.watching import Detach

app = group("Operations: wishes to change something, and how they end.")

Id = Annotated[str, typer.Argument(metavar="OPERATION", help="The operation's id.")]
OfStatus = Annotated[Status | None, typer.Option("--status", help="Only those in this state.")]
Why = Annotated[
    str, typer.Option("--reason", help="Why, in at least 8 characters: it stands in the audit log.")
]
COLUMNS = ("id", "kind", "status", "phase", "attempt", "requested_by_name", "message", "created_at")
DAY = "1d"


class Outcome(StrEnum):
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class Purpose(StrEnum):
    ARTIFACT_PULL = "artifact_pull"
    CLUSTER_KEY = "cluster_key"
    JOIN = "join"
    DATABASE = "database"


@verb(app, "list")
async def list_operations(
    at: Session,
    project: InProject = None,
    instance: Annotated[
        str | None, typer.Option(help="Only those of this instance: id or ORG/PROJECT/NAME.")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="Only this kind, such as member.add.")] = None,
    status: OfStatus = None,
    limit: Limit = None,
) -> Rows:
    """The operations that you may see, newest first."""
    found = at.client.operations.list(
        project=None if project is None else await names.project_id(at.client, project),
        instance=None if instance is None else await names.instance_id(at.client, instance),
        kind=kind,
        status=status,
    )
    return Rows(found, COLUMNS, limit)


@verb(app, "get")
async def get_operation(at: Session, operation: Id) -> Record:
    """One operation: who wants it, why, on which machines, and how it ended."""
    return Record(await at.client.operations.get(operation))


@verb(app, "watch")
async def watch_operation(at: Session, operation: Id) -> Done | None:
    """Show an operation's steps as they happen, until it has ended or needs somebody.

    Ctrl-C stops the showing and not the work. The exit code is 0 only where it succeeded.
    """
    return await watching.follow(at, operation)


@verb(app, "steps")
async def list_steps(at: Session, operation: Id, limit: Limit = None) -> Rows:
    """What an operation has done so far, in order."""
    columns = ("phase", "number", "name", "status", "attempt", "message", "started_at")
    return Rows(at.client.operations.steps(operation), columns, limit)


@verb(app, "children")
async def list_children(
    at: Session, operation: Id, status: OfStatus = None, limit: Limit = None
) -> Rows:
    """The operations below one: a part for each member."""
    columns = ("id", "kind", "member_id", "status", "attempt", "message")
    return Rows(at.client.operations.children(operation, status=status), columns, limit)


@verb(app, "cancel")
async def cancel_operation(
    at: Session, operation: Id, reason: Why, yes: Yes = False, detach: Detach = False
) -> Done | None:
    """Have an operation stop, and take back what it did."""
    consent.ask(f"Cancel {operation}? What it did is taken back.", yes=yes)
    asked = await at.client.operations.cancel(operation, reason=reason)
    return await watching.finish(at, asked, detach=detach)


@verb(app, "retry")
async def retry_operation(
    at: Session, operation: Id, reason: Why, detach: Detach = False
) -> Done | None:
    """Try an operation again, from the first step that is not done."""
    asked = await at.client.operations.retry(operation, reason=reason)
    return await watching.finish(at, asked, detach=detach)


@verb(app, "resume")
async def resume_operation(
    at: Session, operation: Id, reason: Why, detach: Detach = False
) -> Done | None:
    """Let a blocked operation go on, once what blocked it is mended."""
    asked = await at.client.operations.resume(operation, reason=reason)
    return await watching.finish(at, asked, detach=detach)


@verb(app, "abandon")
async def abandon_operation(at: Session, operation: Id, reason: Why, yes: Yes = False) -> Record:
    """End an operation without the app. What is left on machines is unknown."""
    question = f"Abandon {operation}? Nobody knows then what is left, and its machine is dirty."
    consent.ask(question, yes=yes)
    return Record(await at.client.operations.abandon(operation, reason=reason))


@verb(app, "renew")
async def renew_operation(at: Session, operation: Id, lease: Duration = HOUR) -> Record:
    """Let a session go on for longer. Its token stays the same."""
    renewed = at.client.operations.renew(operation, lease=durations.seconds(lease))
    return Record(await renewed)


@verb(app, "end")
async def end_operation(
    at: Session,
    operation: Id,
    outcome: Annotated[Outcome, typer.Option(help="What came of it.")] = Outcome.SUCCEEDED,
    message: Annotated[str | None, typer.Option(help="The same in a sentence.")] = None,
) -> Record:
    """End a session. Its token opens nothing from then on, and its tasks are stopped."""
    ended = at.client.operations.end(operation, outcome=outcome.value, message=message)
    return Record(await ended)


@verb(app, "put-secret")
async def put_secret(
    at: Session,
    operation: Id,
    name: Annotated[str, typer.Argument(help="What tasks call it.")],
    purpose: Annotated[Purpose, typer.Option(help="What it is for.")],
    generate: Annotated[
        int | None, typer.Option(metavar="BYTES", help="Make one of so many random bytes.")
    ] = None,
    value_stdin: Annotated[
        bool, typer.Option("--value-stdin", help="Read the value from standard input.")
    ] = False,
    lasts: Duration = DAY,
) -> Record:
    """Put a secret into custody for the tasks of your operation. Nobody can read it back.

    Needs the operation's token in MOOR_TOKEN.
    """
    if value_stdin == (generate is not None):
        raise Refused("Say where the value comes from: --value-stdin or --generate.")
    stored = at.client.operations.put_secret(
        operation,
        name=name,
        purpose=purpose.value,
        value=sys.stdin.read() if value_stdin else None,
        generate=generate,
        expires_in=durations.seconds(lasts),
    )
    return Record(await stored)
