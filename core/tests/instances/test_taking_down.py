"""The last day of an instance: by its app, without it, and by those who run the platform."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from core.tests.factories.instances import Echo, make_echo
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site
from moorage_core.instances import rules

WHY = {"reason": "nobody needs it any more"}


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site))


def failing(brief: dict[str, Any]) -> dict[str, Any]:
    error = {"code": "no_luck", "message": "The disk is full."}
    return {"state": "failed", "recovery": "repairable", "error": error}


async def members(echo: Echo, instance: str) -> list[str]:
    answer = await echo.admin.get(f"/v1/instances/{instance}/members?removed=true")
    return [each["status"] for each in answer.json()["items"]]


@pytest.mark.rule("IN-8")
async def test_a_decommission_removes_members_last_component_first(echo: Echo) -> None:
    made = await echo.running(replicas=2)

    operation = await echo.ask(made["id"], "decommission", WHY)
    done = await echo.work()

    assert [(e["kind"], e["phase"], e["member"] and e["member"]["component"]) for e in done] == [
        ("instance.decommission", "prepare", None),
        ("member.remove", None, "replica"),
        ("member.remove", None, "replica"),
        ("member.remove", None, "leader"),
        ("instance.decommission", "finish", None),
    ]
    after = await echo.get(made["id"])
    assert after["status"] == "deleted"
    assert after["deleted_at"] is not None
    assert set(await members(echo, made["id"])) == {"removed"}
    ended = (await echo.admin.get(f"/v1/operations/{operation['id']}")).json()
    assert (ended["status"], ended["residue"]) == ("succeeded", [])


async def test_what_members_leave_behind_stands_in_the_report_of_the_whole(echo: Echo) -> None:
    made = await echo.running(replicas=2)
    operation = await echo.ask(made["id"], "decommission", WHY)

    def leaving(brief: dict[str, Any]) -> dict[str, Any]:
        member = brief["member"]
        if member is None or member["component"] != "replica":
            return {"state": "succeeded"}
        left = {"what": "/srv/echo", "where": member["name"], "why": "It is mounted."}
        return {"state": "succeeded", "residue": [left]}

    await echo.work(leaving)

    ended = (await echo.admin.get(f"/v1/operations/{operation['id']}")).json()
    listed = (await echo.admin.get(f"/v1/operations?instance={made['id']}")).json()["items"]
    [again] = [each for each in listed if each["id"] == operation["id"]]
    assert [each["where"] for each in ended["residue"]] == ["replica-1", "replica-2"]
    assert again["residue"] == ended["residue"]


async def test_the_name_of_a_deleted_instance_is_free_again(echo: Echo) -> None:
    made = await echo.running()
    await echo.ask(made["id"], "decommission")
    await echo.work()

    again = await echo.deploy(name=made["name"])

    assert again["id"] != made["id"]


@pytest.mark.rule("IN-8")
async def test_what_could_not_be_removed_leaves_it_delete_failed_until_it_can(echo: Echo) -> None:
    made = await echo.running()
    await echo.ask(made["id"], "decommission")

    await echo.work(failing)
    failed = await echo.get(made["id"])
    await echo.ask(made["id"], "decommission")
    await echo.work()

    assert failed["status"] == "delete_failed"
    assert (await echo.get(made["id"]))["status"] == "deleted"


@pytest.mark.rule("IN-8")
async def test_a_decommission_is_tried_again_with_the_members_that_stayed(echo: Echo) -> None:
    made = await echo.running(replicas=1)
    operation = await echo.ask(made["id"], "decommission")
    await echo.work(lambda brief: failing(brief) if brief["member"] else {"state": "succeeded"})
    assert (await echo.get(made["id"]))["status"] == "delete_failed"

    answer = await echo.admin.post(f"/v1/operations/{operation['id']}/retry", WHY)
    did = await echo.work()

    assert answer.status_code == 200, answer.text
    assert [brief["kind"] for brief in did].count("member.remove") == 2
    assert (await echo.get(made["id"]))["status"] == "deleted"


async def test_nothing_is_asked_of_an_instance_that_goes(echo: Echo) -> None:
    made = await echo.running()
    await echo.ask(made["id"], "decommission")

    answer = await echo.admin.post(f"/v1/instances/{made['id']}/restart", {})

    assert (answer.status_code, answer.json()["code"]) == (409, "invalid_transition")
    assert "is being decommissioned" in answer.json()["detail"]


async def test_nothing_of_a_deleted_instance_goes_on_or_is_tried_again(echo: Echo) -> None:
    made = await echo.running()
    failed = await echo.ask(made["id"], "configure", {"config": {"greeting": "moin"}})
    await echo.work(failing)
    await echo.ask(made["id"], "decommission")
    repair = await echo.ask(made["id"], "repair", WHY, status=409)

    await echo.work()
    answer = await echo.admin.post(f"/v1/operations/{failed['id']}/retry", WHY)

    assert (await echo.get(made["id"]))["status"] == "deleted"
    assert repair["code"] == "invalid_transition"
    found = (await echo.admin.get(f"/v1/operations/{failed['id']}")).json()
    assert (found["status"], found["recovery"]) == ("failed", "terminal")
    assert "retry" not in found["verbs"]
    assert answer.status_code == 409


async def test_a_repair_that_had_no_turn_ends_with_its_instance(echo: Echo) -> None:
    made = await echo.running()
    await echo.ask(made["id"], "restart")
    (restart,) = await echo.claim()
    repair = await echo.ask(made["id"], "repair", WHY)
    await echo.ask(made["id"], "decommission")
    await echo.say(restart, "succeeded")

    await echo.work()

    assert (await echo.get(made["id"]))["status"] == "deleted"
    found = (await echo.admin.get(f"/v1/operations/{repair['id']}")).json()
    assert (found["status"], found["verbs"]) == ("abandoned", [])


async def test_a_decommission_can_ask_others_to_give_way(echo: Echo) -> None:
    made = await echo.running()
    restart = await echo.ask(made["id"], "restart")
    (brief,) = await echo.claim()

    await echo.ask(made["id"], "decommission", {"preempt": True})

    found = (await echo.admin.get(f"/v1/operations/{restart['id']}")).json()
    assert found["cancel_requested_at"] is not None
    await echo.say(brief, "undoing")
    await echo.say(brief, "cancelled")
    await echo.work()
    assert (await echo.get(made["id"]))["status"] == "deleted"


# Without the app


async def _requested(echo: Echo) -> str:
    return (await echo.deploy(replicas=1))["id"]


async def _deploying(echo: Echo) -> str:
    id = await _requested(echo)
    await echo.claim()
    return id


async def _failed(echo: Echo) -> str:
    id = await _requested(echo)
    await echo.work(failing)
    return id


async def _running(echo: Echo) -> str:
    return (await echo.running(replicas=1))["id"]


async def _stopped(echo: Echo) -> str:
    id = await _running(echo)
    await echo.ask(id, "stop")
    await echo.work()
    return id


def _at_work(verb: str, body: Any = None) -> Callable[[Echo], Awaitable[str]]:
    async def arrange(echo: Echo) -> str:
        id = await (_stopped(echo) if verb == "start" else _running(echo))
        await echo.ask(id, verb, body)
        await echo.claim()
        return id

    return arrange


async def _upgrading(echo: Echo) -> str:
    await echo.publish("1.1.0")
    made = await echo.running(version="1.0.0")
    await echo.ask(made["id"], "upgrade", {"version": "1.1.0"})
    await echo.claim()
    return made["id"]


async def _rolling_back(echo: Echo) -> str:
    id = await _running(echo)
    await echo.ask(id, "configure", {"config": {"note": "new"}})
    await echo.work()
    await echo.ask(id, "rollback", {})
    await echo.claim()
    return id


async def _delete_failed(echo: Echo) -> str:
    id = await _running(echo)
    await echo.ask(id, "decommission")
    await echo.work(failing)
    return id


STATES: dict[str, Callable[[Echo], Awaitable[str]]] = {
    "requested": _requested,
    "deploying": _deploying,
    "running": _running,
    "stopping": _at_work("stop"),
    "stopped": _stopped,
    "starting": _at_work("start"),
    "restarting": _at_work("restart"),
    "configuring": _at_work("configure", {"config": {"note": "new"}}),
    "upgrading": _upgrading,
    "rolling_back": _rolling_back,
    "rotating": _at_work("rotate", {"reason": "somebody has left"}),
    "failed": _failed,
    "deleting": _at_work("decommission"),
    "delete_failed": _delete_failed,
}


def test_every_state_that_is_no_end_is_tried() -> None:
    assert set(STATES) == set(rules.NEXT) - rules.ENDED


async def _act(echo: Echo, instance: str) -> None:
    """Do what somebody would who has nothing but the API: give up what is open, take it down."""
    answer = await echo.admin.get(f"/v1/operations?instance={instance}")
    ended = {"succeeded", "failed", "cancelled", "abandoned"}
    for operation in answer.json()["items"]:
        if operation["status"] in ended or operation["parent_id"] is not None:
            continue
        verb = next(verb for verb in ("abandon", "cancel") if verb in operation["verbs"])
        said = await echo.admin.post(f"/v1/operations/{operation['id']}/{verb}", WHY)
        assert said.status_code in (200, 202), said.text
        return
    said = await echo.admin.post(f"/v1/instances/{instance}/decommission", WHY)
    assert said.status_code == 202, said.text


@pytest.mark.parametrize("state", STATES)
@pytest.mark.rule("IN-9")
async def test_with_the_controller_gone_every_state_comes_to_an_end(echo: Echo, state: str) -> None:
    id = await STATES[state](echo)
    assert (await echo.get(id))["status"] == state

    for _ in range(10):
        if (await echo.get(id))["status"] == "deleted":
            break
        await _act(echo, id)

    assert (await echo.get(id))["status"] == "deleted"
    assert set(await members(echo, id)) <= {"removed"}


# Break-glass


@pytest.mark.rule("IN-10")
async def test_the_platform_gives_an_instance_up_and_the_tenant_sees_it(
    site: Site, echo: Echo
) -> None:
    made = await echo.running(replicas=1)
    await echo.ask(made["id"], "restart")
    await echo.claim()
    root = await site.actor("platform_admin")

    path = f"/v1/platform/instances/{made['id']}/abandon"
    answer = await root.post(path, {"reason": "its tenant does not answer"})

    assert answer.status_code == 200, answer.text
    after = await echo.get(made["id"])
    assert after["status"] == "deleted"
    assert after["status_reason"].endswith("its tenant does not answer")
    assert set(await members(echo, made["id"])) == {"removed"}
    dirty = await site.rows(
        "SELECT DISTINCT a.dirty FROM allocations a JOIN members m ON m.allocation_id = a.id"
        " WHERE m.instance_id = %s",
        made["id"],
    )
    assert dirty == [(["abandoned"],)]
    entries = await site.rows(
        "SELECT break_glass, reason FROM audit_entries WHERE target = %s AND break_glass",
        made["id"],
    )
    assert entries == [(True, "its tenant does not answer")]


async def test_the_platform_asks_the_app_to_take_an_instance_down(site: Site, echo: Echo) -> None:
    made = await echo.running()
    root = await site.actor("platform_admin")

    path = f"/v1/platform/instances/{made['id']}/decommission"
    answer = await root.post(path, {"reason": "its tenant does not answer"})
    await echo.work()

    assert answer.status_code == 202, answer.text
    assert (await echo.get(made["id"]))["status"] == "deleted"


async def test_a_tenants_admin_breaks_no_glass(echo: Echo) -> None:
    made = await echo.running()

    path = f"/v1/platform/instances/{made['id']}/abandon"
    answer = await echo.admin.post(path, {"reason": "I would like to see"})

    assert answer.status_code == 403
