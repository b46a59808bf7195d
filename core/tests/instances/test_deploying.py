"""Deploying: what is checked, and what comes of it."""

from typing import Any

import pytest

from core.tests.factories.instances import Echo, make_echo
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site


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
