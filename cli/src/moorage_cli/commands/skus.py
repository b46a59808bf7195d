"""`moor skus`."""

from decimal import Decimal, InvalidOperation
from typing import Annotated

import typer

from moorage_cli import names
from moorage_cli.connection import Session
from moorage_cli.failures import Refused
from moorage_cli.output import Record, Rows
from moorage_cli.verbs import Limit, group, verb

app = group("SKUs: classes of machines, with their list price per hour.")

MICROS = 1_000_000
GIB = 1 << 30
Sku = Annotated[str, typer.Argument(metavar="SKU", help="The SKU's slug or id.")]


@verb(app, "list")
async def list_skus(at: Session, limit: Limit = None) -> Rows:
    """All classes of machines, retired ones too."""
    columns = ("id", "slug", "cpus", "memory_bytes", "gpus", "gpu_model", "price_micros")
    return Rows(at.client.skus.list(), (*columns, "currency", "retired_at"), limit)


@verb(app, "create")
async def create_sku(
    at: Session,
    slug: Annotated[str, typer.Argument(help="What people type.")],
    name: Annotated[str, typer.Option(help="What people read.")],
    cpus: Annotated[int, typer.Option(min=1, help="CPU threads, at least.")],
    memory: Annotated[int, typer.Option(min=1, metavar="GIB", help="Memory in GiB.")],
    price: Annotated[str, typer.Option(metavar="AMOUNT", help="For an hour: 2.50.")],
    currency: Annotated[str, typer.Option(help="Of the price, three letters.")],
    gpus: Annotated[int, typer.Option(min=0, help="How many GPUs.")] = 0,
    gpu_model: Annotated[
        str | None, typer.Option(help="Their model, or a part of it: H200.")
    ] = None,
) -> Record:
    """Add a class of machines. For platform admins."""
    created = at.client.skus.create(
        slug=slug,
        name=name,
        cpus=cpus,
        memory_bytes=memory * GIB,
        gpus=gpus,
        gpu_model=gpu_model,
        price_micros=_micros(price),
        currency=currency,
    )
    return Record(await created)


@verb(app, "get")
async def get_sku(at: Session, sku: Sku) -> Record:
    """One class of machines."""
    return Record(await names.get_sku(at.client, sku))


@verb(app, "update")
async def update_sku(
    at: Session,
    sku: Sku,
    name: Annotated[str | None, typer.Option(help="Another name.")] = None,
    price: Annotated[
        str | None, typer.Option(metavar="AMOUNT", help="Another price for an hour, from now on.")
    ] = None,
    retired: Annotated[
        bool | None, typer.Option("--retire/--restore", help="Nothing new is of it, or it is.")
    ] = None,
) -> Record:
    """Rename a class of machines, change its price from now on, or retire it."""
    if name is None and price is None and retired is None:
        raise Refused("Say what should change: --name, --price, --retire or --restore.")
    found = await names.get_sku(at.client, sku)
    micros = None if price is None else _micros(price)
    changed = at.client.skus.update(found, name=name, price_micros=micros, retired=retired)
    return Record(await changed)


def _micros(price: str) -> int:
    """A price as people write it, in millionths."""
    try:
        micros = Decimal(price) * MICROS
    except InvalidOperation:
        micros = Decimal(-1)
    if not micros.is_finite() or micros < 0 or micros != micros.to_integral_value():
        raise Refused(f"{price} is not a price. Write it as 2.50, with six decimals at most.")
    return int(micros)
