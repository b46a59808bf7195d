"""`moor events`."""

import itertools
from collections.abc import AsyncIterator
from typing import Annotated

import typer

from moorage.models import CloudEvent
from moorage_cli import names, output
from moorage_cli.choices import Format
from moorage_cli.connection import Session
from moorage_cli.names import InOrg, InProject
from moorage_cli.output import Rows
from moorage_cli.verbs import group, verb

app = group("Events: what happened, in order.")

COLUMNS = ("sequence", "time", "type", "subject", "orgid", "projectid", "correlationid")
SOME = 100

After = Annotated[
    str | None,
    typer.Option(help="Go on after this event's sequence number; `latest` for new ones only."),
]
Types = Annotated[
    list[str] | None,
    typer.Option("--type", help="Only this type, or a family: `iam.*`. Several times for more."),
]
Follow = Annotated[
    bool, typer.Option("--follow", "-f", help="Go on as events happen. Ctrl-C ends.")
]
AtMost = Annotated[int, typer.Option(min=1, help="Show so many at most. Not with --follow.")]


@verb(app, "list", default=True)
async def list_events(
    at: Session,
    after: After = None,
    type: Types = None,
    org: InOrg = None,
    project: InProject = None,
    limit: AtMost = SOME,
    follow: Follow = False,
) -> Rows | None:
    """Events from the oldest kept, or after a cursor; with --follow for as long as you look."""
    within = await names.org_id(at.client, org) if org else None
    inside = await names.project_id(at.client, project) if project else None
    chosen = {"org": within, "project": inside}
    if not follow:
        return Rows(_read(at, after, type or (), limit, **chosen), COLUMNS, limit)
    start = after or "latest"
    async for event in at.client.events.follow(after=start, types=type or (), **chosen):
        _show(event, at.chosen.format)
    return None


async def _read(
    at: Session,
    after: str | None,
    types: "list[str] | tuple[str, ...]",
    limit: int,
    *,
    org: str | None,
    project: str | None,
) -> AsyncIterator[CloudEvent]:
    """Page after page until enough are shown or there are no more."""
    for _ in itertools.count():
        found = await at.client.events.list(
            after=after, limit=min(limit, 1000), org=org, project=project, types=types
        )
        for event in found.items:
            yield event
        if not found.items:
            return
        after = found.next


def _show(event: CloudEvent, format: Format) -> None:
    if format is Format.JSON:
        output.write_json(event.model_dump(mode="json"), indent=None)
    else:
        values = event.model_dump()
        output.write("  ".join(output.cell(values[column]) for column in COLUMNS))
