"""Asking for machines: all or none, explained, within what is there."""

import pytest

from core.tests.allocations import holding
from core.tests.callers import Caller
from core.tests.factories import machines
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site
from moorage_core.kit.ids import PLATFORM_ORG


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


async def test_machines_are_chosen_and_the_choice_is_explained(site: Site, tenant: Tenant) -> None:
    region, sku, _ = await machines.make_pool(site, 3)

    answer = await holding.ask(
        tenant.admin, tenant.project.id, region, sku, count=2, name="worker", strategy="pack"
    )

    assert answer.status_code == 201, answer.text
    said = answer.json()
    first, second = said["allocations"]
    assert [first["name"], second["name"]] == ["worker-1", "worker-2"]
    assert first["status"] == "requested"
    assert first["placement"]["strategy"] == "pack"
    assert said["placement"] == {
        "strategy": "pack",
        "considered": 3,
        "free": 3,
        "not_free": {},
    }
    taken = await site.rows(
        "SELECT count(*) FROM nodes WHERE status = 'allocated' AND name = ANY (%s)",
        [first["node_name"], second["node_name"]],
    )
    assert taken == [(2,)]


@pytest.mark.rule("AL-1")
async def test_too_many_are_none_and_the_answer_says_why_not(site: Site, tenant: Tenant) -> None:
    region, sku, nodes = await machines.make_pool(site, 3)
    await site.sql.execute("UPDATE nodes SET cordoned = true WHERE id = %s", (nodes[0],))
    await site.sql.execute("UPDATE nodes SET status = 'maintenance' WHERE id = %s", (nodes[1],))

    answer = await holding.ask(tenant.admin, tenant.project.id, region, sku, count=2)

    assert answer.status_code == 409
    problem = answer.json()
    assert problem["code"] == "no_capacity"
    assert "1 of 3 free" in problem["detail"]
    assert problem["errors"] == [
        {"location": "cordoned", "message": "1 node"},
        {"location": "maintenance", "message": "1 node"},
    ]
    assert await site.rows("SELECT 1 FROM allocations WHERE region = %s", region) == []


async def test_a_host_without_agent_is_held_at_once(site: Site, tenant: Tenant) -> None:
    region, sku, (node,) = await machines.make_pool(
        site, 1, reach="ssh", address="198.18.0.9", ssh_port=2222
    )

    (made,) = await holding.held(tenant, region, sku)

    assert made["status"] == "active"
    assert made["held_from"] is not None
    assert made["node"]["addresses"] == ["198.18.0.9"]
    assert made["node"]["ssh_port"] == 2222
    assert made["node"]["reachable"] is None
    assert await site.rows("SELECT last_org_id FROM nodes WHERE id = %s", node) == [
        (tenant.org.id,)
    ]


async def test_a_name_is_taken_once(site: Site, tenant: Tenant) -> None:
    region, sku, _ = await machines.make_pool(site, 2)
    await holding.held(tenant, region, sku, name="head")

    answer = await holding.ask(tenant.admin, tenant.project.id, region, sku, name="head")

    assert (answer.status_code, answer.json()["code"]) == (409, "name_taken")
    free = await site.rows(
        "SELECT count(*) FROM nodes WHERE status = 'available' AND sku_id ="
        " (SELECT id FROM skus WHERE slug = %s)",
        sku,
    )
    assert free == [(1,)]


@pytest.mark.rule("AL-7")
async def test_what_integrations_note_is_kept_as_it_is(site: Site, tenant: Tenant) -> None:
    region, sku, _ = await machines.make_pool(site, 1)
    noted = {"deep": {"list": [1, None, "x"]}}

    (made,) = await holding.held(tenant, region, sku, scheduler_type="any word", metadata=noted)
    changed = await tenant.admin.patch(
        f"/v1/allocations/{made['id']}",
        {"scheduler_type": "", "metadata": {"a": 1}},
        version=made["version"],
    )

    assert (made["scheduler_type"], made["metadata"]) == ("any word", noted)
    assert changed.status_code == 200, changed.text
    assert (changed.json()["scheduler_type"], changed.json()["metadata"]) == (None, {"a": 1})
    assert changed.json()["name"] == made["name"]


async def test_metadata_has_a_size(site: Site, tenant: Tenant) -> None:
    region, sku, _ = await machines.make_pool(site, 1)

    answer = await holding.ask(
        tenant.admin, tenant.project.id, region, sku, metadata={"x": "y" * 20_000}
    )

    assert (answer.status_code, answer.json()["code"]) == (422, "malformed")


@pytest.mark.parametrize("field", ["region", "sku"])
async def test_a_place_that_is_not_there_is_named(site: Site, tenant: Tenant, field: str) -> None:
    region, sku, _ = await machines.make_pool(site, 1)
    body = {"region": region, "sku": sku, field: "nowhere"}

    answer = await tenant.admin.post(f"/v1/projects/{tenant.project.id}/allocations", body)

    assert answer.status_code == 422
    assert "nowhere" in answer.json()["detail"]


async def test_a_node_of_another_org_is_no_candidate_without_a_provisioner(
    site: Site, tenant: Tenant
) -> None:
    other = await make_tenant(site)
    region, sku, _ = await machines.make_pool(site, 1, last_org_id=other.org.id)

    answer = await holding.ask(tenant.admin, tenant.project.id, region, sku)
    same = await holding.ask(other.admin, other.project.id, region, sku)

    assert answer.status_code == 409
    assert answer.json()["errors"] == [{"location": "needs_reimage", "message": "1 node"}]
    assert same.status_code == 201, same.text


