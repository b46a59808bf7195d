"""Two who want the last one: one gets it. With real connections, at the same time."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from core.tests.allocations import holding
from core.tests.factories import machines
from core.tests.factories.tenancy import make_project
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.policy.places import PLATFORM, written
from core.tests.site import Site, fresh

ROUNDS = 5


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


async def race(*asks: Any) -> Counter[tuple[int, str | None]]:
    answers = await asyncio.gather(*asks)
    return Counter((answer.status_code, answer.json().get("code")) for answer in answers)


@pytest.mark.rule("AL-2")
async def test_of_two_who_want_the_last_node_one_gets_it(site: Site) -> None:
    one, two = await make_tenant(site), await make_tenant(site)
    for _ in range(ROUNDS):
        region, sku, _ = await machines.make_pool(site, 1)

        found = await race(
            *(holding.ask(each.admin, each.project.id, region, sku) for each in (one, two))
        )

        assert found == {(201, None): 1, (409, "no_capacity"): 1}


async def test_racers_get_different_nodes(site: Site, tenant: Tenant) -> None:
    region, sku, nodes = await machines.make_pool(site, 8)

    found = await race(
        *(holding.ask(tenant.admin, tenant.project.id, region, sku, count=2) for _ in range(4))
    )

    assert found == {(201, None): 4}
    held = await site.rows("SELECT node_id FROM allocations WHERE region = %s", region)
    assert sorted(id for (id,) in held) == sorted(nodes)


@pytest.mark.rule("AL-1", "AL-2")
async def test_many_who_want_many_get_all_or_nothing(site: Site, tenant: Tenant) -> None:
    region, sku, _ = await machines.make_pool(site, 5)

    found = await race(
        *(holding.ask(tenant.admin, tenant.project.id, region, sku, count=3) for _ in range(4))
    )

    assert found == {(201, None): 1, (409, "no_capacity"): 3}
    held = await site.rows("SELECT count(*) FROM allocations WHERE region = %s", region)
    assert held == [(3,)]


@pytest.mark.rule("AL-2")
@pytest.mark.parametrize("level", ["global", "tenant", "org", "project"])
async def test_of_two_who_want_the_last_unit_of_a_quota_one_gets_it(site: Site, level: str) -> None:
    tenant = await make_tenant(site)
    root = await site.actor("platform_admin")
    sister = await make_project(site.sql, tenant.org, f"prj-{fresh()}")
    others = {
        "project": tenant.project,
        "org": sister,
        "tenant": sister,
        "global": (await make_tenant(site)).project,
    }
    for _ in range(ROUNDS):
        region, sku, _ = await machines.make_pool(site, 4, gpus=2)
        used = await _gpus(site, level, tenant)
        writer, path = {
            "global": (root, PLATFORM),
            "tenant": (root, f"/v1/platform/orgs/{tenant.org.id}/overlay"),
            "org": (tenant.admin, f"/v1/orgs/{tenant.org.id}/overlay"),
            "project": (tenant.admin, f"/v1/projects/{tenant.project.id}/overlay"),
        }[level]
        await written(writer, path, {"quotas": {"gpus": used + 3}})
        callers = [
            (tenant.admin, tenant.project.id),
            (await site.actor("project_admin", project=others[level]), others[level].id),
        ]

        found = await race(*(holding.ask(who, where, region, sku) for who, where in callers))

        assert found == {(201, None): 1, (403, "policy_refused"): 1}
    await written(root, PLATFORM, {})


async def test_a_project_that_is_deleted_meanwhile_holds_nothing(site: Site) -> None:
    for _ in range(ROUNDS):
        tenant = await make_tenant(site)
        region, sku, _ = await machines.make_pool(site, 1)

        asked, deleted = await asyncio.gather(
            holding.ask(tenant.admin, tenant.project.id, region, sku),
            tenant.admin.delete(f"/v1/projects/{tenant.project.id}"),
        )

        assert (asked.status_code, deleted.status_code) in ((201, 409), (404, 204))


async def test_a_release_and_a_force_release_at_once_leave_one_end(
    site: Site, tenant: Tenant
) -> None:
    root = await site.actor("platform_admin")
    for _ in range(ROUNDS):
        machine = await machines.make_allocation_row(tenant)

        await asyncio.gather(
            holding.release(tenant, machine),
            root.post(f"/v1/platform/allocations/{machine}/release", {"reason": "it must go now"}),
        )
        await holding.drive(site.platform)

        assert (await holding.get(tenant, machine))["status"] == "released"
        assert (await holding.node_of(site, machine))["status"] == "quarantined"


async def test_two_who_look_at_once_do_each_step_once(site: Site, tenant: Tenant) -> None:
    region, sku, _ = await machines.make_pool(site, 3)
    made = await holding.held(tenant, region, sku, count=3)

    await asyncio.gather(*(holding.drive(site.platform) for _ in range(3)))

    tasks = await site.rows(
        "SELECT allocation_id, count(*) FROM tasks WHERE allocation_id = ANY (%s) GROUP BY 1",
        [each["id"] for each in made],
    )
    assert sorted(tasks) == sorted((each["id"], 1) for each in made)


async def _gpus(site: Site, level: str, tenant: Tenant) -> int:
    where = {
        "global": ("true", []),
        "tenant": ("org_id = %s", [tenant.org.id]),
        "org": ("org_id = %s", [tenant.org.id]),
        "project": ("project_id = %s", [tenant.project.id]),
    }[level]
    found = await site.rows(
        "SELECT coalesce(sum(gpus), 0)::int FROM allocations"
        f" WHERE status NOT IN ('released', 'failed') AND {where[0]}",
        *where[1],
    )
    return found[0][0]
