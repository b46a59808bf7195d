"""`moor actions`."""

from typing import Annotated

import typer

from moorage_cli import intent, names, watching
from moorage_cli.connection import Session
from moorage_cli.names import InstanceName
from moorage_cli.output import Done, Rows
from moorage_cli.verbs import group, verb
from moorage_cli.watching import Detach

app = group("Actions: an app's own verbs, on its instances.")

WAIT = 10.0
"""Seconds that the platform may take to answer with the end: most actions are over by then."""


@verb(app, "list")
async def list_actions(at: Session, instance: InstanceName) -> Rows:
    """The actions of an instance, and whether you may run them."""
    where = await names.instance_id(at.client, instance)
    columns = ("name", "title", "allowed", "component", "description")
    return Rows(at.client.actions.list(where), columns)


@verb(app, "run")
async def run_action(
    at: Session,
    instance: InstanceName,
    action: Annotated[str, typer.Argument(metavar="ACTION", help="Its name in the manifest.")],
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="KEY=VALUE",
            help="One value of the input: JSON where it reads as such, else text; @FILE: the "
            "text of a file.",
        ),
    ] = None,
    input_file: intent.InputFile = None,
    member: Annotated[
        str | None, typer.Option(help="The member that it is about, by name or id.")
    ] = None,
    detach: Detach = False,
) -> Done | None:
    """Run an action and show what came of it."""
    where = await names.instance_id(at.client, instance)
    ids = await names.member_ids(at.client, where, [member] if member else ())
    asked = await at.client.actions.run(
        where,
        action,
        input=intent.configuration(input_file, values or ()),
        member=ids[0] if ids else None,
        wait=0 if detach else WAIT,
    )
    return await watching.finish(at, asked, detach=detach)
