"""What else ends, and what is refused: docs/explanation/what-follows.md, the rows of machines."""

import pytest

from core.tests.allocations import holding
from core.tests.callers import Caller
from core.tests.factories import machines
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.policy.places import written
from core.tests.site import Site
from moorage_core.access.sweeps import EndGrants


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


@pytest.fixture
async def machine(site: Site, tenant: Tenant) -> str:
    return await machines.make_allocation_row(tenant)


@pytest.mark.parametrize(
    "status", ["requested", "provisioning", "active", "releasing", "release_failed"]
)
async def test_delete_a_project_refused_while_it_holds_machines(
    site: Site, tenant: Tenant, status: str
) -> None:
    machine = await machines.make_allocation_row(tenant, status=status, name="head")

    answer = await tenant.admin.delete(f"/v1/projects/{tenant.project.id}")

    assert (answer.status_code, answer.json()["code"]) == (409, "not_empty")
    assert f"head ({machine})" in answer.json()["detail"]


@pytest.mark.parametrize("status", ["released", "failed"])
async def test_delete_a_project_goes_on_once_its_machines_are_given_back(
    site: Site, tenant: Tenant, status: str
) -> None:
    await machines.make_allocation_row(tenant, status=status)

    answer = await tenant.admin.delete(f"/v1/projects/{tenant.project.id}")

    assert answer.status_code == 204, answer.text


async def test_delete_an_org_refused_while_a_project_of_it_holds_machines(
    site: Site, tenant: Tenant, root: Caller, machine: str
) -> None:
    answer = await root.delete(f"/v1/orgs/{tenant.org.id}")

    assert (answer.status_code, answer.json()["code"]) == (409, "not_empty")
    assert tenant.project.slug in answer.json()["detail"]


async def test_release_an_allocation_ends_its_peoples_grants(site: Site, tenant: Tenant) -> None:
    grant = await tenant.id("grant")

    await holding.release(tenant, tenant.ids["allocation"])
    await EndGrants(site.platform).activate()

    ended = await site.rows("SELECT ended_at IS NOT NULL FROM access_grants WHERE id = %s", grant)
    assert ended == [(True,)]


async def test_a_release_that_failed_counts_in_quotas_until_it_is_over(
    site: Site, tenant: Tenant, root: Caller
) -> None:
    region, sku, _ = await machines.make_pool(site, 1)
    machine = await machines.make_allocation_row(tenant, status="release_failed")
    path = f"/v1/projects/{tenant.project.id}/overlay"
    await written(tenant.admin, path, {"quotas": {"allocations": 1}})

    refused = await holding.ask(tenant.admin, tenant.project.id, region, sku)
    await root.post(f"/v1/platform/allocations/{machine}/release", {"reason": "it is broken"})
    granted = await holding.ask(tenant.admin, tenant.project.id, region, sku)

    assert refused.status_code == 403
    assert granted.status_code == 201, granted.text


async def test_take_a_machine_back_ends_sessions_and_grants(
    site: Site, tenant: Tenant, root: Caller
) -> None:
    grant, operation = await tenant.id("grant"), await tenant.id("operation")
    machine = tenant.ids["allocation"]

    answer = await root.post(
        f"/v1/platform/allocations/{machine}/release", {"reason": "it mines coins"}
    )
    await EndGrants(site.platform).activate()

    assert answer.status_code == 200, answer.text
    ended = await site.rows("SELECT ended_at IS NOT NULL FROM access_grants WHERE id = %s", grant)
    over = await site.rows("SELECT status FROM operations WHERE id = %s", operation)
    assert (ended, over) == ([(True,)], [("cancelled",)])


async def test_cordon_a_node_and_whoever_holds_it_keeps_it(
    site: Site, tenant: Tenant, root: Caller
) -> None:
    region, sku, (node, _) = await machines.make_pool(site, 2)
    machine = await machines.make_allocation_row(tenant, node)
    for id in await _nodes(site, region):
        read = await root.get(f"/v1/nodes/{id}")
        version = read.json()["version"]
        answer = await root.patch(f"/v1/nodes/{id}", {"cordoned": True}, version=version)
        assert answer.status_code == 200, answer.text

    asked = await holding.ask(tenant.admin, tenant.project.id, region, sku)

    assert (asked.status_code, asked.json()["code"]) == (409, "no_capacity")
    assert (await holding.get(tenant, machine))["status"] == "active"


@pytest.mark.parametrize("verb", ["maintenance", "reimage", "retire"])
async def test_a_held_node_is_not_taken_out_and_the_refusal_names_the_allocation(
    site: Site, tenant: Tenant, root: Caller, machine: str, verb: str
) -> None:
    node = (await holding.node_of(site, machine))["id"]

    answer = await root.post(f"/v1/nodes/{node}/{verb}", {"reason": "its fan is loud"})

    assert answer.status_code == 409
    assert machine in answer.json()["detail"]


async def test_quarantine_a_held_node_and_its_holder_keeps_it_and_is_told(
    site: Site, tenant: Tenant, root: Caller, machine: str
) -> None:
    node = (await holding.node_of(site, machine))["id"]

    answer = await root.post(f"/v1/nodes/{node}/quarantine", {"reason": "its fan is loud"})

    assert answer.is_success, answer.text
    shown = await holding.get(tenant, machine)
    assert (shown["status"], shown["node"]["quarantined"]) == ("active", True)
    assert shown["held_until"] is None


async def test_a_silent_node_is_passed_by(site: Site, tenant: Tenant) -> None:
    region, sku, (node,) = await machines.make_pool(site, 1)
    await site.sql.execute("UPDATE nodes SET unreachable_since = now() WHERE id = %s", (node,))

    asked = await holding.ask(tenant.admin, tenant.project.id, region, sku)

    assert asked.json()["errors"] == [{"location": "unreachable", "message": "1 node"}]


@pytest.mark.parametrize("kind", ["regions", "skus"])
async def test_retire_a_region_or_a_sku_and_nothing_new_comes(
    site: Site, tenant: Tenant, root: Caller, kind: str
) -> None:
    region, sku, (node, _) = await machines.make_pool(site, 2)
    machine = await machines.make_allocation_row(tenant, node)
    column = {"regions": "region_id", "skus": "sku_id"}[kind]
    (id,) = (await site.rows(f"SELECT {column} FROM nodes WHERE id = %s", node))[0]
    done = await root.patch(f"/v1/{kind}/{id}", {"retired": True}, version=1)
    assert done.status_code == 200, done.text

    asked = await holding.ask(tenant.admin, tenant.project.id, region, sku)

    assert asked.status_code == 422
    assert (await holding.get(tenant, machine))["status"] == "active"


async def test_a_layer_below_what_is_held_takes_nothing_away(
    site: Site, tenant: Tenant, machine: str
) -> None:
    path = f"/v1/projects/{tenant.project.id}/overlay"

    await written(tenant.admin, path, {"quotas": {"allocations": 0}})

    assert (await holding.get(tenant, machine))["status"] == "active"
    assert (await holding.release(tenant, machine)).status_code == 200


async def _nodes(site: Site, region: str) -> list[str]:
    found = await site.rows(
        "SELECT n.id FROM nodes n JOIN regions r ON r.id = n.region_id WHERE r.slug = %s", region
    )
    return [id for (id,) in found]
