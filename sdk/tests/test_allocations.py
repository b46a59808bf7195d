"""Machines through the client, on hosts without agent: those are held at once."""

from dataclasses import dataclass

import pytest

from moorage import Client, errors
from moorage.models import NodeRead, ProjectRead
from sdk.tests.conftest import new_slug


@dataclass(frozen=True)
class Pool:
    region: str
    sku: str
    nodes: list[NodeRead]


@pytest.fixture
async def pool(admin: Client) -> Pool:
    region, sku = new_slug(), new_slug()
    await admin.regions.create(slug=region, name="Region")
    await admin.skus.create(
        slug=sku,
        name="Class",
        cpus=4,
        memory_bytes=1 << 30,
        price_micros=1_000_000,
        currency="EUR",
    )
    nodes = [
        await admin.nodes.create(
            name=new_slug(), region=region, sku=sku, reach="ssh", address="198.18.0.9"
        )
        for _ in range(2)
    ]
    return Pool(region, sku, nodes)


async def test_machines_are_held_noted_on_and_listed(
    admin: Client, project: ProjectRead, pool: Pool
) -> None:
    placed = await admin.allocations.create(
        project, sku=pool.sku, region=pool.region, count=2, name="head", metadata={"a": 1}
    )
    first, second = placed.allocations

    changed = await admin.allocations.update(first, name="login", scheduler_type="any")
    cleared = await admin.allocations.update(changed, scheduler_type="")

    assert [first.name, second.name] == ["head-1", "head-2"]
    assert (first.status, first.metadata) == ("active", {"a": 1})
    assert (placed.placement.considered, placed.placement.free) == (2, 2)
    assert (changed.name, changed.scheduler_type) == ("login", "any")
    assert (cleared.name, cleared.scheduler_type, cleared.metadata) == ("login", None, {"a": 1})
    listed = [each.id async for each in admin.allocations.list(project, live=True)]
    assert listed == [first.id, second.id]


async def test_too_many_are_refused_by_a_class_of_their_own(
    admin: Client, project: ProjectRead, pool: Pool
) -> None:
    with pytest.raises(errors.NoCapacity) as refusal:
        await admin.allocations.create(project, sku=pool.sku, region=pool.region, count=3)

    assert "2 of 2 free" in refusal.value.detail


async def test_a_named_node_is_given_and_taken_back(
    admin: Client, project: ProjectRead, pool: Pool
) -> None:
    placed = await admin.allocations.create_on_node(
        pool.nodes[1], project=project, reason="the one with the big disk"
    )
    (made,) = placed.allocations

    taken = await admin.allocations.force_release(made, reason="it is on fire")

    assert made.node_name == pool.nodes[1].name
    assert (taken.status, taken.dirty) == ("released", ["force_released"])
    assert (await admin.nodes.get(pool.nodes[1])).status == "quarantined"
    evidence = await admin.allocations.evidence(made)
    assert (evidence.wipe, evidence.items) == (None, [])


async def test_what_is_being_given_back_says_so(
    admin: Client, project: ProjectRead, pool: Pool
) -> None:
    placed = await admin.allocations.create(project, sku=pool.sku, region=pool.region)
    (made,) = placed.allocations

    left = await admin.allocations.release(made, reason="the work is done")

    assert left.status == "releasing"
    assert left.held_until is not None


async def test_policy_is_asked_about_machines_without_an_app(
    admin: Client, project: ProjectRead, pool: Pool
) -> None:
    await admin.policy.put_project(project, document={"quotas": {"allocations": 1}}, version=0)

    one = await admin.policy.explain(
        project=project, operation="allocate", sku=pool.sku, region=pool.region
    )
    two = await admin.policy.explain(
        project=project, operation="allocate", sku=pool.sku, region=pool.region, allocations=2
    )

    assert (one.allowed, two.allowed) == (True, False)
