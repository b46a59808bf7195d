"""Plans: what they show, and that exactly what was shown is done."""

from typing import Any

import pytest

from core.tests.factories import machines
from core.tests.factories.instances import Echo, make_echo
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site))


async def plan(echo: Echo, instance: str, **asked: Any) -> dict[str, Any]:
    answer = await echo.admin.post(f"/v1/instances/{instance}/plans", asked)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def plan_deployment(echo: Echo, body: dict[str, Any]) -> dict[str, Any]:
    path = f"/v1/projects/{echo.project}/plans"
    answer = await echo.admin.post(path, {"kind": "instance.deploy", **body})
    assert answer.status_code == 201, answer.text
    return answer.json()


async def deploy(echo: Echo, body: dict[str, Any]) -> Any:
    return await echo.admin.post(f"/v1/projects/{echo.project}/instances", body)


async def forbid(echo: Echo, kind: str) -> None:
    """The project's layer of policy does not allow this kind any more."""
    path = f"/v1/projects/{echo.project}/overlay"
    have = (await echo.admin.get(path)).json()
    body = {"document": {"operations": {"deny": [kind]}}}
    answer = await echo.admin.put(path, body, headers={"if-match": f'"{have["version"]}"'})
    assert answer.status_code == 200, answer.text


async def test_a_plan_of_a_deployment_shows_members_policy_and_cost(echo: Echo) -> None:
    body = await echo.body(replicas=1)

    made = await plan_deployment(echo, body)

    assert made["kind"] == "instance.deploy"
    assert made["app_version"] == "1.0.0"
    assert made["config"] == {"greeting": "hello", "limits": {"keys": 100}}
    assert [(m["name"], m["does"]) for m in made["members"]] == [
        ("leader-1", "join"),
        ("replica-1", "join"),
    ]
    assert made["policy"]["allowed"] is True
    (cost,) = made["cost"]
    assert (cost["before_micros_per_hour"], cost["after_micros_per_hour"]) == (
        5_000_000,
        5_000_000,
    )


async def test_a_plan_changes_nothing(echo: Echo) -> None:
    await plan_deployment(echo, await echo.body())

    answer = await echo.admin.get(f"/v1/projects/{echo.project}/instances")

    assert answer.json()["items"] == []


async def test_a_plan_of_a_deployment_says_by_which_operation_it_was_applied(echo: Echo) -> None:
    body = await echo.body()
    made = await plan_deployment(echo, body)

    answer = await deploy(echo, body | {"plan": made["id"]})

    assert answer.status_code == 202, answer.text
    found = (await echo.admin.get(f"/v1/plans/{made['id']}")).json()
    assert found["applied_operation_id"] == answer.json()["last_operation"]["id"]


async def test_a_plan_is_applied_once(echo: Echo) -> None:
    made = await echo.running()
    shown = await plan(echo, made["id"], kind="instance.restart")
    await echo.ask(made["id"], "restart", {"plan": shown["id"]})
    await echo.work()

    path = f"/v1/instances/{made['id']}/restart"
    answer = await echo.admin.post(path, {"plan": shown["id"]})

    assert (answer.status_code, answer.json()["code"]) == (409, "plan_stale")
    assert "was applied already" in answer.json()["detail"]


async def test_a_plan_is_not_applied_to_another_request(echo: Echo) -> None:
    body = await echo.body()
    made = await plan_deployment(echo, body)

    answer = await deploy(echo, body | {"plan": made["id"], "config": {"greeting": "moin"}})

    assert (answer.status_code, answer.json()["code"]) == (409, "plan_stale")


async def test_a_plan_of_a_configuration_says_what_each_field_does(echo: Echo) -> None:
    made = await echo.running(replicas=1)

    shown = await plan(
        echo,
        made["id"],
        kind="instance.configure",
        config={"greeting": "moin", "limits": {"keys": 5}, "note": "new"},
    )

    assert shown["changes"] == [
        {"field": "/greeting", "effect": "reconfigure"},
        {"field": "/limits/keys", "effect": "restart"},
        {"field": "/note", "effect": "none"},
    ]
    assert shown["effect"] == "restart"
    assert [m["does"] for m in shown["members"]] == ["restart", "restart"]


async def test_a_change_without_effect_touches_no_member(echo: Echo) -> None:
    made = await echo.running()

    shown = await plan(echo, made["id"], kind="instance.configure", config={"note": "new"})

    assert (shown["effect"], shown["members"]) == ("none", [])


