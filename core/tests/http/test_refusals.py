"""Refusals are counted: who, which route, which key, how often within a minute."""

import asyncio

import pytest

from core.tests.callers import Caller
from core.tests.factories import requests
from core.tests.factories.tenants import Bearer, Tenant, make_tenant, mint
from core.tests.site import Site
from moorage_core.authz.permissions import Permission
from moorage_core.http.routing import RouteSpec
from moorage_core.kit import tokens
from moorage_core.kit.ids import PLATFORM_ORG, AccessTokenId

PROTECTED = requests.routes(public=False)
OPEN_TO_EVERYBODY = {
    "get_device_code",
    "get_me",
    "list_access_tokens",
    "list_orgs",
    "list_roles",
    "list_sessions",
}
"""Show everybody what is theirs, which may be nothing."""
FILTERED = {"list_orgs"}
"""Shows what the key is held on: nothing without it."""


@pytest.fixture(scope="module")
async def tenant(site: Site) -> Tenant:
    return await (await make_tenant(site)).fill()


async def denials(site: Site, principal: str, route: str) -> list[tuple[str, str, int]]:
    rows = await site.rows(
        """
        SELECT org_id, permission, sum(count)::int FROM audit_denials
        WHERE principal_id = %s AND route = %s GROUP BY 1, 2
        """,
        principal,
        route,
    )
    return [tuple(row) for row in rows]


@pytest.mark.rule("AU-2")
@pytest.mark.parametrize(
    "spec", [s for s in PROTECTED if s.name not in OPEN_TO_EVERYBODY], ids=lambda s: s.label
)
async def test_every_refusal_of_somebody_known_is_counted(
    site: Site, tenant: Tenant, spec: RouteSpec
) -> None:
    nobody = await site.actor()
    request = requests.build(spec, tenant.ids)
    if spec.name == "change_password":
        nobody = await mint(tenant)

    answers = [await request.send(nobody) for _ in range(2)]

    assert {answer.status_code for answer in answers} <= {403, 404}, answers[0].text
    who = tenant.ids["account"] if spec.name == "change_password" else nobody.id
    place = tenant.org.id if spec.name == "change_password" else PLATFORM_ORG
    assert await denials(site, who, spec.label) == [(place, spec.key, 2)]


@pytest.mark.parametrize(
    "spec", [s for s in PROTECTED if s.name not in FILTERED], ids=lambda s: s.label
)
async def test_a_route_is_closed_to_who_holds_every_key_but_its_own(
    site: Site, tenant: Tenant, spec: RouteSpec
) -> None:
    owner = await requests.right_caller(site, spec, tenant)
    others = sorted({str(key) for key in Permission} - {spec.key})
    # Keys of programs are held by no person at all.
    person = owner if owner.person is not None else tenant.admin
    token = await make_token(site, person, permissions=others)

    answer = await requests.build(spec, tenant.ids).send(token)

    assert answer.status_code == 403, answer.text
    assert spec.key in answer.json()["detail"]


async def make_token(site: Site, owner: Caller, *, permissions: list[str]) -> Bearer:
    """A personal token that is narrowed to these keys."""
    secret = tokens.new(tokens.ACCESS_TOKEN)
    await site.sql.execute(
        """
        INSERT INTO access_tokens (id, user_id, name, token_hash, permissions, created_at,
            expires_at)
        VALUES (%s, %s, 'narrow', %s, %s, now(), now() + interval '1 hour')
        """,
        (AccessTokenId.new(), owner.id, tokens.digest(secret), permissions),
    )
    return Bearer(site.client, secret)


async def test_refusals_at_the_same_time_are_all_counted(site: Site, tenant: Tenant) -> None:
    viewer = await site.actor("viewer", project=tenant.project)
    path = f"/v1/projects/{tenant.project.id}"

    await asyncio.gather(*(viewer.delete(path) for _ in range(8)))

    counted = await denials(site, viewer.id, "DELETE /v1/projects/{project}")
    assert counted == [(tenant.org.id, "iam.project.delete", 8)]


async def test_a_refusal_is_noted_in_the_org_where_it_happened(site: Site, tenant: Tenant) -> None:
    viewer = await site.actor("viewer", project=tenant.project)

    await viewer.delete(f"/v1/projects/{tenant.project.id}")

    rows = await site.rows(
        "SELECT org_id, project_id, principal_kind FROM audit_denials WHERE principal_id = %s",
        viewer.id,
    )
    assert rows == [(tenant.org.id, tenant.project.id, "user")]


async def test_callers_without_a_credential_are_not_written_down(
    site: Site, tenant: Tenant
) -> None:
    before = await site.rows("SELECT count(*) FROM audit_denials")

    answer = await site.client.get(f"/v1/projects/{tenant.project.id}")

    assert answer.status_code == 401
    assert await site.rows("SELECT count(*) FROM audit_denials") == before
