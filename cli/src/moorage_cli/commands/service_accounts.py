"""`moor service-accounts`."""

from typing import Annotated

import typer

from moorage_cli import consent, names
from moorage_cli.commands import service_account_keys
from moorage_cli.connection import Session
from moorage_cli.failures import Refused
from moorage_cli.names import InProject, ProjectName
from moorage_cli.output import Done, Record, Rows
from moorage_cli.verbs import Limit, Yes, group, verb

app = group("Service accounts: programs that act in one project, with a list of permissions.")
app.add_typer(service_account_keys.app, name="keys")

Account = Annotated[
    str, typer.Argument(metavar="ACCOUNT", help="The account's id; with --project, its name.")
]
Permissions = Annotated[
    list[str],
    typer.Option("--permission", metavar="KEY", help="A key it holds; several times for more."),
]


@verb(app, "list")
async def list_accounts(at: Session, project: ProjectName, limit: Limit = None) -> Rows:
    """The service accounts of a project."""
    accounts = at.client.service_accounts.list(await names.project_id(at.client, project))
    return Rows(accounts, ("id", "name", "disabled", "permissions"), limit)


@verb(app, "create")
async def create_account(
    at: Session,
    project: ProjectName,
    name: Annotated[str, typer.Argument(help="What it is called.")],
    permissions: Permissions,
) -> Record:
    """Make a service account with exactly these permissions. You must hold each yourself."""
    where = await names.project_id(at.client, project)
    created = at.client.service_accounts.create(where, name=name, permissions=permissions)
    return Record(await created)


@verb(app, "get")
async def get_account(at: Session, account: Account, project: InProject = None) -> Record:
    """One service account."""
    return Record(await names.get_service_account(at.client, account, project=project))


@verb(app, "update")
async def update_account(
    at: Session,
    account: Account,
    project: InProject = None,
    name: Annotated[str | None, typer.Option(help="Another name.")] = None,
    permissions: Annotated[
        list[str] | None,
        typer.Option(
            "--permission",
            metavar="KEY",
            help="A key it holds from now on, in place of all; several times for more.",
        ),
    ] = None,
) -> Record:
    """Rename a service account, or give it other permissions in place of those it has."""
    if name is None and not permissions:
        raise Refused("Say what should change: --name or --permission.")
    found = await names.get_service_account(at.client, account, project=project)
    changed = at.client.service_accounts.update(found, name=name, permissions=permissions or None)
    return Record(await changed)


@verb(app, "disable")
async def disable_account(at: Session, account: Account, project: InProject = None) -> Record:
    """Stop a service account: its tokens are dead within seconds."""
    found = await names.get_service_account(at.client, account, project=project)
    return Record(await at.client.service_accounts.update(found, disabled=True))


@verb(app, "enable")
async def enable_account(at: Session, account: Account, project: InProject = None) -> Record:
    """Let a service account work again."""
    found = await names.get_service_account(at.client, account, project=project)
    return Record(await at.client.service_accounts.update(found, disabled=False))


@verb(app, "delete")
async def delete_account(
    at: Session, account: Account, project: InProject = None, yes: Yes = False
) -> Done:
    """Delete a service account. Its tokens stop working at once."""
    found = await names.get_service_account(at.client, account, project=project)
    consent.ask(f"Delete the service account {found.name}?", yes=yes)
    await at.client.service_accounts.delete(found)
    return Done(f"The service account {found.name} is deleted.", {"id": found.id, "deleted": True})
