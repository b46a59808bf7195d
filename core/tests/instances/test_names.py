"""Names stand beside ids, in places where ids alone would have to be looked up."""

from typing import Any

import pytest

from core.tests.factories.controllers import make_replica
from core.tests.factories.instances import Echo, make_echo
from core.tests.factories.members import Running, running
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site
from moorage_core.kit.ids import UserId


@pytest.fixture
async def echo(site: Site) -> Echo:
    return await make_echo(await make_tenant(site))


@pytest.fixture
async def app(echo: Echo) -> Running:
    return await running(echo)


async def read(caller: Any, path: str) -> Any:
    answer = await caller.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def name_of(caller: Any) -> str:
    return (await read(caller, "/v1/me"))["name"]


async def test_a_machine_names_the_instance_on_it_and_who_asked_for_it(
    site: Site, app: Running
) -> None:
    machine = (await app.member("replica-1"))["allocation_id"]
    me = (await read(app.admin, "/v1/me"))["id"]
    await site.sql.execute("UPDATE allocations SET requested_by = %s WHERE id = %s", (me, machine))

    found = await read(app.admin, f"/v1/allocations/{machine}")

    assert found["instance_name"] == (await app.echo.get(app.id))["name"]
    assert found["requested_by_name"] == await name_of(app.admin)


async def test_somebody_of_the_project_reads_who_of_the_org_did_it(
    site: Site, app: Running
) -> None:
    viewer = await site.actor("viewer", project=app.echo.tenant.project)

    (revision,) = (await read(viewer, f"/v1/instances/{app.id}/revisions"))["items"]

    assert revision["created_by_name"] == await name_of(app.admin)


async def test_who_is_gone_has_no_name(site: Site, app: Running) -> None:
    await site.sql.execute(
        "UPDATE instance_revisions SET created_by = %s WHERE instance_id = %s",
        (UserId.new(), app.id),
    )

    (revision,) = (await read(app.admin, f"/v1/instances/{app.id}/revisions"))["items"]

    assert revision["created_by_name"] is None


async def test_an_entitlement_names_its_app_and_who_accepted_it(echo: Echo) -> None:
    (held,) = (await read(echo.admin, f"/v1/projects/{echo.tenant.project.id}/entitlements"))[
        "items"
    ]

    assert held["app_name"] == echo.app["name"]
    assert held["accepted_by_name"]


async def test_an_app_names_the_org_that_publishes_it(echo: Echo) -> None:
    found = await read(echo.admin, f"/v1/apps/{echo.app['id']}")
    org = await read(echo.admin, f"/v1/orgs/{found['org_id']}")

    assert found["publisher_name"] == org["name"]


async def test_an_operator_listens_while_somebody_waits_for_work_on_its_behalf(
    echo: Echo,
) -> None:
    path = f"/v1/app-operators/{echo.operator}"
    silent = await read(echo.admin, path)
    await (await make_replica(echo)).claim()

    heard = await read(echo.admin, path)
    listed = await read(echo.admin, f"/v1/apps/{echo.app['id']}/operators")

    assert (silent["listening"], heard["listening"]) == (False, True)
    assert [each["listening"] for each in listed["items"]] == [True]


async def test_the_record_names_what_something_was_done_to(site: Site, app: Running) -> None:
    await site.number()

    entries = (await read(app.admin, f"/v1/audit?target={app.id}"))["items"]

    assert {entry["target_name"] for entry in entries} == {(await app.echo.get(app.id))["name"]}
