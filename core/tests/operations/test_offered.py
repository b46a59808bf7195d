"""What is offered of an operation is what would be accepted, and from whom."""

from typing import Any

import httpx2
import pytest

from core.tests.factories.instances import Echo, make_echo
from core.tests.factories.tenants import make_account, make_tenant
from core.tests.site import Site
from moorage_core.authz.permissions import Permission

ERROR = {"code": "broken", "message": "It broke."}
WHY = {"reason": "somebody has looked"}
AGAIN = ("retry", "resume", "cancel")
READS = (Permission.APPS_INSTANCE_READ, Permission.APPS_OPERATION_READ)


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site))


async def get(echo: Echo, id: str) -> dict[str, Any]:
    answer = await echo.admin.get(f"/v1/operations/{id}")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def do(echo: Echo, id: str, verb: str) -> httpx2.Response:
    return await echo.admin.post(f"/v1/operations/{id}/{verb}", WHY)


async def end(echo: Echo, brief: dict[str, Any], state: str) -> str:
    await echo.say(brief, state, error=ERROR, recovery="repairable")
    return brief["id"]


async def member_of(echo: Echo, instance: str, component: str = "replica") -> str:
    listed = await echo.admin.get(f"/v1/instances/{instance}/members?component={component}")
    return listed.json()["items"][0]["id"]


# What can be stuck, each by what was asked for: a change of the instance, a member's operation


async def configuring(echo: Echo, instance: str, state: str) -> str:
    await echo.ask(instance, "configure", {"config": {"greeting": "good day"}})
    (brief,) = await echo.claim()
    return await end(echo, brief, state)


async def draining(echo: Echo, instance: str, state: str) -> str:
    """The part for the member, of a request that has ended."""
    member = await member_of(echo, instance)
    await echo.ask(instance, "members/drain", {"members": [member], "reason": "it is loud"})
    (prepare,) = await echo.claim()
    await echo.say(prepare, "succeeded")
    (brief,) = await echo.claim()
    await end(echo, brief, state)
    if state == "failed":
        await echo.work()
        return prepare["id"]
    return brief["id"]


STUCK = {"a change": configuring, "a member": draining}


# What may have become of the instance meanwhile


async def nothing(echo: Echo, instance: str) -> None:
    return None


async def stopped(echo: Echo, instance: str) -> None:
    await echo.ask(instance, "stop")
    await echo.work()


async def decommission_asked_for(echo: Echo, instance: str) -> None:
    await echo.ask(instance, "decommission")


async def decommission_failed(echo: Echo, instance: str) -> None:
    """Where something is blocked, it stands in line behind that."""
    await echo.ask(instance, "decommission")
    for brief in await echo.claim():
        await end(echo, brief, "failed")


async def another_change(echo: Echo, instance: str) -> None:
    """Where a change is blocked, there is none until that is decided."""
    body = {"config": {"greeting": "good night"}}
    answer = await echo.admin.post(f"/v1/instances/{instance}/configure", body)
    assert answer.status_code in (202, 409), answer.text
    await echo.work()


async def member_gone(echo: Echo, instance: str) -> None:
    member = await member_of(echo, instance)
    await echo.ask(instance, "members/remove", {"members": [member], "reason": "it is loud"})
    await echo.work()


MEANWHILE = {
    "nothing happens": nothing,
    "it is stopped": stopped,
    "its end is asked for": decommission_asked_for,
    "its end failed": decommission_failed,
    "another change is made": another_change,
    "the member goes": member_gone,
}


@pytest.mark.parametrize("meanwhile", MEANWHILE)
@pytest.mark.parametrize("state", ["failed", "blocked"])
@pytest.mark.parametrize("stuck", STUCK)
async def test_what_is_offered_is_what_is_accepted(
    echo: Echo, stuck: str, state: str, meanwhile: str
) -> None:
    instance = (await echo.running(replicas=2))["id"]
    id = await STUCK[stuck](echo, instance, state)
    await MEANWHILE[meanwhile](echo, instance)

    shown = await get(echo, id)
    listed = (await echo.admin.get(f"/v1/operations?instance={instance}")).json()["items"]
    (in_list,) = [each for each in listed if each["id"] == id]
    refused = {
        verb: (await do(echo, id, verb)).status_code for verb in AGAIN if verb not in shown["verbs"]
    }

    assert set(refused.values()) <= {409}
    assert in_list["verbs"] == shown["verbs"]
    offered = [verb for verb in AGAIN if verb in shown["verbs"]]
    for verb in offered[:1]:
        answer = await do(echo, id, verb)
        assert answer.status_code == 200, f"{verb}: {answer.text}"


async def test_cancel_is_offered_where_it_is_accepted(echo: Echo) -> None:
    instance = (await echo.running(replicas=2))["id"]
    failed = await configuring(echo, instance, "failed")

    shown = await get(echo, failed)
    answer = await do(echo, failed, "cancel")

    assert shown["verbs"] == ["retry", "cancel", "abandon"]
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("meanwhile", ["its end is asked for", "its end failed"])
async def test_nothing_is_begun_again_in_an_instance_that_goes(echo: Echo, meanwhile: str) -> None:
    instance = (await echo.running(replicas=2))["id"]
    id = await configuring(echo, instance, "failed")
    await MEANWHILE[meanwhile](echo, instance)

    assert (await get(echo, id))["verbs"] == ["abandon"]


# By whom


@pytest.mark.parametrize(
    ("verb", "key"),
    [
        ("decommission", Permission.APPS_INSTANCE_DELETE),
        ("restart", Permission.APPS_INSTANCE_UPDATE),
        ("members/drain", Permission.APPS_MEMBER_DRAIN),
    ],
)
@pytest.mark.parametrize(("state", "again"), [("blocked", "resume"), ("failed", "retry")])
async def test_to_have_it_done_once_more_takes_what_it_took_to_ask(
    echo: Echo, verb: str, key: Permission, state: str, again: str
) -> None:
    instance = (await echo.running(replicas=1))["id"]
    body: dict[str, Any] = {"reason": "nobody needs it"} if verb != "restart" else {}
    if verb == "members/drain":
        body["members"] = [await member_of(echo, instance)]
    await echo.ask(instance, verb, body)
    (brief,) = await echo.claim()
    id = await end(echo, brief, state)
    needed = (*READS, f"apps.operation.{again}")
    without = await make_account(echo.tenant, *needed)
    holder = await make_account(echo.tenant, *needed, key)

    lacking = await without.post(f"/v1/operations/{id}/{again}", WHY)
    holding = await holder.post(f"/v1/operations/{id}/{again}", WHY)

    assert (lacking.status_code, lacking.json()["code"]) == (403, "forbidden")
    assert str(key) in lacking.json()["detail"]
    assert holding.status_code == 200, holding.text


async def test_to_retry_a_part_takes_what_it_took_to_ask_for_the_whole(echo: Echo) -> None:
    await echo.deploy(replicas=1)
    (prepare,) = await echo.claim()
    await echo.say(prepare, "succeeded")
    (leader,) = await echo.claim()
    id = await end(echo, leader, "blocked")
    needed = (*READS, Permission.APPS_OPERATION_RESUME)
    without = await make_account(echo.tenant, *needed, Permission.APPS_MEMBER_ADD)
    holder = await make_account(echo.tenant, *needed, Permission.APPS_INSTANCE_CREATE)

    lacking = await without.post(f"/v1/operations/{id}/resume", WHY)
    holding = await holder.post(f"/v1/operations/{id}/resume", WHY)

    assert (lacking.status_code, holding.status_code) == (403, 200)
