"""Nodes through the API: announced, changed, taken out and back."""

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from core.tests.callers import Caller
from core.tests.factories.hosts import Place, announce, enrolled, issue, make_place
from core.tests.factories.machines import make_allocation_row
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site, fresh
from moorage_agent import pasted
from moorage_core.nodes import handout


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


@pytest.fixture
async def place(root: Caller) -> Place:
    return await make_place(root)


async def act(root: Caller, node: str, verb: str) -> tuple[int, dict[str, Any]]:
    answer = await root.post(f"/v1/nodes/{node}/{verb}", {"reason": "its fan is loud"})
    return answer.status_code, answer.json()


async def test_a_host_without_agent_is_available_at_once(root: Caller, place: Place) -> None:
    node = await announce(root, place, reach="ssh", address="198.18.0.9", ssh_port=2222)

    assert (node["status"], node["reachable"]) == ("available", None)
    line = await root.post(f"/v1/nodes/{node['id']}/enrolments", {})
    assert (line.status_code, line.json()["code"]) == (409, "node_without_agent")


async def test_a_host_without_agent_needs_an_address(root: Caller, place: Place) -> None:
    body = {"name": f"n-{fresh()}", "region": place.region, "sku": place.sku, "reach": "ssh"}

    refused = await root.post("/v1/nodes", body)

    assert (refused.status_code, refused.json()["code"]) == (422, "address_missing")


@pytest.mark.parametrize("what", ["region", "sku"])
async def test_a_node_stands_in_a_region_and_is_of_a_sku_that_are_in_use(
    root: Caller, place: Place, what: str
) -> None:
    body = {"name": f"n-{fresh()}", "region": place.region, "sku": place.sku, what: "elsewhere"}

    refused = await root.post("/v1/nodes", body)

    assert (refused.status_code, refused.json()["code"]) == (422, "place_unknown")


async def test_a_name_is_given_once_until_its_node_is_retired(root: Caller, place: Place) -> None:
    node = await announce(root, place)
    body = {"name": node["name"], "region": place.region, "sku": place.sku}

    taken = await root.post("/v1/nodes", body)
    await act(root, node["id"], "retire")
    free = await root.post("/v1/nodes", body)

    assert (taken.status_code, taken.json()["code"]) == (409, "name_taken")
    assert free.status_code == 201


async def test_a_node_is_labelled_and_cordoned(root: Caller, place: Place) -> None:
    node = await announce(root, place)

    changed = await root.patch(
        f"/v1/nodes/{node['id']}", {"labels": {"rack": "r12"}, "cordoned": True}, version=1
    )
    stale = await root.patch(f"/v1/nodes/{node['id']}", {"cordoned": False}, version=1)

    assert changed.json()["labels"] == {"rack": "r12"}
    assert changed.json()["cordoned"] is True
    assert stale.status_code == 412


async def test_nodes_are_found_by_what_they_are(root: Caller, place: Place) -> None:
    first, second = await announce(root, place), await announce(root, place)
    await act(root, second["id"], "quarantine")

    async def found(**query: str) -> set[str]:
        answer = await root.get("/v1/nodes", params=query)
        return {node["id"] for node in answer.json()["items"]}

    assert await found(region=place.region) == {first["id"], second["id"]}
    assert await found(sku=place.sku, status="quarantined") == {second["id"]}
    assert await found(name=first["name"]) == {first["id"]}
    assert await found(region=place.region, unreachable="true") == set()
    assert await found(region="nowhere") == set()


async def test_many_are_announced_with_their_lines_in_one_change(
    site: Site, root: Caller, place: Place
) -> None:
    names = [f"n-{fresh()}" for _ in range(50)]
    nodes = [{"name": name, "region": place.region, "sku": place.sku} for name in names]
    before = await site.rows("SELECT count(*) FROM audit_entries")

    made = await root.post("/v1/node-batches", {"nodes": nodes})

    items = made.json()["items"]
    assert [item["node"]["name"] for item in items] == names
    assert len({item["enrolment"]["token"] for item in items}) == 50
    after = await site.rows("SELECT count(*) FROM audit_entries")
    assert after[0][0] - before[0][0] == 1


