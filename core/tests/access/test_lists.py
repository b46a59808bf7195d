"""What nodes are told about people, when, and what they confirm."""

import asyncio
import dataclasses
from datetime import timedelta
from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories import machines
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site, TimedSite
from moorage_core.access.sweeps import EndGrants, SyncAccess
from moorage_core.kit.db import org_scope
from moorage_core.tasks import commands as tasks
from moorage_core.tasks.models import HandedTask, Hold, Report


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


@pytest.fixture
async def member(tenant: Tenant) -> Caller:
    return await tenant.site.actor("project_member", project=tenant.project)


class Host:
    """The agent of one allocation's node, as far as its lists go."""

    def __init__(self, tenant: Tenant, node: str) -> None:
        self.platform = tenant.site.platform
        self.tenant = tenant
        self.node = node
        self.holds: list[Hold] = []

    async def poll(self) -> list[HandedTask]:
        """What it is handed, once the sweep has looked."""
        await SyncAccess(self.platform).activate()
        handed = await tasks.for_poll(self.platform, self.node, self.holds)
        self.holds += [Hold(task.id, "received") for task in handed.tasks]
        return handed.tasks

    async def report(self, task: HandedTask, state: str = "succeeded", **said: Any) -> None:
        await tasks.report(self.platform, self.node, [Report(task.id, task.fence, state, **said)])
        self.holds = [hold for hold in self.holds if hold.task != task.id]


async def held(tenant: Tenant) -> Host:
    allocation = await tenant.id("allocation")
    rows = await tenant.site.rows("SELECT node_id FROM allocations WHERE id = %s", allocation)
    return Host(tenant, rows[0][0])


