"""Changing an instance that is there: revisions, states, and what a failed change leaves."""

from typing import Any

import pytest

from core.tests.factories.instances import CLUSTER, Echo, make_echo
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site))


async def refused(echo: Echo, instance: str, verb: str, body: Any, *, code: str) -> dict[str, Any]:
    answer = await echo.admin.post(f"/v1/instances/{instance}/{verb}", body)
    assert answer.json().get("code") == code, answer.text
    return answer.json()


async def revisions(echo: Echo, instance: str) -> list[tuple[int, str, str]]:
    answer = await echo.admin.get(f"/v1/instances/{instance}/revisions")
    return [(r["number"], r["kind"], r["outcome"]) for r in answer.json()["items"]]


ERROR = {"code": "no_luck", "message": "The disk is full."}


def failing(brief: dict[str, Any]) -> dict[str, Any]:
    return {"state": "failed", "recovery": "repairable", "error": ERROR}


@pytest.mark.rule("IN-4")
async def test_a_configuration_becomes_the_instances_when_it_was_applied(echo: Echo) -> None:
    made = await echo.running()

    await echo.ask(made["id"], "configure", {"config": {"greeting": "moin"}})
    between = await echo.get(made["id"])
    (brief,) = await echo.claim()
    during = await echo.get(made["id"])
    await echo.say(brief, "succeeded")

    assert between["config"]["greeting"] == "hello"
    assert (during["status"], during["revision"]) == ("configuring", 1)
    assert brief["instance"]["config"]["greeting"] == "moin"
    assert brief["instance"]["previous"]["config"]["greeting"] == "hello"
    assert brief["input"] == {"effects": {"/greeting": "reconfigure"}, "effect": "reconfigure"}
    after = await echo.get(made["id"])
    assert (after["status"], after["revision"], after["config"]["greeting"]) == (
        "running",
        2,
        "moin",
    )
    assert await revisions(echo, made["id"]) == [
        (2, "instance.configure", "applied"),
        (1, "instance.deploy", "applied"),
    ]


async def test_a_change_waits_for_nobody_and_nobody_overtakes_it(echo: Echo) -> None:
    made = await echo.running()
    await echo.ask(made["id"], "configure", {"config": {"greeting": "moin"}})

    said = await refused(echo, made["id"], "upgrade", {"version": "1.0.0"}, code="change_pending")

    assert "Revision 2 (instance.configure) is on its way" in said["detail"]


@pytest.mark.parametrize(
    "said",
    [
        {"state": "waiting", "wait": {"seconds": 3600}},
        {"state": "blocked", "error": ERROR},
        {"state": "failed", "recovery": "retryable", "error": ERROR},
    ],
    ids=["waits", "is blocked", "is tried again"],
)
async def test_a_change_that_was_begun_keeps_the_instance(echo: Echo, said: dict[str, Any]) -> None:
    made, other = await echo.running(), await echo.running()
    asked = await echo.ask(made["id"], "configure", {"config": {"greeting": "moin"}})
    (brief,) = await echo.claim()
    await echo.controller.report(brief, **said)
    await echo.ask(made["id"], "restart")
    await echo.ask(other["id"], "restart")

    meanwhile = await echo.work()
    path = f"/v1/operations/{asked['id']}/abandon"
    answer = await echo.admin.post(path, {"reason": "it takes too long"})
    then = await echo.work()

    assert [each["instance_id"] for each in meanwhile] == [other["id"]]
    assert answer.status_code == 200, answer.text
    assert [(each["kind"], each["instance_id"]) for each in then] == [
        ("instance.restart", made["id"])
    ]
    assert (await echo.get(made["id"]))["status"] == "running"


async def test_what_no_database_keeps_as_text_is_refused(echo: Echo) -> None:
    made = await echo.running()

    answer = await echo.admin.post(
        f"/v1/instances/{made['id']}/configure", {"config": {"greeting": "a\0b"}}
    )

    assert answer.status_code == 422, answer.text


