"""Orgs and projects through HTTP: versions, soft deletion, pages."""

import pytest

from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site, fresh
from moorage_core.kit.ids import PLATFORM_ORG


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


async def test_platform_admin_makes_an_org_and_its_admin_makes_a_project(site: Site) -> None:
    root, boss = await site.actor("platform_admin"), await site.actor()
    assert boss.person is not None

    org = await root.post(
        "/v1/orgs",
        {"slug": f"o-{fresh()}", "name": "Nieuw ≠ alt", "admin_email": boss.person.email},
    )
    project = await boss.post(
        f"/v1/orgs/{org.json()['id']}/projects", {"slug": "first", "name": "First"}
    )

    assert org.status_code == 201, org.text
    assert org.headers["etag"] == '"1"'
    assert project.status_code == 201, project.text
    assert project.json()["org_id"] == org.json()["id"]


@pytest.mark.parametrize("what", ["orgs", "projects"])
async def test_an_update_says_which_version_it_changes(tenant: Tenant, what: str) -> None:
    path = f"/v1/{what}/{tenant.org.id if what == 'orgs' else tenant.project.id}"
    read = await tenant.admin.get(path)

    blind = await tenant.admin.call("PATCH", path, json={"name": "X"})
    first = await tenant.admin.patch(path, {"name": "Renamed"}, version=1)
    late = await tenant.admin.patch(path, {"name": "Too late"}, version=1)
    weak = await tenant.admin.patch(
        path, {"name": "Again"}, version=2, headers={"if-match": 'W/"2"'}
    )

    assert read.headers["etag"] == '"1"'
    assert (blind.status_code, blind.json()["code"]) == (428, "if_match_required")
    assert (first.status_code, first.headers["etag"]) == (200, '"2"')
    assert (late.status_code, late.json()["code"]) == (412, "stale")
    assert "version 2" in late.json()["detail"]
    assert (weak.status_code, weak.json()["name"]) == (200, "Again")


async def test_a_deletion_may_say_which_version_it_means(tenant: Tenant) -> None:
    path = f"/v1/projects/{tenant.project.id}"

    late = await tenant.admin.delete(path, headers={"if-match": '"7"'})
    now = await tenant.admin.delete(path)

    assert (late.status_code, now.status_code) == (412, 204)


async def test_a_deleted_project_is_gone_with_all_that_it_held(tenant: Tenant) -> None:
    await tenant.fill("membership", "account", "key")
    path = f"/v1/projects/{tenant.project.id}"

    await tenant.admin.delete(path)

    for gone in (
        path,
        f"{path}/memberships",
        f"{path}/service-accounts",
        f"/v1/memberships/{tenant.ids['membership']}",
        f"/v1/service-accounts/{tenant.ids['account']}",
        f"/v1/service-accounts/{tenant.ids['account']}/keys",
    ):
        assert (await tenant.admin.get(gone)).status_code == 404, gone
    listed = await tenant.admin.get(f"/v1/orgs/{tenant.org.id}/projects")
    assert listed.json()["items"] == []


async def test_a_deleted_project_stays_in_the_evidence(site: Site, tenant: Tenant) -> None:
    await tenant.admin.delete(f"/v1/projects/{tenant.project.id}")
    await site.number()

    audit = await tenant.admin.get("/v1/audit", params={"target": tenant.project.id})
    rows = await site.rows("SELECT deleted_at FROM projects WHERE id = %s", tenant.project.id)

    assert [entry["action"] for entry in audit.json()["items"]] == ["iam.project.delete"]
    assert rows[0][0] is not None


async def test_a_slug_is_free_again_after_its_project_is_gone(tenant: Tenant) -> None:
    path = f"/v1/orgs/{tenant.org.id}/projects"
    body = {"slug": tenant.project.slug, "name": "Again"}
    taken = await tenant.admin.post(path, body)
    await tenant.admin.delete(f"/v1/projects/{tenant.project.id}")

    again = await tenant.admin.post(path, body)

    assert (taken.status_code, taken.json()["code"]) == (409, "slug_taken")
    assert again.status_code == 201


