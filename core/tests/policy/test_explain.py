"""Why something is allowed or not, through the API and against real rows."""

from typing import Any, get_args

import pytest

from core.tests.callers import Caller
from core.tests.factories import entitlements
from core.tests.factories.tenancy import make_project
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.policy.places import (
    PLATFORM,
    Publisher,
    entitle,
    explain,
    make_publisher,
    refusals,
    written,
)
from core.tests.site import Site, fresh
from moorage_core.kit.ids import AppId
from moorage_core.policy.models import LayerName

LAYERS = list(get_args(LayerName))


@pytest.fixture
async def publisher(site: Site) -> Publisher:
    return await make_publisher(site)


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


@pytest.fixture
async def root(site: Site) -> Caller:
    await site.sql.execute("DELETE FROM overlays WHERE level = 'global'")
    return await site.actor("platform_admin")


@pytest.mark.rule("PO-6")
async def test_what_every_layer_allows_is_allowed_and_every_layer_says_so(
    tenant: Tenant, publisher: Publisher
) -> None:
    version = await publisher.publish("1.0.0")
    await entitle(tenant, publisher)

    decision = await explain(tenant.admin, tenant, publisher.app["id"], region="eu")

    assert decision["allowed"] is True
    assert [verdict["layer"] for verdict in decision["verdicts"]] == LAYERS
    assert decision["version"] == {
        "id": version["id"],
        "number": "1.0.0",
        "manifest_digest": version["manifest_digest"],
    }
    assert decision["held_back"] is None


async def test_a_project_without_an_entitlement_is_told_who_gives_one(
    tenant: Tenant, publisher: Publisher
) -> None:
    await publisher.publish("1.0.0")

    decision = await explain(tenant.admin, tenant, publisher.app["id"], version="1.0.0")

    assert refusals(decision) == [("entitlement", "app")]
    verdict = decision["verdicts"][1]
    assert verdict["sentence"].startswith(f"Project {tenant.project.slug} has no entitlement")
    assert f"on org {tenant.org.slug}" in verdict["who_can_change"]


async def test_each_layer_refuses_in_its_own_name(
    tenant: Tenant, publisher: Publisher, root: Caller
) -> None:
    await publisher.publish("1.0.0")
    held = await entitle(tenant, publisher)
    layers = {
        "global": (root, PLATFORM),
        "tenant": (root, f"/v1/platform/orgs/{tenant.org.id}/overlay"),
        "org": (tenant.admin, f"/v1/orgs/{tenant.org.id}/overlay"),
        "project": (tenant.admin, f"/v1/projects/{tenant.project.id}/overlay"),
        "entitlement_overlay": (tenant.admin, f"/v1/entitlements/{held['id']}/overlay"),
    }

    for name, (caller, path) in layers.items():
        await written(caller, path, {"regions": {"deny": ["eu"]}})
        decision = await explain(tenant.admin, tenant, publisher.app["id"], region="eu")
        await written(caller, path, {})

        assert refusals(decision) == [(name, "regions")]
    assert (await explain(tenant.admin, tenant, publisher.app["id"], region="eu"))["allowed"]


async def test_an_unsigned_artifact_and_a_revoked_one_are_not_trusted(
    tenant: Tenant, publisher: Publisher
) -> None:
    await publisher.publish("1.0.0", signed=False)
    signed = await publisher.publish("1.1.0")
    await entitle(tenant, publisher)
    app = publisher.app["id"]
    unsigned = await explain(tenant.admin, tenant, app, version="1.0.0")
    before = await explain(tenant.admin, tenant, app)

    path = f"/v1/artifacts/{signed['artifact']}/revoke"
    await publisher.tenant.admin.post(path, {"reason": "It was built from a bad tree."})
    after = await explain(tenant.admin, tenant, app)

    assert refusals(unsigned) == [("trust", "artifact")]
    assert before["allowed"] is True
    assert refusals(after) == [("trust", "artifact")]
    assert "revoked" in after["verdicts"][4]["sentence"]


async def test_the_newest_allowed_version_is_used_and_the_one_held_back_is_named(
    tenant: Tenant, publisher: Publisher
) -> None:
    for number in ("1.0.0", "1.1.0", "2.0.0"):
        await publisher.publish(number)
    await entitle(tenant, publisher)
    limit = {"versions": {publisher.app["slug"]: "^1"}}
    await written(tenant.admin, f"/v1/projects/{tenant.project.id}/overlay", limit)

    decision = await explain(tenant.admin, tenant, publisher.app["id"])

    assert (decision["allowed"], decision["version"]["number"]) == (True, "1.1.0")
    assert (decision["held_back"]["number"], decision["held_back"]["layer"]) == ("2.0.0", "project")


async def test_an_explanation_costs_the_same_however_many_versions_there_are(
    site: Site, tenant: Tenant, publisher: Publisher
) -> None:
    app, database = publisher.app["id"], site.platform.database
    await publisher.publish("1.0.0")
    await entitle(tenant, publisher)
    await explain(tenant.admin, tenant, app)
    costs: list[int] = []

    for numbers in ([], ["1.1.0", "1.2.0", "1.3.0"]):
        for number in numbers:
            await publisher.publish(number, signed=False)
        before = database.statements
        decision = await explain(tenant.admin, tenant, app)
        costs.append(database.statements - before)

    assert decision["version"]["number"] == "1.0.0"
    assert decision["held_back"]["layer"] == "trust"
    assert costs[0] == costs[1]


