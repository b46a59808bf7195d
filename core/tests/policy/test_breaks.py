"""What a change of a layer takes away: said with the change, or before it by a dry run."""

from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.policy.places import (
    PLATFORM,
    Publisher,
    entitle,
    make_publisher,
    put,
    written,
)
from core.tests.site import Site, fresh


@pytest.fixture
async def publisher(site: Site) -> Publisher:
    made = await make_publisher(site)
    for number in ("1.0.0", "1.1.0", "2.0.0"):
        version = await made.publish(number)
    await made.promote(version, "prod")
    return made


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


@pytest.fixture
async def root(site: Site) -> Caller:
    await site.sql.execute("DELETE FROM overlays WHERE level = 'global'")
    return await site.actor("platform_admin")


def org(tenant: Tenant) -> str:
    return f"/v1/orgs/{tenant.org.id}/overlay"


def project(tenant: Tenant) -> str:
    return f"/v1/projects/{tenant.project.id}/overlay"


def shown(answer: dict[str, Any]) -> list[tuple[Any, ...]]:
    fields = ("kind", "app", "version", "instead", "dimension")
    return [tuple(item[field] for field in fields) for item in answer["breaks"]["items"]]


@pytest.mark.rule("PO-9")
async def test_an_entitlement_that_comes_to_another_version_is_named(
    tenant: Tenant, publisher: Publisher
) -> None:
    slug = publisher.app["slug"]
    held = await entitle(tenant, publisher)

    answer = await written(tenant.admin, org(tenant), {"versions": {slug: "^1"}})

    assert shown(answer) == [("entitlement", slug, "2.0.0", "1.1.0", "versions")]
    item = answer["breaks"]["items"][0]
    assert (item["entitlement_id"], item["project_id"]) == (held["id"], tenant.project.id)
    assert "allows versions ^1" in item["sentence"]


@pytest.mark.parametrize(
    ("document", "dimension"),
    [
        ({"channels": {"deny": ["prod"]}}, "channels"),
        ({"artifact_sources": {"allow": ["shared"]}}, "artifact_sources"),
    ],
)
@pytest.mark.parametrize("level", ["org", "project", "entitlement"])
async def test_an_entitlement_that_comes_to_nothing_any_more_is_named(
    tenant: Tenant, publisher: Publisher, level: str, document: Any, dimension: str
) -> None:
    held = await entitle(tenant, publisher, channel="prod")
    paths = {
        "org": org(tenant),
        "project": project(tenant),
        "entitlement": f"/v1/entitlements/{held['id']}/overlay",
    }

    answer = await written(tenant.admin, paths[level], document)
    again = await written(tenant.admin, paths[level], document)

    assert shown(answer) == [("entitlement", publisher.app["slug"], "2.0.0", None, dimension)]
    assert again["breaks"]["count"] == 0, "it was gone before"


@pytest.mark.rule("PO-9")
async def test_a_layer_below_that_names_what_is_gone_is_named(tenant: Tenant) -> None:
    below = {"regions": {"allow": ["eu", "us"]}, "quotas": {"gpus": 8}}
    await written(tenant.admin, project(tenant), below)

    answer = await written(
        tenant.admin, org(tenant), {"regions": {"allow": ["us"]}, "quotas": {"gpus": 4}}
    )

    below = [item for item in answer["breaks"]["items"] if item["kind"] == "overlay"]
    named = [(item["dimension"], item["value"]) for item in below]
    assert named == [("regions", "eu"), ("quotas.gpus", "8")]
    assert {item["project_id"] for item in below} == {tenant.project.id}


async def test_what_is_disabled_or_deleted_cannot_break(
    tenant: Tenant, publisher: Publisher
) -> None:
    held = await entitle(tenant, publisher)
    await written(
        tenant.admin, f"/v1/entitlements/{held['id']}/overlay", {"regions": {"allow": ["eu"]}}
    )
    await tenant.admin.delete(f"/v1/entitlements/{held['id']}")

    answer = await written(
        tenant.admin,
        org(tenant),
        {"versions": {publisher.app["slug"]: "^1"}, "regions": {"allow": []}},
    )

    assert [item["kind"] for item in answer["breaks"]["items"]] == ["layer"]


