"""Layers through the API: who writes which, what they leave, and what is not stored."""

import asyncio
import itertools
from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories import catalog
from core.tests.factories.tenancy import make_project
from core.tests.factories.tenants import Bearer, Tenant, make_tenant
from core.tests.policy.places import PLATFORM, put, written
from core.tests.site import Site, fresh


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await (await make_tenant(site)).fill("org", "project", "entitlement")


@pytest.fixture
async def root(site: Site) -> Caller:
    """A platform admin. The platform's layer says nothing yet."""
    await site.sql.execute("DELETE FROM overlays WHERE level = 'global'")
    return await site.actor("platform_admin")


def paths(tenant: Tenant) -> dict[str, str]:
    """The tenant's layers, from the top down."""
    return {
        "org": f"/v1/orgs/{tenant.org.id}/overlay",
        "project": f"/v1/projects/{tenant.project.id}/overlay",
        "entitlement": f"/v1/entitlements/{tenant.ids['entitlement']}/overlay",
    }


def said(read: Any) -> dict[str, Any]:
    """A document without what it does not limit."""
    return {name: value for name, value in read["document"].items() if value is not None}


@pytest.mark.parametrize("level", ["org", "project", "entitlement"])
async def test_a_layer_that_was_never_written_limits_nothing(tenant: Tenant, level: str) -> None:
    answer = await tenant.admin.get(paths(tenant)[level])

    assert answer.headers["etag"] == '"0"'
    assert (answer.json()["level"], answer.json()["version"]) == (level, 0)
    assert said(answer.json()) == {}


@pytest.mark.parametrize("level", ["org", "project", "entitlement"])
async def test_a_layer_is_kept_as_it_was_understood(tenant: Tenant, level: str) -> None:
    held = await tenant.admin.get(f"/v1/entitlements/{tenant.ids['entitlement']}")
    slug = held.json()["app_slug"]
    document = {
        "regions": {"allow": ["eu", "us", "eu"], "deny": []},
        "versions": {slug: ">= 1.2,  <2"},
        "quotas": {"gpus": 8.0, "members": None},
        "skus": {"allow": None, "deny": []},
    }

    answer = await written(tenant.admin, paths(tenant)[level], document)
    read = await tenant.admin.get(paths(tenant)[level])

    assert (answer["version"], answer["notes"]) == (1, [])
    assert said(answer) == said(read.json())
    assert said(read.json())["regions"] == {"allow": ["eu", "us"], "deny": []}
    assert said(read.json())["versions"] == {slug: ">=1.2 <2"}
    assert said(read.json())["quotas"]["gpus"] == 8
    assert "skus" not in said(read.json())


async def test_what_is_written_is_audited_and_published(site: Site, tenant: Tenant) -> None:
    layer = await written(
        tenant.admin, paths(tenant)["entitlement"], {"regions": {"deny": ["mars"]}}
    )

    entries = await site.rows(
        "SELECT action, org_id, project_id, details->>'level' FROM audit_entries WHERE target = %s",
        layer["id"],
    )
    events = await site.rows(
        "SELECT type, subject_version, data->'document' FROM events WHERE subject = %s", layer["id"]
    )
    place = (tenant.org.id, tenant.project.id)
    assert entries == [("policy.overlay.update", *place, "entitlement")]
    document = {"regions": {"allow": None, "deny": ["mars"]}}
    assert events == [("policy.overlay.written", 1, document)]


@pytest.mark.parametrize(
    ("document", "names"),
    [
        ({"budget": {"eur": 5}}, ["budget"]),
        ({"quotas": {"licences": 1}}, ["quotas.licences"]),
        ({"versions": {"Echo!": "^1"}}, ["versions.Echo!"]),
        ({"x" * 500: 1}, ["x" * 60]),
        ({"region": {"allow": []}, "quotas": {"gpu": 1}}, ["region", "quotas.gpu"]),
    ],
)
@pytest.mark.rule("PO-7")
async def test_a_limit_that_nothing_enforces_is_not_stored(
    tenant: Tenant, document: Any, names: list[str]
) -> None:
    path = paths(tenant)["org"]

    answer = await put(tenant.admin, path, document)

    assert (answer.status_code, answer.json()["code"]) == (422, "dimension_not_enforced")
    assert [f["location"] for f in answer.json()["errors"]] == [
        f"body.document.{name}" for name in names
    ]
    assert "quotas.concurrent_operations" in answer.json()["detail"]
    assert (await tenant.admin.get(path)).json()["version"] == 0