async def test_two_orgs_may_use_one_slug_for_a_project(site: Site, tenant: Tenant) -> None:
    other = await make_tenant(site)

    answer = await other.admin.post(
        f"/v1/orgs/{other.org.id}/projects", {"slug": tenant.project.slug, "name": "Mine"}
    )

    assert answer.status_code == 201


async def test_an_org_is_deleted_when_it_is_empty(site: Site, tenant: Tenant) -> None:
    root = await site.actor("platform_admin")
    path = f"/v1/orgs/{tenant.org.id}"
    full = await root.delete(path)
    await tenant.admin.delete(f"/v1/projects/{tenant.project.id}")

    empty = await root.delete(path)

    assert (full.status_code, full.json()["code"]) == (409, "not_empty")
    assert tenant.project.slug in full.json()["detail"]
    assert empty.status_code == 204
    assert (await tenant.admin.get(path)).status_code == 404
    assert (await root.get(path)).status_code == 404


async def test_the_platforms_own_org_stays(site: Site) -> None:
    root = await site.actor("platform_admin")

    answer = await root.delete(f"/v1/orgs/{PLATFORM_ORG}")

    assert (answer.status_code, answer.json()["code"]) == (409, "not_empty")


@pytest.mark.rule("PG-2")
async def test_a_list_goes_on_where_the_page_before_ended(site: Site, tenant: Tenant) -> None:
    path = f"/v1/orgs/{tenant.org.id}/projects"
    for number in range(4):
        await tenant.admin.post(path, {"slug": f"p-{number}", "name": "P"})

    first = (await tenant.admin.get(path, params={"limit": 2})).json()
    await tenant.admin.delete(f"/v1/projects/{first['items'][1]['id']}")
    await tenant.admin.post(path, {"slug": "late", "name": "Late"})
    second = (await tenant.admin.get(path, params={"limit": 2, "after": first["next"]})).json()
    third = (await tenant.admin.get(path, params={"limit": 9, "after": second["next"]})).json()

    slugs = [[item["slug"] for item in page["items"]] for page in (first, second, third)]
    assert slugs == [[tenant.project.slug, "p-0"], ["p-1", "p-2"], ["p-3", "late"]]
    assert third["next"] is None


@pytest.mark.rule("PG-4")
async def test_a_cursor_gives_no_rights(site: Site, tenant: Tenant) -> None:
    """Somebody else's cursor leads to one's own rows."""
    path = f"/v1/orgs/{tenant.org.id}/projects"
    for number in range(2):
        await tenant.admin.post(path, {"slug": f"p-{number}", "name": "P"})
    cursor = (await tenant.admin.get(path, params={"limit": 1})).json()["next"]
    other = await make_tenant(site)

    answer = await other.admin.get(f"/v1/orgs/{other.org.id}/projects", params={"after": cursor})

    assert {item["org_id"] for item in answer.json()["items"]} <= {other.org.id}


async def test_somebody_in_no_org_sees_none(site: Site) -> None:
    nobody = await site.actor()

    answer = await nobody.get("/v1/orgs")

    assert (answer.status_code, answer.json()) == (200, {"items": [], "next": None})


async def test_a_platform_admin_sees_every_org_on_the_list(site: Site, tenant: Tenant) -> None:
    root = await site.actor("platform_admin")
    seen: set[str] = set()
    page = {"next": ""}
    while page["next"] is not None:
        after = {"after": page["next"]} if page["next"] else {}
        page = (await root.get("/v1/orgs", params={"limit": 3, **after})).json()
        seen |= {item["id"] for item in page["items"]}

    rows = await site.rows("SELECT id FROM orgs WHERE deleted_at IS NULL")
    assert seen == {id for (id,) in rows}
