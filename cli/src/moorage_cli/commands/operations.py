"""`moor operations`."""

import sys
from enum import StrEnum
from typing import Annotated

import typer

from moorage_cli import durations, names
from moorage_cli.commands.node_sessions import COLUMNS, OfStatus
from moorage_cli.connection import Session
from moorage_cli.durations import HOUR, Duration
from moorage_cli.failures import Refused
from moorage_cli.names import InProject
from moorage_cli.output import Record, Rows
from moorage_cli.verbs import Limit, group, verb

app = group("Operations: wishes to change something, and how they end.")

Id = Annotated[str, typer.Argument(metavar="OPERATION", help="The operation's id.")]
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
    at: Session, project: InProject = None, status: OfStatus = None, limit: Limit = None
) -> Rows:
    """The operations that you may see, newest first."""
    where = None if project is None else await names.project_id(at.client, project)
    found = at.client.operations.list(project=where, status=status.value if status else None)
    return Rows(found, COLUMNS, limit)


@verb(app, "get")
async def get_operation(at: Session, operation: Id) -> Record:
    """One operation: who wants it, why, on which machines, and how it ended."""
    return Record(await at.client.operations.get(operation))


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