@pytest.mark.parametrize(
    "document",
    [
        {"operations": {"deny": ["member.drain"]}},
        {"operations": {"allow": ["instance.dance"]}},
        {"channels": {"allow": ["nightly"]}},
        {"regions": {"permit": ["eu"]}},
        {"regions": {"allow": ["e u"]}},
        {"regions": {"deny": ["EU"]}},
        {"skus": {"allow": ["Large"]}},
        {"skus": {"allow": ["small/large"]}},
        {"artifact_sources": {"allow": ["Store"]}},
        {"artifact_sources": {"allow": ["acme/own/more"]}},
        {"channels": {"deny": ["Dev"]}},
        {"regions": {"allow": [f"r{n}" for n in range(201)]}},
        {"quotas": {"gpus": -1}},
        {"quotas": {"gpus": 1.5}},
        {"quotas": {"gpus": "many"}},
        ["regions"],
    ],
)
async def test_a_document_of_another_form_is_refused(tenant: Tenant, document: Any) -> None:
    answer = await put(tenant.admin, paths(tenant)["org"], document)

    assert (answer.status_code, answer.json()["code"]) == (422, "malformed")


@pytest.mark.rule("PO-5")
async def test_a_kind_that_gives_something_back_cannot_be_denied(tenant: Tenant) -> None:
    document = {"operations": {"deny": ["artifact.pull", "member.drain"]}}

    answer = await put(tenant.admin, paths(tenant)["org"], document)

    assert (answer.status_code, answer.json()["code"]) == (422, "malformed")
    (fault,) = answer.json()["errors"]
    assert fault["location"] == "body.document.operations.deny.1"
    assert fault["message"] == "member.drain gives something back: no layer can refuse it"


@pytest.mark.rule("PO-7")
async def test_the_layer_of_an_entitlement_limits_no_other_app(tenant: Tenant) -> None:
    at = paths(tenant)["entitlement"]
    held = (await tenant.admin.get(f"/v1/entitlements/{tenant.ids['entitlement']}")).json()

    other = await put(tenant.admin, at, {"versions": {"some-other": "^1"}})
    own = await put(tenant.admin, at, {"versions": {held["app_slug"]: ">=0"}})

    assert (other.status_code, other.json()["code"]) == (422, "dimension_not_enforced")
    assert [f["location"] for f in other.json()["errors"]] == ["body.document.versions.some-other"]
    assert f"for {held['app_slug']} alone" in other.json()["detail"]
    assert own.status_code == 200


@pytest.mark.parametrize("level", ["org", "project"])
@pytest.mark.rule("PO-7")
async def test_what_names_nothing_today_is_stored_and_told(tenant: Tenant, level: str) -> None:
    held = (await tenant.admin.get(f"/v1/entitlements/{tenant.ids['entitlement']}")).json()
    document = {
        "versions": {"not-there": "^1", held["app_slug"]: ">=0"},
        "artifact_sources": {"allow": ["store", "nowhere"], "deny": ["acme/none"]},
    }

    answer = await written(tenant.admin, paths(tenant)[level], document)

    assert answer["notes"] == [
        "No app that is offered here is called not-there today.",
        "No source of artifacts is called acme/none today.",
        "No source of artifacts is called nowhere today.",
    ]
    assert set(said(answer)["versions"]) == {"not-there", held["app_slug"]}


async def test_an_app_that_another_tenant_keeps_to_itself_names_nothing(
    site: Site, tenant: Tenant
) -> None:
    other = await make_tenant(site)
    body = catalog.new_app(visibility="org")
    app = await catalog.made(other.admin, f"/v1/projects/{other.project.id}/apps", body)

    answer = await written(tenant.admin, paths(tenant)["org"], {"versions": {app["slug"]: "^1"}})

    assert answer["notes"] == [f"No app that is offered here is called {app['slug']} today."]


async def test_the_platforms_layer_is_told_nothing_of_tenants_sources(root: Caller) -> None:
    document = {"artifact_sources": {"deny": ["acme/none", f"shared-{fresh()}"]}}

    answer = (await put(root, PLATFORM, document, dry_run="true")).json()

    assert len(answer["notes"]) == 1, "whether a tenant has a source is the tenant's"
    assert "shared-" in answer["notes"][0]


async def test_a_constraint_that_is_none_is_refused(tenant: Tenant) -> None:
    answer = await put(tenant.admin, paths(tenant)["org"], {"versions": {"echo": "latest"}})

    assert (answer.status_code, answer.json()["code"]) == (422, "constraint_invalid")
    assert answer.json()["errors"][0]["location"] == "body.document.versions.echo"


@pytest.mark.rule("PO-4")
async def test_a_layer_that_widens_is_refused_and_names_the_layer(
    site: Site, tenant: Tenant, root: Caller
) -> None:
    at = paths(tenant)
    await written(root, PLATFORM, {"regions": {"deny": ["mars"]}})
    await written(tenant.admin, at["org"], {"quotas": {"gpus": 8}, "skus": {"allow": ["small"]}})

    denied = await put(tenant.admin, at["project"], {"regions": {"allow": ["mars"]}})
    unlisted = await put(tenant.admin, at["entitlement"], {"skus": {"allow": ["large"]}})
    more = await put(tenant.admin, at["project"], {"quotas": {"gpus": 9}})

    answers = [denied, unlisted, more]
    assert [answer.json()["code"] for answer in answers] == ["overlay_widens"] * 3
    assert "The platform's layer does not allow mars" in denied.json()["detail"]
    assert f"Org {tenant.org.slug}'s layer does not allow large" in unlisted.json()["detail"]
    assert f"Org {tenant.org.slug}'s layer allows 8 GPUs" in more.json()["detail"]
    await written(root, PLATFORM, {})


