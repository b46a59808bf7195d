"""What people ask of members, and what comes of it."""

import pytest

from core.tests.factories import machines
from core.tests.factories.instances import Echo, make_echo
from core.tests.factories.members import Running, failing, running
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site))


@pytest.fixture
async def app(echo: Echo) -> Running:
    return await running(echo)


async def statuses(app: Running) -> dict[str, str]:
    return {each["name"]: each["status"] for each in await app.members(removed=True)}


async def test_members_of_a_deployment_join_and_work(app: Running) -> None:
    assert await statuses(app) == {"leader-1": "ready", "replica-1": "ready", "replica-2": "ready"}
    assert (await app.echo.get(app.id))["status"] == "running"


async def test_members_are_added_on_machines_that_are_named(app: Running) -> None:
    machine = await machines.make_allocation_row(app.echo.tenant)

    asked = await app.ask("add", {"component": "replica", "allocations": [machine]})
    await app.controller.run()

    added = await app.member("replica-3")
    assert (asked["kind"], asked["children"]["total"]) == ("member.add", 1)
    assert (await app.operation(asked["id"]))["status"] == "succeeded"
    assert (added["status"], added["allocation_id"], added["managed"]) == ("ready", machine, False)
    assert (await app.component("replica"))["desired"] == 3


async def test_a_member_that_cannot_join_stays_as_failed(app: Running) -> None:
    machine = await machines.make_allocation_row(app.echo.tenant)

    await app.ask("add", {"component": "replica", "allocations": [machine]})
    await app.controller.run(failing("member.add"))

    added = await app.member("replica-3")
    assert (added["status"], added["status_reason"]) == ("failed", "It does not work.")


async def test_members_are_drained_and_resumed(app: Running) -> None:
    await app.of("drain", "replica-1", policy="wait")
    await app.controller.run()
    drained = await app.member("replica-1")

    await app.of("resume", "replica-1")
    await app.controller.run()
    resumed = await app.member("replica-1")

    assert (drained["status"], drained["drain"]) == ("drained", {"owner": "user", "reason": "test"})
    assert (resumed["status"], resumed["drain"]) == ("ready", None)


async def test_a_removed_member_leaves_a_tombstone_and_its_machine(app: Running) -> None:
    machine = (await app.member("replica-1"))["allocation_id"]

    await app.of("remove", "replica-1", policy="force")
    await app.controller.run()

    gone = await app.member("replica-1")
    held = (await app.admin.get(f"/v1/allocations/{machine}")).json()
    assert (gone["status"], gone["removed_at"] is not None) == ("removed", True)
    assert "replica-1" not in {each["name"] for each in await app.members()}
    assert (held["status"], held["instance_id"]) == ("active", None)
    assert (await app.component("replica"))["desired"] == 1


async def test_a_number_is_not_given_twice(app: Running) -> None:
    machine = (await app.member("replica-2"))["allocation_id"]
    await app.of("remove", "replica-2", policy="force")
    await app.controller.run()

    await app.ask("add", {"component": "replica", "allocations": [machine]})
    await app.controller.run()

    assert (await app.member("replica-3"))["allocation_id"] == machine
