"""Who has which role where: ceilings, the last admin, and when a change takes effect."""

from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories.tenants import Tenant, make_tenant, mint
from core.tests.people.signing_in import log_in, make_person
from core.tests.site import Site, fresh
from moorage_core.authz.roles import ROLES, Level, Role
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.tenancy import rules


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


async def add(caller: Caller, path: str, role: str, email: str | None = None) -> Any:
    body = {"email": email or f"somebody-{fresh()}@example.org", "role": role}
    return await caller.post(f"{path}/memberships", body)


def place_of(tenant: Tenant, level: Level) -> str:
    places = {
        Level.ORG: f"/v1/orgs/{tenant.org.id}",
        Level.PROJECT: f"/v1/projects/{tenant.project.id}",
        Level.PLATFORM: f"/v1/orgs/{PLATFORM_ORG}",
    }
    return places[level]


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("role", list(Role))
async def test_a_role_is_given_where_it_means_something(
    site: Site, tenant: Tenant, role: Role, level: Level
) -> None:
    caller = await site.actor("platform_admin") if level is Level.PLATFORM else tenant.admin

    answer = await add(caller, place_of(tenant, level), role)

    fits = level in ROLES[role].levels
    assert answer.status_code == (201 if fits else 422), answer.text
    assert fits or answer.json()["code"] == "role_not_here"


async def test_nobody_gives_a_role_that_holds_more_than_their_own(
    site: Site, tenant: Tenant
) -> None:
    """A service account that may add memberships, and reads little."""
    narrow = await tenant.admin.post(
        f"/v1/projects/{tenant.project.id}/service-accounts",
        {"name": "hr", "permissions": ["iam.member.add", "iam.project.read"]},
    )
    tenant.ids["account"] = narrow.json()["id"]
    robot = await mint(tenant)

    answer = await add(robot, place_of(tenant, Level.PROJECT), "viewer")

    assert (answer.status_code, answer.json()["code"]) == (403, "beyond_ceiling")
    assert "iam.member.read" in answer.json()["detail"]


async def test_a_project_admin_gives_roles_in_the_project_and_not_in_the_org(
    site: Site, tenant: Tenant
) -> None:
    admin = await site.actor("project_admin", project=tenant.project)

    inside = await add(admin, place_of(tenant, Level.PROJECT), "project_admin")
    outside = await add(admin, place_of(tenant, Level.ORG), "viewer")

    assert inside.status_code == 201
    assert (outside.status_code, outside.json()["code"]) == (403, "forbidden")


async def test_nobody_touches_the_role_of_somebody_who_may_do_more(
    site: Site, tenant: Tenant
) -> None:
    """A token of an admin that may update and remove memberships, and nothing else."""
    boss = await add(tenant.admin, place_of(tenant, Level.ORG), "tenant_admin")
    issued = await tenant.admin.post(
        "/v1/access-tokens",
        {
            "name": "hr",
            "expires_in": 3600,
            "permissions": ["iam.member.update", "iam.member.remove", "iam.member.read"],
        },
    )
    narrow = {"authorization": f"Bearer {issued.json()['token']}"}
    path = f"/v1/memberships/{boss.json()['id']}"

    changed = await tenant.admin.patch(path, {"role": "viewer"}, version=1, headers=narrow)
    removed = await tenant.admin.delete(path, headers=narrow)

    assert (changed.status_code, changed.json()["code"]) == (403, "beyond_ceiling")
    assert (removed.status_code, removed.json()["code"]) == (403, "beyond_ceiling")


async def test_the_last_admin_of_an_org_stays(tenant: Tenant) -> None:
    memberships = await tenant.admin.get(f"/v1/orgs/{tenant.org.id}/memberships")
    last = f"/v1/memberships/{memberships.json()['items'][0]['id']}"

    removed = await tenant.admin.delete(last)
    changed = await tenant.admin.patch(last, {"role": "viewer"}, version=1)
    same = await tenant.admin.patch(last, {"role": "tenant_admin"}, version=1)

    assert (removed.status_code, removed.json()["code"]) == (409, "last_admin")
    assert (changed.status_code, changed.json()["code"]) == (409, "last_admin")
    assert same.status_code == 200


async def test_an_admin_may_go_when_another_stays(site: Site, tenant: Tenant) -> None:
    second = await add(tenant.admin, place_of(tenant, Level.ORG), "tenant_admin")
    memberships = await tenant.admin.get(f"/v1/orgs/{tenant.org.id}/memberships")
    mine = next(m["id"] for m in memberships.json()["items"] if m["id"] != second.json()["id"])

    answer = await tenant.admin.delete(f"/v1/memberships/{mine}")

    assert answer.status_code == 204
    assert (await tenant.admin.get(f"/v1/orgs/{tenant.org.id}")).status_code == 404


