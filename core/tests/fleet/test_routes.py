"""Regions and SKUs through the API: the platform writes them, everybody reads."""

from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories.tenants import make_tenant
from core.tests.site import Site, fresh


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


def sku(**fields: Any) -> dict[str, Any]:
    return {
        "slug": f"s-{fresh()}",
        "name": "Eight big ones",
        "cpus": 96,
        "memory_bytes": 1 << 40,
        "gpu_model": "H200",
        "gpus": 8,
        "price_micros": 23_500_000,
        "currency": "EUR",
    } | fields


async def test_a_region_is_made_renamed_and_retired(site: Site, root: Caller) -> None:
    made = await root.post("/v1/regions", {"slug": f"r-{fresh()}", "name": "North"})
    assert made.status_code == 201, made.text
    path = f"/v1/regions/{made.json()['id']}"

    changed = await root.patch(path, {"name": "Far north", "retired": True}, version=1)

    assert changed.status_code == 200, changed.text
    read = (await root.get(path)).json()
    assert (read["name"], read["version"]) == ("Far north", 2)
    assert read["retired_at"] is not None
    back = await root.patch(path, {"retired": False}, version=2)
    assert back.json()["retired_at"] is None


async def test_a_slug_is_given_once(root: Caller) -> None:
    region = {"slug": f"r-{fresh()}", "name": "North"}
    await root.post("/v1/regions", region)
    one = sku()
    await root.post("/v1/skus", one)

    for path, body in (("/v1/regions", region), ("/v1/skus", one)):
        again = await root.post(path, body)

        assert (again.status_code, again.json()["code"]) == (409, "slug_taken")


async def test_a_class_of_machines_keeps_its_shape_and_changes_its_price(root: Caller) -> None:
    made = (await root.post("/v1/skus", sku())).json()
    path = f"/v1/skus/{made['id']}"

    changed = await root.patch(path, {"price_micros": 1}, version=1)
    shape = await root.patch(path, {"gpus": 4}, version=2)

    assert changed.json() == {
        **made,
        "price_micros": 1,
        "version": 2,
        "updated_at": changed.json()["updated_at"],
    }
    assert shape.status_code == 422


async def test_gpus_without_a_model_are_refused(root: Caller) -> None:
    refused = await root.post("/v1/skus", sku(gpu_model=None))

    assert (refused.status_code, refused.json()["code"]) == (422, "gpus_unclear")


async def test_tenants_read_and_do_not_write(site: Site, root: Caller) -> None:
    tenant = await make_tenant(site)
    made = (await root.post("/v1/skus", sku())).json()

    read = await tenant.admin.get(f"/v1/skus/{made['id']}")
    written = await tenant.admin.patch(f"/v1/skus/{made['id']}", {"price_micros": 1}, version=1)

    assert read.json() == made
    assert written.status_code == 403
    assert "infra.sku.write" in written.json()["detail"]


async def test_whoever_is_nowhere_sees_no_list(site: Site) -> None:
    nobody = await site.actor()

    for path in ("/v1/regions", "/v1/skus"):
        assert (await nobody.get(path)).status_code == 403