@pytest.mark.rule("PO-3")
async def test_the_order_of_writing_does_not_matter(site: Site, root: Caller) -> None:
    documents = {
        "platform": {"regions": {"deny": ["mars"]}, "quotas": {"gpus": 64}},
        "org": {"regions": {"allow": ["eu", "us"]}, "versions": {"echo": "^1"}},
        "project": {"regions": {"allow": ["eu"]}, "quotas": {"gpus": 8}},
    }
    found: list[Any] = []

    for order in itertools.permutations(documents):
        tenant = await make_tenant(site)
        await written(root, PLATFORM, {})
        at = {
            "platform": (root, PLATFORM),
            "org": (tenant.admin, f"/v1/orgs/{tenant.org.id}/overlay"),
            "project": (tenant.admin, f"/v1/projects/{tenant.project.id}/overlay"),
        }
        for level in order:
            await written(*at[level], documents[level])
        answer = await tenant.admin.get(f"/v1/projects/{tenant.project.id}/policy")
        found.append({k: v for k, v in answer.json().items() if k not in ("project_id", "layers")})

    assert all(each == found[0] for each in found)
    assert found[0]["regions"] == {
        "allow": ["eu"],
        "allowed_by": ["org", "project"],
        "deny": [{"value": "mars", "layer": "global"}],
    }
    assert found[0]["quotas"] == {"gpus": {"limit": 8, "layer": "project"}}
    assert found[0]["versions"] == {"echo": [{"constraint": "^1", "layer": "org"}]}
    assert found[0]["skus"] is None
    await written(root, PLATFORM, {})


async def test_a_layer_is_written_by_those_above_it_alone(
    site: Site, tenant: Tenant, root: Caller
) -> None:
    admin = await site.actor("project_admin", project=tenant.project)

    answers = [await put(admin, path, {}) for path in paths(tenant).values()]
    above = await put(tenant.admin, PLATFORM, {})

    assert [answer.status_code for answer in answers] == [403] * 3
    assert all("policy.overlay.update" in answer.json()["detail"] for answer in answers)
    assert above.status_code == 403
    assert "policy.global.update" in above.json()["detail"]


async def test_a_tenant_admin_of_the_platforms_own_org_does_not_write_the_platforms_layer(
    site: Site, root: Caller
) -> None:
    admin = await site.actor("tenant_admin")

    answer = await put(admin, PLATFORM, {"regions": {"deny": ["eu"]}})

    assert answer.status_code == 403


async def test_layers_above_are_readable_from_below_and_those_beside_are_not(
    site: Site, tenant: Tenant
) -> None:
    beta = await make_project(site.sql, tenant.org, f"beta-{fresh()}")
    neighbour = await site.actor("viewer", project=beta)
    at = paths(tenant)

    answers = {level: await neighbour.get(path) for level, path in at.items()}
    whole = await neighbour.get(f"/v1/projects/{tenant.project.id}/policy")

    assert (await neighbour.get(PLATFORM)).status_code == 200
    assert answers["org"].status_code == 200
    assert answers["project"].status_code == 404
    assert answers["entitlement"].status_code == 404
    assert whole.status_code == 404


async def test_a_token_that_is_narrowed_to_a_project_writes_its_layers(tenant: Tenant) -> None:
    body = {"name": "narrow", "expires_in": 3600, "project": tenant.project.id}
    issued = await catalog.made(tenant.admin, "/v1/access-tokens", body)
    narrow = Bearer(tenant.site.client, issued["token"])
    at = paths(tenant)

    for level in ("project", "entitlement"):
        assert (await put(narrow, at[level], {"quotas": {"gpus": 1}})).status_code == 200
    assert (await put(narrow, at["org"], {})).status_code == 403


async def test_of_two_who_write_a_layer_for_the_first_time_one_is_told(tenant: Tenant) -> None:
    path = paths(tenant)["project"]
    await written(tenant.admin, path, {"quotas": {"gpus": 1}})

    answer = await tenant.admin.put(path, {"document": {}}, headers={"if-match": '"0"'})

    assert (answer.status_code, answer.json()["code"]) == (412, "stale")
    assert f"The overlay of {tenant.project.id} is at version 1," in answer.json()["detail"]


async def test_of_two_who_write_a_layer_first_at_the_same_time_one_wins(tenant: Tenant) -> None:
    path, tag = paths(tenant)["project"], {"if-match": '"0"'}
    bodies = [{"document": {"quotas": {"gpus": n}}} for n in (1, 2)]

    answers = await asyncio.gather(*(tenant.admin.put(path, b, headers=tag) for b in bodies))

    assert sorted(answer.status_code for answer in answers) == [200, 412]


async def test_a_layer_can_be_emptied(tenant: Tenant) -> None:
    path = paths(tenant)["project"]
    await written(tenant.admin, path, {"quotas": {"gpus": 1}})

    answer = await written(tenant.admin, path, {})

    assert (answer["version"], said(answer)) == (2, {})
