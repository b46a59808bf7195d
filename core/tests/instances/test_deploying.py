"""Deploying: what is checked, and what comes of it."""

from typing import Any

import pytest

from core.tests.factories import machines
from core.tests.factories.instances import Echo, make_echo
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site

SUCCEEDED = {"state": "succeeded"}


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site))


async def refused(echo: Echo, body: dict[str, Any], *, status: int, code: str) -> dict[str, Any]:
    answer = await echo.admin.post(f"/v1/projects/{echo.project}/instances", body)
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    return answer.json()


async def test_a_deployment_is_recorded_with_members_and_an_operation(echo: Echo) -> None:
    made = await echo.deploy(replicas=2, config={"greeting": "moin"})

    assert made["status"] == "requested"
    assert made["config"] == {"greeting": "moin", "limits": {"keys": 100}}
    assert made["operating_mode"] == "standard"
    assert made["runtime_backend"] == echo.app["slug"]
    assert [(c["key"], c["desired"], c["current"], c["ready"]) for c in made["components"]] == [
        ("leader", 1, 1, 0),
        ("replica", 2, 2, 0),
    ]
    assert made["last_operation"]["kind"] == "instance.deploy"
    assert made["last_operation"]["status"] == "ready"


async def test_a_deployment_runs_when_its_members_have_joined(echo: Echo) -> None:
    made = await echo.deploy(replicas=2)

    done = await echo.work()

    assert [(each["kind"], each["phase"]) for each in done] == [
        ("instance.deploy", "prepare"),
        ("member.add", None),
        ("member.add", None),
        ("member.add", None),
        ("instance.deploy", "finish"),
    ]
    found = await echo.get(made["id"])
    assert found["status"] == "running"
    assert found["revision"] == 1
    assert [(c["key"], c["current"], c["ready"]) for c in found["components"]] == [
        ("leader", 1, 1),
        ("replica", 2, 2),
    ]


@pytest.mark.parametrize("scope", ["tenant", "platform"])
@pytest.mark.rule("IN-2")
async def test_other_scopes_are_not_available_yet(echo: Echo, scope: str) -> None:
    body = await echo.body(control_plane_scope=scope)

    await refused(echo, body, status=422, code="scope_not_available")


async def test_a_mode_that_the_app_lacks_is_refused(echo: Echo) -> None:
    body = await echo.body(operating_mode="huge")

    await refused(echo, body, status=422, code="mode_not_supported")


@pytest.mark.rule("IN-1")
async def test_a_configuration_is_held_against_the_apps_schema(echo: Echo) -> None:
    body = await echo.body(config={"limits": {"keys": 0}, "colour": "red"})

    said = await refused(echo, body, status=422, code="invalid_config")

    assert {fault["location"] for fault in said["errors"]} == {
        "body.config.limits.keys",
        "body.config.colour",
    }


async def test_a_component_needs_its_members(echo: Echo) -> None:
    body = await echo.body() | {"components": {}}

    said = await refused(echo, body, status=422, code="invalid_placement")

    assert said["detail"] == "Component leader needs at least 1, not 0."


async def test_machines_are_named_or_counted(echo: Echo) -> None:
    body = await echo.body() | {"components": {"leader": {"count": 1}}}

    await refused(echo, body, status=422, code="malformed")


@pytest.mark.rule("SO-3")
async def test_an_operator_serves_its_app_in_its_project(site: Site, echo: Echo) -> None:
    other = await make_echo(echo.tenant)
    body = await echo.body(operator=other.operator)

    await refused(echo, body, status=422, code="operator_unfit")


async def test_a_name_is_given_once(echo: Echo) -> None:
    made = await echo.deploy()
    body = await echo.body(name=made["name"])

    await refused(echo, body, status=409, code="name_taken")


