"""Secrets of an instance: put there once, named by every operation of it, rotated on purpose."""

import base64
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
from moorage_core.runtime_secrets.schemas import RuntimeSecretCreate
from moorage_core.tasks import commands as tasks

WANTED = {"name": "ring", "purpose": "cluster_key", "generate": 32}


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
    await echo.ask(instance, "configure", {"config": {"greeting": f"hello {id(object())}"}})
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

    assert (refused.status_code, refused.json()["code"]) == (409, "rotation_not_here")
    assert (second["generation"], second["id"] != first["id"]) == (2, True)
    assert replayed["id"] == second["id"]
    ends = await echo.tenant.site.rows(
        "SELECT generation FROM runtime_secrets WHERE instance_id = %s AND expires_at IS NOT NULL",
        instance["id"],
    )
    assert ends == [(1,)]


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
