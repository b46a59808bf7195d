"""Secrets of an instance: put there once, named by every operation of it, rotated on purpose."""

import base64
import itertools
from typing import Any

import httpx2
import pytest

from core.tests.factories import instances
from core.tests.factories.instances import Echo
from core.tests.factories.tenants import Bearer, make_tenant
from core.tests.site import Site
from core.tests.tasks.workplaces import exec_wish
from moorage_core import unit
from moorage_core.operations import commands as operations
from moorage_core.runtime_secrets import commands as runtime_secrets
from moorage_core.runtime_secrets import rules
from moorage_core.runtime_secrets.schemas import RuntimeSecretCreate
from moorage_core.tasks import commands as tasks

WANTED = {"name": "ring", "purpose": "cluster_key", "generate": 32}
OTHERS = itertools.count()


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await instances.make_echo(await make_tenant(site))


async def ask(echo: Echo, brief: dict[str, Any], **changes: Any) -> httpx2.Response:
    holder = Bearer(echo.tenant.site.client, brief["grant"])
    return await holder.post(f"/v1/operations/{brief['id']}/secrets", WANTED | changes)


async def get(echo: Echo, brief: dict[str, Any], **changes: Any) -> dict[str, Any]:
    answer = await ask(echo, brief, **changes)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def configure(echo: Echo, instance: str) -> dict[str, Any]:
    await echo.ask(instance, "configure", {"config": {"greeting": f"hello {next(OTHERS)}"}})
    (brief,) = await echo.claim()
    return brief


@pytest.mark.rule("MC-5")
async def test_a_secret_is_the_instances_and_stays(echo: Echo) -> None:
    instance = await echo.deploy()
    (deploy,) = await echo.claim()

    first = await get(echo, deploy)
    again = await get(echo, deploy)
    await echo.say(deploy, "succeeded")
    await echo.work()
    later = await get(echo, await configure(echo, instance["id"]))

    assert first["id"] == again["id"] == later["id"]
    assert (first["instance_id"], first["generation"]) == (instance["id"], 1)
    assert first["expires_at"] is None
    values = await echo.tenant.site.rows(
        "SELECT count(*) FROM runtime_secrets WHERE instance_id = %s", instance["id"]
    )
    assert values == [(1,)]


@pytest.mark.rule("MC-5")
async def test_only_a_rotation_puts_another_in_its_place(echo: Echo) -> None:
    instance = await echo.deploy()
    (deploy,) = await echo.claim()
    first = await get(echo, deploy)
    await echo.say(deploy, "succeeded")
    await echo.work()

    change = await configure(echo, instance["id"])
    refused = await ask(echo, change, rotate=True)
    await echo.say(change, "succeeded")
    await echo.ask(instance["id"], "rotate", {"reason": "somebody left the team"})
    (rotate,) = await echo.claim()
    second = await get(echo, rotate, rotate=True)
    replayed = await get(echo, rotate, rotate=True)
    before = await ending(echo, instance)
    await echo.say(rotate, "succeeded")
    later = await get(echo, await configure(echo, instance["id"]))

    assert (refused.status_code, refused.json()["code"]) == (409, "rotation_not_here")
    assert (second["generation"], second["id"] != first["id"]) == (2, True)
    assert replayed["id"] == later["id"] == second["id"]
    assert (before, await ending(echo, instance)) == ([], [1])


@pytest.mark.rule("MC-5")
@pytest.mark.parametrize(
    ("kind", "given", "may"),
    [
        ("credential.rotate", {}, True),
        ("instance.deploy", {}, True),
        ("member.remove", {"lost": True}, True),
        ("member.remove", {"lost": False}, False),
        ("member.replace", {"lost": True}, False),
        ("instance.repair", {}, False),
    ],
)
def test_a_removal_rotates_where_the_host_keeps_what_it_was_given(
    kind: str, given: dict[str, Any], may: bool
) -> None:
    assert rules.may_rotate(kind, given) is may


async def ending(echo: Echo, instance: dict[str, Any]) -> list[int]:
    """The generations that are not for as long as the instance is."""
    rows = await echo.tenant.site.rows(
        "SELECT generation FROM runtime_secrets WHERE instance_id = %s AND expires_at IS NOT NULL",
        instance["id"],
    )
    return [generation for (generation,) in rows]


async def rotate(echo: Echo) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """An instance, its secret, and a rotation under way that has put another beside it."""
    instance = await echo.deploy()
    (deploy,) = await echo.claim()
    first = await get(echo, deploy)
    await echo.say(deploy, "succeeded")
    await echo.work()
    await echo.ask(instance["id"], "rotate", {"reason": "somebody left the team"})
    (brief,) = await echo.claim()
    await get(echo, brief, rotate=True)
    return instance, first, brief


async def ask_of(echo: Echo, brief: dict[str, Any], verb: str) -> None:
    path = f"/v1/operations/{brief['id']}/{verb}"
    answer = await echo.admin.post(path, {"reason": "it can wait"})
    assert answer.status_code == 200, answer.text


