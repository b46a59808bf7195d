"""Triage: everything that came of one request, and what to do about it."""

from datetime import timedelta
from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories import machines
from core.tests.factories.instances import Echo, make_echo
from core.tests.factories.tenants import make_account, make_tenant
from core.tests.site import Site, TimedSite
from moorage_core.audit import rules as audit_rules
from moorage_core.audit.sweeps import FlushDenials
from moorage_core.authz.permissions import Permission
from moorage_core.kit.db import org_scope
from moorage_core.triage import store


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site))


async def triage(caller: Caller, correlation: str) -> dict[str, Any]:
    answer = await caller.get(f"/v1/triage/{correlation}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def fail_replicas(brief: dict[str, Any]) -> dict[str, Any]:
    """Members of the replica do not come up."""
    if brief["member"] is None or brief["member"]["component"] != "replica":
        return {"state": "succeeded"}
    step = {"number": 1, "name": "start", "status": "failed"}
    error = {"code": "port_taken", "message": "Port 80 is taken.", "log": ["bind: in use"]}
    return {"state": "failed", "steps": [step], "error": error, "recovery": "repairable"}


@pytest.mark.rule("BQ-3")
async def test_what_came_of_a_request_stands_in_one_timeline(site: Site, echo: Echo) -> None:
    made = await echo.running(replicas=1)
    await site.number()

    found = await triage(echo.admin, made["correlation_id"])

    kinds = {moment["kind"] for moment in found["timeline"]}
    assert {"request", "operation", "event"} <= kinds
    assert [m["at"] for m in found["timeline"]] == sorted(m["at"] for m in found["timeline"])
    texts = [moment["text"] for moment in found["timeline"]]
    assert "apps.instance.running" in texts
    assert "apps.operation.running" in texts
    assert len(found["operations"]) == 3
    assert (found["cause"], found["next"]) == (None, [])
    assert {layer["layer"] for layer in found["policy"]} >= {"global", "entitlement"}


@pytest.mark.rule("BQ-3")
async def test_of_a_failure_the_innermost_cause_stands_first(echo: Echo) -> None:
    made = await echo.deploy(replicas=1)
    await echo.work(fail_replicas)

    found = await triage(echo.admin, made["correlation_id"])

    cause = found["cause"]
    assert (cause["code"], cause["message"]) == ("port_taken", "Port 80 is taken.")
    assert (cause["step"], cause["log"]) == ("start", ["bind: in use"])
    failed = [each for each in found["operations"] if each["status"] == "failed"]
    assert cause["operation_id"] in [each["id"] for each in failed if each["member_id"]]
    root = next(each for each in found["operations"] if each["parent_id"] is None)
    assert {"verb": "retry", "operation_id": root["id"]}.items() <= found["next"][0].items()


async def test_a_request_that_was_refused_is_found_too(timed: TimedSite) -> None:
    echo = await make_echo(await make_tenant(timed))
    viewer = await timed.actor("viewer", project=echo.tenant.project)
    refused = await viewer.post(f"/v1/projects/{echo.project}/instances", await echo.body())
    timed.clock.move(timedelta(minutes=2))
    await FlushDenials(timed.platform).activate()
    await timed.number()

    found = await triage(echo.admin, refused.json()["correlation_id"])

    (moment,) = found["timeline"]
    assert (refused.status_code, moment["kind"], moment["status"]) == (403, "refusal", "denied")


async def test_who_was_refused_reads_again_at_once_what_they_were_told(
    site: Site, echo: Echo
) -> None:
    body = await echo.body()
    viewer = await site.actor("viewer", project=echo.tenant.project)
    path = f"/v1/projects/{echo.project}/instances"
    denied = (await viewer.post(path, body)).json()
    malformed = (await echo.admin.post(path, {"name": 7})).json()

    told = [
        (await triage(caller, problem["correlation_id"]))["timeline"]
        for caller, problem in ((viewer, denied), (echo.admin, malformed))
    ]

    for (moment,), problem in zip(told, (denied, malformed), strict=True):
        assert (moment["kind"], moment["status"]) == ("refusal", "denied")
        assert moment["details"]["action"] == Permission.APPS_INSTANCE_CREATE
        assert {"message": problem["detail"], "code": problem["code"]}.items() <= moment[
            "details"
        ].items()
        assert moment["details"]["errors"] == problem["errors"]


async def test_what_somebody_was_told_is_theirs_alone(site: Site, echo: Echo) -> None:
    viewer = await site.actor("viewer", project=echo.tenant.project)
    denied = await viewer.post(f"/v1/projects/{echo.project}/instances", await echo.body())

    found = await echo.admin.get(f"/v1/triage/{denied.json()['correlation_id']}")

    assert found.status_code == 404


async def test_what_was_told_is_not_counted_a_second_time(timed: TimedSite) -> None:
    echo = await make_echo(await make_tenant(timed))
    admin = echo.tenant.admin
    refused = await admin.post("/v1/orgs", {"slug": "mine", "name": "Mine"})
    timed.clock.move(timedelta(minutes=2))
    await FlushDenials(timed.platform).activate()
    await timed.number()

    found = await triage(admin, refused.json()["correlation_id"])

    assert [moment["kind"] for moment in found["timeline"]] == ["refusal"]


async def test_of_a_storm_of_refusals_the_first_are_kept(site: Site, echo: Echo) -> None:
    viewer = await site.actor("viewer", project=echo.tenant.project)
    path = f"/v1/projects/{echo.project}"

    for _ in range(audit_rules.REFUSALS_KEPT + 2):
        await viewer.delete(path)

    ((kept,),) = await site.rows("SELECT count(*) FROM refusals WHERE principal = %s", viewer.id)
    assert kept == audit_rules.REFUSALS_KEPT


async def test_a_stranger_learns_nothing(site: Site, echo: Echo) -> None:
    made = await echo.deploy()
    await site.number()
    stranger = (await make_tenant(site)).admin

    for_real = await stranger.get(f"/v1/triage/{made['correlation_id']}")
    for_none = await stranger.get("/v1/triage/nothing")

    assert for_real.status_code == for_none.status_code == 404


async def test_those_who_run_the_platform_look_with_a_reason_that_the_tenant_sees(
    site: Site, echo: Echo
) -> None:
    made = await echo.deploy()
    root = await site.actor("platform_admin")
    path = f"/v1/platform/triage/{made['correlation_id']}"
    body = {"org": echo.tenant.org.id, "reason": "ticket 4711: stuck"}

    plain = await root.get(f"/v1/triage/{made['correlation_id']}")
    opened = await root.post(path, body)
    tenant = await echo.admin.post(path, body)

    assert plain.status_code == 404
    assert opened.status_code == 200, opened.text
    assert opened.json()["operations"] != []
    assert tenant.status_code == 403
    await site.number()
    entries = (await echo.admin.get(f"/v1/audit?org={echo.tenant.org.id}")).json()["items"]
    reasons = [entry["reason"] for entry in entries if entry["break_glass"]]
    assert reasons == ["ticket 4711: stuck"]


async def test_what_a_task_wrote_is_for_those_who_may_read_tasks(site: Site, echo: Echo) -> None:
    made = await failed_task(site, echo, ("stderr", 0, b"the key is hunter2\n"))
    reads = (Permission.APPS_OPERATION_READ, Permission.EVENTS_EVENT_READ)
    without = await make_account(echo.tenant, *reads)
    holder = await make_account(echo.tenant, *reads, Permission.APPS_TASK_READ)

    lacking = await triage(without, made["correlation_id"])
    holding = await triage(holder, made["correlation_id"])

    assert "hunter2" not in str(lacking)
    assert "hunter2" in str(holding)
    assert [m["text"] for m in lacking["timeline"]] == [m["text"] for m in holding["timeline"]]


async def test_of_too_many_rows_the_latest_are_read(site: Site, echo: Echo) -> None:
    made = await failed_task(site, echo, ("stderr", 0, b"no"))
    ((operation,),) = await site.rows(
        "SELECT id FROM operations WHERE app_instance_id = %s AND member_id IS NOT NULL", made["id"]
    )
    await site.sql.execute(
        """
        INSERT INTO operation_steps (operation_id, number, org_id, project_id, name, status,
            started_at)
        SELECT id, g, org_id, project_id, 'step ' || g, 'succeeded',
            now() + g * interval '1 millisecond'
        FROM operations, generate_series(1, %s) g WHERE id = %s
        """,
        (store.ROWS + 5, operation),
    )

    async with site.platform.database.transaction(org_scope(echo.tenant.org.id)) as db:
        found = await store.list_steps(db, [operation], orgs=[echo.tenant.org.id])

    assert [found[0].number, found[-1].number] == [6, store.ROWS + 5]


async def test_of_each_stream_of_a_failed_task_the_last_is_shown(site: Site, echo: Echo) -> None:
    made = await failed_task(
        site,
        echo,
        ("stdout", 0, b"early\n"),
        ("stdout", 6, b"x" * 5000 + b"\nlate\n"),
        ("stderr", 0, b"no"),
    )

    found = await triage(echo.admin, made["correlation_id"])

    (log,) = [m["details"]["log"] for m in found["timeline"] if m["status"] == "failed"]
    assert log[-2:] == ["late", "no"]
    assert "early" not in log


async def failed_task(site: Site, echo: Echo, *wrote: tuple[str, int, bytes]) -> dict[str, Any]:
    """A deployment of which a task failed, that wrote this at these places of its streams."""
    made = await echo.deploy()
    (prepare,) = await echo.claim()
    await echo.say(prepare, "succeeded")
    (add,) = await echo.claim()
    machine = add["member"]["allocation_id"]
    ended = {"status": "failed", "ended_at": await machines.now(site)}
    task = await machines.make_task_row(echo.tenant, add["id"], machine, **ended)
    ((node,),) = await site.rows("SELECT node_id FROM tasks WHERE id = %s", task)
    for stream, offset, content in wrote:
        await machines.insert(
            site,
            "task_outputs",
            task_id=task,
            stream=stream,
            at_offset=offset,
            org_id=echo.tenant.org.id,
            project_id=echo.project,
            node_id=node,
            content=content,
        )
    return made
