"""`moor projects`."""

from typing import Annotated

import typer

from moorage_cli import consent, names
from moorage_cli.connection import Session
from moorage_cli.names import OrgName, ProjectName
from moorage_cli.output import Done, Record, Rows
from moorage_cli.verbs import Limit, Yes, group, verb

app = group("Projects: where the things of an org live.")


@verb(app, "list")
async def list_projects(at: Session, org: OrgName, limit: Limit = None) -> Rows:
    """The projects of an org that you may see."""
    projects = at.client.projects.list(await names.org_id(at.client, org))
    return Rows(projects, ("id", "slug", "name", "created_at"), limit)


@verb(app, "create")
async def create_project(
    at: Session,
    org: OrgName,
    slug: Annotated[str, typer.Argument(help="What people type: letters, digits, dashes.")],
    name: Annotated[str, typer.Option(help="What people read.")],
) -> Record:
    """Create a project in an org."""
    where = await names.org_id(at.client, org)
    return Record(await at.client.projects.create(where, slug=slug, name=name))


@verb(app, "get")
async def get_project(at: Session, project: ProjectName) -> Record:
    """One project."""
    return Record(await names.get_project(at.client, project))


@verb(app, "rename")
async def rename_project(
    at: Session, project: ProjectName, name: Annotated[str, typer.Argument(help="The new name.")]
) -> Record:
    """Give a project another name. Its slug stays."""
    found = await names.get_project(at.client, project)
    return Record(await at.client.projects.update(found, name=name))


@verb(app, "delete")
async def delete_project(at: Session, project: ProjectName, yes: Yes = False) -> Done:
    """Delete a project. Its service accounts stop working at once."""
    found = await names.get_project(at.client, project)
    consent.ask(f"Delete the project {found.slug} ({found.name})?", yes=yes)
    await at.client.projects.delete(found)
    return Done(f"The project {found.slug} is deleted.", {"id": found.id, "deleted": True})
