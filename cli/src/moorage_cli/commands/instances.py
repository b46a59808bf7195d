"""`moor instances`: what there is of them. Changes stand in `instance_changes`."""

from typing import Annotated

import typer

from moorage.resources.instances import Status
from moorage_cli import names
from moorage_cli.commands import instance_changes
from moorage_cli.commands.operations import COLUMNS as OPERATION_COLUMNS
from moorage_cli.commands.operations import OfStatus
from moorage_cli.connection import Session
from moorage_cli.names import InProject, InstanceName
from moorage_cli.output import Record, Rows
from moorage_cli.verbs import Limit, group, verb

app = group("Instances: deployed apps, from the first plan to the last residue report.")

COLUMNS = ("id", "name", "app_slug", "app_version", "status", "health", "revision")
COMPONENT_COLUMNS = ("key", "desired", "current", "ready", "health", "summary")


@verb(app, "list")
async def list_instances(
    at: Session,
    project: InProject = None,
    app: Annotated[str | None, typer.Option(help="Only those of this app, by its slug.")] = None,
    version: Annotated[str | None, typer.Option(help="Only those of this version.")] = None,
    status: Annotated[Status | None, typer.Option(help="Only those in this state.")] = None,
    limit: Limit = None,
) -> Rows:
    """The instances that you may see; of one project, where you name it."""
    if project is None:
        found = at.client.instances.list(app=app, version=version, status=status)
    else:
        where = await names.project_id(at.client, project)
        found = at.client.instances.list_in_project(where, app=app, version=version, status=status)
    return Rows(found, COLUMNS, limit)


@verb(app, "get")
async def get_instance(at: Session, instance: InstanceName) -> Record:
    """One instance: what is being done to it, how it is, of which parts, who acts for it."""
    found = await at.client.instances.get(await names.instance_id(at.client, instance))
    return Record(found, details=Rows(found.components, COMPONENT_COLUMNS))


@verb(app, "revisions")
async def list_revisions(at: Session, instance: InstanceName, limit: Limit = None) -> Rows:
    """What an instance was to be, each time that changed, newest first."""
    where = await names.instance_id(at.client, instance)
    columns = ("number", "kind", "app_version", "outcome", "operation_id", "created_at")
    return Rows(at.client.instances.revisions(where), columns, limit)


@verb(app, "operations")
async def list_operations(
    at: Session, instance: InstanceName, status: OfStatus = None, limit: Limit = None
) -> Rows:
    """The operations of an instance, newest first, those that wait for their turn too."""
    where = await names.instance_id(at.client, instance)
    found = at.client.operations.list(instance=where, status=status)
    return Rows(found, OPERATION_COLUMNS, limit)


app.add_typer(instance_changes.verbs)
