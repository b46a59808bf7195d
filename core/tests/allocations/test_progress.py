"""From the wish to a machine that is ready, step by step."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from core.tests.allocations import holding
from core.tests.factories import machines
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site, TimedSite
from moorage_core.allocations.sweeps import DriveAllocations
from moorage_core.nodes.sweeps import ReimageNodes
from moorage_core.platform import Platform


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


async def test_a_machine_is_probed_before_it_is_handed_over(site: Site, tenant: Tenant) -> None:
    region, sku, (node,) = await machines.make_pool(site, 1)
    (made,) = await holding.held(tenant, region, sku)

    await holding.drive(site.platform)
    waiting = await holding.get(tenant, made["id"])
    asked = await site.rows(
        "SELECT kind, key, node_id, status, input, correlation_id FROM tasks"
        " WHERE allocation_id = %s",
        made["id"],
    )
    await holding.say(site, made["id"], "setup/probe", holding.CLEAN)
    await holding.drive(site.platform)
    ready = await holding.get(tenant, made["id"])

    assert waiting["status"] == "provisioning"
    assert waiting["held_from"] is None
    parts = {"parts": ["inventory", "residue"]}
    assert asked == [("probe", "setup/probe", node, "queued", parts, made["correlation_id"])]
    assert ready["status"] == "active"
    assert ready["held_from"] is not None
    assert (await holding.node_of(site, made["id"]))["last_org"] == tenant.org.id
    operation = await site.rows(
        "SELECT status, requested_by_kind FROM operations WHERE id = %s",
        ready["setup_operation_id"],
    )
    assert operation == [("succeeded", "system")]


async def test_each_state_has_its_event(site: Site, tenant: Tenant) -> None:
    region, sku, _ = await machines.make_pool(site, 1)

    made = await holding.active(tenant, region, sku)

    said = await site.rows(
        "SELECT type, subject_version, correlation_id FROM events WHERE subject = %s"
        " ORDER BY subject_version",
        made["id"],
    )
    states = ["requested", "provisioning", "active"]
    assert [type for type, *_ in said] == [f"infra.allocation.{state}" for state in states]
    assert {correlation for *_, correlation in said} == {made["correlation_id"]}


async def test_looking_twice_does_nothing_twice(site: Site, tenant: Tenant) -> None:
    region, sku, _ = await machines.make_pool(site, 1)
    (made,) = await holding.held(tenant, region, sku)
    await holding.drive(site.platform)

    again = await DriveAllocations(site.platform).activate()

    assert again["moved"] == 0
    tasks = await site.rows("SELECT 1 FROM tasks WHERE allocation_id = %s", made["id"])
    assert len(tasks) == 1


@pytest.mark.parametrize(
    ("result", "status", "node_status", "message"),
    [
        ({"residue": {"users": ["eve"]}}, "succeeded", "quarantined", "users eve"),
        ({}, "succeeded", "quarantined", "said nothing of residue"),
        (None, "failed", "quarantined", "failed"),
        (None, "unknown", "available", "was lost"),
    ],
)
async def test_a_machine_that_does_not_pass_its_probe_is_not_handed_over(
    site: Site, tenant: Tenant, result: object, status: str, node_status: str, message: str
) -> None:
    region, sku, _ = await machines.make_pool(site, 1)
    (made,) = await holding.held(tenant, region, sku)
    await holding.drive(site.platform)

    await holding.say(site, made["id"], "setup/probe", result, status=status)
    await holding.drive(site.platform)

    failed = await holding.get(tenant, made["id"])
    assert failed["status"] == "failed"
    assert message in failed["message"]
    assert failed["cost"]["amount_micros"] == 0
    assert (await holding.node_of(site, made["id"]))["status"] == node_status


async def test_a_machine_with_other_gpus_than_its_class_is_not_handed_over(
    site: Site, tenant: Tenant
) -> None:
    region, sku, _ = await machines.make_pool(site, 1, gpus=8)
    (made,) = await holding.held(tenant, region, sku)
    await holding.drive(site.platform)

    await holding.say(site, made["id"], "setup/probe", holding.CLEAN)
    await holding.drive(site.platform)

    failed = await holding.get(tenant, made["id"])
    assert failed["status"] == "failed"
    assert "0 GPUs" in failed["message"]


async def test_a_machine_that_never_answers_is_given_up(timed: TimedSite) -> None:
    tenant = await make_tenant(timed)
    region, sku, _ = await machines.make_pool(timed, 1)
    (made,) = await holding.held(tenant, region, sku)
    await holding.drive(timed.platform)

    timed.clock.move(timedelta(minutes=5, seconds=1))
    await holding.drive(timed.platform)

    failed = await holding.get(tenant, made["id"])
    assert failed["status"] == "failed"
    assert "in time" in failed["message"]
    assert (await holding.node_of(timed, made["id"]))["status"] == "available"
    open_tasks = await timed.rows(
        "SELECT 1 FROM tasks WHERE allocation_id = %s AND ended_at IS NULL", made["id"]
    )
    assert open_tasks == []


async def test_a_node_that_is_taken_out_meanwhile_ends_the_wish(site: Site, tenant: Tenant) -> None:
    region, sku, (node,) = await machines.make_pool(site, 1)
    (made,) = await holding.held(tenant, region, sku)
    root = await site.actor("platform_admin")
    await holding.drive(site.platform)

    act = await root.post(f"/v1/nodes/{node}/quarantine", {"reason": "it smells of smoke"})
    assert act.is_success, act.text
    await holding.drive(site.platform)

    failed = await holding.get(tenant, made["id"])
    assert failed["status"] == "failed"
    assert "was taken out" in failed["message"]
    assert "smoke" not in failed["message"], "the words are for those who run the platform"


# Another org's machine


@pytest.fixture
def provisioned(site: Site) -> Iterator[Platform]:
    """A platform that can image nodes anew."""
    platform = holding.with_machines(site, reimage_command=("/bin/true",))
    site.api.state.platform = platform
    yield platform
    site.api.state.platform = site.platform


async def test_a_machine_of_another_org_is_imaged_anew_first(
    site: Site, tenant: Tenant, provisioned: Platform
) -> None:
    other = await make_tenant(site)
    region, sku, (node,) = await machines.make_pool(site, 1, last_org_id=other.org.id)

    (made,) = await holding.held(tenant, region, sku)
    await holding.drive(provisioned)
    waiting = await holding.get(tenant, made["id"])
    wanted = await site.rows("SELECT reimage_requested_at FROM nodes WHERE id = %s", node)
    # What an enrolment after it does.
    await site.sql.execute(
        "UPDATE nodes SET generation = 2, last_org_id = NULL, reimage_requested_at = NULL"
        " WHERE id = %s",
        (node,),
    )
    await holding.drive(provisioned)
    probed = await holding.get(tenant, made["id"])
    await holding.say(site, made["id"], "setup/probe", holding.CLEAN)
    await holding.drive(provisioned)
    ready = await holding.get(tenant, made["id"])

    assert waiting["status"] == "requested"
    assert waiting["node"] is None, "the old image is nothing of the new holder's"
    assert "imaged anew" in waiting["message"]
    assert wanted[0][0] is not None
    assert probed["status"] == "provisioning"
    assert ready["status"] == "active"
    assert (await holding.node_of(site, made["id"]))["last_org"] == tenant.org.id


async def test_nothing_is_sent_to_the_old_image(
    site: Site, tenant: Tenant, provisioned: Platform
) -> None:
    other = await make_tenant(site)
    region, sku, _ = await machines.make_pool(site, 1, last_org_id=other.org.id)

    (made,) = await holding.held(tenant, region, sku)
    await holding.drive(provisioned)
    await holding.drive(provisioned)

    assert await site.rows("SELECT 1 FROM tasks WHERE allocation_id = %s", made["id"]) == []
    assert (
        await site.rows("SELECT 1 FROM operation_allocations WHERE allocation_id = %s", made["id"])
        == []
    )


async def test_a_machine_that_could_not_be_imaged_ends_the_wish(
    site: Site, tenant: Tenant, provisioned: Platform
) -> None:
    other = await make_tenant(site)
    region, sku, (node,) = await machines.make_pool(site, 1, last_org_id=other.org.id)
    (made,) = await holding.held(tenant, region, sku)
    await holding.drive(provisioned)

    await site.sql.execute(
        "UPDATE nodes SET status = 'quarantined', status_reason = 'the command failed'"
        " WHERE id = %s",
        (node,),
    )
    await holding.drive(provisioned)

    failed = await holding.get(tenant, made["id"])
    assert failed["status"] == "failed"
    assert "was taken out" in failed["message"]


async def test_a_wish_that_is_taken_back_before_its_image_was_begun_calls_the_image_off(
    site: Site, tenant: Tenant, provisioned: Platform
) -> None:
    other = await make_tenant(site)
    region, sku, (node,) = await machines.make_pool(site, 1, last_org_id=other.org.id)
    (made,) = await holding.held(tenant, region, sku)
    await holding.drive(provisioned)

    await holding.release(tenant, made["id"])

    after = await site.rows(
        "SELECT status, last_org_id, reimage_requested_at FROM nodes WHERE id = %s", node
    )
    assert after == [("available", other.org.id, None)]


async def test_a_wish_that_is_taken_back_while_it_is_imaged_leaves_the_node_to_the_platform(
    site: Site, tenant: Tenant, provisioned: Platform
) -> None:
    other = await make_tenant(site)
    region, sku, _ = await machines.make_pool(site, 1, last_org_id=other.org.id)
    (made,) = await holding.held(tenant, region, sku)
    await holding.drive(provisioned)
    await ReimageNodes(provisioned).activate()

    await holding.release(tenant, made["id"])

    after = await holding.node_of(site, made["id"])
    assert (after["status"], after["last_org"]) == ("quarantined", other.org.id)
    assert "imaged anew" in after["reason"]


async def test_time_counts_from_when_the_image_is_begun_with(
    timed: TimedSite, tenant: Tenant
) -> None:
    platform = holding.with_machines(timed, reimage_command=("/bin/true",))
    timed.api.state.platform = platform
    other = await make_tenant(timed)
    region, sku, _ = await machines.make_pool(timed, 1, last_org_id=other.org.id)
    try:
        (made,) = await holding.held(tenant, region, sku)
        await holding.drive(platform)
        timed.clock.move(timedelta(hours=9))
        await holding.drive(platform)
        queued = await holding.get(tenant, made["id"])
        await ReimageNodes(platform).activate()
        timed.clock.move(platform.settings.machines.reimage_timeout * 2)
        await holding.drive(platform)
        late = await holding.get(tenant, made["id"])
    finally:
        timed.api.state.platform = timed.platform

    assert queued["status"] == "requested", "others were before it"
    assert late["status"] == "failed"
