"""Sources through the API: whose they are, what is shown of them, and what they are not let do."""

import asyncio
from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories.tenancy import make_org, make_project
from core.tests.factories.tenants import Tenant, make_tenant, mint
from core.tests.site import Site, fresh
from moorage_core.kit.db import org_scope
from moorage_core.kit.ids import PLATFORM_ORG, ArtifactId, SourceId
from moorage_core.sources import commands

BASIC = {"username": "ada", "password": "engine-room"}


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


def new_source(**fields: Any) -> dict[str, Any]:
    return {
        "slug": f"s-{fresh()}",
        "name": "Registry",
        "kind": "oci",
        "url": "https://registry.example.org",
    } | fields


async def make_source(caller: Caller, org: str, **fields: Any) -> dict[str, Any]:
    made = await caller.post(f"/v1/orgs/{org}/sources", new_source(**fields))
    assert made.status_code == 201, made.text
    return made.json()


async def make_artifact(site: Site, tenant: Tenant, source: str) -> str:
    id = ArtifactId.new()
    await site.sql.execute(
        """
        INSERT INTO artifacts (id, org_id, project_id, name, kind, digest, size, media_type,
            source_id, location, lifecycle, trust, created_at, updated_at)
        VALUES (%s, %s, %s, 'a', 'oci', 'sha256:' || repeat('a', 64), 1, 'a/b', %s, 'x',
            'published', 'unverified', now(), now())
        """,
        (id, tenant.org.id, tenant.project.id, source),
    )
    return id


async def usable(site: Site, source: str, org: str) -> bool:
    async with site.platform.database.transaction(org_scope(org)) as db:
        return await commands.find_usable(db, source, org=org) is not None


async def secrets_of(site: Site, org: str) -> int:
    [(count,)] = await site.rows("SELECT count(*) FROM secrets WHERE org_id = %s", org)
    return count


async def test_an_orgs_source_is_made_and_read_without_its_credential(
    site: Site, tenant: Tenant
) -> None:
    made = await make_source(
        tenant.admin, tenant.org.id, url="https://Registry.Example.org/", credential=BASIC
    )

    read = await tenant.admin.get(f"/v1/sources/{made['id']}")

    assert read.json() == made
    assert made["url"] == "https://registry.example.org"
    assert made["policy_name"] == f"{tenant.org.slug}/{made['slug']}"
    assert (made["has_credential"], made["shared"], made["enabled"]) == (True, False, True)
    assert "credential" not in made
    assert "engine-room" not in read.text
    assert read.headers["etag"] == '"1"'


async def test_a_source_is_made_with_an_entry_and_an_event(site: Site, tenant: Tenant) -> None:
    made = await make_source(
        tenant.admin, tenant.org.id, url="https://files.example.org/hidden", credential=BASIC
    )

    entries = await site.rows(
        "SELECT org_id, action, details FROM audit_entries WHERE target = %s", made["id"]
    )
    events = await site.rows("SELECT org_id, type, data FROM events WHERE subject = %s", made["id"])

    slug, org = made["slug"], tenant.org.id
    said = {"slug": slug, "kind": "oci", "enabled": True}
    details = said | {"host": "files.example.org", "has_credential": True}
    assert entries == [(org, "catalog.source.create", details)]
    assert events == [(org, "catalog.source.created", said | {"id": made["id"]})]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"url": "http://registry.example.org"}, "source_url_not_allowed"),
        ({"url": "https://ada:engine-room@registry.example.org"}, "source_url_not_allowed"),
        ({"url": "https://registry.example.org/?x=1"}, "source_url_not_allowed"),
        ({"kind": "https", "token_url": "https://a.example/t"}, "source_url_not_allowed"),
        ({"credential": {"username": "ada"}}, "source_credential_not_usable"),
        ({"credential": {"token": "engine room"}}, "source_credential_not_usable"),
        ({"credential": {"username": "a:b", "password": "engine-room"}}, "malformed"),
        ({"credential": {"password": "engine-room", "secret": "engine-room"}}, "malformed"),
        ({"kind": "s3"}, "malformed"),
        ({"slug": "Big"}, "malformed"),
    ],
)
async def test_a_source_that_cannot_be_is_refused_without_repeating_a_secret(
    tenant: Tenant, fields: dict[str, Any], code: str
) -> None:
    answer = await tenant.admin.post(f"/v1/orgs/{tenant.org.id}/sources", new_source(**fields))

    assert (answer.status_code, answer.json()["code"]) == (422, code), answer.text
    assert "engine" not in answer.text


async def test_a_slug_is_an_orgs_own(site: Site, tenant: Tenant) -> None:
    rival = await make_tenant(site)
    made = await make_source(tenant.admin, tenant.org.id)

    same = await tenant.admin.post(
        f"/v1/orgs/{tenant.org.id}/sources", new_source(slug=made["slug"])
    )
    other = await make_source(rival.admin, rival.org.id, slug=made["slug"])

    assert (same.status_code, same.json()["code"]) == (409, "slug_taken")
    assert other["policy_name"] != made["policy_name"]


