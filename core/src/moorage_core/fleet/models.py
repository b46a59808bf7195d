"""Rows of regions and SKUs."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Region:
    id: str
    slug: str
    name: str
    version: int
    created_at: datetime
    updated_at: datetime
    retired_at: datetime | None


@dataclass(frozen=True)
class Sku:
    id: str
    slug: str
    name: str
    cpus: int
    memory_bytes: int
    gpu_model: str | None
    gpus: int
    price_micros: int
    currency: str
    version: int
    created_at: datetime
    updated_at: datetime
    retired_at: datetime | None
