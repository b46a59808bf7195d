"""`moor roles`."""

from typing import Annotated

import typer

from moorage_cli.connection import Session
from moorage_cli.failures import Missing
from moorage_cli.output import Record, Rows
from moorage_cli.verbs import group, verb

app = group("Roles: named sets of permission keys.")


@verb(app, "list")
async def list_roles(at: Session) -> Rows:
    """The built-in roles."""
    return Rows(at.client.roles.list(), ("role", "levels", "description"))


@verb(app, "get")
async def get_role(at: Session, role: Annotated[str, typer.Argument()]) -> Record:
    """One role with its permission keys."""
    async for found in at.client.roles.list():
        if found.role == role:
            return Record(found)
    raise Missing(f"There is no role {role}. `moor roles list` shows them all.")
