"""Sessions on machines: opened for a reason and a time, renewed, ended, over by themselves."""

from datetime import timedelta
from typing import Any

import httpx2
import pytest

from core.tests.factories import machines
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site, TimedSite
from core.tests.tasks.workplaces import Workplace, exec_wish
from moorage_core.operations.sweeps import EndExpired

REASON = "its disk is nearly full"


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


async def open_session(tenant: Tenant, *allocations: str, **changes: Any) -> httpx2.Response:
    body = {"allocations": list(allocations), "reason": REASON} | changes
    return await tenant.admin.post(f"/v1/projects/{tenant.project.id}/node-sessions", body)


async def make_session(tenant: Tenant, **changes: Any) -> Workplace:
    """A session through the API, on a machine of its own."""
    node = await machines.make_node_row(tenant.site)
    allocation = await machines.make_allocation_row(tenant, node)
    answer = await open_session(tenant, allocation, **changes)
    assert answer.status_code == 201, answer.text
    opened = answer.json()
    return Workplace(tenant, node, allocation, opened["id"], opened["token"])


async def test_a_session_opens_its_machines_with_a_token(tenant: Tenant) -> None:
    place = await make_session(tenant)

    (task,) = await place.ask(exec_wish())
    read = await tenant.admin.get(f"/v1/operations/{place.operation}")

    assert task["status"] == "queued"
    assert read.json()["kind"] == "node.session"
    assert read.json()["reason"] == REASON
    assert read.json()["allocations"] == [place.allocation]
    assert read.json()["requested_by"] == tenant.admin.id
    assert "token" not in read.json()


async def test_a_session_says_why_it_is_opened_in_audit_and_event(tenant: Tenant) -> None:
    place = await make_session(tenant)

    entries = await tenant.site.rows(
        "SELECT action, details->>'reason' FROM audit_entries WHERE target = %s", place.operation
    )
    events = await tenant.site.rows(
        "SELECT type, data->>'reason' FROM events WHERE subject = %s", place.operation
    )
    assert entries == [("infra.session.create", REASON)]
    assert events == [("apps.operation.running", REASON)]


async def test_the_token_is_not_in_the_database(tenant: Tenant) -> None:
    place = await make_session(tenant)

    found = await tenant.site.rows(
        "SELECT 1 FROM idempotency_answers WHERE convert_from(body, 'utf8') LIKE %s",
        f"%{place.token}%",
    )
    assert found == []


@pytest.mark.parametrize("status", ["provisioning", "releasing", "released", "failed"])
async def test_a_session_needs_active_machines(tenant: Tenant, status: str) -> None:
    allocation = await machines.make_allocation_row(tenant, status=status)

    answer = await open_session(tenant, allocation)

    assert answer.status_code == 409
    assert answer.json()["code"] == "allocation_not_active"


async def test_a_session_reaches_no_machine_of_another_project(tenant: Tenant) -> None:
    mine = await machines.make_allocation_row(tenant)
    foreign = await machines.make_allocation_row(await make_tenant(tenant.site))

    answer = await open_session(tenant, mine, foreign)

    assert answer.status_code == 404
    assert foreign in answer.json()["detail"]


async def test_policy_can_forbid_sessions(tenant: Tenant) -> None:
    allocation = await machines.make_allocation_row(tenant)
    path = f"/v1/projects/{tenant.project.id}/overlay"
    document = {"document": {"operations": {"deny": ["node.session"]}}}
    written = await tenant.admin.put(path, document, headers={"if-match": '"0"'})
    assert written.status_code == 200, written.text

    answer = await open_session(tenant, allocation)

    assert answer.status_code == 403
    assert answer.json()["code"] == "policy_refused"


async def test_members_open_no_sessions(tenant: Tenant) -> None:
    member = await tenant.site.actor("project_member", project=tenant.project)
    allocation = await machines.make_allocation_row(tenant)

    answer = await member.post(
        f"/v1/projects/{tenant.project.id}/node-sessions",
        {"allocations": [allocation], "reason": REASON},
    )

    assert answer.status_code == 403


@pytest.mark.rule("TK-6")
async def test_the_end_of_a_session_stops_everything(tenant: Tenant) -> None:
    place = await make_session(tenant)
    queued, running = await place.ask(exec_wish(), exec_wish())
    await place.site.rows("UPDATE tasks SET status = 'running' WHERE id = %s", running["id"])

    answer = await tenant.admin.post(
        f"/v1/operations/{place.operation}/end", {"outcome": "failed", "message": "I gave up."}
    )

    assert answer.json()["status"] == "failed"
    assert answer.json()["message"] == "I gave up."
    assert (await place.row(queued["id"]))["status"] == "cancelled"
    assert (await place.row(running["id"]))["cancel_requested_at"] is not None
    assert (await place.poll((running["id"], "running"))).cancel == [running["id"]]


