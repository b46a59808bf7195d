"""What was asked for and never begun leaves a member as it is."""

from typing import Any

import pytest

from core.tests.factories import machines
from core.tests.factories.instances import Echo, make_echo
from core.tests.factories.members import Running, failing, running
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site

BROKEN = {"state": "failed", "error": {"code": "broken", "message": "It does not work."}}


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site))


@pytest.fixture
async def app(echo: Echo) -> Running:
    return await running(echo)


async def begun(app: Running, verb: str, name: str) -> dict[str, Any]:
    """An operation on a member that is at work."""
    await app.of(verb, name)
    await app.controller.report((await app.controller.claim())[0], state="succeeded")
    (brief,) = await app.controller.claim()
    return brief


async def call(app: Running, operation: str, verb: str) -> None:
    answer = await app.admin.post(
        f"/v1/operations/{operation}/{verb}", {"reason": "nobody wants it"}
    )
    assert answer.status_code == 200, answer.text


async def status(app: Running, name: str) -> str:
    return (await app.member(name))["status"]


@pytest.mark.parametrize("behind", ["resume", "remove"])
async def test_a_wish_that_is_withdrawn_leaves_a_member_that_drains(
    app: Running, behind: str
) -> None:
    brief = await begun(app, "drain", "replica-1")
    wish = await app.of(behind, "replica-1")

    await call(app, wish["id"], "cancel")
    during = await status(app, "replica-1")
    await app.controller.report(brief, state="succeeded")

    assert (during, await status(app, "replica-1")) == ("draining", "drained")


async def test_a_wish_that_is_withdrawn_leaves_a_member_that_joins(app: Running) -> None:
    machine = await machines.make_allocation_row(app.echo.tenant)
    await app.ask("add", {"component": "replica", "allocations": [machine]})
    await app.controller.report((await app.controller.claim())[0], state="succeeded")
    (brief,) = await app.controller.claim()
    wish = await app.of("drain", "replica-3")

    await call(app, wish["id"], "cancel")
    await app.controller.report(brief, state="succeeded")

    assert await status(app, "replica-3") == "ready"


@pytest.mark.parametrize("verb", ["drain", "remove", "resume"])
async def test_a_failed_member_stays_so_where_a_wish_is_withdrawn(app: Running, verb: str) -> None:
    brief = await begun(app, "drain", "replica-1")
    await app.controller.report(brief, **BROKEN, recovery="terminal")
    wish = await app.of(verb, "replica-1")

    await call(app, wish["id"], "cancel")

    assert await status(app, "replica-1") == "failed"


async def test_a_member_works_on_where_its_drain_could_not_even_be_prepared(app: Running) -> None:
    await app.of("drain", "replica-1")
    (brief,) = await app.controller.claim()

    await app.controller.report(brief, **BROKEN, recovery="reconcilable")

    assert await status(app, "replica-1") == "ready"


@pytest.fixture
async def works_by_now(app: Running) -> dict[str, Any]:
    """An addition that failed, of a member that was let work since."""
    machine = await machines.make_allocation_row(app.echo.tenant)
    asked = await app.ask("add", {"component": "replica", "allocations": [machine]})
    await app.controller.run(failing("member.add", recovery="repairable"))
    assert await status(app, "replica-3") == "failed"
    await app.of("resume", "replica-3")
    await app.controller.run()
    children = await app.admin.get(f"/v1/operations/{asked['id']}/children")
    (child,) = children.json()["items"]
    return child | {"name": "replica-3", "parent": asked["id"]}


async def test_to_give_up_an_old_addition_leaves_a_member_that_works_by_now(
    app: Running, works_by_now: dict[str, Any]
) -> None:
    wanted = (await app.component("replica"))["desired"]

    await call(app, works_by_now["parent"], "abandon")
    await call(app, works_by_now["id"], "abandon")

    assert await status(app, works_by_now["name"]) == "ready"
    assert (await app.component("replica"))["desired"] == wanted
    machine = (await app.member(works_by_now["name"]))["allocation_id"]
    found = (await app.admin.get(f"/v1/allocations/{machine}")).json()
    assert (found["status"], found["dirty"]) == ("active", [])


async def test_an_old_addition_of_a_member_that_works_by_now_is_neither_done_again_nor_taken_back(
    app: Running, works_by_now: dict[str, Any]
) -> None:
    shown = (await app.admin.get(f"/v1/operations/{works_by_now['id']}")).json()

    answer = await app.admin.post(
        f"/v1/operations/{works_by_now['parent']}/retry", {"reason": "all of it again"}
    )
    await app.controller.run()

    assert shown["verbs"] == ["abandon"]
    assert answer.status_code == 200, answer.text
    assert await status(app, works_by_now["name"]) == "ready"
