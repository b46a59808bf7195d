"""Actions: what is asked of an app in its own words, and how it is answered."""

import asyncio
from contextlib import ExitStack, suppress
from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories.instances import CLUSTER, Echo, make_echo
from core.tests.factories.tenants import make_account, make_tenant
from core.tests.site import Site
from moorage_core.errors import TooMany

ACTIVE = (
    CLUSTER
    + """
permissions:
  - {key: $app.key.write, description: May write keys., grants: [project_admin]}
actions:
  - name: $app.put
    title: Put a key
    permission: $app.key.write
    input:
      type: object
      additionalProperties: false
      required: [key]
      properties: {key: {type: string}}
    output:
      type: object
      required: [stored]
      properties: {stored: {type: boolean}}
  - name: $app.flush
    title: Flush a replica
    permission: $app.key.write
    component: replica
    lock: member
"""
)


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site), more=ACTIVE)


@pytest.fixture
async def instance(echo: Echo) -> dict[str, Any]:
    return await echo.running(replicas=1)


def name(echo: Echo, word: str) -> str:
    return f"{echo.app['slug'].replace('-', '_')}.{word}"


def path(echo: Echo, instance: dict[str, Any], word: str) -> str:
    return f"/v1/instances/{instance['id']}/actions/{name(echo, word)}"


async def test_an_action_is_an_operation_that_the_controller_does(
    echo: Echo, instance: dict[str, Any]
) -> None:
    asked = await echo.admin.post(path(echo, instance, "put"), {"input": {"key": "a"}})

    assert asked.status_code == 202, asked.text
    (brief,) = await echo.claim()
    assert (brief["kind"], brief["action"], brief["input"]) == (
        "action",
        name(echo, "put"),
        {"key": "a"},
    )
    await echo.say(brief, "succeeded", result={"stored": True})
    ended = await echo.admin.get(f"/v1/operations/{asked.json()['id']}")
    assert (ended.json()["status"], ended.json()["result"]) == ("succeeded", {"stored": True})
    assert (await echo.get(instance["id"]))["status"] == "running"


@pytest.mark.rule("AC-4")
async def test_whoever_prefers_to_wait_gets_the_end(echo: Echo, instance: dict[str, Any]) -> None:
    asked = asyncio.create_task(
        echo.admin.post(
            path(echo, instance, "put"), {"input": {"key": "a"}}, headers={"prefer": "wait=20"}
        )
    )
    while not (briefs := await echo.claim()):
        await asyncio.sleep(0)
    await echo.say(briefs[0], "succeeded", result={"stored": True})

    answer = await asyncio.wait_for(asked, 15)

    assert (answer.status_code, answer.json()["status"]) == (200, "succeeded")
    assert answer.headers["preference-applied"] == "wait"
    assert answer.json()["result"] == {"stored": True}


@pytest.mark.rule("AC-4")
async def test_what_does_not_end_in_time_is_answered_as_it_is(
    echo: Echo, instance: dict[str, Any]
) -> None:
    answer = await echo.admin.post(
        path(echo, instance, "put"), {"input": {"key": "a"}}, headers={"prefer": "wait=0"}
    )

    assert (answer.status_code, answer.json()["status"]) == (202, "ready")


async def test_a_repeated_request_waits_for_the_same_action(
    echo: Echo, instance: dict[str, Any]
) -> None:
    headers = {"idempotency-key": "once", "prefer": "wait=0"}
    body = {"input": {"key": "a"}}
    first = await echo.admin.post(path(echo, instance, "put"), body, headers=headers)
    (brief,) = await echo.claim()
    await echo.say(brief, "succeeded", result={"stored": True})

    again = await echo.admin.post(path(echo, instance, "put"), body, headers=headers)

    assert again.json()["id"] == first.json()["id"]
    assert (again.status_code, again.json()["status"]) == (200, "succeeded")
    assert again.headers["idempotency-replayed"] == "true"


