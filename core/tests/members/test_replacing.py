"""Another machine takes a member's place."""

from typing import Any

import pytest

from core.tests.allocations import holding
from core.tests.factories import machines
from core.tests.factories.instances import Echo, make_echo
from core.tests.factories.members import Brief, Running, Said, failing, running
from core.tests.factories.tenants import Bearer, make_tenant
from core.tests.policy.places import written
from core.tests.site import Site


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site))


@pytest.fixture
async def app(echo: Echo) -> Running:
    return await running(echo, replicas=2)


async def replace(app: Running, name: str, *, status: int = 202, **more: Any) -> dict[str, Any]:
    given = {"allocation": await machines.make_allocation_row(app.echo.tenant), "reason": "test"}
    id = (await app.member(name))["id"]
    answer = await app.admin.post(f"/v1/members/{id}/replace", given | more)
    assert answer.status_code == status, answer.text
    return answer.json()


def seen(app: Running) -> list[tuple[str, str | None, str | None]]:
    return [
        (each["kind"], each["phase"], each["member"] and each["member"]["name"])
        for each in app.controller.seen
    ]


@pytest.mark.rule("MB-10")
async def test_the_new_member_comes_before_the_old_one_goes(app: Running) -> None:
    asked = await replace(app, "replica-1")
    await app.controller.run()

    assert seen(app) == [
        ("member.replace", "prepare", None),
        ("member.add", None, "replica-3"),
        ("member.remove", None, "replica-1"),
        ("member.replace", "finish", None),
    ]
    assert (await app.operation(asked["id"]))["status"] == "succeeded"
    old, new = await app.member("replica-1"), await app.member("replica-3")
    assert (old["status"], new["status"], new["replaces_id"]) == ("removed", "ready", old["id"])
    assert (await app.component("replica"))["desired"] == 2


async def test_the_old_member_goes_first_where_there_is_no_room_for_both(app: Running) -> None:
    asked = await replace(app, "leader-1", policy="force")
    await app.controller.run()

    assert [kind for kind, phase, _ in seen(app) if phase is None] == [
        "member.remove",
        "member.add",
    ]
    assert asked["input"]["order"] == "old_first"
    assert (await app.member("leader-2"))["status"] == "ready"


async def test_the_old_member_is_being_replaced_meanwhile(app: Running) -> None:
    found: list[str] = []

    await replace(app, "replica-1")
    (prepare,) = await app.controller.claim()
    found.append((await app.member("replica-1"))["status"])
    await app.controller.report(prepare, state="succeeded")
    (add,) = await app.controller.claim()
    await app.controller.report(add, state="succeeded")
    await app.controller.claim()
    found.append((await app.member("replica-1"))["status"])

    assert found == ["replacing", "removing"]


@pytest.mark.rule("MB-10")
async def test_the_old_member_stays_where_the_new_one_cannot_join(app: Running) -> None:
    asked = await replace(app, "replica-1")
    await app.controller.run(failing("member.add"))

    assert (await app.operation(asked["id"]))["status"] == "failed"
    assert (await app.member("replica-1"))["status"] == "ready"
    assert (await app.member("replica-3"))["status"] == "failed"


async def test_a_cancelled_replacement_leaves_the_old_member_as_it_was(app: Running) -> None:
    asked = await replace(app, "replica-1")
    (prepare,) = await app.controller.claim()

    path = f"/v1/operations/{asked['id']}/cancel"
    answer = await app.admin.post(path, {"reason": "not needed"})
    await app.controller.report(prepare, state="cancelled")

    assert answer.status_code == 200, answer.text
    assert (await app.operation(asked["id"]))["status"] == "cancelled"
    assert (await app.member("replica-1"))["status"] == "ready"
    assert (await app.member("replica-3"))["status"] == "removed"
    assert (await app.component("replica"))["desired"] == 2


async def test_both_members_are_wanted_where_a_replacement_is_cancelled_half_way(
    app: Running,
) -> None:
    asked = await replace(app, "replica-1")
    (prepare,) = await app.controller.claim()
    await app.controller.report(prepare, state="succeeded")
    (add,) = await app.controller.claim()

    path = f"/v1/operations/{asked['id']}/cancel"
    answer = await app.admin.post(path, {"reason": "not needed"})
    await app.controller.report(add, state="succeeded")
    await app.controller.run()

    assert answer.status_code == 200, answer.text
    assert (await app.operation(asked["id"]))["status"] == "cancelled"
    found = [(await app.member(name))["status"] for name in ("replica-1", "replica-3")]
    assert found == ["ready", "ready"]
    assert (await app.component("replica"))["desired"] == 3


