"""Every SQL statement of regions and SKUs."""

from datetime import datetime
from typing import LiteralString

from moorage_core.fleet.models import Region, Sku
from moorage_core.kit.db import Db
from moorage_core.kit.pagination import PageRequest

REGION: LiteralString = "id, slug, name, version, created_at, updated_at, retired_at"
SKU: LiteralString = (
    "id, slug, name, cpus, memory_bytes, gpu_model, gpus, price_micros, currency, version,"
    " created_at, updated_at, retired_at"
)
RETIRED: LiteralString = """retired_at = CASE WHEN %(retired)s::boolean IS NULL THEN retired_at
    WHEN %(retired)s THEN coalesce(retired_at, %(now)s) END"""


async def add_region(db: Db, *, id: str, slug: str, name: str, now: datetime) -> Region | None:
    """None where the slug is taken.

    Tenant-less: regions are the platform's, and everybody's to read.
    """
    return await db.find(
        Region,
        f"""
        INSERT INTO regions (id, slug, name, created_at, updated_at) VALUES (%s, %s, %s, %s, %s)
        ON CONFLICT (slug) DO NOTHING RETURNING {REGION}
        """,
        (id, slug, name, now, now),
    )


async def list_regions(db: Db, page: PageRequest) -> list[Region]:
    """Tenant-less: regions are the platform's, and everybody's to read."""
    return await db.all(
        Region,
        f"SELECT {REGION} FROM regions WHERE id > %s ORDER BY id LIMIT %s",
        (page.after, page.fetch),
    )


async def find_region(db: Db, id: str, *, lock: bool = False) -> Region | None:
    """Tenant-less: regions are the platform's, and everybody's to read."""
    sql: LiteralString = f"SELECT {REGION} FROM regions WHERE id = %s"
    return await db.find(Region, sql + (" FOR UPDATE" if lock else ""), (id,))


async def find_region_by_slug(db: Db, slug: str) -> Region | None:
    """One that takes new things.

    Tenant-less: regions are the platform's, and everybody's to read.
    """
    return await db.find(
        Region, f"SELECT {REGION} FROM regions WHERE slug = %s AND retired_at IS NULL", (slug,)
    )


async def update_region(
    db: Db, id: str, *, name: str | None, retired: bool | None, now: datetime
) -> Region:
    """Tenant-less: regions are the platform's."""
    return await db.get(
        Region,
        f"""
        UPDATE regions SET name = coalesce(%(name)s, name), {RETIRED},
            version = version + 1, updated_at = %(now)s
        WHERE id = %(id)s RETURNING {REGION}
        """,
        {"id": id, "name": name, "retired": retired, "now": now},
    )


async def add_sku(db: Db, sku: Sku) -> Sku | None:
    """None where the slug is taken.

    Tenant-less: SKUs are the platform's, and everybody's to read.
    """
    return await db.find(
        Sku,
        f"""
        INSERT INTO skus (id, slug, name, cpus, memory_bytes, gpu_model, gpus, price_micros,
            currency, created_at, updated_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        ON CONFLICT (slug) DO NOTHING RETURNING {SKU}
        """,
        (
            sku.id,
            sku.slug,
            sku.name,
            sku.cpus,
            sku.memory_bytes,
            sku.gpu_model,
            sku.gpus,
            sku.price_micros,
            sku.currency,
            sku.created_at,
            sku.updated_at,
        ),
    )


async def list_skus(db: Db, page: PageRequest) -> list[Sku]:
    """Tenant-less: SKUs are the platform's, and everybody's to read."""
    return await db.all(
        Sku,
        f"SELECT {SKU} FROM skus WHERE id > %s ORDER BY id LIMIT %s",
        (page.after, page.fetch),
    )


async def find_sku(db: Db, id: str, *, lock: bool = False) -> Sku | None:
    """Tenant-less: SKUs are the platform's, and everybody's to read."""
    sql: LiteralString = f"SELECT {SKU} FROM skus WHERE id = %s"
    return await db.find(Sku, sql + (" FOR UPDATE" if lock else ""), (id,))


async def find_sku_by_slug(db: Db, slug: str) -> Sku | None:
    """One that takes new things.

    Tenant-less: SKUs are the platform's, and everybody's to read.
    """
    return await db.find(
        Sku, f"SELECT {SKU} FROM skus WHERE slug = %s AND retired_at IS NULL", (slug,)
    )


async def update_sku(
    db: Db,
    id: str,
    *,
    name: str | None,
    price_micros: int | None,
    retired: bool | None,
    now: datetime,
) -> Sku:
    """Tenant-less: SKUs are the platform's."""
    return await db.get(
        Sku,
        f"""
        UPDATE skus SET name = coalesce(%(name)s, name),
            price_micros = coalesce(%(price)s, price_micros), {RETIRED},
            version = version + 1, updated_at = %(now)s
        WHERE id = %(id)s RETURNING {SKU}
        """,
        {"id": id, "name": name, "price": price_micros, "retired": retired, "now": now},
    )
