"""`moor regions`."""

from typing import Annotated

import typer

from moorage_cli import names
from moorage_cli.connection import Session
from moorage_cli.failures import Refused
from moorage_cli.output import Record, Rows
from moorage_cli.verbs import Limit, group, verb

app = group("Regions: where machines stand.")

Region = Annotated[str, typer.Argument(metavar="REGION", help="The region's slug or id.")]


@verb(app, "list")
async def list_regions(at: Session, limit: Limit = None) -> Rows:
    """All regions, retired ones too."""
    return Rows(at.client.regions.list(), ("id", "slug", "name", "retired_at"), limit)


@verb(app, "create")
async def create_region(
    at: Session,
    slug: Annotated[str, typer.Argument(help="What people type.")],
    name: Annotated[str, typer.Option(help="What people read.")],
) -> Record:
    """Add a place where machines stand. For platform admins."""
    return Record(await at.client.regions.create(slug=slug, name=name))


@verb(app, "get")
async def get_region(at: Session, region: Region) -> Record:
    """One region."""
    return Record(await names.get_region(at.client, region))


@verb(app, "update")
async def update_region(
    at: Session,
    region: Region,
    name: Annotated[str | None, typer.Option(help="Another name.")] = None,
    retired: Annotated[
        bool | None, typer.Option("--retire/--restore", help="Nothing new comes there, or it does.")
    ] = None,
) -> Record:
    """Rename a region, retire it, or take it back into use. For platform admins."""
    if name is None and retired is None:
        raise Refused("Say what should change: --name, --retire or --restore.")
    found = await names.get_region(at.client, region)
    return Record(await at.client.regions.update(found, name=name, retired=retired))
