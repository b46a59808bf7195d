"""App operators through HTTP: who can be one, whom they serve, who sees them."""

from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.catalog.publishers import Street, make_street
from core.tests.factories import catalog
from core.tests.site import Site, fresh

CLAIM = ["apps.operation.claim"]


@pytest.fixture
async def street(site: Site) -> Street:
    return await make_street(site)


async def account(caller: Caller, project: str, permissions: list[str] = CLAIM) -> str:
    body = {"name": f"operator {fresh()}", "permissions": permissions}
    path = f"/v1/projects/{project}/service-accounts"
    return (await catalog.made(caller, path, body))["id"]


async def register(
    caller: Caller, project: str, app: dict[str, Any], service_account: str | None = None
) -> Any:
    who = service_account or await account(caller, project)
    body = {"app": app["id"], "service_account": who, "name": "Night shift"}
    return await caller.post(f"/v1/projects/{project}/app-operators", body)


async def test_the_publishers_operator_serves_everybody(street: Street) -> None:
    app = await street.app(visibility="platform")

    made = await register(street.publisher, street.project, app)

    operator = made.json()
    assert (made.status_code, operator["serves"]) == (201, "publisher")
    path = f"/v1/app-operators/{operator['id']}"
    own = await street.colleague.get(path)
    foreign = await street.stranger.admin.get(path)
    listed = await street.stranger.admin.get(f"/v1/apps/{app['id']}/operators")
    assert own.json()["service_account_id"] == operator["service_account_id"]
    assert foreign.json() == operator | {"service_account_id": None}
    assert listed.json()["items"] == [foreign.json()]
    refused = await street.stranger.admin.delete(path)
    assert (refused.status_code, "another project" in refused.json()["detail"]) == (403, True)


async def test_another_projects_operator_serves_that_project_alone(street: Street) -> None:
    app = await street.app(visibility="platform")
    there = street.stranger

    made = await register(there.admin, there.project.id, app)

    operator = made.json()
    assert (made.status_code, operator["serves"]) == (201, "project")
    assert (operator["app_slug"], operator["project_id"]) == (app["slug"], there.project.id)
    path, listing = f"/v1/app-operators/{operator['id']}", f"/v1/apps/{app['id']}/operators"
    assert operator["id"] in (await there.admin.get(listing)).text
    for other in (street.publisher, street.sibling, street.tenant.admin):
        assert operator["id"] not in (await other.get(listing)).text
        assert (await other.get(path)).status_code == 404
        assert (await other.delete(path)).status_code == 404


async def test_registering_leaves_an_entry_and_an_event(street: Street) -> None:
    app = await street.app()

    operator = (await register(street.publisher, street.project, app)).json()

    entries = await street.site.rows(
        "SELECT action, app_slug FROM audit_entries WHERE target = %s", operator["id"]
    )
    events = await street.site.rows(
        "SELECT type, data ->> 'serves' FROM events WHERE subject = %s", operator["id"]
    )
    assert entries == [("catalog.operator.create", app["slug"])]
    assert events == [("catalog.operator.registered", "publisher")]


@pytest.mark.rule("CA-10")
@pytest.mark.parametrize(
    "permissions", [[], ["catalog.app.read"], ["apps.operation.claim", "catalog.app.read"]]
)
async def test_an_operator_can_claim_and_nothing_else(
    street: Street, permissions: list[str]
) -> None:
    app = await street.app()
    who = await account(street.publisher, street.project, permissions)

    answer = await register(street.publisher, street.project, app, who)

    assert (answer.status_code, answer.json()["code"]) == (422, "not_an_operator_account")


@pytest.mark.rule("CA-10")
async def test_an_operators_account_stays_what_it_is(street: Street) -> None:
    app = await street.app()
    who = await account(street.publisher, street.project)
    operator = (await register(street.publisher, street.project, app, who)).json()
    path = f"/v1/service-accounts/{who}"
    wider = {"permissions": ["apps.operation.claim", "catalog.app.read"]}

    widened = await street.publisher.patch(path, wider, version=1)
    deleted = await street.publisher.delete(path)
    disabled = await street.publisher.patch(path, {"disabled": True}, version=1)
    await street.publisher.delete(f"/v1/app-operators/{operator['id']}")
    deleted_then = await street.publisher.delete(path)

    assert [widened.json()["code"], deleted.json()["code"]] == ["is_app_operator"] * 2
    assert app["slug"] in widened.json()["detail"]
    assert (disabled.status_code, deleted_then.status_code) == (200, 204)


async def test_an_account_of_another_project_is_not_found(street: Street) -> None:
    app = await street.app(visibility="org")
    foreign = await account(street.sibling, street.sibling_project.id)

    answer = await register(street.tenant.admin, street.project, app, foreign)

    assert answer.status_code == 404


async def test_a_project_registers_no_operator_for_an_app_that_it_does_not_see(
    street: Street,
) -> None:
    app = await street.app(visibility="project")
    both = street.tenant.admin

    by_admin_of_both = await register(both, street.sibling_project.id, app)
    by_sibling = await register(street.sibling, street.sibling_project.id, app)

    assert by_admin_of_both.json()["code"] == "app_not_offered"
    assert by_sibling.status_code == 404


async def test_an_account_is_registered_once_per_app(street: Street) -> None:
    app, other = await street.app(), await street.app()
    who = await account(street.publisher, street.project)
    first = await register(street.publisher, street.project, app, who)

    again = await register(street.publisher, street.project, app, who)
    elsewhere = await register(street.publisher, street.project, other, who)

    assert (first.status_code, elsewhere.status_code) == (201, 201)
    assert (again.status_code, again.json()["code"]) == (409, "already_registered")


async def test_a_removed_operator_is_gone_and_can_be_registered_again(street: Street) -> None:
    app = await street.app()
    who = await account(street.publisher, street.project)
    operator = (await register(street.publisher, street.project, app, who)).json()

    removed = await street.publisher.delete(f"/v1/app-operators/{operator['id']}")
    again = await register(street.publisher, street.project, app, who)

    listed = await street.publisher.get(f"/v1/projects/{street.project}/app-operators")
    assert (removed.status_code, again.status_code) == (204, 201)
    assert [each["id"] for each in listed.json()["items"]] == [again.json()["id"]]


async def test_an_operator_outlives_the_sight_of_its_app(street: Street) -> None:
    app = await street.app(visibility="platform")
    there = street.stranger
    operator = (await register(there.admin, there.project.id, app)).json()
    hidden = await street.publisher.patch(
        f"/v1/apps/{app['id']}", {"visibility": "project"}, version=app["version"]
    )
    assert hidden.status_code == 200, hidden.text
    path = f"/v1/app-operators/{operator['id']}"

    read = await there.admin.get(path)
    removed = await there.admin.delete(path)

    assert (read.json()["app_slug"], removed.status_code) == (app["slug"], 204)


async def test_a_viewer_sees_operators_and_registers_none(street: Street) -> None:
    app = await street.app()
    who = await account(street.publisher, street.project)
    operator = (await register(street.publisher, street.project, app, who)).json()
    body = {"app": app["id"], "service_account": who, "name": "Mine"}

    seen = await street.colleague.get(f"/v1/app-operators/{operator['id']}")
    refused = await street.colleague.post(f"/v1/projects/{street.project}/app-operators", body)

    assert (seen.status_code, refused.status_code) == (200, 403)
    assert "catalog.operator.create" in refused.json()["detail"]
