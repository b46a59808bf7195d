"""`moor node-sessions`."""

from enum import StrEnum
from typing import Annotated

import typer

from moorage_cli import durations, names, shown_once
from moorage_cli.connection import Session
from moorage_cli.durations import HOUR, Duration
from moorage_cli.names import ProjectName
from moorage_cli.output import Record, Rows
from moorage_cli.shown_once import SecretFile, ShowSecret
from moorage_cli.verbs import Limit, group, verb

app = group("Sessions on machines: an admin's work, for a reason and a time.")

COLUMNS = ("id", "status", "reason", "requested_by_name", "allocations", "lease_expires_at")


class Status(StrEnum):
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


OfStatus = Annotated[Status | None, typer.Option("--status", help="Only those in this state.")]


@verb(app, "create")
async def create_session(
    at: Session,
    project: ProjectName,
    allocations: Annotated[
        list[str], typer.Argument(metavar="ALLOCATION...", help="The machines, by id or name.")
    ],
    reason: Annotated[
        str, typer.Option(help="Why, in at least 8 characters: it stands in the audit log.")
    ],
    lease: Duration = HOUR,
    show_secret: ShowSecret = False,
    secret_file: SecretFile = None,
) -> Record:
    """Open a session on machines of a project. Its token is shown once.

    With the token in MOOR_TOKEN, `moor tasks` works on exactly these machines until the end.
    """
    ids = [await names.allocation_id(at.client, each, project=project) for each in allocations]
    where = await names.project_id(at.client, project)
    with shown_once.place(show_secret, secret_file) as place:
        opened = await at.client.node_sessions.create(
            where, allocations=ids, reason=reason, lease=durations.seconds(lease)
        )
        return place.keep(opened, "token")


@verb(app, "list")
async def list_sessions(
    at: Session, project: ProjectName, status: OfStatus = None, limit: Limit = None
) -> Rows:
    """The sessions on a project's machines, newest first."""
    where = await names.project_id(at.client, project)
    sessions = at.client.node_sessions.list(where, status=status.value if status else None)
    return Rows(sessions, COLUMNS, limit)