async def test_a_machine_of_another_project_is_not_found(site: Site, echo: Echo) -> None:
    stranger = await make_tenant(site)
    foreign = await machines.make_allocation_row(stranger)
    body = await echo.body() | {"components": {"leader": {"allocations": [foreign]}}}

    await refused(echo, body, status=404, code="not_found")


async def test_a_machine_carries_one_instance(echo: Echo) -> None:
    body = await echo.body()
    first = await echo.admin.post(f"/v1/projects/{echo.project}/instances", body)
    assert first.status_code == 202, first.text

    answer = await echo.admin.post(
        f"/v1/projects/{echo.project}/instances", body | {"name": "another-one"}
    )

    assert answer.status_code in (409, 422), answer.text


async def test_a_project_without_entitlement_is_told_who_can_give_one(
    site: Site, echo: Echo
) -> None:
    listed = (await echo.admin.get(f"/v1/projects/{echo.project}/entitlements")).json()["items"]
    for each in listed:
        path = f"/v1/entitlements/{each['id']}"
        await echo.admin.delete(path, headers={"if-match": f'"{each["version"]}"'})

    said = await refused(echo, await echo.body(), status=403, code="policy_refused")

    assert "has no entitlement" in said["detail"]


async def test_a_version_is_named_by_its_number(echo: Echo) -> None:
    await echo.publish("1.1.0")

    made = await echo.deploy(version="1.0.0")

    assert made["app_version"] == "1.0.0"


async def test_a_deployment_that_fails_can_be_tried_again(echo: Echo) -> None:
    made = await echo.deploy(replicas=1)
    failing = {
        "state": "failed",
        "recovery": "repairable",
        "error": {"code": "no_luck", "message": "The disk is full."},
    }
    await echo.work(lambda brief: failing if brief["kind"] == "instance.deploy" else SUCCEEDED)
    failed = await echo.get(made["id"])

    path = f"/v1/operations/{made['last_operation']['id']}/retry"
    answer = await echo.admin.post(path, {"reason": "the disk was emptied"})
    await echo.work()

    assert (failed["status"], failed["status_reason"]) == (
        "failed",
        "deploy failed: The disk is full.",
    )
    assert answer.status_code in (200, 202), answer.text
    assert (await echo.get(made["id"]))["status"] == "running"


async def test_a_viewer_deploys_nothing(site: Site, echo: Echo) -> None:
    viewer = await site.actor("viewer", project=echo.tenant.project)

    answer = await viewer.post(f"/v1/projects/{echo.project}/instances", await echo.body())

    assert answer.status_code == 403


async def test_instances_are_found_by_app_version_and_state(echo: Echo) -> None:
    made = await echo.running()
    gone = await echo.running()
    await echo.ask(gone["id"], "decommission")
    await echo.work()
    path = f"/v1/projects/{echo.project}/instances"

    async def found(**query: str) -> list[str]:
        answer = await echo.admin.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return [each["id"] for each in answer.json()["items"]]

    assert await found() == [made["id"]]
    assert await found(app=echo.app["slug"], version="1.0.0", status="running") == [made["id"]]
    assert await found(version="2.0.0") == []
    assert await found(status="deleted") == [gone["id"]]
    assert await found(deleted="true") == [made["id"], gone["id"]]
    everywhere = await echo.admin.get("/v1/instances", params={"app": echo.app["id"]})
    assert [each["id"] for each in everywhere.json()["items"]] == [made["id"]]


@pytest.mark.rule("ON-4")
async def test_events_tell_the_whole_story(site: Site, echo: Echo) -> None:
    made = await echo.running()
    await echo.ask(made["id"], "stop")
    await echo.work()

    rows = await site.rows(
        "SELECT type, app_slug, app_instance_id FROM events WHERE subject = %s"
        " ORDER BY subject_version",
        made["id"],
    )

    assert [row[0].removeprefix("apps.instance.") for row in rows] == [
        "requested",
        "deploying",
        "running",
        "stopping",
        "stopped",
    ]
    assert {row[1:] for row in rows} == {(echo.app["slug"], made["id"])}
