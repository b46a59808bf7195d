"""What a process keeps of published versions."""

import pytest

from core.tests.factories import catalog
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site
from moorage_core.catalog import published
from moorage_core.catalog.published import Published
from moorage_core.kit.db import org_scope


async def make_version(site: Site) -> tuple[Tenant, str]:
    tenant = await make_tenant(site)
    await tenant.id("version")
    await catalog.published(tenant)
    return tenant, tenant.ids["version"]


async def test_a_version_is_read_once(site: Site) -> None:
    tenant, version = await make_version(site)
    kept = Published()

    async with site.platform.database.transaction(org_scope(tenant.org.id)) as db:
        documents = [await kept.document(db, version) for _ in range(2)]
        manifests = [await kept.manifest(db, version) for _ in range(2)]
        asked = [await kept.declarations(db, version) for _ in range(2)]

        assert db.statements == 2
    assert documents[0]["version"] == manifests[1].version
    assert asked[0] == asked[1] != {}


async def test_only_so_many_are_kept(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(published, "KEPT", 1)
    (tenant, version), (other, another) = await make_version(site), await make_version(site)
    both, kept = org_scope(tenant.org.id).with_org(other.org.id), Published()

    async with site.platform.database.transaction(both) as db:
        for each in (version, another, another, version):
            await kept.document(db, each)

        assert db.statements == 3


async def test_what_stands_in_order_in_the_manifest_stays_in_order(site: Site) -> None:
    tenant, _ = await make_version(site)
    more = "components:\n  coordinator: {min: 1}\n  worker: {max: 3}\n  api: {}\n"
    app = {"id": tenant.ids["app"], "slug": tenant.ids["slug"]}
    made = await catalog.publish(tenant.admin, app, version="7.0.0", more=more)

    async with site.platform.database.transaction(org_scope(tenant.org.id)) as db:
        manifest = await Published().manifest(db, made["id"])

    assert list(manifest.components) == ["coordinator", "worker", "api"]
