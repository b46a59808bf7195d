"""Giving machines back: cleaned and shown to be clean, or kept from everybody."""

from datetime import timedelta

import pytest

from core.tests.allocations import holding
from core.tests.callers import Caller
from core.tests.factories import machines
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site, TimedSite

WIPE, PROBE = "release/wipe", "release/probe"
LEFT = {"residue": {"files": ["/opt/left"]}}


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


@pytest.fixture
async def machine(site: Site, tenant: Tenant) -> str:
    return await machines.make_allocation_row(tenant)


@pytest.mark.rule("AL-4")
async def test_a_machine_is_wiped_then_probed_then_free(
    site: Site, tenant: Tenant, machine: str
) -> None:
    answer = await holding.release(tenant, machine)
    await holding.drive(site.platform)
    await holding.say(site, machine, WIPE, {"removed": {"files": ["/opt/x"]}, "residue": {}})
    await holding.drive(site.platform)
    await holding.say(site, machine, PROBE, holding.CLEAN)
    await holding.drive(site.platform)

    assert answer.status_code == 200, answer.text
    assert answer.json()["status"] == "releasing"
    over = await holding.get(tenant, machine)
    assert over["status"] == "released"
    assert over["dirty"] == []
    assert over["node"] is None, "the node is nobody's to look at any more"
    assert (await holding.node_of(site, machine))["status"] == "available"
    proof = (await tenant.admin.get(f"/v1/allocations/{machine}/evidence")).json()
    assert proof["wipe"]["result"]["removed"] == {"files": ["/opt/x"]}
    assert proof["probe"]["result"]["residue"] == {"files": [], "users": []}
    assert proof["wipe"]["status"] == proof["probe"]["status"] == "succeeded"


@pytest.mark.rule("AL-6")
async def test_the_time_that_is_paid_for_ends_with_the_request(
    site: Site, tenant: Tenant, machine: str
) -> None:
    answer = await holding.release(tenant, machine)

    assert answer.json()["held_until"] is not None
    first = answer.json()["cost"]
    assert (await holding.get(tenant, machine))["cost"] == first


async def test_whoever_is_at_work_there_is_out_at_once(
    site: Site, tenant: Tenant, machine: str
) -> None:
    operation = await machines.make_operation_row(tenant, machine)
    waiting = await machines.make_task_row(tenant, operation, machine)
    running = await machines.make_task_row(
        tenant, operation, machine, status="running", started_at=await machines.now(site)
    )
    token = await machines.give_grant(tenant, operation)

    answer = await holding.release(tenant, machine)

    assert answer.status_code == 200, answer.text
    ended = await site.rows("SELECT status, message FROM operations WHERE id = %s", operation)
    assert ended[0][0] == "cancelled"
    states = dict(
        await site.rows(
            "SELECT id, status || coalesce(' ' || (cancel_requested_at IS NOT NULL)::text, '')"
            " FROM tasks WHERE operation_id = %s",
            operation,
        )
    )
    assert states[waiting].startswith("cancelled")
    assert states[running] == "running true"
    late = await site.client.post(
        f"/v1/operations/{operation}/tasks",
        json={"tasks": []},
        headers={"authorization": f"Bearer {token}"},
    )
    assert late.status_code == 401


@pytest.mark.rule("AL-4")
@pytest.mark.parametrize(
    ("wipe", "status", "probe", "message"),
    [
        (LEFT, "succeeded", None, "/opt/left"),
        (None, "failed", None, "failed"),
        (None, "unknown", None, "was lost"),
        (None, "timed_out", None, "took too long"),
        (holding.CLEAN, "succeeded", LEFT, "/opt/left"),
        (holding.CLEAN, "succeeded", {}, "said nothing of residue"),
    ],
)
async def test_a_machine_that_is_not_shown_to_be_clean_is_kept_from_everybody(
    site: Site,
    tenant: Tenant,
    machine: str,
    wipe: object,
    status: str,
    probe: object,
    message: str,
) -> None:
    await holding.release(tenant, machine)
    await holding.drive(site.platform)
    await holding.say(site, machine, WIPE, wipe, status=status)
    await holding.drive(site.platform)
    if probe is not None:
        await holding.say(site, machine, PROBE, probe)
        await holding.drive(site.platform)

    over = await holding.get(tenant, machine)
    assert over["status"] == "release_failed"
    assert message in over["message"]
    assert over["dirty"] == ["not_cleaned"]
    assert over["held_until"] is not None, "nobody pays for it any more"
    assert (await holding.node_of(site, machine))["status"] == "quarantined"
    said = await site.rows(
        "SELECT count(*) FROM events WHERE subject = %s AND type ="
        " 'infra.allocation.release_failed'",
        machine,
    )
    assert said == [(1,)]


