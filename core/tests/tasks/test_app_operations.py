"""Tasks under an app's operation: on its own target, and where the manifest lets it."""

from typing import Any

import httpx2
import pytest

from core.tests.factories import instances, machines
from core.tests.factories.instances import Echo
from core.tests.factories.tenants import Bearer, make_tenant
from core.tests.site import Site
from core.tests.tasks.workplaces import exec_wish
from moorage_core.tasks import acceptance
from moorage_core.tasks.acceptance import Bounds, Standing


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await instances.make_echo(await make_tenant(site))


async def ask(echo: Echo, brief: dict[str, Any], allocation: str, **wish: Any) -> httpx2.Response:
    holder = Bearer(echo.tenant.site.client, brief["grant"])
    task = {"allocation": allocation, **exec_wish(**wish)}
    return await holder.post(f"/v1/operations/{brief['id']}/tasks", {"tasks": [task]})


async def members(echo: Echo, instance: dict[str, Any]) -> dict[str, str]:
    """Machines by the component of their member."""
    answer = await echo.admin.get(f"/v1/instances/{instance['id']}/members")
    return {each["component"]: each["allocation_id"] for each in answer.json()["items"]}


async def drain(echo: Echo, instance: dict[str, Any]) -> dict[str, Any]:
    """A drain of the replica, as its controller gets it."""
    listed = await echo.admin.get(f"/v1/instances/{instance['id']}/members?component=replica")
    (member,) = listed.json()["items"]
    body = {"members": [member["id"]], "reason": "a test wants it"}
    await echo.ask(instance["id"], "members/drain", body)
    (prepare,) = await echo.claim()
    await echo.say(prepare, "succeeded")
    (child,) = await echo.claim()
    return child


@pytest.mark.rule("MC-1")
async def test_an_operation_works_on_its_target(echo: Echo) -> None:
    instance = await echo.running(replicas=1)
    on = await members(echo, instance)

    answer = await ask(echo, await drain(echo, instance), on["replica"])

    assert answer.status_code == 200, answer.text
    assert answer.json()["tasks"][0]["status"] == "queued"


@pytest.mark.rule("MC-1")
async def test_other_members_are_touched_where_the_manifest_says_so(echo: Echo) -> None:
    instance = await echo.running(replicas=1)
    on, child = await members(echo, instance), await drain(echo, instance)

    refused = await ask(echo, child, on["leader"])

    assert (refused.status_code, refused.json()["code"]) == (409, "component_not_touched")
    await echo.say(child, "succeeded")
    await echo.work()
    await echo.ask(instance["id"], "configure", {"config": {"greeting": "good day"}})
    (configure,) = await echo.claim()
    for component in ("leader", "replica"):
        taken = await ask(echo, configure, on[component])
        assert taken.status_code == 200, taken.text


@pytest.mark.rule("MC-2")
async def test_machines_without_a_member_are_nobodys(echo: Echo) -> None:
    instance = await echo.running(replicas=1)
    spare = await machines.make_allocation_row(echo.tenant)

    answer = await ask(echo, await drain(echo, instance), spare)

    assert (answer.status_code, answer.json()["code"]) == (409, "allocation_foreign")


@pytest.mark.parametrize(
    "wish",
    [
        {"kind": "service", "input": {"name": "app", "state": "started"}},
        {"run_as": "nobody"},
    ],
)
@pytest.mark.rule("MC-3")
async def test_what_the_manifest_does_not_declare_is_not_done(
    echo: Echo, wish: dict[str, Any]
) -> None:
    instance = await echo.running(replicas=1)
    on = await members(echo, instance)

    answer = await ask(echo, await drain(echo, instance), on["replica"], **wish)

    assert (answer.status_code, answer.json()["code"]) == (409, "task_not_declared")


@pytest.mark.rule("MC-4")
async def test_a_token_whose_operation_was_reported_done_opens_nothing(echo: Echo) -> None:
    instance = await echo.running(replicas=1)
    on, child = await members(echo, instance), await drain(echo, instance)
    await echo.say(child, "succeeded")

    answer = await ask(echo, child, on["replica"])

    assert answer.status_code == 401


def test_any_member_on_a_machine_will_do() -> None:
    bounds = Bounds(
        "member.add", frozenset({"m1"}), frozenset({"leader"}), frozenset(), frozenset()
    )
    standing = [Standing("m2", "replica", "a"), Standing("m3", "leader", "a")]

    assert acceptance.touched(bounds, standing) == {"a"}
    assert acceptance.touched(bounds, standing[:1]) == set()
