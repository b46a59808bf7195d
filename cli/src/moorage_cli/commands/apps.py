"""`moor app list`, `get`, `create`, `update`, `delete`: apps of the catalog."""

from typing import Annotated

import typer

from moorage.resources.apps import Visibility
from moorage_cli import consent, names
from moorage_cli.connection import Session
from moorage_cli.failures import Refused
from moorage_cli.names import AppName, InOrg, InProject, ProjectName
from moorage_cli.output import Done, Record, Rows
from moorage_cli.verbs import Limit, Yes, verb

verbs = typer.Typer()

Seen = typer.Option(help="Who sees the app: its own project, its org, or everybody.")


@verb(verbs, "list")
async def list_apps(
    at: Session, org: InOrg = None, project: InProject = None, limit: Limit = None
) -> Rows:
    """The apps that you can see; --org and --project narrow to those that yours publish."""
    apps = at.client.apps.list(
        org=None if org is None else await names.org_id(at.client, org),
        project=None if project is None else await names.project_id(at.client, project),
    )
    return Rows(apps, ("id", "slug", "name", "visibility", "summary"), limit)


@verb(verbs, "get")
async def get_app(at: Session, app: AppName) -> Record:
    """One app."""
    return Record(await names.get_app(at.client, app))


@verb(verbs, "create")
async def create_app(
    at: Session,
    project: ProjectName,
    slug: Annotated[str, typer.Argument(help="Its name in addresses; nobody else has it.")],
    name: Annotated[str, typer.Option(help="Its name for people.")],
    summary: Annotated[str, typer.Option(help="One sentence for the catalog.")],
    visibility: Annotated[Visibility, Seen] = "project",
) -> Record:
    """Register an app. The project is its publisher from then on."""
    where = await names.project_id(at.client, project)
    made = at.client.apps.create(
        where, slug=slug, name=name, summary=summary, visibility=visibility
    )
    return Record(await made)


@verb(verbs, "update")
async def update_app(
    at: Session,
    app: AppName,
    name: Annotated[str | None, typer.Option(help="Another name for people.")] = None,
    summary: Annotated[str | None, typer.Option(help="Another sentence.")] = None,
    visibility: Annotated[Visibility | None, Seen] = None,
) -> Record:
    """Rename an app, or show it to more or fewer."""
    if name is None and summary is None and visibility is None:
        raise Refused("Say what should change: --name, --summary or --visibility.")
    found = await names.get_app(at.client, app)
    changed = at.client.apps.update(found, name=name, summary=summary, visibility=visibility)
    return Record(await changed)


@verb(verbs, "delete")
async def delete_app(at: Session, app: AppName, yes: Yes = False) -> Done:
    """Remove an app of which nothing was ever published, and its drafts."""
    found = await names.get_app(at.client, app)
    consent.ask(f"Remove the app {found.slug} and its drafts?", yes=yes)
    await at.client.apps.delete(found)
    return Done(f"The app {found.slug} is removed.", {"id": found.id, "deleted": True})
