"""`moor access`."""

from typing import Annotated

import typer

from moorage import Client
from moorage_cli import consent, durations, names
from moorage_cli.connection import Session
from moorage_cli.durations import Duration
from moorage_cli.failures import Missing
from moorage_cli.names import AllocationName, InProject
from moorage_cli.output import Done, Record, Rows
from moorage_cli.verbs import Limit, Yes, group, verb

app = group("Access: who may enter which machine.")

GrantId = Annotated[str, typer.Argument(metavar="GRANT", help="The grant's id.")]
WAIT_SECONDS = 15.0


@verb(app, "grant")
async def grant(
    at: Session,
    allocation: AllocationName,
    user: Annotated[
        str | None, typer.Option(help="Who is let in, by e-mail or id. Left out: you.")
    ] = None,
    project: InProject = None,
    sudo: Annotated[bool, typer.Option("--sudo", help="They may become root there.")] = False,
    forwarding: Annotated[
        bool, typer.Option("--forwarding", help="They may forward ports and their SSH agent.")
    ] = False,
    lasts: Duration = durations.WORKING_DAY,
    reason: Annotated[str | None, typer.Option(help="Why, in at least 8 characters.")] = None,
) -> Record:
    """Let somebody of the project into a machine. Their account is there within seconds."""
    id = await names.allocation_id(at.client, allocation, project=project)
    made = await at.client.grants.create(
        id,
        user=None if user is None else await _user_id(at.client, user, allocation=id),
        sudo=sudo,
        forwarding=forwarding,
        expires_in=durations.seconds(lasts),
        reason=reason,
    )
    return Record(made)


@verb(app, "list")
async def list_grants(
    at: Session,
    allocation: AllocationName,
    project: InProject = None,
    everyone: Annotated[bool, typer.Option("--all", help="Those that have ended too.")] = False,
    limit: Limit = None,
) -> Rows:
    """Who may enter a machine."""
    id = await names.allocation_id(at.client, allocation, project=project)
    grants = at.client.grants.list(id, live=None if everyone else True)
    columns = ("id", "login", "sudo", "forwarding", "carried_out", "expires_at", "ended_because")
    return Rows(grants, columns, limit)


@verb(app, "get")
async def get_grant(
    at: Session,
    grant: GrantId,
    wait: Annotated[
        bool, typer.Option("--wait", help="Until the machine has carried it out.")
    ] = False,
) -> Record:
    """One grant, and whether the machine has carried it out."""
    return Record(await at.client.grants.get(grant, wait=WAIT_SECONDS if wait else 0))


@verb(app, "end")
async def end_grant(at: Session, grant: GrantId, yes: Yes = False) -> Done:
    """End a grant. The person is off the machine within seconds, open sessions included."""
    found = await at.client.grants.get(grant)
    consent.ask(f"End the access of {found.login} and every session they have open?", yes=yes)
    await at.client.grants.end(found.id)
    return Done(f"The access of {found.login} has ended.", {"id": found.id, "ended": True})


@verb(app, "certify")
async def certify(
    at: Session,
    grant: GrantId,
    key: Annotated[typer.FileText, typer.Option("--key", metavar="FILE", help="Your .pub file.")],
) -> Record:
    """Certify an SSH key of yours for minutes. `moor ssh` does this by itself."""
    return Record(await at.client.grants.certify(grant, public_key=key.read().strip()))


@verb(app, "authorities")
async def list_authorities(at: Session) -> Rows:
    """The keys that sign people's certificates, the newest first."""
    columns = ("id", "fingerprint", "created_at", "retired_at")
    return Rows(at.client.ssh_authorities.list(), columns)


@verb(app, "rotate-authority")
async def rotate_authority(
    at: Session,
    reason: Annotated[str, typer.Option(help="Why, in at least 8 characters.")],
    at_once: Annotated[
        bool,
        typer.Option("--at-once", help="Accept no older key any more: for one that leaked."),
    ] = False,
    yes: Yes = False,
) -> Record:
    """Sign people's certificates with a new key. Machines learn of it within seconds."""
    if at_once:
        consent.ask("Lock out everybody until their machine has heard of the new key?", yes=yes)
    return Record(await at.client.ssh_authorities.rotate(reason=reason, at_once=at_once))


async def _user_id(client: Client, name: str, *, allocation: str) -> str:
    """A person by their id, or by e-mail among those who have a role in the project or its org."""
    if names.is_id(name):
        return name
    held = await client.allocations.get(allocation)
    for memberships in (
        client.memberships.list_in_project(held.project_id),
        client.memberships.list_in_org(held.org_id),
    ):
        async for membership in memberships:
            if membership.email.casefold() == name.casefold():
                return membership.user_id
    raise Missing(
        f"{name} has no role in the project or its org. `moor memberships add` gives one."
    )
