"""HTTP in, one command, HTTP out: regions and SKUs."""

from typing import TypeVar

from fastapi import Response

from moorage_core.authz.permissions import Permission
from moorage_core.errors import NotFound
from moorage_core.fleet import commands, rules
from moorage_core.fleet.models import Region, Sku
from moorage_core.fleet.schemas import (
    RegionCreate,
    RegionRead,
    RegionUpdate,
    SkuCreate,
    SkuRead,
    SkuUpdate,
)
from moorage_core.http import etag
from moorage_core.http.etag import ExpectedVersion
from moorage_core.http.routing import Ctx, Routes
from moorage_core.kit.ids import RegionId, SkuId
from moorage_core.kit.pagination import Page, PageRead, Paging

routes = Routes(tag="fleet")
Row = TypeVar("Row", Region, Sku)


@routes.mutation(
    "POST",
    "/v1/regions",
    key=Permission.INFRA_REGION_WRITE,
    status_code=201,
    response_model=RegionRead,
    answers=(rules.SlugTaken,),
)
async def create_region(new: RegionCreate, ctx: Ctx) -> Region:
    """Add a place where machines stand."""
    return await commands.create_region(ctx, new)


@routes.read("/v1/regions", key=Permission.INFRA_REGION_READ, response_model=PageRead[RegionRead])
async def list_regions(ctx: Ctx, page: Paging) -> Page[Region]:
    """All regions, retired ones too."""
    return await commands.list_regions(ctx, page)


@routes.read(
    "/v1/regions/{region}",
    key=Permission.INFRA_REGION_READ,
    response_model=RegionRead,
    answers=(NotFound,),
)
async def get_region(region: RegionId, ctx: Ctx, response: Response) -> Region:
    """One region."""
    return _with_etag(response, await commands.get_region(ctx, region))


@routes.mutation(
    "PATCH",
    "/v1/regions/{region}",
    key=Permission.INFRA_REGION_WRITE,
    response_model=RegionRead,
    answers=(NotFound, *etag.ERRORS),
)
async def update_region(
    region: RegionId, change: RegionUpdate, expected: ExpectedVersion, ctx: Ctx, response: Response
) -> Region:
    """Rename a region, retire it, or take it back into use."""
    found = await commands.update_region(ctx, region, change, expected=expected)
    return _with_etag(response, found)


@routes.mutation(
    "POST",
    "/v1/skus",
    key=Permission.INFRA_SKU_WRITE,
    status_code=201,
    response_model=SkuRead,
    answers=(rules.SlugTaken, rules.GpusUnclear),
)
async def create_sku(new: SkuCreate, ctx: Ctx) -> Sku:
    """Add a class of machines with its list price per hour."""
    return await commands.create_sku(ctx, new)


@routes.read("/v1/skus", key=Permission.INFRA_SKU_READ, response_model=PageRead[SkuRead])
async def list_skus(ctx: Ctx, page: Paging) -> Page[Sku]:
    """All classes of machines, retired ones too."""
    return await commands.list_skus(ctx, page)


@routes.read(
    "/v1/skus/{sku}", key=Permission.INFRA_SKU_READ, response_model=SkuRead, answers=(NotFound,)
)
async def get_sku(sku: SkuId, ctx: Ctx, response: Response) -> Sku:
    """One class of machines."""
    return _with_etag(response, await commands.get_sku(ctx, sku))


@routes.mutation(
    "PATCH",
    "/v1/skus/{sku}",
    key=Permission.INFRA_SKU_WRITE,
    response_model=SkuRead,
    answers=(NotFound, *etag.ERRORS),
)
async def update_sku(
    sku: SkuId, change: SkuUpdate, expected: ExpectedVersion, ctx: Ctx, response: Response
) -> Sku:
    """Rename a class of machines, change its price from now on, or retire it."""
    return _with_etag(response, await commands.update_sku(ctx, sku, change, expected=expected))


def _with_etag(response: Response, found: Row) -> Row:
    etag.put(response, found.version)
    return found
