"""`moor tokens`."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Annotated

import typer

from moorage import Client, Password
from moorage_cli import connection, durations, names, shown_once
from moorage_cli.connection import Session
from moorage_cli.durations import Duration
from moorage_cli.names import InOrg, InProject
from moorage_cli.output import Done, Record, Rows
from moorage_cli.shown_once import PasswordStdin, SecretFile, ShowSecret
from moorage_cli.verbs import Limit, group, verb

app = group("Tokens: your personal access tokens.")


@verb(app, "list")
async def list_tokens(at: Session, limit: Limit = None) -> Rows:
    """Your tokens, without their secrets."""
    columns = ("id", "name", "org_id", "project_id", "expires_at", "revoked_at")
    return Rows(at.client.access_tokens.list(), columns, limit)


@verb(app, "create")
async def create_token(
    at: Session,
    name: Annotated[str, typer.Argument(help="What it is for.")],
    expires_in: Duration = durations.HOUR,
    permission: Annotated[
        list[str] | None, typer.Option(metavar="KEY", help="Only this key; several times for more.")
    ] = None,
    org: InOrg = None,
    project: InProject = None,
    email: Annotated[
        str | None,
        typer.Option(help="Sign in with this account's password for it: it may live longer then."),
    ] = None,
    password_stdin: PasswordStdin = False,
    show_secret: ShowSecret = False,
    secret_file: SecretFile = None,
) -> Record:
    """Make a token that can do what you can, or less.

    Made with a token, as `moor login` keeps one, it ends with that token at the latest.
    """
    with shown_once.place(show_secret, secret_file) as place:
        async with _client(at, email, from_stdin=password_stdin) as client:
            issued = await client.access_tokens.create(
                name=name,
                expires_in=durations.seconds(expires_in),
                permissions=permission or None,
                org=await names.org_id(client, org) if org else None,
                project=await names.project_id(client, project) if project else None,
            )
        return place.keep(issued, "token")


@asynccontextmanager
async def _client(at: Session, email: str | None, *, from_stdin: bool) -> AsyncGenerator[Client]:
    """The command's own client; with an e-mail, one that signs in for this alone."""
    if email is None:
        yield at.client
        return
    password = shown_once.read_line("Password", from_stdin=from_stdin, flag="--password-stdin")
    async with connection.connect(at.chosen, auth=Password(email, password)) as client:
        yield client


@verb(app, "revoke")
async def revoke_token(
    at: Session,
    token: Annotated[str, typer.Argument(metavar="TOKEN", help="The token's name or id.")],
) -> Done:
    """Revoke one of your tokens. It stops working at once."""
    found = await names.get_token(at.client, token)
    await at.client.access_tokens.revoke(found)
    return Done(f"The token {found.name} is revoked.", {"id": found.id, "revoked": True})