async def test_a_source_of_the_platforms_org_is_everybodys_to_use(
    site: Site, root: Caller, tenant: Tenant
) -> None:
    shared = await make_source(root, PLATFORM_ORG)
    robot = await mint(tenant)

    for caller in (tenant.admin, robot, root):
        read = await caller.get(f"/v1/sources/{shared['id']}")
        listed = await caller.get("/v1/sources", params={"limit": 200})

        assert read.json()["shared"] is True
        assert shared["id"] in [item["id"] for item in listed.json()["items"]]
    assert shared["policy_name"] == shared["slug"]
    assert await usable(site, shared["id"], tenant.org.id)


async def test_a_shared_source_is_changed_by_the_platforms_operators_alone(
    root: Caller, tenant: Tenant
) -> None:
    shared = await make_source(root, PLATFORM_ORG)
    path = f"/v1/sources/{shared['id']}"

    changed = await tenant.admin.patch(path, {"enabled": False}, version=1)
    removed = await tenant.admin.delete(path)
    added = await tenant.admin.post(f"/v1/orgs/{PLATFORM_ORG}/sources", new_source())

    assert (changed.status_code, removed.status_code, added.status_code) == (403, 403, 404)
    assert "catalog.source.update" in changed.json()["detail"]
    assert (await root.patch(path, {"enabled": False}, version=1)).status_code == 200


async def test_a_list_has_an_orgs_own_and_the_shared_ones(
    site: Site, root: Caller, tenant: Tenant
) -> None:
    rival = await make_tenant(site)
    shared = await make_source(root, PLATFORM_ORG)
    own = await make_source(tenant.admin, tenant.org.id)
    foreign = await make_source(rival.admin, rival.org.id)

    listed = await tenant.admin.get("/v1/sources", params={"org": tenant.org.id, "limit": 200})
    refused = await tenant.admin.get("/v1/sources", params={"org": rival.org.id})

    ids = {item["id"] for item in listed.json()["items"]}
    assert {shared["id"], own["id"]} <= ids
    assert foreign["id"] not in ids
    assert refused.status_code == 404


async def test_projects_of_the_org_read_its_sources_and_do_not_change_them(
    site: Site, tenant: Tenant
) -> None:
    own = await make_source(tenant.admin, tenant.org.id)
    beta = await make_project(site.sql, tenant.org, "beta")
    path = f"/v1/sources/{own['id']}"

    for caller in (await site.actor("project_admin", project=beta), await mint(tenant)):
        read = await caller.get(path)
        changed = await caller.patch(path, {"name": "Mine"}, version=1)

        assert read.status_code == 200
        assert changed.status_code == 403
        assert "catalog.source.update" in changed.json()["detail"]


async def test_a_token_for_one_project_does_not_change_the_orgs_sources(
    tenant: Tenant, site: Site
) -> None:
    own = await make_source(tenant.admin, tenant.org.id)
    body = {"name": "narrow", "expires_in": 3600, "project": tenant.project.id}
    token = (await tenant.admin.post("/v1/access-tokens", body)).json()["token"]

    answer = await site.client.patch(
        f"/v1/sources/{own['id']}",
        json={"enabled": False},
        headers={
            "authorization": f"Bearer {token}",
            "if-match": '"1"',
            "idempotency-key": fresh(),
        },
    )

    assert answer.status_code == 403, answer.text


async def test_a_source_is_renamed_disabled_and_enabled(site: Site, tenant: Tenant) -> None:
    own = await make_source(tenant.admin, tenant.org.id, credential=BASIC)
    path = f"/v1/sources/{own['id']}"

    off = await tenant.admin.patch(path, {"name": "Old one", "enabled": False}, version=1)
    unusable = await usable(site, own["id"], tenant.org.id)
    on = await tenant.admin.patch(path, {"enabled": True}, version=2)

    assert (off.json()["name"], off.json()["has_credential"]) == ("Old one", True)
    assert unusable is False
    assert on.json()["version"] == 3
    assert await usable(site, own["id"], tenant.org.id)


async def test_a_credential_is_replaced_and_cleared_and_leaves_nothing_behind(
    site: Site, tenant: Tenant
) -> None:
    own = await make_source(tenant.admin, tenant.org.id, credential=BASIC)
    path = f"/v1/sources/{own['id']}"

    replaced = await tenant.admin.patch(path, {"credential": {"token": "t0ken"}}, version=1)
    kept = await secrets_of(site, tenant.org.id)
    cleared = await tenant.admin.patch(path, {"clear": ["credential"]}, version=2)

    assert replaced.json()["has_credential"] is True
    assert kept == 1
    assert cleared.json()["has_credential"] is False
    assert await secrets_of(site, tenant.org.id) == 0


async def test_a_source_that_moves_needs_its_credential_again(tenant: Tenant) -> None:
    own = await make_source(tenant.admin, tenant.org.id, credential=BASIC)
    path, there = f"/v1/sources/{own['id']}", "https://elsewhere.example"

    moved = await tenant.admin.patch(path, {"url": there}, version=1)
    tokens = await tenant.admin.patch(path, {"token_url": f"{there}/token"}, version=1)
    again = await tenant.admin.patch(path, {"url": there, "credential": BASIC}, version=1)

    for refused in (moved, tokens):
        assert (refused.status_code, refused.json()["code"]) == (409, "source_credential_needed")
    assert (again.status_code, again.json()["url"]) == (200, there)