@pytest.mark.rule("AC-1")
async def test_an_input_that_the_schema_refuses_is_named(
    echo: Echo, instance: dict[str, Any]
) -> None:
    answer = await echo.admin.post(path(echo, instance, "put"), {"input": {"kee": "a"}})

    assert (answer.status_code, answer.json()["code"]) == (422, "action_input_invalid")
    assert {fault["location"] for fault in answer.json()["errors"]} == {
        "body.input.key",
        "body.input.kee",
    }


@pytest.mark.rule("AC-2")
async def test_a_result_that_the_schema_refuses_is_not_taken(
    echo: Echo, instance: dict[str, Any]
) -> None:
    await echo.admin.post(path(echo, instance, "put"), {"input": {"key": "a"}})
    (brief,) = await echo.claim()
    body = {"fence": brief["fence"], "sequence": 1, "state": "succeeded", "result": {"stored": 1}}

    answer = await echo.tenant.site.client.post(
        f"/v1/operations/{brief['id']}/report",
        json=body,
        headers={"authorization": f"Bearer {brief['grant']}"},
    )

    assert (answer.status_code, answer.json()["code"]) == (422, "action_output_invalid")
    after = await echo.admin.get(f"/v1/operations/{brief['id']}")
    assert after.json()["status"] == "running"


async def test_an_action_of_a_component_names_one_of_its_members(
    echo: Echo, instance: dict[str, Any]
) -> None:
    members = (await echo.admin.get(f"/v1/instances/{instance['id']}/members")).json()["items"]
    by_component = {each["component"]: each["id"] for each in members}
    where = path(echo, instance, "flush")

    without = await echo.admin.post(where, {})
    wrong = await echo.admin.post(where, {"member": by_component["leader"]})
    right = await echo.admin.post(where, {"member": by_component["replica"]})

    assert (without.status_code, without.json()["code"]) == (422, "action_needs_member")
    assert (wrong.status_code, wrong.json()["code"]) == (422, "action_needs_member")
    assert right.status_code == 202, right.text
    assert right.json()["member_id"] == by_component["replica"]


@pytest.mark.rule("AC-3")
async def test_an_action_needs_the_key_that_it_declares(
    site: Site, echo: Echo, instance: dict[str, Any]
) -> None:
    viewer = await site.actor("viewer", project=echo.tenant.project)
    stranger = await site.actor("tenant_admin", org=(await make_tenant(site)).org)
    body = {"input": {"key": "a"}}

    lacking = await viewer.post(path(echo, instance, "put"), body)
    foreign = await stranger.post(path(echo, instance, "put"), body)
    listed = await viewer.get(f"/v1/instances/{instance['id']}/actions")

    assert (lacking.status_code, lacking.json()["code"]) == (403, "forbidden")
    assert foreign.status_code == 404
    assert [each["allowed"] for each in listed.json()["items"]] == [False, False]


@pytest.mark.rule("AC-3")
async def test_what_an_action_was_given_and_answered_is_for_those_who_hold_its_key(
    site: Site, echo: Echo, instance: dict[str, Any]
) -> None:
    await echo.admin.post(path(echo, instance, "put"), {"input": {"key": "payroll"}})
    (brief,) = await echo.claim()
    step = {"number": 1, "name": "write", "status": "succeeded", "result": {"at": "payroll"}}
    await echo.say(brief, "succeeded", result={"stored": True}, steps=[step])
    viewer = await site.actor("viewer", project=echo.tenant.project)
    correlation = (await echo.admin.get(f"/v1/operations/{brief['id']}")).json()["correlation_id"]

    seen = {
        where: {who: await caller.get(where) for who, caller in callers(echo, viewer).items()}
        for where in (
            f"/v1/operations/{brief['id']}",
            f"/v1/operations?instance={instance['id']}",
            f"/v1/instances/{instance['id']}/operations",
            f"/v1/operations/{brief['id']}/steps",
            f"/v1/triage/{correlation}",
        )
    }

    for where, answers in seen.items():
        assert answers["viewer"].status_code == 200, where
        assert "payroll" not in answers["viewer"].text, where
        assert "payroll" in answers["holder"].text, where
    shown = seen[f"/v1/operations/{brief['id']}"]
    assert (shown["viewer"].json()["input"], shown["viewer"].json()["result"]) == (None, None)
    assert shown["holder"].json()["result"] == {"stored": True}


