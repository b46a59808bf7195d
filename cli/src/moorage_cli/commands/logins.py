"""`moor logins`."""

from typing import Annotated

import typer

from moorage_cli import names
from moorage_cli.connection import Session
from moorage_cli.failures import Missing
from moorage_cli.names import OrgName
from moorage_cli.output import Record, Rows
from moorage_cli.verbs import Limit, group, verb

app = group("Logins: under which name and number people are known on an org's machines.")


@verb(app, "list")
async def list_logins(at: Session, org: OrgName, limit: Limit = None) -> Rows:
    """The logins of an org."""
    logins = at.client.logins.list(await names.org_id(at.client, org))
    return Rows(logins, ("login", "uid", "user_id", "created_at"), limit)


@verb(app, "create")
async def create_login(
    at: Session,
    org: OrgName,
    user: Annotated[str, typer.Argument(metavar="USER", help="Their id, or e-mail in the org.")],
    login: Annotated[str | None, typer.Option(help="Left out: made from their address.")] = None,
) -> Record:
    """Give somebody their login before their first grant. It is theirs for good."""
    where = await names.org_id(at.client, org)
    return Record(
        await at.client.logins.create(where, user=await _user_id(at, user, where), login=login)
    )


async def _user_id(at: Session, name: str, org: str) -> str:
    if names.is_id(name):
        return name
    async for membership in at.client.memberships.list_in_org(org):
        if membership.email.casefold() == name.casefold():
            return membership.user_id
    async for project in at.client.projects.list(org):
        async for membership in at.client.memberships.list_in_project(project):
            if membership.email.casefold() == name.casefold():
                return membership.user_id
    raise Missing(f"{name} has no role in the org or one of its projects.")