async def test_of_many_all_are_announced_or_none(root: Caller, place: Place) -> None:
    taken = await announce(root, place)
    nodes = [
        {"name": name, "region": place.region, "sku": place.sku}
        for name in (f"n-{fresh()}", taken["name"])
    ]

    refused = await root.post("/v1/node-batches", {"nodes": nodes})

    assert (refused.status_code, refused.json()["code"]) == (409, "name_taken")
    assert taken["name"] in refused.json()["detail"]
    listed = await root.get("/v1/nodes", params={"region": place.region})
    assert [node["id"] for node in listed.json()["items"]] == [taken["id"]]


@pytest.mark.parametrize("verb", ["maintenance", "retire", "reimage"])
async def test_a_held_node_is_not_taken_from_under_its_holder(
    site: Site, root: Caller, verb: str
) -> None:
    host = await enrolled(site, root)
    tenant = await make_tenant(site)
    allocation = await make_allocation_row(tenant, host.node)

    status, said = await act(root, host.node, verb)

    assert (status, said["code"]) == (409, "node_held")
    assert allocation in said["detail"]
    assert tenant.org.slug not in said["detail"]
    assert tenant.project.slug not in said["detail"]


async def test_a_list_says_who_holds_a_node_and_what_it_is_made_of(
    site: Site, root: Caller
) -> None:
    host, tenant = await enrolled(site, root), await make_tenant(site)
    held, node = await make_allocation_row(tenant, host.node), host.node
    said = {"cpu": {"threads": 8}, "memory_bytes": 1 << 30, "gpus": [{"model": "H200"}], "nics": []}
    await site.sql.execute("UPDATE nodes SET inventory = %s WHERE id = %s", (Jsonb(said), node))
    one = (await root.get(f"/v1/nodes/{node}")).json()

    listed = await root.get("/v1/nodes", params={"name": one["name"]})

    (shown,) = listed.json()["items"]
    assert shown["holder"] == one["holder"]
    assert (shown["holder"]["allocation_id"], shown["holder"]["org_id"]) == (held, tenant.org.id)
    assert (shown["hardware"]["threads"], shown["hardware"]["gpus"]) == (8, ["H200"])
    assert (shown["inventory"], one["inventory"]) == (None, said)


async def test_a_node_goes_into_maintenance_and_back(site: Site, root: Caller) -> None:
    host = await enrolled(site, root)

    _, out = await act(root, host.node, "maintenance")
    back = await root.post(f"/v1/nodes/{host.node}/resume")

    assert (out["status"], out["status_reason"]) == ("maintenance", "its fan is loud")
    assert (back.json()["status"], back.json()["status_reason"]) == ("available", None)
    rows = await site.rows(
        "SELECT action, details->>'before', details->>'reason' FROM audit_entries"
        " WHERE target = %s ORDER BY pos DESC LIMIT 2",
        host.node,
    )
    assert rows == [
        ("infra.node.operate", "maintenance", None),
        ("infra.node.operate", "available", "its fan is loud"),
    ]


async def test_a_retired_node_stays_so(root: Caller, place: Place) -> None:
    node = await announce(root, place)
    await act(root, node["id"], "retire")

    status, said = await act(root, node["id"], "quarantine")

    assert (status, said["code"]) == (409, "node_status")


async def test_lines_are_listed_without_their_tokens(root: Caller, place: Place) -> None:
    node = await announce(root, place)
    line = await issue(root, node["id"])

    listed = await root.get(f"/v1/nodes/{node['id']}/enrolments")

    assert [entry["id"] for entry in listed.json()["items"]] == [line["id"]]
    assert line["token"] not in listed.text


async def test_the_line_is_the_agents_own(site: Site, root: Caller, place: Place) -> None:
    node = await announce(root, place)

    line = await issue(root, node["id"])

    assert handout.LOADER == pasted.LOADER
    assert line["line"] == pasted.line(
        site.platform.settings.url, site.platform.handout.agent_digest or "", "-", line["token"]
    )
    assert "\n" not in line["line"]


async def test_a_platform_without_the_agents_package_says_so(site: Site) -> None:
    bare = handout.Handout(site.platform.settings, build=None)

    assert bare.agent is None
    assert bare.agent_digest is None
