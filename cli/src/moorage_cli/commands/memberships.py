"""`moor memberships`."""

from typing import Annotated

import typer

from moorage.resources.memberships import RoleName
from moorage_cli import consent, names
from moorage_cli.connection import Session
from moorage_cli.names import InOrg, InProject
from moorage_cli.output import Done, Record, Rows
from moorage_cli.verbs import Limit, Yes, group, verb

app = group("Memberships: who holds which role in an org or a project.")

Role = Annotated[RoleName, typer.Option(help="What they may do; `moor roles list` explains.")]
Membership = Annotated[
    str,
    typer.Argument(metavar="MEMBERSHIP", help="The e-mail, with --org or --project; or the id."),
]


@verb(app, "list")
async def list_memberships(
    at: Session, org: InOrg = None, project: InProject = None, limit: Limit = None
) -> Rows:
    """Who has a role in a whole org, or in a project itself."""
    if names.org_or_project(org, project) == "org":
        memberships = at.client.memberships.list_in_org(await names.org_id(at.client, str(org)))
    else:
        where = await names.project_id(at.client, str(project))
        memberships = at.client.memberships.list_in_project(where)
    return Rows(memberships, ("id", "email", "name", "role", "created_at"), limit)


@verb(app, "add")
async def add_membership(
    at: Session,
    email: Annotated[str, typer.Argument(help="Who; without an account, they are invited.")],
    role: Role,
    org: InOrg = None,
    project: InProject = None,
) -> Record:
    """Give somebody a role in a whole org or in a project."""
    memberships = at.client.memberships
    if names.org_or_project(org, project) == "org":
        where = await names.org_id(at.client, str(org))
        return Record(await memberships.add_to_org(where, email=email, role=role))
    where = await names.project_id(at.client, str(project))
    return Record(await memberships.add_to_project(where, email=email, role=role))


@verb(app, "get")
async def get_membership(
    at: Session, membership: Membership, org: InOrg = None, project: InProject = None
) -> Record:
    """One membership."""
    return Record(await names.get_membership(at.client, membership, org=org, project=project))


@verb(app, "update")
async def update_membership(
    at: Session, membership: Membership, role: Role, org: InOrg = None, project: InProject = None
) -> Record:
    """Give somebody another role."""
    found = await names.get_membership(at.client, membership, org=org, project=project)
    return Record(await at.client.memberships.update(found, role=role))


@verb(app, "remove")
async def remove_membership(
    at: Session,
    membership: Membership,
    org: InOrg = None,
    project: InProject = None,
    yes: Yes = False,
) -> Done:
    """Take somebody's role away."""
    found = await names.get_membership(at.client, membership, org=org, project=project)
    consent.ask(f"Take the role {found.role} from {found.email}?", yes=yes)
    await at.client.memberships.remove(found)
    return Done(f"{found.email} is no {found.role} any more.", {"id": found.id, "removed": True})
