"""`moor users`."""

from typing import Annotated

import typer

from moorage_cli import names, shown_once
from moorage_cli.connection import Session
from moorage_cli.output import Record, Rows
from moorage_cli.shown_once import SecretFile, ShowSecret
from moorage_cli.verbs import Limit, group, verb

app = group("Users: accounts of people. For platform admins.")

User = Annotated[str, typer.Argument(metavar="USER", help="The e-mail or id.")]


@verb(app, "list")
async def list_users(at: Session, limit: Limit = None) -> Rows:
    """All accounts."""
    columns = ("id", "email", "name", "has_password", "disabled", "created_at")
    return Rows(at.client.users.list(), columns, limit)


@verb(app, "create")
async def create_user(
    at: Session,
    email: Annotated[str, typer.Argument(help="The person's e-mail.")],
    name: Annotated[str, typer.Option(help="The person's name.")],
) -> Record:
    """Make an account. `reset-password` gives its owner a code to set a password with."""
    return Record(await at.client.users.create(email=email, name=name))


@verb(app, "get")
async def get_user(at: Session, user: User) -> Record:
    """One account."""
    return Record(await names.get_user(at.client, user))


@verb(app, "rename")
async def rename_user(
    at: Session, user: User, name: Annotated[str, typer.Argument(help="The new name.")]
) -> Record:
    """Give an account another name."""
    found = await names.get_user(at.client, user)
    return Record(await at.client.users.update(found, name=name))


@verb(app, "disable")
async def disable_user(at: Session, user: User) -> Record:
    """Lock somebody out: sessions and tokens stop working within seconds."""
    found = await names.get_user(at.client, user)
    return Record(await at.client.users.update(found, disabled=True))


@verb(app, "enable")
async def enable_user(at: Session, user: User) -> Record:
    """Let somebody in again."""
    found = await names.get_user(at.client, user)
    return Record(await at.client.users.update(found, disabled=False))


@verb(app, "reset-password")
async def reset_password(
    at: Session,
    user: User,
    reason: Annotated[
        str | None,
        typer.Option(
            help="Why, in at least 8 characters. For an account in use; the person's orgs see it."
        ),
    ] = None,
    show_secret: ShowSecret = False,
    secret_file: SecretFile = None,
) -> Record:
    """Issue a one-time code with which the person sets a password: `moor password set`."""
    with shown_once.place(show_secret, secret_file) as place:
        found = await names.get_user(at.client, user)
        issued = await at.client.users.issue_password_code(found, reason=reason)
        return place.keep(issued, "code")
