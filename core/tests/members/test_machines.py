"""Members on machines that the platform allocates for them, and machines that are lost."""

from typing import Any

import pytest

from core.tests.allocations import holding
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
    return await running(echo, replicas=1)


async def wish(app: Running, count: int = 1, **more: Any) -> dict[str, Any]:
    """Ask for members on machines of a pool of their own."""
    region, sku, _ = await machines.make_pool(app.echo.tenant.site, count)
    given = {"component": "replica", "count": count, "sku": sku, "region": region}
    return await app.ask("add", given | more)


async def arrive(app: Running, member: str) -> str:
    """Let the machine of a member come; its allocation."""
    site, id = app.echo.tenant.site, (await app.member(member))["allocation_id"]
    await holding.drive(site.platform)
    await holding.say(site, id, "setup/probe", holding.CLEAN)
    await holding.drive(site.platform)
    return id


async def child(app: Running, parent: dict[str, Any]) -> dict[str, Any]:
    answer = await app.admin.get(f"/v1/operations/{parent['id']}/children")
    assert answer.status_code == 200, answer.text
    (found,) = answer.json()["items"]
    return found


async def test_a_member_waits_for_the_machine_that_it_gets(app: Running) -> None:
    asked = await wish(app)
    await app.controller.run()

    member = await app.member("replica-2")
    assert (member["status"], member["managed"]) == ("requested", True)
    assert (await child(app, asked))["status"] == "waiting"
    assert [each["kind"] for each in app.controller.seen] == ["member.add"]
    assert app.controller.seen[0]["phase"] == "prepare"


async def test_a_member_joins_when_its_machine_is_there(app: Running) -> None:
    asked = await wish(app)
    await app.controller.run()

    await arrive(app, "replica-2")
    await app.controller.run()

    member = await app.member("replica-2")
    assert (member["status"], member["host_address"]) == ("ready", "198.18.0.9")
    assert (await app.operation(asked["id"]))["status"] == "succeeded"


async def test_a_machine_that_comes_before_the_controller_does_is_as_good(app: Running) -> None:
    asked = await wish(app)
    await arrive(app, "replica-2")

    await app.controller.run()

    assert (await app.operation(asked["id"]))["status"] == "succeeded"
    assert (await app.member("replica-2"))["status"] == "ready"


async def test_a_machine_that_cannot_be_made_ready_fails_the_member_with_its_reason(
    app: Running,
) -> None:
    site = app.echo.tenant.site
    asked = await wish(app)
    machine = (await app.member("replica-2"))["allocation_id"]
    await holding.drive(site.platform)
    dirty = {**holding.CLEAN, "residue": {"files": ["/etc/left"]}}
    await holding.say(site, machine, "setup/probe", dirty)

    await holding.drive(site.platform)
    await app.controller.run()

    member, failed = await app.member("replica-2"), await child(app, asked)
    assert "/etc/left" in failed["error"]["message"]
    assert (failed["status"], failed["error"]["code"]) == ("failed", "machine_lost")
    assert (member["status"], member["status_reason"]) == ("removed", failed["error"]["message"])
    assert (await app.component("replica"))["desired"] == 2
    assert (await app.component("replica"))["current"] == 1


@pytest.mark.rule("MB-8")
async def test_the_machine_of_a_member_that_could_not_join_goes_back(app: Running) -> None:
    await wish(app)
    machine = await arrive(app, "replica-2")

    await app.controller.run(failing("member.add"))

    assert (await app.member("replica-2"))["status"] == "removed"
    held = await holding.get(app.echo.tenant, machine)
    assert (held["status"], held["instance_id"]) == ("releasing", None)


async def test_what_failed_for_a_member_that_is_gone_is_not_tried_again(app: Running) -> None:
    asked = await wish(app)
    await arrive(app, "replica-2")
    await app.controller.run(failing("member.add", recovery="reconcilable"))

    failed = await child(app, asked)
    answer = await app.admin.post(f"/v1/operations/{failed['id']}/retry", {"reason": "once more"})

    assert (failed["recovery"], "retry" in failed["verbs"]) == ("terminal", False)
    assert answer.status_code == 409


async def test_the_machine_of_a_member_that_could_not_join_is_kept_where_that_was_asked(
    app: Running,
) -> None:
    asked = await wish(app, keep_allocations=True)
    machine = await arrive(app, "replica-2")

    await app.controller.run(failing("member.add", recovery="reconcilable"))

    assert (await app.member("replica-2"))["status"] == "failed"
    held = await holding.get(app.echo.tenant, machine)
    assert (held["status"], held["instance_id"]) == ("active", app.id)
    retried = await app.admin.post(f"/v1/operations/{asked['id']}/retry", {"reason": "once more"})
    assert retried.status_code == 200, retried.text
    await app.controller.run()
    assert (await app.member("replica-2"))["status"] == "ready"


@pytest.mark.rule("MB-8")
async def test_the_machine_of_a_removed_member_goes_back_with_it(app: Running) -> None:
    await wish(app)
    machine = await arrive(app, "replica-2")
    await app.controller.run()

    await app.of("remove", "replica-2", policy="force")
    await app.controller.run()

    held = await holding.get(app.echo.tenant, machine)
    assert (held["status"], held["instance_id"]) == ("releasing", None)


async def test_the_machine_of_a_removed_member_is_kept_where_that_was_asked(app: Running) -> None:
    await wish(app)
    machine = await arrive(app, "replica-2")
    await app.controller.run()

    await app.of("remove", "replica-2", policy="force", keep_allocations=True)
    await app.controller.run()

    held = await holding.get(app.echo.tenant, machine)
    assert (held["status"], held["instance_id"]) == ("active", None)


async def test_cancelling_before_anything_was_done_gives_every_machine_back(app: Running) -> None:
    asked = await wish(app, 2)
    found = [(await app.member(f"replica-{n}"))["allocation_id"] for n in (2, 3)]

    answer = await app.admin.post(f"/v1/operations/{asked['id']}/cancel", {"reason": "not needed"})

    assert answer.status_code == 200, answer.text
    assert (await app.operation(asked["id"]))["status"] == "cancelled"
    assert [(await app.member(f"replica-{n}"))["status"] for n in (2, 3)] == ["removed"] * 2
    assert (await app.component("replica"))["desired"] == 1
    held = [(await holding.get(app.echo.tenant, id))["status"] for id in found]
    assert held == ["released"] * 2


async def test_abandoning_leaves_a_machine_dirty(app: Running) -> None:
    machine = (await app.member("replica-1"))["allocation_id"]
    asked = await app.of("remove", "replica-1", policy="force")

    answer = await app.admin.post(
        f"/v1/operations/{asked['id']}/abandon", {"reason": "app is gone"}
    )

    assert answer.status_code == 200, answer.text
    assert (await app.member("replica-1"))["status"] == "removed"
    held = await holding.get(app.echo.tenant, machine)
    assert (held["dirty"], held["instance_id"]) == (["abandoned"], None)
    assert (await holding.release(app.echo.tenant, machine)).status_code == 200
