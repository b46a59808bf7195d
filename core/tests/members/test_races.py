"""Requests that come at the same moment."""

import asyncio

import pytest

from core.tests.factories import machines
from core.tests.factories.instances import Echo, make_echo
from core.tests.factories.members import Controller, Running, running
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site))


@pytest.fixture
async def app(echo: Echo) -> Running:
    return await running(echo)


async def test_of_many_who_ask_for_the_last_places_none_gets_too_much(app: Running) -> None:
    held = [await machines.make_allocation_row(app.echo.tenant) for _ in range(8)]
    path = f"/v1/instances/{app.id}/members"

    answers = await asyncio.gather(
        *(app.admin.post(path, {"component": "replica", "allocations": [id]}) for id in held)
    )

    codes = sorted(each.status_code for each in answers)
    assert codes == [202] * 3 + [409] * 5
    names = [each["name"] for each in await app.members(component="replica")]
    assert names == [f"replica-{number}" for number in range(1, 6)]
    assert (await app.component("replica"))["desired"] == 5


async def test_of_two_instances_that_want_one_machine_one_gets_it(app: Running) -> None:
    other = await app.echo.deploy(replicas=0)
    await Controller(app.echo.tenant.site, app.echo.operator).run()
    machine = await machines.make_allocation_row(app.echo.tenant)
    body = {"component": "replica", "allocations": [machine]}

    answers = await asyncio.gather(
        *(app.admin.post(f"/v1/instances/{id}/members", body) for id in (app.id, other["id"]))
    )

    assert sorted(each.status_code for each in answers) == [202, 409]


async def test_of_two_removals_of_one_member_one_is_taken(app: Running) -> None:
    id = (await app.member("replica-1"))["id"]
    body = {"members": [id], "reason": "test", "policy": "force"}

    answers = await asyncio.gather(
        *(app.admin.post(f"/v1/instances/{app.id}/members/remove", body) for _ in range(4))
    )

    assert sorted(each.status_code for each in answers) == [202, 409, 409, 409]


async def test_a_release_and_a_member_do_not_meet_on_one_machine(app: Running) -> None:
    """Whoever is first: the machine is released, or it carries the member."""
    for _ in range(3):
        machine = await machines.make_allocation_row(app.echo.tenant)
        body = {"component": "replica", "allocations": [machine]}

        added, released = await asyncio.gather(
            app.admin.post(f"/v1/instances/{app.id}/members", body),
            app.admin.post(f"/v1/allocations/{machine}/release", {}),
        )

        assert sorted((added.status_code == 202, released.status_code == 200)) == [False, True]
