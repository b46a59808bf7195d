"""`moor tokens`."""

from typing import Annotated

import typer

from moorage_cli import durations, names, shown_once
from moorage_cli.connection import Session
from moorage_cli.durations import Duration
from moorage_cli.names import InOrg, InProject
from moorage_cli.output import Done, Record, Rows
from moorage_cli.shown_once import SecretFile, ShowSecret
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
    expires_in: Duration = durations.WORKING_DAY,
    permission: Annotated[
        list[str] | None, typer.Option(metavar="KEY", help="Only this key; several times for more.")
    ] = None,
    org: InOrg = None,
    project: InProject = None,
    show_secret: ShowSecret = False,
    secret_file: SecretFile = None,
) -> Record:
    """Make a token that can do what you can, or less."""
    with shown_once.place(show_secret, secret_file) as place:
        issued = await at.client.access_tokens.create(
            name=name,
            expires_in=durations.seconds(expires_in),
            permissions=permission or None,
            org=await names.org_id(at.client, org) if org else None,
            project=await names.project_id(at.client, project) if project else None,
        )
        return place.keep(issued, "token")


@verb(app, "revoke")
async def revoke_token(
    at: Session,
    token: Annotated[str, typer.Argument(metavar="TOKEN", help="The token's name or id.")],
) -> Done:
    """Revoke one of your tokens. It stops working at once."""
    found = await names.get_token(at.client, token)
    await at.client.access_tokens.revoke(found)
    return Done(f"The token {found.name} is revoked.", {"id": found.id, "revoked": True})
