"""Changes that meet: none is lost, none half done, and nobody hears of a fault of the platform."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import psycopg
import pytest

from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site, fresh


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


@asynccontextmanager
async def meanwhile(
    site: Site, statement: str, *params: Any
) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
    """Another process in the middle of a change; the block commits it when it likes."""
    async with await psycopg.AsyncConnection.connect(site.urls.super) as other:
        await other.execute(statement.encode(), params)
        yield other


async def until_it_waits(site: Site) -> None:
    query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    async with asyncio.timeout(30):
        while (await site.rows(query))[0][0] == 0:
            await asyncio.sleep(0.01)


async def account(tenant: Tenant) -> dict[str, Any]:
    answer = await tenant.admin.post(
        f"/v1/projects/{tenant.project.id}/service-accounts",
        {"name": f"robot {fresh()}", "permissions": []},
    )
    return answer.json()


async def test_of_two_that_take_one_name_at_once_the_second_is_told_that_it_is_taken(
    site: Site, tenant: Tenant
) -> None:
    one, two = await account(tenant), await account(tenant)
    path, change = f"/v1/service-accounts/{two['id']}", {"name": "the best name"}
    statement = "UPDATE service_accounts SET name = 'the best name' WHERE id = %s"

    async with meanwhile(site, statement, one["id"]) as other:
        request = asyncio.create_task(tenant.admin.patch(path, change, version=1))
        await until_it_waits(site)
        await other.commit()
        met = await request

    assert (met.status_code, met.json()["code"]) == (409, "name_taken")


async def test_who_waits_too_long_for_another_change_is_told_to_try_again(
    site: Site, tenant: Tenant
) -> None:
    statement = "UPDATE orgs SET name = 'Busy' WHERE id = %s"

    async with meanwhile(site, statement, tenant.org.id):
        answer = await tenant.admin.patch(f"/v1/orgs/{tenant.org.id}", {"name": "X"}, version=1)

    assert (answer.status_code, answer.json()["code"]) == (503, "busy")


async def test_of_two_updates_of_one_version_one_wins(site: Site, tenant: Tenant) -> None:
    path = f"/v1/projects/{tenant.project.id}"

    answers = await asyncio.gather(
        *(tenant.admin.patch(path, {"name": f"Name {n}"}, version=1) for n in range(4))
    )

    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [200, 412, 412, 412]
    winner = next(answer for answer in answers if answer.status_code == 200)
    assert (await tenant.admin.get(path)).json() == winner.json()


async def test_two_admins_who_remove_each_other_leave_one(site: Site) -> None:
    tenant = await make_tenant(site)
    second = await site.actor("tenant_admin", org=tenant.org)
    memberships = (await second.get(f"/v1/orgs/{tenant.org.id}/memberships")).json()["items"]
    by_user = {membership["user_id"]: membership["id"] for membership in memberships}

    answers = await asyncio.gather(
        tenant.admin.delete(f"/v1/memberships/{by_user[second.id]}"),
        second.delete(f"/v1/memberships/{by_user[tenant.admin.id]}"),
    )

    assert {answer.status_code for answer in answers} <= {204, 403, 404, 409, 503}
    left = await site.rows(
        "SELECT count(*) FROM memberships WHERE org_id = %s AND role = 'tenant_admin'",
        tenant.org.id,
    )
    assert left == [(1,)]


async def test_an_org_is_not_deleted_while_a_project_is_made_in_it(site: Site) -> None:
    root = await site.actor("platform_admin")
    tenant = await make_tenant(site)
    await tenant.admin.delete(f"/v1/projects/{tenant.project.id}")

    made, deleted = await asyncio.gather(
        tenant.admin.post(f"/v1/orgs/{tenant.org.id}/projects", {"slug": "late", "name": "Late"}),
        root.delete(f"/v1/orgs/{tenant.org.id}"),
    )

    assert (made.status_code, deleted.status_code) in ((201, 409), (409, 204), (404, 204))


async def test_all_connections_in_use_is_no_fault_of_the_caller(site: Site, tenant: Tenant) -> None:
    """The pool is small; requests queue for it and are all served."""
    path = f"/v1/orgs/{tenant.org.id}"

    answers: list[httpx2.Response] = await asyncio.gather(
        *(tenant.admin.get(path) for _ in range(50))
    )

    assert {answer.status_code for answer in answers} == {200}
