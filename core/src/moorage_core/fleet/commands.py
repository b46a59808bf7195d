"""Use cases of regions and SKUs: those who run the platform write them, everybody reads."""

from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import authorize, authorize_anywhere, hidden, platform
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.fleet import rules, store
from moorage_core.fleet.models import Region, Sku
from moorage_core.fleet.schemas import RegionCreate, RegionUpdate, SkuCreate, SkuUpdate
from moorage_core.http import etag
from moorage_core.kit import pagination
from moorage_core.kit.db import Db
from moorage_core.kit.ids import PLATFORM_ORG, RegionId, SkuId
from moorage_core.kit.pagination import Page, PageRequest

PLACE_ERRORS = (rules.PlaceUnknown,)
"""What `require_region` and `require_sku` refuse with, for the routes that lead there."""

# What other slices ask


async def require_region(db: Db, slug: str) -> Region:
    """The region of that slug, which takes new things."""
    found = await store.find_region_by_slug(db, slug)
    if found is None:
        raise rules.unknown("region", slug)
    return found


async def require_sku(db: Db, slug: str) -> Sku:
    """The SKU of that slug, which takes new things."""
    found = await store.find_sku_by_slug(db, slug)
    if found is None:
        raise rules.unknown("SKU", slug)
    return found


async def get_sku_by_id(db: Db, id: str) -> Sku:
    """The SKU that a row names."""
    found = await store.find_sku(db, id)
    assert found is not None, "a foreign key holds it"
    return found


# Regions


async def create_region(ctx: Context, new: RegionCreate) -> Region:
    authorize(ctx, Permission.INFRA_REGION_WRITE, platform())
    region = await store.add_region(
        ctx.db, id=RegionId.new(), slug=new.slug, name=new.name, now=ctx.now
    )
    if region is None:
        raise rules.SlugTaken(f"There is a region {new.slug} already. Choose another slug.")
    _record_region(ctx, registry.REGION_CREATED, region)
    return region


async def list_regions(ctx: Context, page: PageRequest) -> Page[Region]:
    authorize_anywhere(ctx, Permission.INFRA_REGION_READ)
    rows = await store.list_regions(ctx.db, page)
    return pagination.page(rows, page, key=lambda region: region.id)


async def get_region(ctx: Context, id: str) -> Region:
    authorize_anywhere(ctx, Permission.INFRA_REGION_READ)
    return await _region(ctx, id)


async def update_region(ctx: Context, id: str, change: RegionUpdate, *, expected: int) -> Region:
    authorize(ctx, Permission.INFRA_REGION_WRITE, platform())
    region = await _region(ctx, id, lock=True)
    etag.check("region", id, have=region.version, expected=expected)
    region = await store.update_region(
        ctx.db, id, name=change.name, retired=change.retired, now=ctx.now
    )
    _record_region(ctx, registry.REGION_UPDATED, region)
    return region


async def _region(ctx: Context, id: str, *, lock: bool = False) -> Region:
    region = await store.find_region(ctx.db, id, lock=lock)
    if region is None:
        raise hidden("region", id)
    return region


# SKUs


async def create_sku(ctx: Context, new: SkuCreate) -> Sku:
    authorize(ctx, Permission.INFRA_SKU_WRITE, platform())
    rules.check_gpus(model=new.gpu_model, count=new.gpus)
    sku = await store.add_sku(
        ctx.db,
        Sku(
            id=SkuId.new(),
            **new.model_dump(),
            version=1,
            created_at=ctx.now,
            updated_at=ctx.now,
            retired_at=None,
        ),
    )
    if sku is None:
        raise rules.SlugTaken(f"There is a SKU {new.slug} already. Choose another slug.")
    _record_sku(ctx, registry.SKU_CREATED, sku)
    return sku


async def list_skus(ctx: Context, page: PageRequest) -> Page[Sku]:
    authorize_anywhere(ctx, Permission.INFRA_SKU_READ)
    rows = await store.list_skus(ctx.db, page)
    return pagination.page(rows, page, key=lambda sku: sku.id)


async def get_sku(ctx: Context, id: str) -> Sku:
    authorize_anywhere(ctx, Permission.INFRA_SKU_READ)
    return await _sku(ctx, id)


async def update_sku(ctx: Context, id: str, change: SkuUpdate, *, expected: int) -> Sku:
    authorize(ctx, Permission.INFRA_SKU_WRITE, platform())
    sku = await _sku(ctx, id, lock=True)
    etag.check("SKU", id, have=sku.version, expected=expected)
    sku = await store.update_sku(
        ctx.db,
        id,
        name=change.name,
        price_micros=change.price_micros,
        retired=change.retired,
        now=ctx.now,
    )
    _record_sku(ctx, registry.SKU_UPDATED, sku)
    return sku


async def _sku(ctx: Context, id: str, *, lock: bool = False) -> Sku:
    sku = await store.find_sku(ctx.db, id, lock=lock)
    if sku is None:
        raise hidden("SKU", id)
    return sku


def _record_region(ctx: Context, event: registry.EventType, region: Region) -> None:
    details = {"slug": region.slug, "name": region.name, "retired": region.retired_at is not None}
    audit.record(ctx, Permission.INFRA_REGION_WRITE, region.id, org=PLATFORM_ORG, details=details)
    data = registry.Region(id=region.id, slug=region.slug)
    events.publish(ctx, event, data, subject=region.id, version=region.version, org=PLATFORM_ORG)


def _record_sku(ctx: Context, event: registry.EventType, sku: Sku) -> None:
    data = registry.Sku(
        id=sku.id,
        slug=sku.slug,
        gpus=sku.gpus,
        price_micros=sku.price_micros,
        currency=sku.currency,
    )
    details = {**data.model_dump(exclude={"id"}), "retired": sku.retired_at is not None}
    audit.record(ctx, Permission.INFRA_SKU_WRITE, sku.id, org=PLATFORM_ORG, details=details)
    events.publish(ctx, event, data, subject=sku.id, version=sku.version, org=PLATFORM_ORG)
