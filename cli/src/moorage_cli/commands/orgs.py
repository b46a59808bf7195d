"""`moor orgs`."""

from typing import Annotated

import typer

from moorage_cli import consent, names
from moorage_cli.connection import Session
from moorage_cli.names import OrgName
from moorage_cli.output import Done, Record, Rows
from moorage_cli.verbs import Limit, Yes, group, verb

app = group("Orgs: the tenants of the platform.")


@verb(app, "list")
async def list_orgs(at: Session, limit: Limit = None) -> Rows:
    """The orgs you belong to; for platform admins, all orgs."""
    return Rows(at.client.orgs.list(), ("id", "slug", "name", "created_at"), limit)


@verb(app, "create")
async def create_org(
    at: Session,
    slug: Annotated[str, typer.Argument(help="What people type: letters, digits, dashes.")],
    name: Annotated[str, typer.Option(help="What people read.")],
    admin: Annotated[str, typer.Option(help="E-mail of the first tenant admin.")],
) -> Record:
    """Create an org and name its first tenant admin."""
    return Record(await at.client.orgs.create(slug=slug, name=name, admin_email=admin))


@verb(app, "get")
async def get_org(at: Session, org: OrgName) -> Record:
    """One org."""
    return Record(await names.get_org(at.client, org))


@verb(app, "rename")
async def rename_org(
    at: Session, org: OrgName, name: Annotated[str, typer.Argument(help="The new name.")]
) -> Record:
    """Give an org another name. Its slug stays."""
    found = await names.get_org(at.client, org)
    return Record(await at.client.orgs.update(found, name=name))


@verb(app, "delete")
async def delete_org(at: Session, org: OrgName, yes: Yes = False) -> Done:
    """Delete an org that holds no project."""
    found = await names.get_org(at.client, org)
    consent.ask(f"Delete the org {found.slug} ({found.name})?", yes=yes)
    await at.client.orgs.delete(found)
    return Done(f"The org {found.slug} is deleted.", {"id": found.id, "deleted": True})


@verb(app, "appoint-admin")
async def appoint_admin(
    at: Session,
    org: OrgName,
    email: Annotated[str, typer.Option(help="Who becomes tenant admin.")],
    reason: Annotated[str, typer.Option(help="Why, in at least 8 characters; the org sees it.")],
) -> Record:
    """Break-glass: appoint a tenant admin in an org that has lost its own."""
    where = await names.org_id(at.client, org)
    return Record(await at.client.orgs.appoint_admin(where, email=email, reason=reason))