async def test_those_who_run_the_platform_are_told_which_nodes(site: Site, root: Caller) -> None:
    tenant = await make_tenant(site)
    region, sku, (node,) = await machines.make_pool(site, 1, name="gpu-loud", cordoned=True)
    where = {"org_id": PLATFORM_ORG}
    answer = await root.post(f"/v1/orgs/{where['org_id']}/projects", {"slug": "ours", "name": "O"})
    assert answer.status_code == 201, answer.text

    ours = await holding.ask(root, answer.json()["id"], region, sku)
    theirs = await holding.ask(tenant.admin, tenant.project.id, region, sku)

    assert ours.json()["errors"] == [{"location": "cordoned", "message": "gpu-loud"}]
    assert theirs.json()["errors"] == [{"location": "cordoned", "message": "1 node"}]
    assert node not in theirs.text


async def test_a_named_node_is_given_by_an_operator_and_the_tenant_sees_it(
    site: Site, tenant: Tenant, root: Caller
) -> None:
    _, _, (node, _) = await machines.make_pool(site, 2)

    answer = await root.post(
        f"/v1/nodes/{node}/allocations",
        {"project": tenant.project.id, "reason": "the one with the big disk"},
    )

    assert answer.status_code == 201, answer.text
    (made,) = answer.json()["allocations"]
    assert made["org_id"] == tenant.org.id
    await site.number()
    seen = await tenant.admin.get("/v1/audit", params={"project": tenant.project.id})
    actions = [(e["action"], e["actor_id"], e["details"]["reason"]) for e in seen.json()["items"]]
    assert ("infra.node.allocate", root.id, "the one with the big disk") in actions


async def test_a_named_node_that_is_held_is_refused(
    site: Site, tenant: Tenant, root: Caller
) -> None:
    region, sku, (node,) = await machines.make_pool(site, 1)
    await holding.held(tenant, region, sku)

    answer = await root.post(
        f"/v1/nodes/{node}/allocations",
        {"project": tenant.project.id, "reason": "the one with the big disk"},
    )

    assert (answer.status_code, answer.json()["code"]) == (409, "node_not_free")


async def test_only_those_who_run_nodes_name_one(site: Site, tenant: Tenant) -> None:
    _, _, (node,) = await machines.make_pool(site, 1)

    answer = await tenant.admin.post(
        f"/v1/nodes/{node}/allocations",
        {"project": tenant.project.id, "reason": "the one with the big disk"},
    )

    assert answer.status_code == 403
    assert "infra.node.allocate" in answer.json()["detail"]


async def test_a_list_shows_what_still_holds_a_node(site: Site, tenant: Tenant) -> None:
    region, sku, _ = await machines.make_pool(site, 2)
    first, second = await holding.held(tenant, region, sku, count=2)
    await holding.release(tenant, first["id"])
    path = f"/v1/projects/{tenant.project.id}/allocations"

    every = (await tenant.admin.get(path)).json()["items"]
    live = (await tenant.admin.get(path, params={"live": "true"})).json()["items"]
    over = (await tenant.admin.get(path, params={"status": "released"})).json()["items"]

    assert {each["id"] for each in every} == {first["id"], second["id"]}
    assert [each["id"] for each in live] == [second["id"]]
    assert [each["id"] for each in over] == [first["id"]]


async def test_a_machine_shows_its_host_and_what_it_came_to(site: Site, tenant: Tenant) -> None:
    allocation = await machines.make_allocation_row(tenant)
    await site.sql.execute(
        "UPDATE allocations SET held_from = now() - interval '1 hour' WHERE id = %s", (allocation,)
    )

    shown = await holding.get(tenant, allocation)

    assert shown["node"]["addresses"] == ["198.18.0.9"]
    assert shown["node"]["reachable"] is True
    assert shown["node"]["cpu"] == {"model": "test", "threads": 4}
    assert shown["cost"]["label"] == "estimate"
    assert shown["cost"]["currency"] == "EUR"
    assert 2_500_000 <= shown["cost"]["amount_micros"] < 2_600_000


async def test_a_silent_node_says_since_when(site: Site, tenant: Tenant) -> None:
    node = await machines.make_node_row(site)
    allocation = await machines.make_allocation_row(tenant, node)
    await site.sql.execute("UPDATE nodes SET unreachable_since = now() WHERE id = %s", (node,))

    shown = await holding.get(tenant, allocation)

    assert shown["node"]["reachable"] is False
    assert shown["node"]["unreachable_since"] is not None


@pytest.mark.parametrize("reach", ["agent", "ssh"])
async def test_many_machines_cost_as_many_statements_as_few(site: Site, reach: str) -> None:
    tenant = await make_tenant(site)
    assert (await tenant.admin.get("/v1/me")).status_code == 200, "who calls is known from here on"
    costs: list[int] = []
    for count in (2, 20):
        region, sku, _ = await machines.make_pool(site, count, reach=reach, address="198.18.0.9")
        before = site.platform.database.statements
        await holding.held(tenant, region, sku, count=count)
        costs.append(site.platform.database.statements - before)

    assert costs[0] == costs[1]