async def test_a_token_service_is_named_and_forgotten(tenant: Tenant) -> None:
    own = await make_source(tenant.admin, tenant.org.id, token_url="https://a.example/token/")
    path = f"/v1/sources/{own['id']}"

    other = await tenant.admin.patch(path, {"name": "Other"}, version=1)
    none = await tenant.admin.patch(path, {"clear": ["token_url"]}, version=2)

    assert other.json()["token_url"] == "https://a.example/token"
    assert none.json()["token_url"] is None


async def test_a_source_is_removed_with_its_credential(site: Site, tenant: Tenant) -> None:
    own = await make_source(tenant.admin, tenant.org.id, credential=BASIC)
    path = f"/v1/sources/{own['id']}"

    gone = await tenant.admin.delete(path)

    assert gone.status_code == 204
    assert (await tenant.admin.get(path)).status_code == 404
    assert await secrets_of(site, tenant.org.id) == 0
    assert not await usable(site, own["id"], tenant.org.id)
    again = await make_source(tenant.admin, tenant.org.id, slug=own["slug"])
    assert again["id"] != own["id"]


@pytest.mark.parametrize("shared", [True, False])
async def test_a_source_that_artifacts_name_stays_and_says_how_many(
    site: Site, root: Caller, tenant: Tenant, shared: bool
) -> None:
    owner, org = (root, PLATFORM_ORG) if shared else (tenant.admin, tenant.org.id)
    source = await make_source(owner, org)
    await make_artifact(site, tenant, source["id"])

    answer = await owner.delete(f"/v1/sources/{source['id']}")

    assert (answer.status_code, answer.json()["code"]) == (409, "source_in_use")
    assert "1 artifact comes" in answer.json()["detail"]


async def test_a_source_is_not_removed_while_an_artifact_is_being_registered(
    site: Site, tenant: Tenant
) -> None:
    source = await make_source(tenant.admin, tenant.org.id)
    async with site.sql.transaction():
        await make_artifact(site, tenant, source["id"])
        waiting = asyncio.create_task(tenant.admin.delete(f"/v1/sources/{source['id']}"))
        await _until_somebody_waits(site)

    assert (await waiting).json()["code"] == "source_in_use"


async def test_a_source_that_is_gone_takes_no_artifact(site: Site, tenant: Tenant) -> None:
    source = await make_source(tenant.admin, tenant.org.id)
    await tenant.admin.delete(f"/v1/sources/{source['id']}")

    with pytest.raises(Exception, match="the source is gone"):
        await make_artifact(site, tenant, source["id"])


async def _until_somebody_waits(site: Site) -> None:
    """Until a statement waits for a row of this test's transaction."""
    query = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    while (await site.rows(query))[0][0] == 0:
        await asyncio.sleep(0.01)


async def test_a_foreign_source_is_of_no_use(site: Site, tenant: Tenant) -> None:
    rival = await make_tenant(site)
    source = await make_source(tenant.admin, tenant.org.id)

    assert await usable(site, source["id"], tenant.org.id)
    assert not await usable(site, source["id"], rival.org.id)
    assert not await usable(site, SourceId.new(), tenant.org.id)


async def test_no_shared_source_is_called_like_the_platforms_own_store(
    root: Caller, tenant: Tenant
) -> None:
    refused = await root.post(f"/v1/orgs/{PLATFORM_ORG}/sources", new_source(slug="store"))
    tenants = await make_source(tenant.admin, tenant.org.id, slug="store")

    assert (refused.status_code, refused.json()["code"]) == (422, "slug_reserved")
    assert tenants["policy_name"] == f"{tenant.org.slug}/store"


async def test_what_policy_called_a_source_never_names_another_orgs(
    site: Site, root: Caller, tenant: Tenant
) -> None:
    source = await make_source(tenant.admin, tenant.org.id, slug="internal")
    await tenant.admin.delete(f"/v1/projects/{tenant.project.id}")
    assert (await root.delete(f"/v1/orgs/{tenant.org.id}")).status_code == 204
    successor = await make_org(site.sql, tenant.org.slug)
    heir = await site.actor("tenant_admin", org=successor)

    refused = await heir.post(f"/v1/orgs/{successor.id}/sources", new_source(slug="internal"))
    other = await make_source(heir, successor.id, slug="another")

    assert (refused.status_code, refused.json()["code"]) == (409, "slug_taken")
    assert source["policy_name"] in refused.json()["detail"]
    assert other["policy_name"] == f"{tenant.org.slug}/another"


async def test_an_org_may_take_the_name_of_a_source_that_it_removed(tenant: Tenant) -> None:
    source = await make_source(tenant.admin, tenant.org.id, slug="again")
    assert (await tenant.admin.delete(f"/v1/sources/{source['id']}")).status_code == 204

    again = await make_source(tenant.admin, tenant.org.id, slug="again")

    assert again["policy_name"] == source["policy_name"]
