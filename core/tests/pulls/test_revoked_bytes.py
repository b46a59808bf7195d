"""Bytes that those who run the platform have revoked: nobody has them, nobody brings them back."""

import httpx2
import pytest

from core.tests.callers import Caller
from core.tests.factories import artifacts, catalog, entitlements
from core.tests.factories.pulls import NAME, Shop, fetch, issue, open_shop
from core.tests.factories.tenancy import make_project
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site, fresh

REASON = "It mines coins for a stranger"


def problem(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


@pytest.fixture
async def shop(site: Site) -> Shop:
    return await open_shop(await make_tenant(site))


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


async def revoke(root: Caller, shop: Shop) -> httpx2.Response:
    path = f"/v1/break-glass/artifacts/{shop.artifact['id']}/revoke"
    return await root.post(path, {"reason": REASON})


@pytest.mark.rule("AR-5")
async def test_they_do_not_come_back_in_another_project(
    site: Site, shop: Shop, root: Caller
) -> None:
    admin = shop.publisher.admin
    project = await make_project(site.sql, shop.publisher.org, f"prj-{fresh()}")
    half = await make_project(site.sql, shop.publisher.org, f"prj-{fresh()}")
    begun = await artifacts.announce(admin, half.id, shop.content)
    await artifacts.send(admin, begun["id"], shop.content)

    revoked = await revoke(root, shop)
    announced = await admin.post(
        f"/v1/projects/{project.id}/artifacts", artifacts.announcement(shop.content)
    )
    completed = await admin.post(f"/v1/artifacts/{begun['id']}/complete")

    assert revoked.json()["trust"] == "revoked"
    assert problem(announced) == problem(completed) == (409, "artifact_revoked")
    assert REASON in announced.json()["detail"]


@pytest.mark.rule("AR-5")
async def test_whoever_has_them_too_loses_them_and_hears_of_it(
    site: Site, shop: Shop, root: Caller
) -> None:
    twin = await open_shop(await make_tenant(site), content=shop.content)
    customer = await make_tenant(site)
    await entitlements.entitle(customer.admin, customer.project.id, twin.app["id"])
    pull = await issue(customer.admin, customer.project.id, twin.wish())

    await revoke(root, shop)

    read = (await twin.publisher.admin.get(f"/v1/artifacts/{twin.artifact['id']}")).json()
    assert (read["trust"], read["trust_reason"]) == ("revoked", REASON)
    assert problem(await fetch(customer.admin, pull)) == (403, "policy_refused")
    told = await site.rows(
        "SELECT type, org_id FROM events WHERE subject = %s ORDER BY id DESC LIMIT 1",
        twin.artifact["id"],
    )
    assert told == [("catalog.artifact.revoked", twin.publisher.org.id)]


@pytest.mark.rule("AR-5")
async def test_a_row_that_came_in_between_is_of_no_use(
    site: Site, shop: Shop, root: Caller
) -> None:
    """As if its transaction had begun before the revocation and ended after it."""
    twin = await open_shop(await make_tenant(site), content=shop.content)
    admin = twin.publisher.admin
    customer = await make_tenant(site)
    await entitlements.entitle(customer.admin, customer.project.id, twin.app["id"])
    draft = await catalog.draft(admin, twin.app, version="2.0.0", artifacts=[twin.artifact])
    await revoke(root, shop)
    await site.rows("UPDATE artifacts SET trust = 'verified' WHERE id = %s", twin.artifact["id"])

    pulled = await customer.admin.post(f"/v1/projects/{customer.project.id}/pulls", twin.wish())
    published = await admin.post(f"/v1/app-versions/{draft['id']}/publish", {})
    promoted = await admin.post(
        f"/v1/apps/{twin.app['id']}/promotions",
        {"channel": "dev", "version": twin.version["id"]},
    )
    key = await artifacts.register_key(admin, twin.publisher.project.id, shop.pair)
    signed = await artifacts.sign(admin, twin.artifact, key["id"], shop.pair)

    assert problem(pulled) == (403, "policy_refused")
    assert REASON in pulled.text
    assert problem(published) == problem(promoted) == (409, "artifacts_not_ready")
    assert problem(signed) == (409, "artifact_revoked")


async def test_a_tenants_own_revocation_does_not_keep_the_platform_from_it(
    site: Site, shop: Shop, root: Caller
) -> None:
    await shop.revoke()
    other = await make_tenant(site)

    revoked = await revoke(root, shop)
    again = await revoke(root, shop)
    announced = await other.admin.post(
        f"/v1/projects/{other.project.id}/artifacts",
        artifacts.announcement(shop.content, name=NAME),
    )

    assert revoked.status_code == 200
    assert problem(again) == problem(announced) == (409, "artifact_revoked")


async def test_a_tenant_revokes_bytes_for_itself_alone(site: Site, shop: Shop) -> None:
    other = await make_tenant(site)
    await shop.revoke()

    made = await artifacts.upload(other.admin, other.project.id, shop.content)

    assert made["trust"] == "unverified"