async def grant(tenant: Tenant, **body: Any) -> dict[str, Any]:
    path = f"/v1/allocations/{await tenant.id('allocation')}/grants"
    answer = await tenant.admin.post(path, body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def read(tenant: Tenant, id: str) -> dict[str, Any]:
    return (await tenant.admin.get(f"/v1/grants/{id}")).json()


async def test_a_node_is_told_who_may_be_on_it(tenant: Tenant, member: Caller) -> None:
    given = await grant(tenant, user=member.id, sudo=True)
    host = await held(tenant)

    (task,) = await host.poll()

    assert task.kind == "access-sync"
    assert task.input["people"] == [
        {
            "login": given["login"],
            "uid": given["uid"],
            "name": task.input["people"][0]["name"],
            "sudo": True,
            "forwarding": False,
            "principal": f"moorage-{given['id']}",
        }
    ]
    keys = await tenant.site.rows(
        "SELECT public_key FROM ssh_authorities WHERE retired_at IS NULL ORDER BY generation DESC"
    )
    assert task.input["authorities"] == [key for (key,) in keys]


async def test_a_grant_is_on_the_node_once_the_node_says_so(tenant: Tenant) -> None:
    given = await grant(tenant)
    host = await held(tenant)
    (task,) = await host.poll()
    before = await read(tenant, given["id"])

    await host.report(task)

    assert before["carried_out"] is False
    assert (await read(tenant, given["id"]))["carried_out"] is True
    assert await host.poll() == []


async def test_what_changed_while_a_list_was_on_its_way_is_in_the_next(
    tenant: Tenant, member: Caller
) -> None:
    first = await grant(tenant)
    host = await held(tenant)
    (task,) = await host.poll()
    second = await grant(tenant, user=member.id)
    await tenant.admin.delete(f"/v1/grants/{first['id']}")

    await host.report(task)
    meanwhile = await read(tenant, second["id"])
    (following,) = await host.poll()
    await host.report(following)

    assert meanwhile["carried_out"] is False
    assert [person["login"] for person in following.input["people"]] == [second["login"]]
    assert (await read(tenant, second["id"]))["carried_out"] is True
    assert (await read(tenant, first["id"]))["carried_out"] is True, "its end is confirmed"


async def test_a_host_that_was_cut_off_gets_the_newest_list_at_its_first_poll(
    tenant: Tenant, member: Caller
) -> None:
    first = await grant(tenant)
    host = await held(tenant)
    await SyncAccess(tenant.site.platform).activate()
    await grant(tenant, user=member.id)
    await tenant.admin.delete(f"/v1/grants/{first['id']}")
    await SyncAccess(tenant.site.platform).activate()

    (task,) = await host.poll()

    assert [person["principal"] for person in task.input["people"]] != []
    assert first["login"] not in [person["login"] for person in task.input["people"]]


async def test_an_answer_that_was_lost_is_made_anew(tenant: Tenant, member: Caller) -> None:
    await grant(tenant)
    host = await held(tenant)
    (lost,) = await host.poll()
    host.holds.clear()
    second = await grant(tenant, user=member.id)

    (again,) = await host.poll()
    await host.report(again)

    assert again.id == lost.id
    assert second["login"] in [person["login"] for person in again.input["people"]]
    assert (await read(tenant, second["id"]))["carried_out"] is True


async def test_a_leaver_is_in_no_list_before_any_sweep_has_noticed(
    tenant: Tenant, member: Caller
) -> None:
    await grant(tenant, user=member.id)
    host = await held(tenant)
    await SyncAccess(tenant.site.platform).activate()
    await tenant.site.sql.execute("DELETE FROM memberships WHERE user_id = %s", (member.id,))

    (task,) = await host.poll()

    assert task.input["people"] == []


async def test_a_leaver_is_taken_off_every_machine(tenant: Tenant, member: Caller) -> None:
    hosts: list[Host] = []
    for _ in range(3):
        tenant.ids["allocation"] = await machines.make_allocation_row(tenant)
        await grant(tenant, user=member.id)
        hosts.append(await held(tenant))
    for host in hosts:
        (task,) = await host.poll()
        await host.report(task)
    await tenant.site.sql.execute("DELETE FROM memberships WHERE user_id = %s", (member.id,))

    await EndGrants(tenant.site.platform).activate()

    for host in hosts:
        (task,) = await host.poll()
        assert task.input["people"] == []


async def test_a_clash_is_told_to_whom_it_concerns_and_to_nobody_else(
    tenant: Tenant, member: Caller
) -> None:
    clashing = await grant(tenant, user=member.id)
    fine = await grant(tenant)
    host = await held(tenant)
    (task,) = await host.poll()

    await host.report(
        task,
        "failed",
        error_code="login_clash",
        error_message="There is a user of that name already. The rest was done.",
        result={"clashes": {clashing["login"]: "There is a user of that name already."}},
    )

    shown = await read(tenant, clashing["id"])
    assert shown["carried_out"] is False
    assert "already" in shown["problem"]
    other = await read(tenant, fine["id"])
    assert (other["carried_out"], other["problem"]) == (True, None)


async def test_a_clash_that_was_mended_lets_the_person_in(timed: TimedSite) -> None:
    tenant = await make_tenant(timed)
    given = await grant(tenant)
    host = await held(tenant)
    (task,) = await host.poll()
    clash = {given["login"]: "There is a user of that name already."}
    said = {"error_code": "login_clash", "error_message": "Taken.", "result": {"clashes": clash}}
    await host.report(task, "failed", **said)

    at_once = await host.poll()
    timed.clock.move(timedelta(seconds=40))
    (again,) = await host.poll()
    await host.report(again)

    assert at_once == []
    shown = await read(tenant, given["id"])
    assert (shown["carried_out"], shown["problem"]) == (True, None)
    timed.clock.move(timedelta(minutes=10))
    assert await host.poll() == []


async def test_a_node_that_could_not_is_asked_again_later(timed: TimedSite) -> None:
    tenant = await make_tenant(timed)
    given = await grant(tenant)
    host = await held(tenant)
    (task,) = await host.poll()
    await host.report(task, "failed", error_code="disk_full", error_message="The disk is full.")

    at_once = await host.poll()
    problem = (await read(tenant, given["id"]))["problem"]
    timed.clock.move(timedelta(seconds=3))
    (later,) = await host.poll()
    await host.report(later)

    assert at_once == []
    assert problem == "The disk is full."
    shown = await read(tenant, given["id"])
    assert (shown["carried_out"], shown["problem"]) == (True, None)


async def test_a_change_is_not_kept_waiting_by_an_earlier_failure(tenant: Tenant) -> None:
    given = await grant(tenant)
    host = await held(tenant)
    (task,) = await host.poll()
    await host.report(task, "failed", error_code="disk_full", error_message="The disk is full.")

    await tenant.admin.delete(f"/v1/grants/{given['id']}")

    (at_once,) = await host.poll()
    assert at_once.input["people"] == []


@pytest.mark.parametrize("state", ["unknown", "timed_out", "cancelled"])
async def test_a_list_whose_end_nobody_knows_is_sent_again(tenant: Tenant, state: str) -> None:
    given = await grant(tenant)
    host = await held(tenant)
    (task,) = await host.poll()

    await host.report(task, state)
    (again,) = await host.poll()
    await host.report(again)

    assert again.id != task.id
    assert (await read(tenant, given["id"]))["carried_out"] is True


async def test_giving_a_machine_back_and_a_late_report_do_not_wait_for_each_other(
    tenant: Tenant,
) -> None:
    await grant(tenant)
    host = await held(tenant)
    (task,) = await host.poll()

    # Whoever gives it back holds the machine, and then wants its tasks.
    async with tenant.site.platform.database.transaction(org_scope(tenant.org.id)) as db:
        await db.run("SELECT FROM allocations WHERE id = %s FOR UPDATE", (task.allocation_id,))
        await host.report(task)
        await db.run("UPDATE tasks SET version = version + 1 WHERE id = %s", (task.id,))

    rows = await tenant.site.rows("SELECT status FROM tasks WHERE id = %s", task.id)
    assert rows == [("succeeded",)]


async def test_all_nodes_hear_of_a_new_authority(tenant: Tenant) -> None:
    await grant(tenant)
    host = await held(tenant)
    (task,) = await host.poll()
    await host.report(task)
    operator = await tenant.site.actor("platform_admin")

    made = await operator.post(
        "/v1/platform/ssh-authorities/rotate", {"reason": "it is a year old"}
    )
    (told,) = await host.poll()

    assert told.input["authorities"][0] == made.json()["public_key"]
    assert len(told.input["authorities"]) == 2


async def test_an_external_directory_is_named_in_the_list(site: Site, tenant: Tenant) -> None:
    await grant(tenant)
    host = await held(tenant)
    settings = site.platform.settings
    access = settings.access.model_copy(update={"users": "external"})
    host.platform = dataclasses.replace(
        site.platform, settings=settings.model_copy(update={"access": access})
    )

    (task,) = await host.poll()

    assert task.input["users"] == "external"


async def test_granting_and_ending_at_once_leaves_the_last_word(
    tenant: Tenant, member: Caller
) -> None:
    host = await held(tenant)
    first = await grant(tenant, user=member.id)

    people = [await tenant.site.actor("project_member", project=tenant.project) for _ in range(4)]
    path = f"/v1/allocations/{tenant.ids['allocation']}/grants"
    looking = asyncio.create_task(SyncAccess(tenant.site.platform).activate())

    answers = await asyncio.gather(
        tenant.admin.delete(f"/v1/grants/{first['id']}"),
        *(tenant.admin.post(path, {"user": person.id}) for person in people),
    )
    await looking

    assert [answer.status_code for answer in answers] == [204, 201, 201, 201, 201]
    (task,) = await host.poll()
    assert len(task.input["people"]) == 4