async def test_a_very_old_version_is_found_by_its_name(
    site: Site, tenant: Tenant, publisher: Publisher
) -> None:
    first = await publisher.publish("1.0.0")
    await entitle(tenant, publisher)
    await site.rows(
        """
        INSERT INTO app_versions SELECT (jsonb_populate_record(v, jsonb_build_object(
            'id', 'ver_7' || lpad(n::text, 25, '0'), 'number', '2.' || n || '.0'))).*
        FROM app_versions v, generate_series(1, 510) n WHERE v.id = %s
        """,
        first["id"],
    )

    for name in ("1.0.0", first["id"]):
        decision = await explain(tenant.admin, tenant, publisher.app["id"], version=name)

        assert decision["allowed"] is True
        assert decision["version"]["id"] == first["id"]


async def test_a_channel_of_the_entitlement_decides_the_version(
    tenant: Tenant, publisher: Publisher
) -> None:
    first = await publisher.publish("1.0.0")
    await publisher.publish("1.1.0")
    await publisher.promote(first, "prod")
    await entitle(tenant, publisher, channel="prod")
    app = publisher.app["id"]

    decision = await explain(tenant.admin, tenant, app)
    newer = await explain(tenant.admin, tenant, app, version="1.1.0")
    wrong = await explain(tenant.admin, tenant, app, version="1.1.0", channel="prod")

    assert decision["version"]["number"] == "1.0.0"
    assert refusals(newer) == [("entitlement", "channels")]
    assert ("catalog", "channels") in refusals(wrong)


async def test_a_version_that_asks_for_more_waits_for_consent(
    tenant: Tenant, publisher: Publisher
) -> None:
    await publisher.publish("1.0.0")
    await entitle(tenant, publisher)
    keys = entitlements.permissions(publisher.app["slug"], read="viewer")
    await publisher.publish("1.1.0", more=keys)
    app = publisher.app["id"]

    named = await explain(tenant.admin, tenant, app, version="1.1.0")
    decision = await explain(tenant.admin, tenant, app)

    assert refusals(named) == [("consent", "declaration")]
    assert decision["version"]["number"] == "1.0.0"
    assert decision["held_back"]["layer"] == "consent"


@pytest.mark.rule("PO-5")
async def test_draining_is_allowed_whatever_stands_against_it(
    tenant: Tenant, publisher: Publisher
) -> None:
    await publisher.publish("1.0.0", signed=False)
    path = f"/v1/orgs/{tenant.org.id}/overlay"
    await written(tenant.admin, path, {"operations": {"allow": []}, "quotas": {"members": 0}})
    apps = [publisher.app["id"], AppId.new()]

    decisions = [
        await explain(tenant.admin, tenant, app, operation=kind)
        for app in apps
        for kind in ("member.drain", "instance.decommission")
    ]

    assert all(decision["allowed"] for decision in decisions)
    assert all("gives something back" in v["sentence"] for d in decisions for v in d["verdicts"])


@pytest.mark.parametrize("visibility", ["project", "org"])
@pytest.mark.rule("PO-8")
async def test_an_app_that_cannot_be_seen_reads_like_one_that_is_not_there(
    site: Site, tenant: Tenant, visibility: str
) -> None:
    publisher = await make_publisher(site, visibility=visibility)
    await publisher.publish("1.0.0")
    real, none = publisher.app["id"], AppId.new()
    questions: list[dict[str, Any]] = [{}, {"version": "1.0.0"}, {"operation": "member.drain"}]

    for question in questions:
        body = {"project": tenant.project.id, "operation": "artifact.pull", **question}
        answers = [
            (await tenant.admin.post("/v1/policy/explain", {**body, "app": app})).text.replace(
                app, "<app>"
            )
            for app in (real, none)
        ]

        assert answers[0] == answers[1]
        assert publisher.app["slug"] not in answers[0]


async def test_a_project_that_is_not_ones_own_is_not_there(
    site: Site, tenant: Tenant, publisher: Publisher
) -> None:
    beta = await make_project(site.sql, tenant.org, f"beta-{fresh()}")
    neighbour = await site.actor("project_admin", project=beta)
    body = {"app": publisher.app["id"], "operation": "instance.deploy"}

    answers = [
        await who.post("/v1/policy/explain", {**body, "project": tenant.project.id})
        for who in (neighbour, publisher.tenant.admin)
    ]

    assert [answer.status_code for answer in answers] == [404, 404]


async def test_what_a_caller_sees_elsewhere_is_not_offered_to_a_project(
    site: Site, tenant: Tenant
) -> None:
    """Somebody of two orgs sees the app in one of them, and asks about the other."""
    publisher = await make_publisher(site, visibility="org")
    await publisher.publish("1.0.0")
    path = f"/v1/orgs/{publisher.tenant.org.id}/memberships"
    assert tenant.admin.person is not None
    body = {"email": tenant.admin.person.email, "role": "viewer"}
    await publisher.tenant.admin.post(path, body)

    decision = await explain(tenant.admin, tenant, publisher.app["id"], version="1.0.0")

    assert ("catalog", "app") in refusals(decision)
    assert decision["allowed"] is False


async def test_a_viewer_may_ask_and_somebody_without_the_key_may_not(
    site: Site, tenant: Tenant, publisher: Publisher
) -> None:
    viewer = await site.actor("viewer", project=tenant.project)
    nobody = await site.actor()
    body = {
        "project": tenant.project.id,
        "app": publisher.app["id"],
        "operation": "instance.deploy",
    }

    assert (await viewer.post("/v1/policy/explain", body)).status_code == 200
    assert (await nobody.post("/v1/policy/explain", body)).status_code == 404
