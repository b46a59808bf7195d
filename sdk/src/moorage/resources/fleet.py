"""Regions and SKUs."""

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of, version_of
from moorage._operation import Arguments
from moorage.models import (
    RegionCreate,
    RegionRead,
    RegionUpdate,
    SkuCreate,
    SkuRead,
    SkuUpdate,
)


class Regions(Group):
    """Regions: where machines stand. Platform admins write them."""

    @listing(operations.LIST_REGIONS, RegionRead)
    def list(self, *, page_size: int | None = None) -> Arguments:
        """All regions, retired ones too."""
        return Arguments(query={"limit": page_size})

    @call(operations.CREATE_REGION, RegionRead)
    def create(self, *, slug: str, name: str) -> Arguments:
        """Add a place where machines stand."""
        return Arguments(body=RegionCreate(slug=slug, name=name))

    @call(operations.GET_REGION, RegionRead)
    def get(self, region: RegionRead | str) -> Arguments:
        """One region."""
        return Arguments(path={"region": id_of(region)})

    @call(operations.UPDATE_REGION, RegionRead)
    def update(
        self,
        region: RegionRead | str,
        *,
        name: str | None = None,
        retired: bool | None = None,
        version: int | None = None,
    ) -> Arguments:
        """Rename a region, retire it, or take it back into use. What is left out stays."""
        return Arguments(
            path={"region": id_of(region)},
            body=RegionUpdate(name=name, retired=retired),
            version=version_of(region, version),
        )


class Skus(Group):
    """SKUs: classes of machines, with their list price. Platform admins write them."""

    @listing(operations.LIST_SKUS, SkuRead)
    def list(self, *, page_size: int | None = None) -> Arguments:
        """All classes of machines, retired ones too."""
        return Arguments(query={"limit": page_size})

    @call(operations.CREATE_SKU, SkuRead)
    def create(
        self,
        *,
        slug: str,
        name: str,
        cpus: int,
        memory_bytes: int,
        price_micros: int,
        currency: str,
        gpus: int = 0,
        gpu_model: str | None = None,
    ) -> Arguments:
        """Add a class of machines.

        Args:
            slug: What people type.
            name: What people read.
            cpus: Threads that the operating system sees, at least.
            memory_bytes: Of which nine tenths must be there when a host enrols.
            price_micros: For an hour, in millionths of the currency's unit.
            currency: Three letters.
            gpus: How many.
            gpu_model: As the driver calls it, or a part of that.
        """
        return Arguments(
            body=SkuCreate(
                slug=slug,
                name=name,
                cpus=cpus,
                memory_bytes=memory_bytes,
                gpu_model=gpu_model,
                gpus=gpus,
                price_micros=price_micros,
                currency=currency,
            )
        )

    @call(operations.GET_SKU, SkuRead)
    def get(self, sku: SkuRead | str) -> Arguments:
        """One class of machines."""
        return Arguments(path={"sku": id_of(sku)})

    @call(operations.UPDATE_SKU, SkuRead)
    def update(
        self,
        sku: SkuRead | str,
        *,
        name: str | None = None,
        price_micros: int | None = None,
        retired: bool | None = None,
        version: int | None = None,
    ) -> Arguments:
        """Rename, change the price from now on, or retire. What is left out stays."""
        return Arguments(
            path={"sku": id_of(sku)},
            body=SkuUpdate(name=name, price_micros=price_micros, retired=retired),
            version=version_of(sku, version),
        )
