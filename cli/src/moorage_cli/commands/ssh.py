"""`moor ssh`."""

import shlex
from typing import Annotated

import typer

from moorage import Client, Forbidden
from moorage.models import AccessGrantRead
from moorage_cli import durations, names, visits
from moorage_cli.connection import Session
from moorage_cli.durations import Duration
from moorage_cli.failures import Refused
from moorage_cli.names import AllocationName, InProject
from moorage_cli.output import Done
from moorage_cli.verbs import verb
from moorage_cli.visits import Folder, Wish

app = typer.Typer(add_completion=False)

WAIT_SECONDS = 30.0
"""How long a node may take to make an account."""


@verb(app, "ssh")
async def ssh(
    at: Session,
    allocation: AllocationName,
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- COMMAND]", help="Run this in place of a shell."),
    ] = None,
    project: InProject = None,
    sudo: Annotated[
        bool, typer.Option("--sudo", help="A grant with which you may become root there.")
    ] = False,
    forwarding: Annotated[
        bool, typer.Option("--forwarding", help="A grant with which you may forward ports.")
    ] = False,
    lasts: Duration = durations.WORKING_DAY,
    address: Annotated[
        str | None, typer.Option(help="Where the machine is, if not where it says.")
    ] = None,
    tty: Annotated[
        bool, typer.Option("--tty", "-t", help="A terminal for the command too.")
    ] = False,
    options: Annotated[
        list[str] | None,
        typer.Option(
            "--ssh-option", metavar="WORD", help="A word for ssh; several times for more."
        ),
    ] = None,
    show: Annotated[
        bool,
        typer.Option("--print", help="Print the command in place of running it; its files stay."),
    ] = False,
) -> Done:
    """Enter a machine as yourself.

    Uses the grant that you have, or makes one where you may. Makes a key and a certificate for this
    visit, checks the machine's own key, runs ssh, and leaves nothing behind.
    """
    id = await names.allocation_id(at.client, allocation, project=project)
    grant = await _grant(at.client, id, sudo=sudo, forwarding=forwarding, lasts=lasts)
    await _wait(at.client, grant)
    wish = Wish(address, tty, options or (), command or ())
    runtime = at.chosen.environment.runtime
    if show:
        return await _print(at.client, grant, visits.make_folder(runtime), wish)
    with visits.folder(runtime) as folder:
        line, _ = await _prepare(at.client, grant, folder, wish)
        raise typer.Exit(await visits.run(line))


async def _grant(
    client: Client, allocation: str, *, sudo: bool, forwarding: bool, lasts: str
) -> AccessGrantRead:
    """The caller's live grant, or a new one."""
    me = await client.me.get()
    async for grant in client.grants.list(allocation, user=me.id, live=True):
        _check_suffices(grant, sudo=sudo, forwarding=forwarding)
        return grant
    try:
        return await client.grants.create(
            allocation, sudo=sudo, forwarding=forwarding, expires_in=durations.seconds(lasts)
        )
    except Forbidden as err:
        raise Refused(
            f"You have no grant for {allocation} and may not make one. An admin of the project "
            f"can: moor access grant {allocation} --user {me.id}"
        ) from err


def _check_suffices(grant: AccessGrantRead, *, sudo: bool, forwarding: bool) -> None:
    lacks = [name for name, wanted, has in _rights(grant, sudo, forwarding) if wanted and not has]
    if lacks:
        raise Refused(
            f"Your grant {grant.id} does not include {' and '.join(lacks)}. End it with "
            f"`moor access end {grant.id}`, and ask for another."
        )


def _rights(
    grant: AccessGrantRead, sudo: bool, forwarding: bool
) -> tuple[tuple[str, bool, bool], ...]:
    return (("sudo", sudo, grant.sudo), ("forwarding", forwarding, grant.forwarding))


async def _wait(client: Client, grant: AccessGrantRead) -> None:
    """Until the node has made the account."""
    if grant.carried_out:
        return
    seen = await client.grants.get(grant.id, wait=WAIT_SECONDS)
    if seen.problem is not None and not seen.carried_out:
        raise Refused(f"The machine could not let you in: {seen.problem}")
    if not seen.carried_out:
        raise Refused(
            f"The machine has not made your account within {WAIT_SECONDS:.0f} seconds. "
            "It gets to it as soon as it can be reached; try again then."
        )


async def _prepare(
    client: Client, grant: AccessGrantRead, folder: Folder, wish: Wish
) -> tuple[list[str], str]:
    """The command line, and until when its certificate opens a connection."""
    public_key = await visits.make_key(folder)
    issued = await client.grants.certify(grant, public_key=public_key)
    visits.write(folder, issued)
    address = await visits.find_address(issued, wish)
    line = visits.arguments(folder, issued, wish, address=address)
    return line, issued.expires_at.isoformat()


async def _print(client: Client, grant: AccessGrantRead, folder: Folder, wish: Wish) -> Done:
    line, until = await _prepare(client, grant, folder, wish)
    fields = {"command": line, "folder": str(folder.path), "expires_at": until}
    return Done(shlex.join(line), fields)