async def test_a_replacement_that_comes_first_needs_room_for_one_member_more(app: Running) -> None:
    path = f"/v1/projects/{app.echo.project}/overlay"
    await written(app.admin, path, {"quotas": {"members": 3}})

    refused = await replace(app, "replica-1", status=403)
    taken = await replace(app, "leader-1", policy="force")

    assert refused["code"] == "policy_refused"
    assert taken["input"]["order"] == "old_first"


@pytest.mark.rule("MB-10")
async def test_a_member_whose_host_is_lost_goes_first_and_so_needs_no_room_for_one_more(
    app: Running,
) -> None:
    path = f"/v1/projects/{app.echo.project}/overlay"
    await written(app.admin, path, {"quotas": {"members": 3}})

    asked = await replace(app, "replica-1", lost=True)
    await app.controller.run()

    assert asked["input"]["order"] == "old_first"
    assert [kind for kind, _, name in seen(app) if name] == ["member.remove", "member.add"]
    assert (await app.operation(asked["id"]))["status"] == "succeeded"
    assert (await app.component("replica"))["desired"] == 2


async def test_the_app_is_told_that_a_host_is_lost(app: Running) -> None:
    await replace(app, "replica-1", lost=True)
    told: list[Brief] = []

    def says(brief: Brief) -> Said:
        told.append(brief)
        return {"state": "succeeded"}

    await app.controller.run(says)

    (remove,) = [each for each in told if each["kind"] == "member.remove"]
    assert remove["input"]["lost"] is True
    assert remove["input"]["replaced_by"] == (await app.member("replica-3"))["id"]


@pytest.mark.rule("MB-10")
async def test_a_machine_that_is_lost_can_only_be_released(app: Running) -> None:
    machine = (await app.member("replica-1"))["allocation_id"]

    await replace(app, "replica-1", lost=True)
    await app.controller.run()

    found = (await app.admin.get(f"/v1/allocations/{machine}")).json()
    assert (found["status"], found["dirty"]) == ("active", ["abandoned"])


async def test_a_member_whose_host_is_lost_goes_without_a_successor(app: Running) -> None:
    machine = (await app.member("replica-1"))["allocation_id"]
    await app.of("remove", "replica-1", lost=True)
    told: list[Brief] = []

    def says(brief: Brief) -> Said:
        told.append(brief)
        return {"state": "succeeded"}

    await app.controller.run(says)

    found = (await app.admin.get(f"/v1/allocations/{machine}")).json()
    assert [each["input"]["lost"] for each in told if each["member"]] == [True]
    assert (await app.member("replica-1"))["status"] == "removed"
    assert found["dirty"] == ["abandoned"]


@pytest.mark.rule("MC-5")
async def test_a_successor_gets_the_secret_that_the_lost_one_has_not(app: Running) -> None:
    wish = {"name": "ring", "purpose": "cluster_key", "generate": 32}
    given: list[tuple[str, int]] = []

    await replace(app, "replica-1", lost=True)
    while briefs := await app.echo.claim():
        for brief in briefs:
            holder = Bearer(app.echo.tenant.site.client, brief["grant"])
            rotate = {"rotate": brief["kind"] == "member.remove"}
            path = f"/v1/operations/{brief['id']}/secrets"
            secret = (await holder.post(path, wish | rotate)).json()
            given.append((brief["kind"], secret["generation"]))
            await app.echo.say(brief, "succeeded")

    assert given == [
        ("member.replace", 1),
        ("member.remove", 2),
        ("member.add", 2),
        ("member.replace", 2),
    ]


async def test_a_machine_is_allocated_for_a_replacement(app: Running) -> None:
    site = app.echo.tenant.site
    region, sku, _ = await machines.make_pool(site, 1)
    id = (await app.member("replica-1"))["id"]
    given = {"sku": sku, "region": region, "reason": "a fan is broken"}

    answer = await app.admin.post(f"/v1/members/{id}/replace", given)
    new = await app.member("replica-3")
    await holding.drive(site.platform)
    await holding.say(site, new["allocation_id"], "setup/probe", holding.CLEAN)
    await holding.drive(site.platform)
    await app.controller.run()

    assert answer.status_code == 202, answer.text
    new = await app.member("replica-3")
    assert (new["status"], new["managed"]) == ("ready", True)


async def test_nothing_else_is_asked_of_a_member_that_is_being_replaced(app: Running) -> None:
    await replace(app, "replica-1")

    refused = await app.of("drain", "replica-1", status=409)

    assert refused["code"] == "member_leaving"


async def test_a_replacement_names_a_machine_or_its_kind(app: Running) -> None:
    id = (await app.member("replica-1"))["id"]

    answer = await app.admin.post(f"/v1/members/{id}/replace", {"reason": "test"})

    assert answer.status_code == 422
