"""Wire shapes of regions and SKUs."""

from typing import Annotated

from pydantic import Field, StringConstraints

from moorage_core.kit.ids import RegionId, SkuId
from moorage_core.kit.wire import WHOLE, Input, Moment, Name, Output, Slug

Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
Price = Annotated[int, Field(ge=0, le=10**15), WHOLE]
"""Millionths of the currency's unit for an hour: 2.50 EUR is 2500000."""


class RegionCreate(Input):
    slug: Slug
    name: Name


class RegionUpdate(Input):
    name: Name | None = None
    retired: bool | None = None
    """Retired: what is there stays, nothing new comes."""


class RegionRead(Output):
    id: RegionId
    slug: str
    name: str
    version: int
    created_at: Moment
    updated_at: Moment
    retired_at: Moment | None


class SkuCreate(Input):
    """A class of machines. What they are made of stays as it is: another shape is another SKU."""

    slug: Slug
    name: Name
    cpus: Annotated[int, Field(ge=1, le=100_000), WHOLE]
    """Threads that the operating system sees, at least."""
    memory_bytes: Annotated[int, Field(ge=1, le=1 << 50), WHOLE]
    gpu_model: Name | None = None
    """As the driver calls it, or a part of that: `H200`. Left out where there is none."""
    gpus: Annotated[int, Field(ge=0, le=1000), WHOLE] = 0
    price_micros: Price
    currency: Currency


class SkuUpdate(Input):
    name: Name | None = None
    price_micros: Price | None = None
    """For allocations from now on; those that are held keep the price they were made at."""
    retired: bool | None = None


class SkuRead(Output):
    id: SkuId
    slug: str
    name: str
    cpus: int
    memory_bytes: int
    gpu_model: str | None
    gpus: int
    price_micros: int
    currency: str
    version: int
    created_at: Moment
    updated_at: Moment
    retired_at: Moment | None
