"""`moor operators`."""

from typing import Annotated

import typer

from moorage_cli import consent, names
from moorage_cli.connection import Session
from moorage_cli.names import AppName, ProjectName
from moorage_cli.output import Done, Record, Rows
from moorage_cli.verbs import Limit, Yes, group, verb

app = group("Operators: the identities as which controllers claim an app's operations.")

COLUMNS = ("id", "app_slug", "name", "serves", "service_account_id")
Operator = Annotated[str, typer.Argument(metavar="OPERATOR", help="The operator's id.")]


@verb(app, "list")
async def list_operators(at: Session, project: ProjectName, limit: Limit = None) -> Rows:
    """The app operators that a project registered."""
    where = await names.project_id(at.client, project)
    return Rows(at.client.operators.list(where), COLUMNS, limit)


@verb(app, "of-app")
async def list_of_app(at: Session, of: AppName, limit: Limit = None) -> Rows:
    """The operators of an app that can serve you: its publisher's, and your own."""
    found = await names.get_app(at.client, of)
    return Rows(at.client.operators.list_of_app(found), COLUMNS, limit)


@verb(app, "register")
async def register_operator(
    at: Session,
    project: ProjectName,
    of: AppName,
    account: Annotated[
        str, typer.Option("--account", help="A service account of the project: its name or id.")
    ],
    name: Annotated[str, typer.Option(help="What people choose it by.")],
) -> Record:
    """Register a service account as an app's operator.

    Its permissions must be exactly apps.operation.claim. The publisher's operators serve everybody,
    another project's serve that project.
    """
    where = await names.project_id(at.client, project)
    found = await names.get_app(at.client, of)
    who = account
    if not names.is_id(account):
        who = (await names.get_service_account(at.client, account, project=project)).id
    made = at.client.operators.register(where, app=found, service_account=who, name=name)
    return Record(await made)


@verb(app, "get")
async def get_operator(at: Session, operator: Operator) -> Record:
    """One app operator."""
    return Record(await at.client.operators.get(operator))


@verb(app, "remove")
async def remove_operator(at: Session, operator: Operator, yes: Yes = False) -> Done:
    """Remove an app operator. It can claim nothing more."""
    found = await at.client.operators.get(operator)
    consent.ask(f"Remove the operator {found.name} of {found.app_slug}?", yes=yes)
    await at.client.operators.remove(found)
    text = f"The operator {found.name} of {found.app_slug} is removed."
    return Done(text, {"id": found.id, "deleted": True})