async def test_a_machine_that_is_silent_cannot_be_cleaned(
    site: Site, tenant: Tenant, machine: str
) -> None:
    await site.sql.execute(
        "UPDATE nodes SET unreachable_since = now() WHERE id ="
        " (SELECT node_id FROM allocations WHERE id = %s)",
        (machine,),
    )

    await holding.release(tenant, machine)
    await holding.drive(site.platform)

    over = await holding.get(tenant, machine)
    assert over["status"] == "release_failed"
    assert "silent since" in over["message"]
    assert (await holding.node_of(site, machine))["status"] == "quarantined"


@pytest.mark.rule("AL-6")
async def test_a_release_that_failed_can_be_tried_again(
    site: Site, tenant: Tenant, machine: str
) -> None:
    await holding.release(tenant, machine)
    await holding.drive(site.platform)
    await holding.say(site, machine, WIPE, status="failed")
    await holding.drive(site.platform)
    first = await holding.get(tenant, machine)

    again = await holding.release(tenant, machine)
    cleaning = await holding.node_of(site, machine)
    await holding.drive(site.platform)
    await holding.say(site, machine, WIPE, holding.CLEAN)
    await holding.drive(site.platform)
    await holding.say(site, machine, PROBE, holding.CLEAN)
    await holding.drive(site.platform)

    assert again.status_code == 200, again.text
    assert cleaning["status"] == "cleaning"
    over = await holding.get(tenant, machine)
    assert over["status"] == "released"
    assert over["held_until"] == first["held_until"]
    assert over["release_operation_id"] != first["release_operation_id"]
    assert (await holding.node_of(site, machine))["status"] == "available"


async def test_what_took_a_node_out_for_another_reason_is_not_undone_by_a_tenant(
    site: Site, tenant: Tenant, machine: str, root: Caller
) -> None:
    node = (await holding.node_of(site, machine))["id"]
    act = await root.post(f"/v1/nodes/{node}/quarantine", {"reason": "it smells of smoke"})
    assert act.is_success, act.text
    await holding.release(tenant, machine)
    await holding.drive(site.platform)
    failed = await holding.get(tenant, machine)

    again = await holding.release(tenant, machine)

    assert failed["status"] == "release_failed"
    assert (again.status_code, again.json()["code"]) == (409, "node_taken_out")
    assert await holding.node_of(site, machine) == {
        "id": node,
        "status": "quarantined",
        "reason": "it smells of smoke",
        "last_org": None,
    }


async def test_once_an_operator_has_resumed_the_node_the_release_goes_on(
    site: Site, tenant: Tenant, machine: str, root: Caller
) -> None:
    node = (await holding.node_of(site, machine))["id"]
    await root.post(f"/v1/nodes/{node}/quarantine", {"reason": "it smells of smoke"})
    await holding.release(tenant, machine)
    await holding.drive(site.platform)
    resumed = await root.post(f"/v1/nodes/{node}/resume", {})
    assert resumed.is_success, resumed.text

    again = await holding.release(tenant, machine)
    await holding.drive(site.platform)
    await holding.say(site, machine, WIPE, holding.CLEAN)
    await holding.drive(site.platform)
    await holding.say(site, machine, PROBE, holding.CLEAN)
    await holding.drive(site.platform)

    assert again.status_code == 200, again.text
    assert (await holding.get(tenant, machine))["status"] == "released"


async def test_cleaning_has_a_limit(timed: TimedSite) -> None:
    tenant = await make_tenant(timed)
    machine = await machines.make_allocation_row(tenant)
    await holding.release(tenant, machine)
    await holding.drive(timed.platform)

    timed.clock.move(timedelta(minutes=15, seconds=1))
    await holding.drive(timed.platform)

    over = await holding.get(tenant, machine)
    assert over["status"] == "release_failed"
    assert "in time" in over["message"]