@pytest.mark.rule("MC-5")
async def test_a_rotation_that_is_taken_back_leaves_the_secret_that_was(echo: Echo) -> None:
    instance, first, brief = await rotate(echo)

    await ask_of(echo, brief, "cancel")
    await echo.say(brief, "undoing")
    meanwhile = await get(echo, brief)
    asked_again = await get(echo, brief, rotate=True)
    await echo.say(brief, "cancelled")
    later = await get(echo, await configure(echo, instance["id"]))

    assert meanwhile["id"] == asked_again["id"] == later["id"] == first["id"]
    assert await ending(echo, instance) == [2]


@pytest.mark.rule("MC-5")
async def test_a_rotation_that_is_given_up_leaves_the_secret_that_was(echo: Echo) -> None:
    instance, first, brief = await rotate(echo)
    error = {"code": "broken", "message": "no"}

    await echo.say(brief, "failed", error=error, recovery="repairable")
    before = await ending(echo, instance)
    await ask_of(echo, brief, "abandon")
    later = await get(echo, await configure(echo, instance["id"]))

    assert later["id"] == first["id"]
    assert (before, await ending(echo, instance)) == ([], [2])


@pytest.mark.rule("MC-5")
async def test_what_is_rotated_is_in_force_when_the_rotation_is_done(echo: Echo) -> None:
    instance, first, brief = await rotate(echo)
    error = {"code": "broken", "message": "no"}

    await echo.say(brief, "failed", error=error, recovery="repairable")
    change = await configure(echo, instance["id"])
    between = await get(echo, change)
    await echo.say(change, "succeeded")
    await ask_of(echo, brief, "retry")
    (again,) = await echo.claim()
    own = await get(echo, again)
    await echo.say(again, "succeeded")
    later = await get(echo, await configure(echo, instance["id"]))

    assert between["id"] == first["id"]
    assert (own["generation"], later["id"]) == (2, own["id"])
    assert await ending(echo, instance) == [1]


@pytest.mark.rule("MC-5")
async def test_a_rotation_that_another_overtook_rotates_anew(echo: Echo) -> None:
    instance, _, brief = await rotate(echo)
    error = {"code": "broken", "message": "no"}
    await echo.say(brief, "failed", error=error, recovery="repairable")
    await echo.ask(instance["id"], "rotate", {"reason": "once more"})
    (other,) = await echo.claim()
    theirs = await get(echo, other, rotate=True)
    await echo.say(other, "succeeded")

    await ask_of(echo, brief, "retry")
    (again,) = await echo.claim()
    own = await get(echo, again, rotate=True)

    assert (theirs["generation"], own["generation"]) == (3, 4)


async def test_whoever_lost_the_operation_meanwhile_puts_nothing_there(echo: Echo) -> None:
    instance, platform = await echo.deploy(), echo.tenant.site.platform
    (deploy,) = await echo.claim()
    who = await operations.find_grant_principal(platform, deploy["grant"])
    assert who is not None
    await echo.say(deploy, "waiting", wait={"seconds": 5})

    async with unit.work(platform, who.home_org, principal=who, scope=who.scope) as ctx:
        with pytest.raises(operations.GrantEnded):
            await runtime_secrets.put(ctx, deploy["id"], RuntimeSecretCreate(**WANTED))

    put = "SELECT count(*) FROM runtime_secrets WHERE instance_id = %s"
    assert await echo.tenant.site.rows(put, instance["id"]) == [(0,)]


async def test_a_name_has_one_purpose(echo: Echo) -> None:
    await echo.deploy()
    (deploy,) = await echo.claim()
    await get(echo, deploy)

    answer = await ask(echo, deploy, purpose="database")

    assert (answer.status_code, answer.json()["code"]) == (409, "secret_name_taken")


async def test_a_task_of_a_later_operation_gets_the_newest(echo: Echo) -> None:
    instance = await echo.deploy()
    (deploy,) = await echo.claim()
    await get(echo, deploy)
    await echo.say(deploy, "succeeded")
    await echo.work()
    listed = await echo.admin.get(f"/v1/instances/{instance['id']}/members")
    allocation = listed.json()["items"][0]["allocation_id"]
    change = await configure(echo, instance["id"])

    wish = exec_wish(input={"argv": ["cat"], "stdin": {"$secret": "ring"}})
    holder = Bearer(echo.tenant.site.client, change["grant"])
    asked = await holder.post(
        f"/v1/operations/{change['id']}/tasks", {"tasks": [{"allocation": allocation, **wish}]}
    )
    assert asked.status_code == 200, asked.text
    node = await echo.tenant.site.rows("SELECT node_id FROM allocations WHERE id = %s", allocation)
    handed = await tasks.for_poll(echo.tenant.site.platform, node[0][0], [])

    (task,) = [each for each in handed.tasks if each.kind == "exec"]
    assert len(base64.b64decode(task.secrets["ring"])) == 43
    assert task.secrets["ring"] not in asked.text


@pytest.mark.rule("MC-5")
async def test_secrets_go_with_their_instance(echo: Echo) -> None:
    instance, site = await echo.deploy(), echo.tenant.site
    (deploy,) = await echo.claim()
    await get(echo, deploy)
    org = echo.tenant.org.id

    async with unit.work(site.platform, org) as ctx:
        await runtime_secrets.forget(ctx, instance["id"], org=org)

    left = await site.rows(
        "SELECT count(*) FROM runtime_secrets WHERE instance_id = %s AND expires_at IS NULL",
        instance["id"],
    )
    assert left == [(0,)]
