"""Seats for bytes on their way."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack

import httpx2
import pytest

from core.tests.factories.artifacts import announce, send
from core.tests.factories.tenants import Tenant
from core.tests.site import Site, fresh
from moorage_core.artifacts.transfers import Transfers
from moorage_core.errors import Busy, TooMany


def test_a_principal_has_so_many_seats_and_no_more() -> None:
    transfers = Transfers(per_principal=2, at_once=64)

    with transfers.seat("usr_a", org="org_a"), transfers.seat("usr_a", org="org_a"):
        with (
            pytest.raises(TooMany, match=r"You have 2 .* of 2 at once; 0 are left"),
            transfers.seat("usr_a", org="org_b"),
        ):
            pass
        with transfers.seat("usr_b", org="org_a"):
            assert transfers.under_way == 3
    with transfers.seat("usr_a", org="org_a"):
        assert transfers.under_way == 1


def test_an_org_never_has_all_seats() -> None:
    transfers = Transfers(per_principal=8, at_once=4)

    with ExitStack() as seats:
        for who in ("usr_a", "usr_b"):
            seats.enter_context(transfers.seat(who, org="org_a"))
        with pytest.raises(TooMany, match="The org has 2 "), transfers.seat("usr_c", org="org_a"):
            pass
        for who in ("usr_d", "usr_e"):
            seats.enter_context(transfers.seat(who, org="org_b"))
        with pytest.raises(Busy, match="4 at once"), transfers.seat("usr_f", org="org_c"):
            pass
    assert transfers.under_way == 0


@pytest.fixture
def one_seat(site: Site) -> Iterator[Transfers]:
    """A platform on which a principal has one transfer at once."""
    before, few = site.platform.transfers, Transfers(per_principal=1, at_once=64)
    object.__setattr__(site.platform, "transfers", few)
    yield few
    object.__setattr__(site.platform, "transfers", before)


async def test_an_upload_takes_a_seat_and_gives_it_back(
    tenant: Tenant, one_seat: Transfers
) -> None:
    content = fresh().encode()
    slow_id = (await announce(tenant.admin, tenant.project.id, content))["id"]
    other_id = (await announce(tenant.admin, tenant.project.id, content + b"2"))["id"]
    begun, over = asyncio.Event(), asyncio.Event()

    async def chunks() -> AsyncIterator[bytes]:
        begun.set()
        await over.wait()
        yield content

    path = f"/v1/artifacts/{slow_id}/content"
    slow = asyncio.create_task(tenant.admin.call("PUT", path, content=chunks()))
    await begun.wait()
    refused: httpx2.Response = await send(tenant.admin, other_id, content + b"2")
    over.set()
    await slow
    accepted: httpx2.Response = await send(tenant.admin, other_id, content + b"2")

    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert accepted.status_code == 200
    assert one_seat.under_way == 0
