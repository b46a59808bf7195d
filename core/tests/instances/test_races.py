"""Two who want something of one instance at the same moment."""

import asyncio
from typing import Any

import pytest

from core.tests.factories.instances import Echo, make_echo
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site))


async def together(echo: Echo, instance: str, *asked: tuple[str, Any]) -> list[tuple[int, str]]:
    """Ask for all of it at once; each answer's status and code."""
    path = f"/v1/instances/{instance}"
    answers = await asyncio.gather(
        *(echo.admin.post(f"{path}/{verb}", body) for verb, body in asked)
    )
    return sorted((each.status_code, each.json().get("code", "")) for each in answers)


async def test_of_two_changes_one_is_on_its_way_and_the_other_is_told(echo: Echo) -> None:
    made = await echo.running()
    changes = [("configure", {"config": {"greeting": word}}) for word in ("moin", "servus")]

    answers = await together(echo, made["id"], *changes)

    assert answers == [(202, ""), (409, "change_pending")]
    await echo.work()
    assert (await echo.get(made["id"]))["revision"] == 2


async def test_an_instance_is_decommissioned_once(echo: Echo) -> None:
    made = await echo.running()

    answers = await together(echo, made["id"], *[("decommission", {})] * 3)

    assert answers == [(202, ""), (409, "invalid_transition"), (409, "invalid_transition")]
    await echo.work()
    assert (await echo.get(made["id"]))["status"] == "deleted"


async def test_of_two_who_deploy_one_name_one_gets_it(echo: Echo) -> None:
    path = f"/v1/projects/{echo.project}/instances"
    bodies = [await echo.body(name="the-one") for _ in range(2)]

    answers = await asyncio.gather(*(echo.admin.post(path, body) for body in bodies))

    assert sorted(each.status_code for each in answers) == [202, 409]
    assert {each.json().get("code") for each in answers} == {None, "name_taken"}


async def test_of_two_who_deploy_on_one_machine_one_gets_it(echo: Echo) -> None:
    path = f"/v1/projects/{echo.project}/instances"
    first = await echo.body()
    second = first | {"name": "another-one"}

    answers = await asyncio.gather(*(echo.admin.post(path, body) for body in (first, second)))

    assert sorted(each.status_code for each in answers)[0] == 202
    assert [each.status_code for each in answers].count(202) == 1


async def test_a_plan_that_two_apply_is_applied_once(echo: Echo) -> None:
    made = await echo.running()
    path = f"/v1/instances/{made['id']}"
    answer = await echo.admin.post(f"{path}/plans", {"kind": "instance.restart"})
    body = {"plan": answer.json()["id"]}

    answers = await together(echo, made["id"], ("restart", body), ("restart", body))

    assert answers == [(202, ""), (409, "plan_stale")]
