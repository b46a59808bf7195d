"""Personal access tokens: a share of their owner's rights, for a while."""

from datetime import timedelta
from typing import Any

import httpx2
import pytest

from core.tests.callers import Caller
from core.tests.factories.tenancy import make_org, make_project
from core.tests.factories.tenants import Bearer, Tenant, make_tenant
from core.tests.site import Site, TimedSite, fresh


@pytest.fixture(scope="module")
async def tenant(site: Site) -> Tenant:
    return await (await make_tenant(site)).fill("org", "project", "account")


async def issue(owner: Caller, **limits: Any) -> httpx2.Response:
    return await owner.post("/v1/access-tokens", {"name": "t", "expires_in": 3600} | limits)


async def holder(owner: Caller, **limits: Any) -> Bearer:
    """Somebody who holds a new token of this person."""
    answer = await issue(owner, **limits)
    assert answer.status_code == 201, answer.text
    return Bearer(owner.client, answer.json()["token"])


async def test_a_token_does_what_its_owner_can(tenant: Tenant) -> None:
    token = await holder(tenant.admin)

    answer = await token.post(
        f"/v1/orgs/{tenant.org.id}/projects", {"slug": f"p-{fresh()}", "name": "P"}
    )

    assert answer.status_code == 201


async def test_a_token_is_narrowed_to_permissions(tenant: Tenant) -> None:
    token = await holder(tenant.admin, permissions=["iam.project.read"])
    path = f"/v1/projects/{tenant.project.id}"

    assert (await token.get(path)).status_code == 200
    assert (await token.delete(path)).status_code == 403
    assert (await token.get(f"{path}/service-accounts")).status_code == 403


async def test_a_token_is_narrowed_to_a_project(site: Site, tenant: Tenant) -> None:
    other = await make_project(site.sql, tenant.org, f"p-{fresh()}")
    token = await holder(tenant.admin, project=tenant.project.id)

    assert (await token.get(f"/v1/projects/{tenant.project.id}")).status_code == 200
    assert (await token.get(f"/v1/projects/{other.id}")).status_code == 404
    assert (await token.get(f"/v1/orgs/{tenant.org.id}/memberships")).status_code == 403
    listed = await token.get(f"/v1/orgs/{tenant.org.id}/projects")
    assert [item["id"] for item in listed.json()["items"]] == [tenant.project.id]


async def test_a_token_is_narrowed_to_an_org(site: Site, tenant: Tenant) -> None:
    elsewhere = await make_org(site.sql, f"o-{fresh()}")
    await site.sql.execute(
        """
        INSERT INTO memberships (id, org_id, user_id, role, created_at, updated_at)
        VALUES (%s, %s, %s, 'tenant_admin', now(), now())
        """,
        (f"mbr_{fresh()}", elsewhere.id, tenant.admin.id),
    )
    site.platform.principals.hear(None)
    token = await holder(tenant.admin, org=elsewhere.id)

    assert (await token.get(f"/v1/orgs/{elsewhere.id}")).status_code == 200
    assert (await token.get(f"/v1/orgs/{tenant.org.id}")).status_code == 404
    listed = await token.get("/v1/orgs")
    assert [item["id"] for item in listed.json()["items"]] == [elsewhere.id]


async def test_a_narrow_token_says_what_it_holds(tenant: Tenant) -> None:
    permissions = ["iam.project.read", "iam.self.read"]
    token = await holder(tenant.admin, permissions=permissions, project=tenant.project.id)

    me = (await token.get("/v1/me")).json()

    assert me["own_permissions"] == ["iam.self.read"]
    assert [(g["project_id"], g["permissions"]) for g in me["grants"]] == [
        (tenant.project.id, ["iam.project.read"])
    ]


async def test_a_token_without_the_key_does_not_even_read_who_it_is(tenant: Tenant) -> None:
    token = await holder(tenant.admin, permissions=["iam.project.read"])

    answers = [await token.get(path) for path in ("/v1/me", "/v1/roles", "/v1/sessions")]

    assert [answer.status_code for answer in answers] == [403, 403, 403]
    assert (await token.get("/v1/orgs")).json()["items"] == []


@pytest.mark.parametrize(
    "permissions",
    [
        ["iam.org.delete"],
        ["platform.org.list"],
        ["no.such.key"],
        ["iam.project.read", "iam.user.read"],
    ],
)
async def test_a_token_cannot_hold_what_its_owner_lacks(
    tenant: Tenant, permissions: list[str]
) -> None:
    answer = await issue(tenant.admin, permissions=permissions)

    assert (answer.status_code, answer.json()["code"]) == (403, "beyond_own_rights")


async def test_a_key_held_elsewhere_is_not_held_here(site: Site, tenant: Tenant) -> None:
    """Tenant admin in one org, viewer in another's project."""
    other = await make_tenant(site)
    await site.sql.execute(
        """
        INSERT INTO memberships (id, org_id, project_id, user_id, role, created_at, updated_at)
        VALUES (%s, %s, %s, %s, 'viewer', now(), now())
        """,
        (f"mbr_{fresh()}", other.org.id, other.project.id, tenant.admin.id),
    )
    site.platform.principals.hear(None)

    answer = await issue(tenant.admin, permissions=["iam.project.update"], project=other.project.id)

    assert answer.json()["code"] == "beyond_own_rights"


async def test_a_token_of_a_role_that_was_taken_away_is_empty(site: Site, tenant: Tenant) -> None:
    colleague = await site.actor("tenant_admin", org=tenant.org)
    token = await holder(colleague)
    path = f"/v1/projects/{tenant.project.id}"
    assert (await token.get(path)).status_code == 200
    memberships = await tenant.admin.get(f"/v1/orgs/{tenant.org.id}/memberships")
    of_them = next(m["id"] for m in memberships.json()["items"] if m["user_id"] == colleague.id)

    await tenant.admin.delete(f"/v1/memberships/{of_them}")

    assert (await token.get(path)).status_code == 404


async def test_a_revoked_token_is_dead_at_once(tenant: Tenant) -> None:
    issued = (await issue(tenant.admin)).json()
    token = Bearer(tenant.admin.client, issued["token"])
    assert (await token.get("/v1/me")).status_code == 200

    await tenant.admin.delete(f"/v1/access-tokens/{issued['id']}")

    assert (await token.get("/v1/me")).status_code == 401
    again = await tenant.admin.delete(f"/v1/access-tokens/{issued['id']}")
    assert again.status_code == 404


async def test_a_token_expires(timed: TimedSite) -> None:
    owner = await timed.actor(expires_in=timedelta(days=3))
    token = await holder(owner, expires_in=3600)
    timed.clock.move(timedelta(minutes=59))
    before = await token.get("/v1/me")
    timed.clock.move(timedelta(minutes=2))

    after = await token.get("/v1/me")

    assert (before.status_code, after.status_code) == (200, 401)


@pytest.mark.parametrize("seconds", [0, 59, -1, 366 * 86400 + 1, 10**18])
async def test_a_token_lives_a_minute_to_a_year(site: Site, seconds: int) -> None:
    owner = await site.actor(expires_in=timedelta(days=3650))

    answer = await issue(owner, expires_in=seconds)

    assert answer.status_code == 422


async def test_the_list_shows_tokens_and_never_their_secrets(site: Site) -> None:
    owner = await site.actor()
    issued = (await issue(owner)).json()

    listed = await owner.get("/v1/access-tokens")

    assert issued["id"] in [item["id"] for item in listed.json()["items"]]
    assert issued["token"] not in listed.text
    assert all("token" not in item for item in listed.json()["items"])