async def test_what_another_layer_held_back_already_is_not_named(
    tenant: Tenant, publisher: Publisher
) -> None:
    slug = publisher.app["slug"]
    await entitle(tenant, publisher)
    await written(tenant.admin, project(tenant), {"versions": {slug: "~1.0"}})

    answer = await written(tenant.admin, org(tenant), {"versions": {slug: "^1"}})

    assert answer["breaks"]["count"] == 0


@pytest.mark.rule("PO-9")
async def test_a_dry_run_says_the_same_and_changes_nothing(
    site: Site, tenant: Tenant, publisher: Publisher
) -> None:
    await entitle(tenant, publisher)
    document = {"versions": {publisher.app["slug"]: "^1"}}

    tried = await put(tenant.admin, org(tenant), document, dry_run="true")
    after = await tenant.admin.get(org(tenant))
    real = await written(tenant.admin, org(tenant), document)

    assert tried.headers["moorage-dry-run"] == "true"
    assert after.json()["version"] == 0
    assert tried.json()["breaks"] == real["breaks"]
    assert tried.json()["breaks"]["count"] == 1


@pytest.mark.rule("PO-9")
async def test_those_who_run_the_platform_see_how_much_of_which_org_and_not_what(
    site: Site, tenant: Tenant, publisher: Publisher, root: Caller
) -> None:
    held, region = await entitle(tenant, publisher), f"r-{fresh()}"
    await written(tenant.admin, project(tenant), {"regions": {"allow": [region]}})

    answer = await put(
        root,
        PLATFORM,
        {"versions": {publisher.app["slug"]: "^1"}, "regions": {"deny": [region]}},
        dry_run="true",
    )

    breaks = answer.json()["breaks"]
    assert breaks["count"] == 3
    first, *others = breaks["items"]
    assert (first["kind"], first["dimension"], first["value"]) == ("layer", "regions", region)
    assert [(i["org_id"], i["kind"], i["sentence"]) for i in others] == [
        (tenant.org.id, "entitlement", "1 entitlement loses a version."),
        (tenant.org.id, "overlay", "1 layer names too much."),
    ]
    for secret in (held["id"], tenant.project.id, publisher.app["slug"] + '"'):
        assert secret not in str(breaks)


async def test_writing_the_platforms_layer_leaves_its_records_where_they_belong(
    site: Site, tenant: Tenant, publisher: Publisher, root: Caller
) -> None:
    """Looking into every org must not change what the rest of the request may see."""
    await entitle(tenant, publisher)

    answer = await written(root, PLATFORM, {"channels": {"deny": ["dev"]}})

    rows = await site.rows("SELECT org_id FROM audit_entries WHERE target = %s", answer["id"])
    assert [id for (id,) in rows] == ["org_" + "0" * 26]


async def test_only_the_first_are_spelled_out(
    site: Site, tenant: Tenant, publisher: Publisher
) -> None:
    below = {"regions": {"allow": [f"r{n}" for n in range(60)]}}
    await written(tenant.admin, project(tenant), below)

    answer = await written(tenant.admin, org(tenant), {"regions": {"allow": []}})

    assert answer["breaks"]["count"] == 61
    assert len(answer["breaks"]["items"]) == 50


@pytest.mark.rule("PO-9")
async def test_where_there_is_very_much_the_answer_says_that_it_may_not_be_all(
    site: Site, tenant: Tenant, publisher: Publisher
) -> None:
    document = {"versions": {publisher.app["slug"]: "^1"}}
    held = await entitle(tenant, publisher)
    few = (await put(tenant.admin, org(tenant), document, dry_run="true")).json()["breaks"]
    await _copy(site, tenant, held["id"], times=300)

    many = (await put(tenant.admin, org(tenant), document, dry_run="true")).json()["breaks"]

    assert (few["count"], few["complete"]) == (1, True)
    assert (many["count"], many["complete"]) == (200, False)
    assert len({item["entitlement_id"] for item in many["items"]}) == 50