def callers(echo: Echo, viewer: Caller) -> dict[str, Caller]:
    return {"holder": echo.admin, "viewer": viewer}


@pytest.mark.rule("AC-3")
@pytest.mark.parametrize(("state", "verb"), [("blocked", "resume"), ("failed", "retry")])
async def test_to_have_an_action_done_once_more_takes_its_key(
    site: Site, echo: Echo, instance: dict[str, Any], state: str, verb: str
) -> None:
    await echo.admin.post(path(echo, instance, "put"), {"input": {"key": "a"}})
    (action,) = await echo.claim()
    await echo.say(action, state, error=LOST, recovery="repairable")
    keys = ["apps.instance.read", "apps.operation.read", f"apps.operation.{verb}"]
    account = await make_account(echo.tenant, *keys)
    holder = await make_account(echo.tenant, *keys, name(echo, "key.write"))
    where = f"/v1/operations/{action['id']}/{verb}"

    lacking = await account.post(where, AGAIN)
    holding = await holder.post(where, AGAIN)

    assert (lacking.status_code, lacking.json()["code"]) == (403, "forbidden")
    assert name(echo, "key.write") in lacking.json()["detail"]
    assert holding.status_code == 200, holding.text


async def test_of_an_instance_that_does_not_run_nothing_is_asked(echo: Echo) -> None:
    deploying = await echo.deploy()

    answer = await echo.admin.post(path(echo, deploying, "put"), {"input": {"key": "a"}})

    assert (answer.status_code, answer.json()["code"]) == (409, "instance_not_running")


async def test_an_action_that_nobody_declared_is_unknown(
    echo: Echo, instance: dict[str, Any]
) -> None:
    answer = await echo.admin.post(path(echo, instance, "drop"), {})

    assert (answer.status_code, answer.json()["code"]) == (404, "action_unknown")


AGAIN = {"reason": "it is found again"}
LOST = {"code": "lost", "message": "The key is lost."}


async def test_an_action_that_is_blocked_ends_with_its_instance(
    echo: Echo, instance: dict[str, Any]
) -> None:
    await echo.admin.post(path(echo, instance, "put"), {"input": {"key": "a"}})
    (action,) = await echo.claim()
    await echo.say(action, "blocked", error=LOST)
    await echo.ask(instance["id"], "decommission")

    await echo.work()

    found = (await echo.admin.get(f"/v1/operations/{action['id']}")).json()
    assert (found["status"], found["verbs"]) == ("abandoned", [])


@pytest.mark.parametrize(("state", "verb"), [("blocked", "resume"), ("failed", "retry")])
async def test_no_action_is_done_once_more_on_an_instance_that_is_stopped(
    echo: Echo, instance: dict[str, Any], state: str, verb: str
) -> None:
    await echo.admin.post(path(echo, instance, "put"), {"input": {"key": "a"}})
    (action,) = await echo.claim()
    await echo.say(action, state, error=LOST, recovery="repairable")
    await echo.ask(instance["id"], "stop")
    await echo.work()

    answer = await echo.admin.post(f"/v1/operations/{action['id']}/{verb}", AGAIN)

    assert (answer.status_code, answer.json()["code"]) == (409, "invalid_transition")
    assert await echo.claim() == []


async def test_an_action_that_was_asked_for_is_answered_where_there_is_no_seat_to_wait(
    echo: Echo, instance: dict[str, Any], site: Site
) -> None:
    with ExitStack() as seats:
        with suppress(TooMany):
            while True:
                seats.enter_context(site.platform.waiting.seat(echo.admin.id))

        answer = await echo.admin.call(
            "POST",
            path(echo, instance, "put"),
            json={"input": {"key": "a"}},
            headers={"prefer": "wait=10"},
        )

    assert answer.status_code == 202, answer.text
    assert len(await echo.claim()) == 1
