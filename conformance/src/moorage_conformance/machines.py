"""The machines that a run works on: the project's, or some that are asked for and given back."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncGenerator, AsyncIterable, Sequence

from moorage import ApiError, Client, MoorageError
from moorage.models import AllocationRead, RegionRead, SkuRead
from moorage_conformance.findings import CannotRun
from moorage_conformance.tenant import Tenant

LOOK_AGAIN = 0.2
PATIENCE = 300.0
REASON = "The conformance run is over."


@contextlib.asynccontextmanager
async def held(
    tenant: Tenant, count: int, *, region: str | None, sku: str | None
) -> AsyncGenerator[list[str]]:
    """So many machines, given back when the block ends."""
    client = tenant.client
    region = region or await only(client.regions.list(), "region")
    sku = sku or await only(client.skus.list(), "sku")
    try:
        placed = await client.allocations.create(
            tenant.project,
            region=region,
            sku=sku,
            count=count,
            name=f"conformance-{secrets.token_hex(3)}",
        )
    except ApiError as err:
        raise CannotRun(f"There are no {count} machines to be had: {err}") from err
    ids = [allocation.id for allocation in placed.allocations]
    try:
        await asyncio.gather(*(_settled(client, id, ("active", "failed")) for id in ids))
        await check(tenant, ids)
        yield ids
    finally:
        await asyncio.gather(*(_release(client, id) for id in ids))


async def only(known: AsyncIterable[RegionRead | SkuRead], option: str) -> str:
    """The one that is in use. Where there are several, whoever calls has the choice."""
    slugs = [each.slug async for each in known if each.retired_at is None]
    if len(slugs) == 1:
        return slugs[0]
    raise CannotRun(
        f"Say which machines to use: --region and --sku, or --allocations. For --{option} there is "
        f"{' or '.join(sorted(slugs)) or 'nothing yet'}."
    )


async def check(tenant: Tenant, allocations: Sequence[str]) -> None:
    """The machines are there, and nobody else uses them."""
    for id in allocations:
        found = await tenant.client.allocations.get(id)
        if found.status != "active" or found.dirty or found.instance_id:
            why = ", ".join(found.dirty) or found.message or found.instance_id or ""
            raise CannotRun(f"Allocation {found.name} cannot be used: {found.status} {why}.")


async def _release(client: Client, id: str) -> None:
    with contextlib.suppress(MoorageError):
        await client.allocations.release(id, reason=REASON)
        await _settled(client, id, ("released", "release_failed"))


async def _settled(client: Client, id: str, states: Sequence[str]) -> AllocationRead:
    async with asyncio.timeout(PATIENCE):
        while (found := await client.allocations.get(id)).status not in states:
            await asyncio.sleep(LOOK_AGAIN)
        return found
