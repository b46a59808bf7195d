"""The platform's word on one org: above the org's own, and the platform's alone to write."""

import psycopg
import pytest
from psycopg.types.json import Jsonb

from core.tests.callers import Caller
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.policy.places import put, written
from core.tests.site import Site
from moorage_core.kit.db import org_scope
from moorage_core.kit.ids import OrgId, OverlayId


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


def ceiling(tenant: Tenant) -> str:
    return f"/v1/platform/orgs/{tenant.org.id}/overlay"


async def allowed(tenant: Tenant, region: str) -> bool:
    question = {"project": tenant.project.id, "operation": "allocate", "region": region}
    answer = await tenant.admin.post("/v1/policy/explain", question)
    assert answer.status_code == 200, answer.text
    return answer.json()["allowed"]


async def test_one_org_is_capped_and_another_is_not(
    site: Site, tenant: Tenant, root: Caller
) -> None:
    other = await make_tenant(site)

    await written(root, ceiling(tenant), {"regions": {"deny": ["eu"]}})

    assert (await allowed(tenant, "eu"), await allowed(other, "eu")) == (False, True)


async def test_the_org_cannot_write_over_it(tenant: Tenant, root: Caller) -> None:
    await written(root, ceiling(tenant), {"quotas": {"gpus": 8}})

    wider = await put(tenant.admin, f"/v1/orgs/{tenant.org.id}/overlay", {"quotas": {"gpus": 9}})
    same = await put(tenant.admin, f"/v1/orgs/{tenant.org.id}/overlay", {"quotas": {"gpus": 8}})

    assert (wider.status_code, wider.json()["code"]) == (422, "overlay_widens")
    assert same.status_code == 200, same.text


async def test_the_org_sees_it_and_who_wrote_it(site: Site, tenant: Tenant, root: Caller) -> None:
    await written(root, ceiling(tenant), {"quotas": {"gpus": 8}})

    left = (await tenant.admin.get(f"/v1/projects/{tenant.project.id}/policy")).json()
    await site.number()
    entries = (await tenant.admin.get("/v1/audit", params={"org": tenant.org.id})).json()["items"]

    assert left["quotas"] == {"gpus": {"limit": 8, "layer": "tenant"}}
    assert [layer["level"] for layer in left["layers"]] == ["global", "tenant", "org", "project"]
    assert [(e["action"], e["actor_id"]) for e in entries] == [("policy.global.update", root.id)]


async def test_only_the_platform_writes_and_reads_it_by_itself(site: Site, tenant: Tenant) -> None:
    read = await tenant.admin.get(ceiling(tenant))
    write = await tenant.admin.put(ceiling(tenant), {"document": {}}, headers={"if-match": '"0"'})

    assert (read.status_code, write.status_code) == (403, 403)
    assert "policy.global.update" in write.json()["detail"]


async def test_an_org_that_is_not_there_is_not_found(root: Caller) -> None:
    answer = await root.get(f"/v1/platform/orgs/{OrgId.new()}/overlay")

    assert answer.status_code == 404


async def test_the_platform_sees_numbers_of_what_it_takes_away(
    tenant: Tenant, root: Caller
) -> None:
    await written(
        tenant.admin,
        f"/v1/projects/{tenant.project.id}/overlay",
        {"regions": {"allow": ["eu", "us"]}},
    )

    said = await written(root, ceiling(tenant), {"regions": {"allow": ["us"]}})

    found = [(b["kind"], b["org_id"], b["project_id"]) for b in said["breaks"]["items"]]
    assert ("overlay", tenant.org.id, None) in found
    assert tenant.project.id not in str(said)


async def test_the_database_keeps_the_org_from_writing_it(
    site: Site, tenant: Tenant, root: Caller
) -> None:
    row = await written(root, ceiling(tenant), {"quotas": {"gpus": 8}})
    scope = org_scope(tenant.org.id, principal=tenant.admin.id)

    async with site.platform.database.transaction(scope) as db:
        changed = await db.run(
            "UPDATE overlays SET document = %s WHERE id = %s", (Jsonb({}), row["id"])
        )
    other = await make_tenant(site)
    scope = org_scope(other.org.id, principal=other.admin.id)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        async with site.platform.database.transaction(scope) as db:
            await db.run(
                "INSERT INTO overlays (id, level, org_id, document, created_at, updated_at)"
                " VALUES (%s, 'tenant', %s, '{}', now(), now())",
                (OverlayId.new(), other.org.id),
            )

    assert changed == 0
