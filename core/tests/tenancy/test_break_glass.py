"""Break-glass: the platform reaches into a tenant, with a reason, and the tenant sees it."""

import pytest

from core.tests.factories import requests
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site, fresh
from moorage_core.kit.ids import OrgId

REASON = "Their last admin left and they asked by letter."


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


def path_of(tenant: Tenant) -> str:
    return f"/v1/break-glass/orgs/{tenant.org.id}/admins"


@pytest.mark.rule("AU-6")
async def test_a_platform_admin_appoints_an_admin_and_the_tenant_sees_why(
    site: Site, tenant: Tenant
) -> None:
    root = await site.actor("platform_admin")
    body = {"email": f"rescue-{fresh()}@example.org", "reason": REASON}

    answer = await root.post(path_of(tenant), body)
    await site.number()
    audit = await tenant.admin.get("/v1/audit", params={"target": answer.json()["id"]})
    events = await tenant.admin.get("/v1/events", params={"type": "iam.break_glass.used"})

    assert answer.status_code == 201, answer.text
    assert answer.json()["role"] == "tenant_admin"
    entry = audit.json()["items"][0]
    assert (entry["break_glass"], entry["reason"]) == (True, REASON)
    assert (entry["actor_id"], entry["org_id"]) == (root.id, tenant.org.id)
    event = events.json()["items"][-1]
    assert event["data"]["reason"] == REASON
    assert event["orgid"] == tenant.org.id


@pytest.mark.parametrize("reason", [None, "", "   ", "short", "x" * 501, "line\nbreak here"])
async def test_without_a_reason_nothing_happens(
    site: Site, tenant: Tenant, reason: str | None
) -> None:
    root = await site.actor("platform_admin")
    body = {"email": "rescue@example.org"} | ({} if reason is None else {"reason": reason})

    answer = await root.post(path_of(tenant), body)

    assert answer.status_code == 422
    assert any(fault["location"] == "body.reason" for fault in answer.json()["errors"])


async def test_a_tenant_admin_cannot_break_glass_even_at_home(tenant: Tenant) -> None:
    answer = await tenant.admin.post(
        path_of(tenant), {"email": "rescue@example.org", "reason": REASON}
    )

    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


async def test_there_is_no_glass_to_break_in_an_org_that_is_not_there(site: Site) -> None:
    root = await site.actor("platform_admin")

    answer = await root.post(
        f"/v1/break-glass/orgs/{OrgId.new()}/admins",
        {"email": "rescue@example.org", "reason": REASON},
    )

    assert answer.status_code == 404


async def test_a_platform_admin_has_no_other_way_in(site: Site, tenant: Tenant) -> None:
    root = await site.actor("platform_admin")

    answers = [
        await root.post(
            f"/v1/orgs/{tenant.org.id}/memberships",
            {"email": "rescue@example.org", "role": "tenant_admin"},
        ),
        await root.get(f"/v1/orgs/{tenant.org.id}/memberships"),
        await root.get(f"/v1/projects/{tenant.project.id}"),
    ]

    assert [answer.status_code for answer in answers] == [404, 404, 404]


async def test_a_row_that_breaks_glass_without_a_reason_is_not_taken_by_the_database(
    site: Site,
) -> None:
    rows = await site.rows(
        """
        SELECT pg_get_constraintdef(oid) FROM pg_constraint
        WHERE conrelid = 'audit_entries'::regclass AND contype = 'c'
        """
    )

    assert any("break_glass" in text and "reason IS NOT NULL" in text for (text,) in rows)


def test_every_break_glass_route_takes_a_reason_and_is_for_the_platform_alone() -> None:
    specs = [spec for spec in requests.routes() if spec.path.startswith("/v1/break-glass/")]

    assert specs
    for spec in specs:
        body = requests.operation(spec)["requestBody"]["content"]["application/json"]["schema"]
        name = body["$ref"].rpartition("/")[2]
        assert "reason" in requests.DOCUMENT["components"]["schemas"][name]["required"]
        assert spec.kind == "mutation"
        assert spec.key in requests.PLATFORM_KEYS
