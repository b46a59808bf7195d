"""The word of whoever is root on a host: kept within bounds, and with the right holder."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories.hosts import Host, announce, enrolled, issue, make_place
from core.tests.factories.machines import INVENTORY, make_allocation_row
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site, TimedSite
from moorage_core.nodes.rules import EVIDENCE_PER_HOUR

DISK = {"name": "d" * 290, "model": "m" * 290}
NIC = {"name": "n" * 290, "addresses": ["a" * 290] * 10}
GPU = {"vendor": "v" * 290, "model": "m" * 290}


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


@pytest.fixture
async def host(site: Site, root: Caller) -> Host:
    return await enrolled(site, root)


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


def login(key: str, **fields: Any) -> dict[str, Any]:
    return {"kind": "ssh.login", "key": key, "data": {"login": "ada"}} | fields


async def tell(host: Host, *items: dict[str, Any]) -> dict[str, Any]:
    answer = await host.call("POST", "evidence", json={"items": list(items)})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def flood(host: Host, prefix: str, count: int) -> list[dict[str, Any]]:
    keys = [login(f"{prefix}-{n}") for n in range(count)]
    return [await tell(host, *keys[n : n + 500]) for n in range(0, count, 500)]


async def read(root: Caller, node: str) -> dict[str, Any]:
    return (await root.get(f"/v1/nodes/{node}")).json()


# Evidence


async def test_the_old_image_says_nothing_of_whoever_waits_for_the_new_one(
    site: Site, host: Host, tenant: Tenant
) -> None:
    waiting = await make_allocation_row(
        tenant, host.node, status="requested", reimage=True, reimage_from=1
    )

    await tell(host, login("k"))

    read = await tenant.admin.get(f"/v1/allocations/{waiting}/evidence")
    assert read.json()["items"] == []


@pytest.mark.parametrize(
    "at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "1969-12-31T23:59:59+00:00"]
)
async def test_a_moment_that_cannot_be_is_left_out(
    site: Site, host: Host, tenant: Tenant, at: str
) -> None:
    held = await make_allocation_row(tenant, host.node)

    await tell(host, login("k", at=at))

    read = await tenant.admin.get(f"/v1/allocations/{held}/evidence")
    assert read.status_code == 200, read.text
    assert [item["said_at"] for item in read.json()["items"]] == [None]


async def test_a_host_that_says_too_much_is_heard_again_in_an_hour(
    timed: TimedSite, tenant: Tenant
) -> None:
    host = await enrolled(timed, await timed.actor("platform_admin"))
    held = await make_allocation_row(tenant, host.node)

    first = await flood(host, "first", EVIDENCE_PER_HOUR)
    more = await tell(host, login("first-0"), login("more-0"), login("more-1"))
    timed.clock.move(timedelta(hours=1, seconds=1))
    await host.prove()
    later = await tell(host, login("later"))

    assert {answer["dropped"] for answer in first} == {0}
    assert more == {"recorded": 0, "dropped": 2}
    assert later == {"recorded": 1, "dropped": 0}
    told = await timed.rows(
        "SELECT count(*) FILTER (WHERE kind = 'ssh.login'),"
        " count(*) FILTER (WHERE kind = 'evidence.dropped') FROM node_evidence"
        " WHERE allocation_id = %s",
        held,
    )
    assert told == [(EVIDENCE_PER_HOUR + 1, 1)], "whoever reads it sees that something is missing"


async def test_a_host_that_says_much_at_once_is_heard_no_more_than_others(
    site: Site, host: Host
) -> None:
    said = [flood(host, f"part-{n}", 400) for n in range(2 * EVIDENCE_PER_HOUR // 400)]

    answers = [answer for part in await asyncio.gather(*said) for answer in part]

    assert sum(answer["recorded"] for answer in answers) == EVIDENCE_PER_HOUR
    assert sum(answer["dropped"] for answer in answers) == EVIDENCE_PER_HOUR


async def test_of_evidence_that_is_too_long_its_length_is_kept(site: Site, host: Host) -> None:
    await tell(host, login("long", data={f"k{n}": "x" * 290 for n in range(40)}))

    ((data,),) = await site.rows("SELECT data FROM node_evidence WHERE node_id = %s", host.node)
    assert list(data) == ["cut_bytes"]


# Inventory


async def test_of_many_disks_and_cards_the_first_are_kept(
    site: Site, root: Caller, host: Host
) -> None:
    said = INVENTORY | {"disks": [DISK] * 900, "nics": [NIC | {"addresses": []}] * 500}

    polled = await host.poll(inventory=said)

    kept = (await read(root, host.node))["inventory"]
    assert polled.status_code == 200
    assert (len(kept["disks"]), len(kept["nics"])) == (32, 32)
    assert kept["cut"] == {"disks": 868, "nics": 468}
    assert kept["memory_bytes"] == INVENTORY["memory_bytes"]


async def test_an_inventory_that_is_too_long_is_refused_and_the_one_before_stays(
    site: Site, root: Caller, host: Host
) -> None:
    before = (await read(root, host.node))["inventory"]

    polled = await host.poll(inventory=INVENTORY | {"gpus": [GPU] * 900})

    kept = (await read(root, host.node))["inventory"]
    assert (polled.status_code, polled.json()["want_inventory"]) == (200, False)
    assert kept.pop("refused")["bytes"] > 65_536
    assert kept == before


async def test_the_next_inventory_that_fits_is_kept(site: Site, root: Caller, host: Host) -> None:
    await host.poll(inventory=INVENTORY | {"gpus": [GPU] * 900})

    await host.poll(inventory=INVENTORY)

    assert "refused" not in (await read(root, host.node))["inventory"]


async def test_a_host_with_too_long_an_inventory_does_not_enrol(site: Site, root: Caller) -> None:
    node = await announce(root, await make_place(root))
    token = (await issue(root, node["id"]))["token"]

    refused = await Host(site.client).enrol(token, inventory=INVENTORY | {"gpus": [GPU] * 900})

    assert refused.status_code == 422
    assert "65536 bytes" in refused.text
    assert (await Host(site.client).enrol(token)).status_code == 201, "the line is still good"


async def test_lists_of_nodes_leave_inventories_out(site: Site, root: Caller, host: Host) -> None:
    named = (await read(root, host.node))["name"]

    listed = await root.get("/v1/nodes", params={"name": named})

    assert [item["inventory"] for item in listed.json()["items"]] == [None]
