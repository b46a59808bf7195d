"""`moor members`."""

from typing import Annotated

import typer

from moorage.resources.members import RoleName
from moorage_cli import consent, names
from moorage_cli.connection import Session
from moorage_cli.names import InOrg, InProject
from moorage_cli.output import Done, Record, Rows
from moorage_cli.verbs import Limit, Yes, group, verb

app = group("Members: who holds which role in an org or a project.")

Role = Annotated[RoleName, typer.Option(help="What they may do; `moor roles list` explains.")]
Member = Annotated[
    str, typer.Argument(metavar="MEMBER", help="The e-mail, with --org or --project; or the id.")
]


@verb(app, "list")
async def list_members(
    at: Session, org: InOrg = None, project: InProject = None, limit: Limit = None
) -> Rows:
    """Who has a role in a whole org, or in a project itself."""
    if names.org_or_project(org, project) == "org":
        members = at.client.members.list_in_org(await names.org_id(at.client, str(org)))
    else:
        where = await names.project_id(at.client, str(project))
        members = at.client.members.list_in_project(where)
    return Rows(members, ("id", "email", "name", "role", "created_at"), limit)


@verb(app, "add")
async def add_member(
    at: Session,
    email: Annotated[str, typer.Argument(help="Who; without an account, they are invited.")],
    role: Role,
    org: InOrg = None,
    project: InProject = None,
) -> Record:
    """Give somebody a role in a whole org or in a project."""
    members = at.client.members
    if names.org_or_project(org, project) == "org":
        where = await names.org_id(at.client, str(org))
        return Record(await members.add_to_org(where, email=email, role=role))
    where = await names.project_id(at.client, str(project))
    return Record(await members.add_to_project(where, email=email, role=role))


@verb(app, "get")
async def get_member(
    at: Session, member: Member, org: InOrg = None, project: InProject = None
) -> Record:
    """One membership."""
    return Record(await names.get_member(at.client, member, org=org, project=project))


@verb(app, "update")
async def update_member(
    at: Session, member: Member, role: Role, org: InOrg = None, project: InProject = None
) -> Record:
    """Give a member another role."""
    found = await names.get_member(at.client, member, org=org, project=project)
    return Record(await at.client.members.update(found, role=role))


@verb(app, "remove")
async def remove_member(
    at: Session,
    member: Member,
    org: InOrg = None,
    project: InProject = None,
    yes: Yes = False,
) -> Done:
    """Take a member's role away."""
    found = await names.get_member(at.client, member, org=org, project=project)
    consent.ask(f"Take the role {found.role} from {found.email}?", yes=yes)
    await at.client.members.remove(found)
    return Done(f"{found.email} is no {found.role} any more.", {"id": found.id, "removed": True})