async def test_what_is_given_back_cannot_be_given_back_twice(
    site: Site, tenant: Tenant, machine: str
) -> None:
    await holding.release(tenant, machine)

    again = await holding.release(tenant, machine)

    assert (again.status_code, again.json()["code"]) == (409, "invalid_transition")


async def test_a_wish_that_came_to_nothing_yet_is_taken_back_at_once(
    site: Site, tenant: Tenant
) -> None:
    region, sku, _ = await machines.make_pool(site, 1)
    (made,) = await holding.held(tenant, region, sku)

    answer = await holding.release(tenant, made["id"])

    assert answer.json()["status"] == "released"
    assert answer.json()["cost"]["amount_micros"] == 0
    assert (await holding.node_of(site, made["id"]))["status"] == "available"


async def test_policy_never_keeps_anybody_from_giving_back(
    site: Site, tenant: Tenant, machine: str
) -> None:
    path = f"/v1/projects/{tenant.project.id}/overlay"
    nothing = {"operations": {"allow": []}, "regions": {"allow": []}, "quotas": {"allocations": 0}}
    put = await tenant.admin.put(path, {"document": nothing}, headers={"if-match": '"0"'})
    assert put.status_code == 200, put.text

    answer = await holding.release(tenant, machine)

    assert answer.status_code == 200, answer.text


# Break-glass


@pytest.mark.parametrize("status", ["provisioning", "active", "releasing", "release_failed"])
async def test_the_platform_takes_back_a_machine_and_the_tenant_is_told(
    site: Site, tenant: Tenant, root: Caller, status: str
) -> None:
    machine = await machines.make_allocation_row(tenant, status=status)

    answer = await root.post(
        f"/v1/platform/allocations/{machine}/release", {"reason": "the tenant does not answer"}
    )

    assert answer.status_code == 200, answer.text
    over = await holding.get(tenant, machine)
    assert over["status"] == "released"
    assert over["dirty"] == ["force_released"]
    assert "the tenant does not answer" in over["message"]
    assert (await holding.node_of(site, machine))["status"] == "quarantined"
    await site.number()
    entries = (await tenant.admin.get("/v1/audit", params={"org": tenant.org.id})).json()
    forced = [e for e in entries["items"] if e["target"] == machine]
    assert [(e["break_glass"], e["reason"], e["actor_id"]) for e in forced] == [
        (True, "the tenant does not answer", root.id)
    ]
    assert await site.rows(
        "SELECT count(*) FROM events WHERE subject = %s AND org_id = %s"
        " AND type = 'infra.allocation.released'",
        machine,
        tenant.org.id,
    ) == [(1,)]


async def test_what_holds_nothing_cannot_be_taken_back(
    site: Site, tenant: Tenant, root: Caller
) -> None:
    machine = await machines.make_allocation_row(tenant, status="released")

    answer = await root.post(
        f"/v1/platform/allocations/{machine}/release", {"reason": "the tenant does not answer"}
    )

    assert (answer.status_code, answer.json()["code"]) == (409, "invalid_transition")


async def test_a_tenant_has_no_break_glass(site: Site, tenant: Tenant, machine: str) -> None:
    answer = await tenant.admin.post(
        f"/v1/platform/allocations/{machine}/release", {"reason": "we do not want to wait"}
    )

    assert answer.status_code == 403


# What hosts said


async def test_evidence_of_logins_is_paged(site: Site, tenant: Tenant, machine: str) -> None:
    node = (await holding.node_of(site, machine))["id"]
    for number in range(3):
        await machines.insert(
            site,
            "node_evidence",
            id=f"evd_{number:026d}",
            org_id=tenant.org.id,
            project_id=tenant.project.id,
            node_id=node,
            allocation_id=machine,
            kind="ssh.login",
            key=str(number),
            received_at=await machines.now(site),
            data={"login": f"u{number}"},
        )
    path = f"/v1/allocations/{machine}/evidence"

    first = (await tenant.admin.get(path, params={"limit": 2})).json()
    rest = (await tenant.admin.get(path, params={"limit": 2, "after": first["next"]})).json()

    assert first["wipe"] is first["probe"] is first["setup"] is None
    logins = [item["data"]["login"] for item in [*first["items"], *rest["items"]]]
    assert logins == ["u0", "u1", "u2"]
    assert rest["next"] is None