async def test_a_plan_of_a_rollback_says_what_is_lost(echo: Echo) -> None:
    made = await echo.running()
    await echo.publish("1.1.0")
    await echo.ask(made["id"], "upgrade", {"version": "1.1.0"})
    await echo.work()

    shown = await plan(echo, made["id"], kind="instance.rollback")

    assert shown["app_version"] == "1.0.0"
    assert shown["loses"] == ["Keys that were written since are gone."]


@pytest.mark.rule("IN-3")
async def test_a_plan_is_applied_as_it_was_shown(echo: Echo) -> None:
    made = await echo.running()
    config = {"greeting": "moin"}
    shown = await plan(echo, made["id"], kind="instance.configure", config=config)

    await echo.ask(made["id"], "configure", {"config": config, "plan": shown["id"]})
    await echo.work()

    assert (await echo.get(made["id"]))["config"] == shown["config"]


@pytest.mark.parametrize("kind", ["stop", "restart", "decommission"])
async def test_plans_of_every_verb_can_be_applied(echo: Echo, kind: str) -> None:
    made = await echo.running()
    shown = await plan(echo, made["id"], kind=f"instance.{kind}")

    operation = await echo.ask(made["id"], kind, {"plan": shown["id"]})

    assert operation["kind"] == f"instance.{kind}"


async def test_a_plan_is_stale_once_members_came(echo: Echo) -> None:
    made = await echo.running()
    shown = await plan(echo, made["id"], kind="instance.restart")
    body = {
        "component": "replica",
        "allocations": [await machines.make_allocation_row(echo.tenant)],
    }
    answer = await echo.admin.post(f"/v1/instances/{made['id']}/members", body)
    assert answer.status_code == 202, answer.text
    await echo.work()

    answer = await echo.admin.post(f"/v1/instances/{made['id']}/restart", {"plan": shown["id"]})

    assert (answer.status_code, answer.json()["code"]) == (409, "plan_stale")
    assert "members" in [fault["location"] for fault in answer.json()["errors"]]


@pytest.mark.rule("IN-3")
async def test_a_plan_is_stale_once_the_instance_has_changed(echo: Echo) -> None:
    made = await echo.running()
    shown = await plan(echo, made["id"], kind="instance.restart")
    await echo.ask(made["id"], "configure", {"config": {"note": "new"}})
    await echo.work()

    answer = await echo.admin.post(f"/v1/instances/{made['id']}/restart", {"plan": shown["id"]})

    assert answer.json()["code"] == "plan_stale"
    assert [fault["location"] for fault in answer.json()["errors"]] == ["instance"]


async def test_a_plan_shows_what_policy_refuses_and_is_not_applied_then(echo: Echo) -> None:
    made = await echo.running()
    before = await plan(echo, made["id"], kind="instance.restart")
    await forbid(echo, "instance.restart")

    after = await plan(echo, made["id"], kind="instance.restart")
    answer = await echo.admin.post(f"/v1/instances/{made['id']}/restart", {"plan": before["id"]})

    assert (before["policy"]["allowed"], after["policy"]["allowed"]) == (True, False)
    assert (answer.status_code, answer.json()["code"]) == (403, "policy_refused")


async def test_what_policy_forbids_after_the_request_fails_at_its_first_claim(echo: Echo) -> None:
    made = await echo.running()
    operation = await echo.ask(made["id"], "restart")
    await forbid(echo, "instance.restart")

    claimed = await echo.claim()

    assert claimed == []
    found = (await echo.admin.get(f"/v1/operations/{operation['id']}")).json()
    assert (found["status"], found["error"]["code"]) == ("failed", "policy_refused")
    assert (await echo.get(made["id"]))["status"] == "running"


@pytest.mark.rule("IN-6")
async def test_shrinking_is_never_refused(echo: Echo) -> None:
    made = await echo.running()
    await forbid(echo, "instance.deploy")
    await echo.admin.get(f"/v1/projects/{echo.project}/entitlements")
    listed = (await echo.admin.get(f"/v1/projects/{echo.project}/entitlements")).json()["items"]
    (held,) = [each for each in listed if each["app_id"] == echo.app["id"]]
    answer = await echo.admin.patch(
        f"/v1/entitlements/{held['id']}", {"enabled": False}, version=held["version"]
    )
    assert answer.status_code == 200, answer.text

    refused = await echo.admin.post(f"/v1/instances/{made['id']}/restart", {})
    await echo.ask(made["id"], "stop")
    await echo.ask(made["id"], "decommission")
    await echo.work()

    assert refused.json()["code"] == "policy_refused"
    assert (await echo.get(made["id"]))["status"] == "deleted"