@pytest.mark.parametrize("level", ["platform", "org"])
async def test_a_change_costs_the_same_however_many_apps_it_hits(
    site: Site, tenant: Tenant, publisher: Publisher, root: Caller, level: str
) -> None:
    database = site.platform.database
    caller, path = {"platform": (root, PLATFORM), "org": (tenant.admin, org(tenant))}[level]
    document = {"channels": {"deny": ["prod"]}}
    held = await entitle(tenant, publisher)
    await put(caller, path, document, dry_run="true")
    costs: list[int] = []

    for times in (0, 1000):
        if times:
            await _copy_apps(site, tenant, publisher, held["id"], times=times)
        before = database.statements
        answer = await put(caller, path, document, dry_run="true")
        costs.append(database.statements - before)

    assert costs[0] == costs[1]
    assert answer.json()["breaks"]["count"] >= 200
    assert answer.json()["breaks"]["complete"] is False


async def _copy_apps(
    site: Site, tenant: Tenant, publisher: Publisher, entitlement: str, *, times: int
) -> None:
    """So many further apps with the same version and artifact, the project entitled to each."""
    new = f"'7{tenant.org.id[-19:]}' || lpad(n::text, 6, '0')"
    ours = f"'app_id', 'app_' || {new}"
    slug = "'-' || n"
    of_app = "x.number = '2.0.0' AND x.app_id"
    copies = [
        ("apps", f"'id', 'app_' || {new}, 'slug', x.slug || {slug}", "x.id", publisher.app["id"]),
        ("app_versions", f"'id', 'ver_' || {new}, {ours}", of_app, publisher.app["id"]),
        (
            "entitlements",
            f"'id', 'ent_' || {new}, 'app_slug', x.app_slug || {slug}, {ours}",
            "x.id",
            entitlement,
        ),
    ]
    for table, changes, key, id in copies:
        await site.rows(
            f"""
            INSERT INTO {table} SELECT (jsonb_populate_record(x, jsonb_build_object({changes}))).*
            FROM {table} x, generate_series(1, %s) n WHERE {key} = %s
            """,
            times,
            id,
        )


@pytest.mark.rule("PO-9")
async def test_kinds_and_quotas_that_a_layer_takes_are_named_once(
    tenant: Tenant, publisher: Publisher
) -> None:
    await entitle(tenant, publisher)
    document = {"operations": {"deny": ["artifact.pull"]}, "quotas": {"instances": 0}}

    answer = await written(tenant.admin, org(tenant), document)

    items = answer["breaks"]["items"]
    assert [(i["kind"], i["dimension"], i["value"]) for i in items] == [
        ("layer", "operations", "artifact.pull"),
        ("layer", "quotas.instances", "0"),
    ]
    named = f"Org {tenant.org.slug}'s layer"
    assert items[0]["sentence"] == f"{named} no longer allows artifact.pull among its operations."
    until = "instances from now on; there was no limit."
    assert items[1]["sentence"] == f"{named} allows 0 {until}"


@pytest.mark.rule("PO-9")
async def test_what_was_never_trusted_is_not_lost_and_what_was_used_is(
    site: Site, tenant: Tenant
) -> None:
    publisher = await make_publisher(site)
    await publisher.publish("1.1.0")
    await publisher.publish("2.0.0", signed=False)
    await entitle(tenant, publisher)
    slug = publisher.app["slug"]

    used = await put(tenant.admin, org(tenant), {"versions": {slug: "^2"}}, dry_run="true")
    never = await put(tenant.admin, org(tenant), {"versions": {slug: "^1"}}, dry_run="true")

    assert shown(used.json()) == [("entitlement", slug, "1.1.0", None, "versions")]
    assert never.json()["breaks"] == {"count": 0, "items": [], "complete": True}


async def _copy(site: Site, tenant: Tenant, entitlement: str, *, times: int) -> None:
    """The same entitlement in so many further projects of the org."""
    number = "lpad(n::text, 26, '0')"
    await site.rows(
        f"""
        INSERT INTO projects (id, org_id, slug, name, created_at, updated_at)
        SELECT 'prj_' || {number}, %s, 'p-' || n, 'Copy', now(), now()
        FROM generate_series(1, %s) n
        """,
        tenant.org.id,
        times,
    )
    await site.rows(
        f"""
        INSERT INTO entitlements SELECT (jsonb_populate_record(e, jsonb_build_object(
            'id', 'ent_' || {number}, 'project_id', 'prj_' || {number}))).*
        FROM entitlements e, generate_series(1, %s) n WHERE e.id = %s
        """,
        times,
        entitlement,
    )
