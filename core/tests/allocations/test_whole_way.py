"""The whole way of a machine, with a host that speaks the agents' protocol."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from core.tests.allocations import holding
from core.tests.callers import Caller
from core.tests.factories.hosts import Host, Place, enrolled, make_place
from core.tests.factories.machines import INVENTORY
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site
from moorage_core.nodes.sweeps import ReimageNodes

CLEAN = {"files": [], "users": [], "processes": []}


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


@pytest.fixture
async def place(root: Caller) -> Place:
    return await make_place(root)


async def work(host: Host, **result: Any) -> dict[str, Any]:
    """Take the one task that there is, and report that it went well; the task."""
    polled = await host.poll()
    assert polled.status_code == 200, polled.text
    (task,) = polled.json()["tasks"]
    for state in ("running", "succeeded"):
        report = {"task": task["id"], "fence": task["fence"], "state": state}
        report |= {"result": result} if state == "succeeded" else {}
        said = await host.call("POST", "reports", json={"reports": [report]})
        assert said.json()["results"] == [{"task": task["id"], "outcome": "recorded"}], said.text
    return task


async def make_ready(site: Site, host: Host) -> None:
    await holding.drive(site.api.state.platform)
    await work(host, inventory=INVENTORY, residue=CLEAN)
    await holding.drive(site.api.state.platform)


async def test_a_host_is_held_cleaned_and_held_again(
    site: Site, tenant: Tenant, root: Caller, place: Place
) -> None:
    host = await enrolled(site, root, place)
    (made,) = await holding.held(tenant, place.region, place.sku)

    await make_ready(site, host)
    held = await holding.get(tenant, made["id"])
    bound = (await host.poll()).json()["binding"]
    await holding.release(tenant, made["id"])
    await holding.drive(site.platform)
    wipe = await work(host, removed={"files": ["/opt/x"]}, residue={})
    await holding.drive(site.platform)
    probe = await work(host, residue=CLEAN)
    await holding.drive(site.platform)

    assert held["status"] == "active"
    assert bound["allocation_id"] == made["id"]
    assert [wipe["kind"], probe["kind"]] == ["wipe", "probe"]
    assert wipe["correlation_id"] == made["correlation_id"]
    assert (await holding.get(tenant, made["id"]))["status"] == "released"
    assert (await host.poll()).json()["binding"] is None
    (again,) = await holding.held(tenant, place.region, place.sku)
    assert again["placement"]["why"].startswith("was the org's before")


async def test_a_host_that_could_not_be_cleaned_comes_back_for_another_try(
    site: Site, tenant: Tenant, root: Caller, place: Place
) -> None:
    host = await enrolled(site, root, place)
    (made,) = await holding.held(tenant, place.region, place.sku)
    await make_ready(site, host)
    await holding.release(tenant, made["id"])
    await holding.drive(site.platform)
    await work(host, residue={"mounts": ["/mnt/busy"]})
    await holding.drive(site.platform)
    failed = await holding.get(tenant, made["id"])

    await holding.release(tenant, made["id"])
    await holding.drive(site.platform)
    if (await host.poll()).status_code != 200:
        assert (await host.prove()).status_code == 200
    await work(host, residue={})
    await holding.drive(site.platform)
    await work(host, residue=CLEAN)
    await holding.drive(site.platform)

    assert (failed["status"], failed["dirty"]) == ("release_failed", ["not_cleaned"])
    assert "mounts /mnt/busy" in failed["message"]
    assert (await holding.get(tenant, made["id"]))["status"] == "released"


@pytest.mark.rule("AL-5")
async def test_a_host_passes_to_another_org_as_a_new_image_with_a_new_key(
    site: Site, tenant: Tenant, root: Caller, place: Place, tmp_path: Path
) -> None:
    before = await make_tenant(site)
    old = await enrolled(site, root, place)
    (first,) = await holding.held(before, place.region, place.sku)
    await make_ready(site, old)
    await holding.release(before, first["id"])
    await holding.drive(site.platform)
    await work(old, residue={})
    await holding.drive(site.platform)
    await work(old, residue=CLEAN)
    await holding.drive(site.platform)
    order = tmp_path / "order.json"
    program = f"import sys; open({str(order)!r}, 'w').write(sys.stdin.read())"
    platform = holding.with_machines(site, reimage_command=(sys.executable, "-c", program))
    site.api.state.platform = platform

    try:
        (made,) = await holding.held(tenant, place.region, place.sku)
        await holding.drive(platform)
        await ReimageNodes(platform).activate()
        waiting = (await old.poll()).json()
        given = json.loads(order.read_text())
        new = Host(site.client)
        token = given["line"].split("MOORAGE_TOKEN=")[1].split()[0]
        enrolment = await new.enrol(token)
        assert enrolment.status_code == 201, enrolment.text
        await make_ready(site, new)
        ready = await holding.get(tenant, made["id"])
    finally:
        site.api.state.platform = site.platform

    assert given["node"] == old.node == new.node
    assert waiting["binding"] is None, "the old image is told nothing of the new holder"
    assert waiting["tasks"] == []
    assert ready["status"] == "active"
    assert (await old.poll()).status_code == 401
    assert (await old.prove()).status_code == 401


async def test_a_provisioner_that_fails_ends_the_wish_and_tells_its_words_to_nobody_else(
    site: Site, tenant: Tenant, root: Caller, place: Place
) -> None:
    other = await make_tenant(site)
    host = await enrolled(site, root, place)
    await site.sql.execute(
        "UPDATE nodes SET last_org_id = %s WHERE id = %s", (other.org.id, host.node)
    )
    program = "import sys; sys.stderr.write('no such image'); sys.exit(3)"
    platform = holding.with_machines(site, reimage_command=(sys.executable, "-c", program))
    site.api.state.platform = platform

    try:
        (made,) = await holding.held(tenant, place.region, place.sku)
        await holding.drive(platform)
        await ReimageNodes(platform).activate()
        await holding.drive(platform)
        failed = await holding.get(tenant, made["id"])
    finally:
        site.api.state.platform = site.platform

    assert failed["status"] == "failed"
    assert "was taken out" in failed["message"]
    assert "no such image" not in failed["message"]
    node = await holding.node_of(site, made["id"])
    assert node["status"] == "quarantined"
    assert "no such image" in node["reason"]
