"""A platform admin cannot get into a tenant unseen by opening the account of one of its people."""

import pytest

from core.tests.factories.tenancy import give_role
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.people.signing_in import make_person
from core.tests.site import Site

REASON = "They lost their phone and asked by letter."


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


async def test_opening_the_account_of_a_tenants_member_needs_a_reason(
    site: Site, tenant: Tenant
) -> None:
    root = await site.actor("platform_admin")

    answer = await root.post(f"/v1/users/{tenant.admin.id}/password-codes", {})

    assert (answer.status_code, answer.json()["code"]) == (422, "reason_required")
    assert answer.json()["errors"][0]["location"] == "body.reason"
    rows = await site.rows("SELECT FROM password_codes WHERE user_id = %s", tenant.admin.id)
    assert rows == []


async def test_every_org_of_the_person_sees_who_opened_their_account_and_why(
    site: Site, tenant: Tenant
) -> None:
    root, other = await site.actor("platform_admin"), await make_tenant(site)
    assert tenant.admin.person is not None
    await give_role(
        site.sql,
        tenant.admin.person,
        role="viewer",
        org=other.org.id,
        project=other.project.id,
    )

    answer = await root.post(f"/v1/users/{tenant.admin.id}/password-codes", {"reason": REASON})
    await site.number()

    assert answer.status_code == 201, answer.text
    for org, witness in ((tenant.org, tenant.admin), (other.org, other.admin)):
        seen = await witness.get(
            "/v1/events", params={"type": "iam.break_glass.used", "org": org.id}
        )
        assert [event["data"] for event in seen.json()["items"]] == [
            {"action": "iam.user.reset_password", "target": tenant.admin.id, "reason": REASON}
        ]
    rows = await site.rows(
        """
        SELECT actor_id, break_glass, reason FROM audit_entries
        WHERE target = %s AND action = 'iam.user.reset_password'
        """,
        tenant.admin.id,
    )
    assert rows == [(root.id, True, REASON)]


async def test_an_account_that_signs_in_elsewhere_is_in_use_too(site: Site, tenant: Tenant) -> None:
    root = await site.actor("platform_admin")
    await tenant.fill("provider")

    answer = await root.post(f"/v1/users/{tenant.ids['user']}/password-codes", {})

    assert answer.json()["code"] == "reason_required"


async def test_whoever_was_invited_gets_a_first_password_without_ado(
    site: Site, tenant: Tenant
) -> None:
    root = await site.actor("platform_admin")

    answer = await root.post(f"/v1/users/{await tenant.id('user')}/password-codes", {})

    assert answer.status_code == 201
    rows = await site.rows(
        "SELECT break_glass FROM audit_entries WHERE target = %s", tenant.ids["user"]
    )
    assert rows == [(False,)]


async def test_who_works_in_no_tenant_gets_a_code_without_a_reason(site: Site) -> None:
    root, (person, _) = await site.actor("platform_admin"), await make_person(site)

    answer = await root.post(f"/v1/users/{person.id}/password-codes", {})

    assert answer.status_code == 201


async def test_a_tenant_cannot_ask_in_which_orgs_somebody_is(site: Site, tenant: Tenant) -> None:
    other = await make_tenant(site)
    scope = tenant.org.id

    rows = await site.rows(
        """
        SELECT set_config('moorage.whole_orgs', %s, false), (
            SELECT count(*) FROM orgs_behind_account(%s))
        """,
        scope,
        other.admin.id,
    )

    assert rows == [(scope, 0)]
