"""What is kept of work on machines and of people on them, and for how long."""

from datetime import timedelta
from typing import Any

import pytest

from core.tests.factories import machines
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import TimedSite
from moorage_core.retention.sweeps import DeleteExpired

DAY = timedelta(days=1)


@pytest.fixture
async def tenant(timed: TimedSite) -> Tenant:
    return await make_tenant(timed)


async def count(tenant: Tenant, table: str, **where: Any) -> int:
    ((name, value),) = where.items()
    rows = await tenant.site.rows(f"SELECT count(*) FROM {table} WHERE {name} = %s", value)
    return rows[0][0]


async def make_ended(tenant: Tenant, allocation: str, **values: Any) -> str:
    """An operation that ended, with its grant."""
    at = await machines.now(tenant.site)
    id = await machines.make_operation_row(
        tenant, allocation, **({"status": "succeeded", "ended_at": at} | values)
    )
    await machines.give_grant(tenant, id)
    return id


async def sweep_after(timed: TimedSite, time: timedelta) -> dict[str, Any]:
    timed.clock.move(time)
    return await DeleteExpired(timed.platform).activate()


async def test_an_operation_goes_a_year_after_its_end(timed: TimedSite, tenant: Tenant) -> None:
    allocation = await machines.make_allocation_row(tenant)
    ended = await make_ended(tenant, allocation)
    running = await make_ended(tenant, allocation, status="running", ended_at=None)

    await sweep_after(timed, 364 * DAY)
    before = await count(tenant, "operations", id=ended)
    await sweep_after(timed, 2 * DAY)

    assert (before, await count(tenant, "operations", id=ended)) == (1, 0)
    assert await count(tenant, "operation_grants", operation_id=ended) == 0
    assert await count(tenant, "operation_allocations", operation_id=ended) == 0
    assert await count(tenant, "operations", id=running) == 1


async def test_an_operation_stays_for_as_long_as_its_tasks(
    timed: TimedSite, tenant: Tenant
) -> None:
    allocation = await machines.make_allocation_row(tenant)
    operation = await make_ended(tenant, allocation)
    late = (await machines.now(timed)) + 350 * DAY
    await machines.make_task_row(tenant, operation, allocation, status="failed", ended_at=late)

    await sweep_after(timed, 366 * DAY)
    before = await count(tenant, "operations", id=operation)
    await sweep_after(timed, 20 * DAY)

    assert (before, await count(tenant, "operations", id=operation)) == (1, 0)


async def test_the_operation_that_cleans_a_machine_stays_until_it_is_clean(
    timed: TimedSite, tenant: Tenant
) -> None:
    allocation = await machines.make_allocation_row(tenant)
    operation = await make_ended(tenant, allocation)
    await timed.rows(
        "UPDATE allocations SET status = 'release_failed', release_operation_id = %s WHERE id = %s",
        operation,
        allocation,
    )

    await sweep_after(timed, 366 * DAY)
    before = await count(tenant, "operations", id=operation)
    await timed.rows("UPDATE allocations SET status = 'released' WHERE id = %s", allocation)
    await sweep_after(timed, DAY)

    assert (before, await count(tenant, "operations", id=operation)) == (1, 0)


async def test_a_line_goes_a_month_after_it_ran_out(timed: TimedSite, tenant: Tenant) -> None:
    enrolment = await tenant.id("enrolment")

    await sweep_after(timed, 29 * DAY)
    before = await count(tenant, "enrolments", id=enrolment)
    await sweep_after(timed, 3 * DAY)

    assert (before, await count(tenant, "enrolments", id=enrolment)) == (1, 0)


async def test_certificates_go_a_year_later_and_their_grant_stays(
    timed: TimedSite, tenant: Tenant
) -> None:
    grant = await tenant.id("grant")

    await sweep_after(timed, 364 * DAY)
    before = await count(tenant, "ssh_certificates", grant_id=grant)
    await sweep_after(timed, 2 * DAY)

    assert (before, await count(tenant, "ssh_certificates", grant_id=grant)) == (1, 0)
    assert await count(tenant, "access_grants", id=grant) == 1


@pytest.mark.parametrize(
    ("status", "dirty", "left"),
    [("active", [], 1), ("released", [], 0), ("released", ["force_released"], 1)],
)
async def test_the_list_of_people_goes_with_a_machine_that_was_given_back(
    timed: TimedSite, tenant: Tenant, status: str, dirty: list[str], left: int
) -> None:
    await tenant.fill("grant")
    allocation = await tenant.id("allocation")
    await timed.rows(
        "UPDATE allocations SET status = %s, dirty = %s, held_until = now() WHERE id = %s",
        status,
        dirty,
        allocation,
    )

    await sweep_after(timed, 29 * DAY)
    before = await count(tenant, "node_access", allocation_id=allocation)
    await sweep_after(timed, 2 * DAY)

    assert before == 1
    assert await count(tenant, "node_access", allocation_id=allocation) == left