async def test_an_admin_whose_account_is_disabled_is_none(site: Site, tenant: Tenant) -> None:
    second = await site.actor("tenant_admin", org=tenant.org)
    await site.sql.execute("UPDATE users SET disabled_at = now() WHERE id = %s", (second.id,))
    memberships = await tenant.admin.get(f"/v1/orgs/{tenant.org.id}/memberships")
    mine = next(m["id"] for m in memberships.json()["items"] if m["user_id"] == tenant.admin.id)

    removed = await tenant.admin.delete(f"/v1/memberships/{mine}")
    changed = await tenant.admin.patch(f"/v1/memberships/{mine}", {"role": "viewer"}, version=1)

    assert (removed.status_code, removed.json()["code"]) == (409, "last_admin")
    assert (changed.status_code, changed.json()["code"]) == (409, "last_admin")


@pytest.mark.parametrize(
    ("role", "org", "project", "needed"),
    [
        ("tenant_admin", "org_a", None, True),
        ("viewer", "org_a", None, False),
        ("project_admin", "org_a", "prj_a", False),
        ("platform_admin", PLATFORM_ORG, None, True),
        ("tenant_admin", PLATFORM_ORG, None, False),
    ],
)
def test_every_org_needs_its_own_kind_of_admin(
    role: str, org: str, project: str | None, needed: bool
) -> None:
    assert rules.runs_org(role, org=org, project=project) == needed


async def test_somebody_has_one_role_in_a_place(tenant: Tenant) -> None:
    email = f"twice-{fresh()}@example.org"
    await add(tenant.admin, place_of(tenant, Level.PROJECT), "viewer", email)

    again = await add(tenant.admin, place_of(tenant, Level.PROJECT), "project_admin", email.upper())

    assert (again.status_code, again.json()["code"]) == (409, "membership_exists")


async def test_inviting_does_not_tell_whether_somebody_has_an_account(
    site: Site, tenant: Tenant
) -> None:
    known = await site.actor()
    assert known.person is not None

    of_known = await add(tenant.admin, place_of(tenant, Level.ORG), "viewer", known.person.email)
    of_nobody = await add(tenant.admin, place_of(tenant, Level.ORG), "viewer")

    assert of_known.status_code == of_nobody.status_code == 201
    assert set(of_known.json()) == set(of_nobody.json())


async def test_whoever_adds_somebody_does_not_learn_their_name_before_they_come(
    site: Site, tenant: Tenant
) -> None:
    known, email = await make_person(site)
    await site.sql.execute("UPDATE users SET name = 'Ada Lovelace' WHERE id = %s", (known.id,))

    added = await add(tenant.admin, place_of(tenant, Level.ORG), "viewer", email)
    path = f"/v1/memberships/{added.json()['id']}"
    listed = await tenant.admin.get(f"/v1/orgs/{tenant.org.id}/memberships")
    await log_in(site, email)
    afterwards = await tenant.admin.get(path)

    assert added.json()["name"] == email.partition("@")[0]
    assert "Ada" not in listed.text
    assert afterwards.json()["name"] == "Ada Lovelace"


async def test_a_role_that_is_taken_away_is_gone_with_the_next_request(
    site: Site, tenant: Tenant
) -> None:
    member = await site.actor("viewer", project=tenant.project)
    path = f"/v1/projects/{tenant.project.id}"
    assert (await member.get(path)).status_code == 200
    memberships = await tenant.admin.get(f"{path}/memberships")
    of_them = next(m["id"] for m in memberships.json()["items"] if m["user_id"] == member.id)

    await tenant.admin.delete(f"/v1/memberships/{of_them}")

    assert (await member.get(path)).status_code == 404


async def test_a_new_role_takes_effect_with_the_next_request(site: Site, tenant: Tenant) -> None:
    member = await site.actor("viewer", project=tenant.project)
    path = f"/v1/projects/{tenant.project.id}"
    memberships = await tenant.admin.get(f"{path}/memberships")
    of_them = next(m["id"] for m in memberships.json()["items"] if m["user_id"] == member.id)
    assert (await member.patch(path, {"name": "X"}, version=1)).status_code == 403

    await tenant.admin.patch(f"/v1/memberships/{of_them}", {"role": "project_admin"}, version=1)

    assert (await member.patch(path, {"name": "X"}, version=1)).status_code == 200


async def test_who_works_in_a_project_knows_its_org_and_is_told_what_they_lack(
    site: Site, tenant: Tenant
) -> None:
    member = await site.actor("project_member", project=tenant.project)
    org = f"/v1/orgs/{tenant.org.id}"

    seen = await member.get(org)
    answers = [
        await member.patch(org, {"name": "Mine"}, version=1),
        await member.post(f"{org}/projects", {"slug": "mine", "name": "Mine"}),
        await member.get(f"{org}/memberships"),
    ]

    assert seen.status_code == 200
    assert [(a.status_code, a.json()["code"]) for a in answers] == [(403, "forbidden")] * 3
