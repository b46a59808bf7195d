"""`moor views`."""

from typing import Annotated

import typer

from moorage.models import ViewRead, ViewRowRead
from moorage_cli import names, output
from moorage_cli.connection import Session
from moorage_cli.names import InstanceName
from moorage_cli.output import Rows, Table
from moorage_cli.verbs import Limit, group, verb

app = group("Views: what an app publishes for reading.")


@verb(app, "list")
async def list_views(at: Session, instance: InstanceName) -> Rows:
    """The views of an instance, and whether you may read them."""
    where = await names.instance_id(at.client, instance)
    columns = ("name", "title", "readable", "row_count", "observed_at")
    return Rows(at.client.views.list(where), columns)


@verb(app, "get")
async def get_view(
    at: Session,
    instance: InstanceName,
    view: Annotated[str, typer.Argument(metavar="VIEW", help="Its name, such as app.things.")],
    limit: Limit = None,
) -> Table:
    """The rows of a view, with when they were seen."""
    where = await names.instance_id(at.client, instance)
    page = await at.client.views.page(where, view)
    rows, after = [*page.items], page.next
    while after is not None and (limit is None or len(rows) < limit):
        more = await at.client.views.page(where, view, after=after)
        rows, after = [*rows, *more.items], more.next
    shown = ordered(rows, page.view)[:limit]
    return Table(
        [row.data for row in shown],
        [column.name for column in page.view.columns],
        page.model_copy(update={"items": shown, "next": None}).model_dump(mode="json"),
        note=_note(page.view),
    )


def ordered(rows: list[ViewRowRead], view: ViewRead) -> list[ViewRowRead]:
    """By the key, which the platform orders as text: nine comes before ten."""
    types = {column.name: column.type for column in view.columns}
    if types.get(view.key) != "integer" or not all(row.key.isdigit() for row in rows):
        return rows
    return sorted(rows, key=lambda row: int(row.key))


def _note(view: ViewRead) -> str:
    if view.observed_at is None:
        return "The controller has published nothing yet."
    rest = f" It has {view.total} rows; not all are kept." if view.truncated else ""
    return f"Seen at {output.cell(view.observed_at)}.{rest}"
