"""`moor status` and `moor version`."""

from importlib.metadata import entry_points, version
from typing import Annotated

import typer

from moorage import Client
from moorage_cli import connection
from moorage_cli.connection import AGENT, Chosen
from moorage_cli.output import Done, Record
from moorage_cli.tree import ENTRY_POINTS
from moorage_cli.verbs import local

status = typer.Typer(add_completion=False)
show_version = typer.Typer(add_completion=False)


@local(status, "status")
async def get_status(
    chosen: Chosen,
    url: Annotated[str | None, typer.Option(help="The platform to ask.")] = None,
) -> Record:
    """Whether the platform can serve, and which release it is. Needs no credentials."""
    if url is None:
        client = connection.connect(chosen, anonymous=True)
    else:
        client = Client(url, ca=chosen.environment.ca, agent=AGENT)
    async with client:
        return Record(await client.platform.status())


@local(show_version, "version")
async def show(chosen: Chosen) -> Done:
    """Which release of moor this is, and of what brings commands to it."""
    others = {point.dist.name for point in entry_points(group=ENTRY_POINTS) if point.dist}
    names = ["moorage-cli", "moorage", *sorted(others)]
    releases = {name: version(name) for name in names}
    return Done("\n".join(f"{name} {number}" for name, number in releases.items()), releases)