async def test_what_changes_nothing_is_refused(echo: Echo) -> None:
    made = await echo.running()

    await refused(echo, made["id"], "configure", {"config": {}}, code="nothing_changes")


@pytest.mark.rule("IN-4")
async def test_a_failed_change_leaves_a_failed_instance_that_is_what_it_was(echo: Echo) -> None:
    made = await echo.running()
    await echo.ask(made["id"], "configure", {"config": {"greeting": "moin"}})

    await echo.work(failing)

    after = await echo.get(made["id"])
    assert after["status"] == "failed"
    assert after["status_reason"] == "configure failed: The disk is full."
    assert (after["revision"], after["config"]["greeting"]) == (1, "hello")


async def test_a_failed_change_can_be_tried_again(echo: Echo) -> None:
    made = await echo.running()
    operation = await echo.ask(made["id"], "configure", {"config": {"greeting": "moin"}})
    await echo.work(failing)

    answer = await echo.admin.post(
        f"/v1/operations/{operation['id']}/retry", {"reason": "the disk was emptied"}
    )
    await echo.work()

    assert answer.status_code in (200, 202), answer.text
    after = await echo.get(made["id"])
    assert (after["status"], after["config"]["greeting"]) == ("running", "moin")


async def test_another_change_takes_the_place_of_one_that_failed(echo: Echo) -> None:
    made = await echo.running()
    failed = await echo.ask(made["id"], "configure", {"config": {"greeting": "moin"}})
    await echo.work(failing)

    await echo.ask(made["id"], "configure", {"config": {"greeting": "servus"}})
    await echo.work()

    assert (await echo.get(made["id"]))["config"]["greeting"] == "servus"
    again = await echo.admin.post(
        f"/v1/operations/{failed['id']}/retry", {"reason": "the disk was emptied"}
    )
    assert (again.status_code, again.json()["code"]) == (409, "change_superseded"), again.text


async def test_a_cancelled_change_leaves_what_was_there(echo: Echo) -> None:
    made = await echo.running()
    operation = await echo.ask(made["id"], "configure", {"config": {"greeting": "moin"}})
    (brief,) = await echo.claim()

    asked = await echo.admin.post(
        f"/v1/operations/{operation['id']}/cancel", {"reason": "it was a mistake"}
    )
    await echo.say(brief, "cancelled")

    assert asked.status_code in (200, 202), asked.text
    after = await echo.get(made["id"])
    assert (after["status"], after["revision"]) == ("running", 1)
    assert (await revisions(echo, made["id"]))[0] == (2, "instance.configure", "discarded")


async def test_an_instance_is_stopped_and_started(echo: Echo) -> None:
    made = await echo.running()

    await echo.ask(made["id"], "stop", {"reason": "for the night"})
    await echo.ask(made["id"], "start")
    (stop,) = await echo.claim()
    await echo.say(stop, "succeeded")
    stopped = await echo.get(made["id"])
    await echo.work()

    assert stopped["status"] == "stopped"
    assert (await echo.get(made["id"]))["status"] == "running"


async def test_a_stopped_instance_takes_no_configuration(echo: Echo) -> None:
    made = await echo.running()
    await echo.ask(made["id"], "stop")

    await refused(
        echo, made["id"], "configure", {"config": {"note": "x"}}, code="invalid_transition"
    )


async def test_restarts_and_rotations_leave_it_running(echo: Echo) -> None:
    made = await echo.running()

    await echo.ask(made["id"], "restart")
    await echo.ask(made["id"], "rotate", {"reason": "somebody has left"})
    done = await echo.work()

    assert [each["kind"] for each in done] == ["instance.restart", "credential.rotate"]
    assert (await echo.get(made["id"]))["status"] == "running"


