"""With the controller gone for ever, every state has a way to its end by the public API.

Generated from the tables of states: a member, and a machine with a member on it, is brought into
each state that is not an end; then nobody claims anything any more, and somebody with the keys of a
project does what the API offers until there is an end.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from core.tests.allocations import holding
from core.tests.factories import machines
from core.tests.factories.instances import Echo, make_echo
from core.tests.factories.members import Running, failing, running
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site
from moorage_core.allocations import rules as allocations
from moorage_core.members import rules

REASON = {"reason": "its controller is gone"}
OPEN = {"pending", "ready", "running", "waiting", "blocked", "undoing"}
MOST = 10
"""Steps after which nobody believes in an end."""


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site))


@pytest.fixture
async def app(echo: Echo) -> Running:
    return await running(echo)


# Members, each brought into a state


async def requested(app: Running) -> str:
    machine = await machines.make_allocation_row(app.echo.tenant)
    await app.ask("add", {"component": "replica", "allocations": [machine]})
    return "replica-3"


async def joining(app: Running) -> str:
    name = await requested(app)
    (prepare,) = await app.controller.claim()
    await app.controller.report(prepare, state="succeeded")
    await app.controller.claim()
    return name


async def ready(app: Running) -> str:
    return "replica-1"


async def draining(app: Running) -> str:
    return await _begun(app, "drain")


async def drained(app: Running) -> str:
    await app.of("drain", "replica-1")
    await app.controller.run()
    return "replica-1"


async def removing(app: Running) -> str:
    return await _begun(app, "remove")


async def replacing(app: Running) -> str:
    id = (await app.member("replica-1"))["id"]
    machine = await machines.make_allocation_row(app.echo.tenant)
    answer = await app.admin.post(
        f"/v1/members/{id}/replace", {"allocation": machine, "reason": "test"}
    )
    assert answer.status_code == 202, answer.text
    await app.controller.claim()
    return "replica-1"


async def failed(app: Running) -> str:
    name = await requested(app)
    await app.controller.run(failing("member.add"))
    return name


async def _begun(app: Running, verb: str) -> str:
    await app.of(verb, "replica-1")
    (prepare,) = await app.controller.claim()
    await app.controller.report(prepare, state="succeeded")
    await app.controller.claim()
    return "replica-1"


MEMBERS: dict[str, Callable[[Running], Awaitable[str]]] = {
    "requested": requested,
    "joining": joining,
    "ready": ready,
    "draining": draining,
    "drained": drained,
    "removing": removing,
    "replacing": replacing,
    "failed": failed,
}


def test_every_state_of_a_member_that_is_no_end_is_tried() -> None:
    assert set(MEMBERS) == {status for status, after in rules.NEXT.items() if after}


@pytest.mark.parametrize("status", MEMBERS)
async def test_a_member_comes_to_its_end_without_its_controller(app: Running, status: str) -> None:
    name = await MEMBERS[status](app)
    machine = (await app.member(name))["allocation_id"]
    assert (await app.member(name))["status"] == status

    await end_member(app, name)

    assert (await app.member(name))["status"] == "removed"
    answer = await holding.release(app.echo.tenant, machine)
    assert answer.status_code == 200, answer.text


async def end_member(app: Running, name: str) -> None:
    """What somebody does with what the API offers."""
    for _ in range(MOST):
        if (await app.member(name))["status"] == "removed":
            return
        found = await open_operations(app)
        if found:
            await end_operation(app, found[0])
        else:
            await app.of("remove", name, policy="force")
    raise AssertionError(f"{name} has no end: {await app.member(name)}")


async def open_operations(app: Running) -> list[dict[str, Any]]:
    """Parents first: their children end with them."""
    answer = await app.admin.get("/v1/operations", params={"instance": app.id, "limit": 100})
    found = [each for each in answer.json()["items"] if each["status"] in OPEN]
    return sorted(found, key=lambda each: each["parent_id"] is not None)


async def end_operation(app: Running, operation: dict[str, Any]) -> None:
    """Abandon it; where somebody may be at work, ask them to stop before."""
    verb = next(each for each in ("abandon", "cancel") if each in operation["verbs"])
    answer = await app.admin.post(f"/v1/operations/{operation['id']}/{verb}", REASON)
    assert answer.status_code == 200, answer.text


# Machines, each brought into a state


async def wished(app: Running) -> str:
    region, sku, _ = await machines.make_pool(app.echo.tenant.site, 1)
    await app.ask("add", {"component": "replica", "count": 1, "sku": sku, "region": region})
    return (await app.member("replica-3"))["allocation_id"]


async def provisioning(app: Running) -> str:
    machine = await wished(app)
    await holding.drive(app.echo.tenant.site.platform)
    return machine


async def active(app: Running) -> str:
    return (await app.member("replica-1"))["allocation_id"]


async def releasing(app: Running) -> str:
    machine = await active(app)
    await app.of("remove", "replica-1", policy="force")
    await app.controller.run()
    await holding.release(app.echo.tenant, machine)
    return machine


async def release_failed(app: Running) -> str:
    site, machine = app.echo.tenant.site, await releasing(app)
    await holding.drive(site.platform)
    await holding.say(site, machine, "release/wipe", status="failed")
    await holding.drive(site.platform)
    return machine


MACHINES: dict[str, Callable[[Running], Awaitable[str]]] = {
    "requested": wished,
    "provisioning": provisioning,
    "active": active,
    "releasing": releasing,
    "release_failed": release_failed,
}


def test_every_state_of_an_allocation_that_is_no_end_is_tried() -> None:
    assert set(MACHINES) == {status for status, after in allocations.NEXT.items() if after}


@pytest.mark.parametrize("status", MACHINES)
async def test_a_machine_comes_to_its_end_without_the_controller(app: Running, status: str) -> None:
    machine = await MACHINES[status](app)
    assert (await holding.get(app.echo.tenant, machine))["status"] == status

    for _ in range(MOST):
        if (await holding.get(app.echo.tenant, machine))["status"] in ("released", "failed"):
            break
        await step(app, machine)

    assert (await holding.get(app.echo.tenant, machine))["status"] in ("released", "failed")


async def step(app: Running, machine: str) -> None:
    """Whoever holds it gives it back, its members before it; the node does as it is told."""
    site, held = app.echo.tenant.site, await holding.get(app.echo.tenant, machine)
    on_it = [each for each in await app.members() if each["allocation_id"] == machine]
    if on_it:
        await end_member(app, on_it[0]["name"])
    elif held["status"] in ("active", "release_failed"):
        answer = await holding.release(app.echo.tenant, machine)
        assert answer.status_code == 200, answer.text
    else:
        await holding.drive(site.platform)
        waiting = await site.rows(
            "SELECT key FROM tasks WHERE allocation_id = %s AND ended_at IS NULL", machine
        )
        for (key,) in waiting:
            await holding.say(site, machine, key, holding.CLEAN)
        await holding.drive(site.platform)
