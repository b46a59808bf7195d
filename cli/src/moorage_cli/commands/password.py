"""`moor password`."""

from typing import Annotated

import typer

from moorage import Client
from moorage_cli import connection, shown_once
from moorage_cli.connection import AGENT, Chosen, Session
from moorage_cli.output import Done
from moorage_cli.verbs import group, local, verb

app = group("Your password.")

Stdin = Annotated[bool, typer.Option("--stdin", help="Read both from standard input, a line each.")]


@local(app, "set")
async def set_password(
    chosen: Chosen,
    url: Annotated[str | None, typer.Option(help="The platform's address.")] = None,
    stdin: Stdin = False,
) -> Done:
    """Set a password with a one-time code from a platform admin. Ends your sessions and tokens."""
    code = shown_once.read_line("Code", from_stdin=stdin, flag="--stdin")
    password = shown_once.read_line("New password", from_stdin=stdin, flag="--stdin")
    if url is None:
        client = connection.connect(chosen, anonymous=True)
    else:
        client = Client(url, ca=chosen.environment.ca, agent=AGENT)
    async with client:
        await client.signing_in.set_password(code=code, password=password)
    return Done("The password is set. `moor login` takes it.", {"set": True})


@verb(app, "change")
async def change_password(at: Session, stdin: Stdin = False) -> Done:
    """Change your password. Your other sessions and tokens end."""
    current = shown_once.read_line("Current password", from_stdin=stdin, flag="--stdin")
    password = shown_once.read_line("New password", from_stdin=stdin, flag="--stdin")
    await at.client.me.change_password(current=current, password=password)
    return Done("The password is changed.", {"changed": True})