async def test_an_upgrade_brings_version_members_and_defaults(echo: Echo) -> None:
    made = await echo.running(replicas=1)
    await echo.publish(
        "1.1.0",
        more=CLUSTER.replace("note: {type", "tag: {type: string, default: t}\n      note: {type"),
    )

    await echo.ask(made["id"], "upgrade", {"version": "1.1.0"})
    (brief,) = await echo.claim()
    await echo.say(brief, "succeeded")

    assert brief["instance"]["app_version"] == "1.1.0"
    assert brief["instance"]["previous"]["app_version"] == "1.0.0"
    after = await echo.get(made["id"])
    assert (after["status"], after["app_version"], after["config"]["tag"]) == (
        "running",
        "1.1.0",
        "t",
    )
    answer = await echo.admin.get(f"/v1/instances/{made['id']}/members")
    assert {m["app_version"] for m in answer.json()["items"]} == {"1.1.0"}


@pytest.mark.rule("ON-5")
async def test_a_version_that_nobody_published_is_refused_by_policy(echo: Echo) -> None:
    made = await echo.running()

    await refused(echo, made["id"], "upgrade", {"version": "9.9.9"}, code="policy_refused")


@pytest.mark.rule("IN-5")
async def test_going_back_names_what_is_lost_and_does_it_when_that_is_accepted(echo: Echo) -> None:
    made = await echo.running()
    await echo.publish("1.1.0")
    await echo.ask(made["id"], "upgrade", {"version": "1.1.0"})
    await echo.work()

    said = await refused(echo, made["id"], "rollback", {}, code="losses_not_accepted")
    await echo.ask(made["id"], "rollback", {"accept_losses": True})
    await echo.work()

    assert "Keys that were written since are gone." in said["detail"]
    after = await echo.get(made["id"])
    assert (after["app_version"], after["revision"]) == ("1.0.0", 3)


async def test_going_back_tells_the_app_what_becomes_of_what_runs(echo: Echo) -> None:
    made = await echo.running()
    await echo.publish("1.1.0")
    await echo.ask(made["id"], "upgrade", {"version": "1.1.0"})
    await echo.work()

    until = {"accept_losses": True, "policy": "deadline", "deadline": 60}
    asked = await echo.ask(made["id"], "rollback", until)

    assert (asked["input"]["policy"], asked["input"]["deadline_seconds"]) == ("deadline", 60)


async def test_a_deadline_without_its_policy_is_malformed(echo: Echo) -> None:
    made = await echo.running()

    body = {"accept_losses": True, "deadline": 60}
    said = await refused(echo, made["id"], "rollback", body, code="malformed")

    assert "deadline" in said["errors"][0]["message"]


async def test_repairs_yield_and_are_limited(echo: Echo) -> None:
    made = await echo.running()
    for _ in range(6):
        await echo.ask(made["id"], "repair", {"reason": "a replica is lost"})

    await refused(
        echo, made["id"], "repair", {"reason": "once more, please"}, code="too_many_repairs"
    )

    await echo.work()
    assert (await echo.get(made["id"]))["status"] == "running"


async def test_what_the_app_reports_is_shown(echo: Echo) -> None:
    made = await echo.running()
    await echo.ask(made["id"], "restart")
    (brief,) = await echo.claim()

    said = {
        "endpoints": {"host": "10.0.0.1", "port": 80},
        "topology_mode": "pair",
        "runtime_version": "7.1",
    }
    await echo.say(brief, "succeeded", instance=said)

    after = await echo.get(made["id"])
    assert after["access"] == "curl http://10.0.0.1:80/ with {braces}"
    assert (after["topology_mode"], after["runtime_version"]) == ("pair", "7.1")


@pytest.mark.rule("IN-7")
async def test_nobody_who_listens_is_a_condition_that_names_who_acts(echo: Echo) -> None:
    made = await echo.running()

    (condition,) = made["conditions"]

    assert condition["type"] == "controller_absent"
    assert condition["who_acts"].startswith("the app's publisher")