@pytest.mark.rule("TK-2")
async def test_a_token_is_worth_nothing_after_the_end(tenant: Tenant) -> None:
    place = await make_session(tenant)
    (task,) = await place.ask(exec_wish())
    await tenant.admin.post(f"/v1/operations/{place.operation}/end", {"outcome": "succeeded"})

    asked = await place.holder.post(
        f"/v1/operations/{place.operation}/tasks",
        {"tasks": [{"allocation": place.allocation, **exec_wish()}]},
    )
    looked = await place.holder.get(f"/v1/tasks/{task['id']}")

    assert asked.status_code == 401
    assert looked.status_code == 401


async def test_a_session_ends_once(tenant: Tenant) -> None:
    place = await make_session(tenant)
    path = f"/v1/operations/{place.operation}/end"
    await tenant.admin.post(path, {"outcome": "succeeded"})

    again = await tenant.admin.post(path, {"outcome": "failed"})
    renewed = await tenant.admin.post(f"/v1/operations/{place.operation}/renew", {"lease": 600})

    assert again.json()["code"] == "operation_ended"
    assert renewed.json()["code"] == "operation_ended"


async def test_a_grant_neither_ends_nor_renews_itself(tenant: Tenant) -> None:
    place = await make_session(tenant)

    ended = await place.holder.post(
        f"/v1/operations/{place.operation}/end", {"outcome": "succeeded"}
    )
    renewed = await place.holder.post(f"/v1/operations/{place.operation}/renew", {"lease": 600})

    assert ended.status_code == 403
    assert renewed.status_code == 403


async def test_sessions_and_operations_are_listed_newest_first(tenant: Tenant) -> None:
    older, newer = await make_session(tenant), await make_session(tenant)

    sessions = await tenant.admin.get(f"/v1/projects/{tenant.project.id}/node-sessions")
    every = await tenant.admin.get("/v1/operations?status=running")
    one = await tenant.admin.get(f"/v1/operations?project={tenant.project.id}&limit=1")

    ids = [newer.operation, older.operation]
    assert [each["id"] for each in sessions.json()["items"]] == ids
    assert [each["id"] for each in every.json()["items"]] == ids
    assert [each["id"] for each in one.json()["items"]] == ids[:1]
    assert one.json()["next"] is not None


async def test_a_lease_that_runs_out_ends_the_session(timed: TimedSite) -> None:
    tenant = await make_tenant(timed)
    place = await make_session(tenant, lease=600)
    (task,) = await place.ask(exec_wish())
    timed.clock.move(timedelta(seconds=601))

    at_once = await place.holder.get(f"/v1/tasks/{task['id']}")
    await EndExpired(timed.platform).activate()

    ((status, message),) = await timed.rows(
        "SELECT status, message FROM operations WHERE id = %s", place.operation
    )
    assert at_once.status_code == 401
    assert (status, message) == ("failed", "The lease ran out.")
    assert (await place.row(task["id"]))["status"] == "cancelled"


async def test_a_renewed_lease_goes_on_with_the_same_token(timed: TimedSite) -> None:
    tenant = await make_tenant(timed)
    place = await make_session(tenant, lease=600)
    timed.clock.move(timedelta(seconds=500))
    renewed = await tenant.admin.post(f"/v1/operations/{place.operation}/renew", {"lease": 3600})
    timed.clock.move(timedelta(seconds=500))

    await EndExpired(timed.platform).activate()

    assert renewed.status_code == 200, renewed.text
    assert await place.ask(exec_wish())


async def test_no_session_is_renewed_beyond_a_day(timed: TimedSite) -> None:
    tenant = await make_tenant(timed)
    place = await make_session(tenant, lease=8 * 3600)
    opened = timed.clock.now()
    path = f"/v1/operations/{place.operation}/renew"
    for _ in range(3):
        timed.clock.move(timedelta(hours=7))
        renewed = await tenant.admin.post(path, {"lease": 8 * 3600})
        assert renewed.status_code == 200, renewed.text

    ((until,),) = await timed.rows(
        "SELECT lease_expires_at FROM operations WHERE id = %s", place.operation
    )
    assert until == opened + timedelta(days=1)
