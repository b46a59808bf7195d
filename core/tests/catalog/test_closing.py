"""What becomes of apps when their project is deleted: nobody begins to use them, and it is said."""

from dataclasses import dataclass
from typing import Any

import pytest

from core.tests.factories import catalog, entitlements, pulls
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site
from moorage_core.kit.db import Scope


@dataclass(frozen=True)
class Closed:
    """A shop whose project is gone, and a customer from before."""

    site: Site
    shop: pulls.Shop
    customer: Tenant
    entitlement: dict[str, Any]
    pull: dict[str, Any]

    @property
    def app(self) -> str:
        return self.shop.app["id"]

    async def explain(self, operation: str) -> dict[str, Any]:
        question = {"project": self.customer.project.id, "app": self.app, "operation": operation}
        answer = await self.customer.admin.post("/v1/policy/explain", question)
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
async def closed(site: Site) -> Closed:
    shop = await pulls.open_shop(await make_tenant(site))
    customer = await make_tenant(site)
    held = await entitlements.entitle(customer.admin, customer.project.id, shop.app["id"])
    pull = await pulls.issue(customer.admin, customer.project.id, shop.wish())
    gone = await shop.publisher.admin.delete(f"/v1/projects/{shop.publisher.project.id}")
    assert gone.status_code == 204, gone.text
    return Closed(site, shop, customer, held, pull)


@pytest.mark.rule("CA-11")
async def test_a_closed_app_cannot_be_told_from_none(closed: Closed) -> None:
    version, project = closed.shop.version["id"], closed.customer.project.id
    everybody = (
        closed.shop.publisher.admin,
        closed.customer.admin,
        await closed.site.actor("platform_admin"),
    )

    for caller in everybody:
        answers = [
            await caller.get(f"/v1/apps/{closed.app}"),
            await caller.get(f"/v1/apps/{closed.app}/versions"),
            await caller.get(f"/v1/apps/{closed.app}/channels"),
            await caller.get(f"/v1/app-versions/{version}"),
            await caller.post(f"/v1/app-versions/{version}/retire", {"reason": "It is over."}),
            await caller.post(
                f"/v1/apps/{closed.app}/versions",
                {"manifest": catalog.manifest(closed.shop.app["slug"], "2.0.0")},
            ),
            await caller.get(f"/v1/projects/{project}/offers/{closed.app}"),
        ]
        listed = await caller.get("/v1/apps", params={"slug": closed.shop.app["slug"]})

        assert [answer.status_code for answer in answers] == [404] * len(answers)
        assert listed.json()["items"] == []


@pytest.mark.rule("CA-11")
async def test_nobody_is_entitled_to_a_closed_app(closed: Closed) -> None:
    other = await make_tenant(closed.site)
    body = {"app": closed.app, "consent": closed.entitlement["accepted_digest"]}

    answer = await other.admin.post(f"/v1/projects/{other.project.id}/entitlements", body)

    assert answer.status_code == 404, answer.text


@pytest.mark.rule("CA-11")
async def test_who_was_entitled_is_told_that_the_publisher_is_gone(closed: Closed) -> None:
    decision = await closed.explain("instance.deploy")
    pulled = await closed.customer.admin.post(
        f"/v1/projects/{closed.customer.project.id}/pulls", closed.shop.wish()
    )
    fetched = await pulls.fetch(closed.customer.admin, closed.pull)

    refused = [each for each in decision["verdicts"] if each["allowed"] is False]
    assert [each["layer"] for each in refused] == ["catalog"]
    assert refused[0]["sentence"].startswith(f"The publisher of {closed.shop.app['slug']} is gone")
    assert (pulled.status_code, pulled.json()["code"]) == (403, "policy_refused")
    assert (fetched.status_code, fetched.json()["code"]) == (403, "policy_refused")
    assert refused[0]["sentence"] in fetched.json()["detail"]


@pytest.mark.parametrize("operation", ["member.drain", "instance.stop", "instance.decommission"])
async def test_what_a_closed_app_left_can_be_given_back(closed: Closed, operation: str) -> None:
    assert (await closed.explain(operation))["allowed"] is True


async def test_an_entitlement_to_a_closed_app_comes_to_nothing_and_can_be_given_up(
    closed: Closed,
) -> None:
    path = f"/v1/entitlements/{closed.entitlement['id']}"

    read = await closed.customer.admin.get(path)
    given_up = await closed.customer.admin.delete(path)

    assert (read.status_code, read.json()["resolved"]) == (200, None)
    assert given_up.status_code == 204, given_up.text


async def test_a_stranger_is_not_told_that_an_app_was_closed(closed: Closed) -> None:
    other = await make_tenant(closed.site)
    question = {"project": other.project.id, "app": closed.app, "operation": "instance.deploy"}

    answer = await other.admin.post("/v1/policy/explain", question)

    assert "gone" not in answer.text
    assert answer.json()["verdicts"][0]["sentence"].startswith("There is no app")


async def test_the_slug_of_a_closed_app_stays_taken(closed: Closed) -> None:
    other = await make_tenant(closed.site)
    new = catalog.new_app(closed.shop.app["slug"])

    answer = await other.admin.post(f"/v1/projects/{other.project.id}/apps", new)

    assert (answer.status_code, answer.json()["code"]) == (409, "slug_taken")


async def test_the_platform_can_still_revoke_what_a_closed_app_used(closed: Closed) -> None:
    root = await closed.site.actor("platform_admin")
    path = f"/v1/break-glass/artifacts/{closed.shop.artifact['id']}/revoke"

    answer = await root.post(path, {"reason": "It opens a back door."})

    assert answer.status_code == 200, answer.text


async def test_the_second_wall_hides_a_closed_app_from_strangers(closed: Closed) -> None:
    customer = closed.customer
    orgs = frozenset({customer.org.id})

    async with closed.site.platform.database.transaction(
        Scope(customer.admin.id, orgs, orgs)
    ) as db:
        rows = await db.rows("SELECT id FROM apps WHERE id = %s", (closed.app,))
        versions = await db.rows("SELECT id FROM app_versions WHERE app_id = %s", (closed.app,))

    assert (rows, versions) == ([], [])
