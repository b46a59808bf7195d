"""Simulated agents against the real platform: the protocol as both sides have it, without root."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from moorage_lab.simulated import Behaviour, Crowd, Machine
from moorage_lab.simulated.http1 import Server
from tests.e2e import site as sites
from tests.e2e import work, world
from tests.e2e.callers import Caller
from tests.e2e.site import Site
from tests.e2e.world import REGION, SKU, Tenant

AGENTS = 40


@pytest.fixture(scope="module")
def here() -> Iterator[Site]:
    """A platform on loopback."""
    with sites.passing(sites.LOOPBACK, sites.CROWDED) as running:
        yield running


@pytest.fixture(scope="module")
def operator(here: Site) -> Caller:
    admin = here.admin()
    world.make_fleet(admin)
    return admin


@pytest.fixture(scope="module")
def tenant(here: Site, operator: Caller) -> Tenant:
    return world.make_tenant(here, operator, "acme")


def announce(operator: Caller, prefix: str, count: int) -> list[str]:
    """Enrolment tokens of so many new nodes."""
    place = {"region": REGION, "sku": SKU}
    nodes = [{"name": f"{prefix}-{number}"} | place for number in range(count)]
    made = operator.post("/v1/node-batches", {"nodes": nodes})
    return [item["enrolment"]["token"] for item in made["items"]]


@pytest.fixture(scope="module")
async def crowd(here: Site, operator: Caller) -> AsyncIterator[Crowd]:
    tokens = await asyncio.to_thread(announce, operator, "sim", AGENTS)
    async with Crowd(Server(here.url), tokens) as agents:
        await agents.until_working()
        yield agents


def statuses(operator: Caller, prefix: str) -> dict[str, str]:
    nodes = operator.get("/v1/nodes?limit=200")["items"]
    return {n["name"]: n["status"] for n in nodes if n["name"].startswith(prefix)}


async def test_every_agent_becomes_an_available_node(crowd: Crowd, operator: Caller) -> None:
    found = await asyncio.to_thread(statuses, operator, "sim-")

    assert len(found) == AGENTS
    assert set(found.values()) == {"available"}


async def test_one_task_for_each_of_many_nodes_is_done_by_each(
    crowd: Crowd, here: Site, tenant: Tenant
) -> None:
    allocations = await asyncio.to_thread(work.allocate_any, tenant, AGENTS)
    done = crowd.tally.ends["succeeded"]

    page = await asyncio.to_thread(_fan_out, here, tenant, allocations)

    assert {task["status"] for task in page} == {"succeeded"}
    assert len(page) == AGENTS
    assert crowd.tally.ends["succeeded"] - done == AGENTS
    released = [await asyncio.to_thread(work.release, tenant, one) for one in allocations[:3]]
    assert [one["status"] for one in released] == ["released"] * 3


async def test_a_node_that_is_not_of_its_class_is_quarantined(here: Site, operator: Caller) -> None:
    tokens = await asyncio.to_thread(announce, operator, "small", 1)
    async with Crowd(Server(here.url), tokens, machine=Machine(memory=1 << 20)) as agents:
        await agents.until(lambda now: now.agents[0].identity.node_id != "")

    assert await asyncio.to_thread(statuses, operator, "small") == {"small-0": "quarantined"}


async def test_a_second_holder_of_an_identity_puts_both_out(here: Site, operator: Caller) -> None:
    tokens = await asyncio.to_thread(announce, operator, "cloned", 1)
    async with Crowd(Server(here.url), tokens) as agents:
        await agents.until_working()
        copied = agents.agents[0].clone()
        await agents.agents[0].exchange()
        agents.join(copied)
        await agents.until(lambda now: now.states() == {"conflict": 2})

    assert await asyncio.to_thread(statuses, operator, "cloned") == {"cloned-0": "quarantined"}


async def test_what_a_wipe_leaves_behind_keeps_the_node_from_others(
    here: Site, operator: Caller, tenant: Tenant
) -> None:
    tokens = await asyncio.to_thread(announce, operator, "messy", 1)
    behaviour = Behaviour(residue=("/root/left",))
    async with Crowd(Server(here.url), tokens, behaviour=behaviour) as agents:
        await agents.until_working()
        node = await asyncio.to_thread(_node, operator, "messy-0")
        wish = {"project": tenant.project, "reason": "A messy one, to see what happens."}
        made = await asyncio.to_thread(operator.post, f"/v1/nodes/{node['id']}/allocations", wish)
        path = f"/v1/allocations/{made['allocations'][0]['id']}"
        found = await asyncio.to_thread(
            tenant.admin.until, path, lambda one: one["status"] == "failed"
        )

    assert "/root/left" in found["message"]
    assert await asyncio.to_thread(statuses, operator, "messy") == {"messy-0": "quarantined"}


def _node(operator: Caller, name: str) -> dict[str, Any]:
    nodes = operator.get("/v1/nodes?limit=200")["items"]
    return next(node for node in nodes if node["name"] == name)


def _fan_out(here: Site, tenant: Tenant, allocations: list[str]) -> list[dict[str, Any]]:
    wish = {"allocations": allocations, "reason": "All of them at once."}
    opened = tenant.admin.post(f"/v1/projects/{tenant.project}/node-sessions", wish)
    holder = here.anybody()
    holder.token = opened["token"]
    path = f"/v1/operations/{opened['id']}/tasks"
    tasks = [
        {"key": "all", "kind": "exec", "allocation": one, "input": {"argv": ["true"]}}
        for one in allocations
    ]
    holder.post(path, {"tasks": tasks})
    page = holder.until(
        f"{path}?limit=200", lambda found: all(task["ended_at"] for task in found["items"])
    )
    tenant.admin.post(f"/v1/operations/{opened['id']}/end", {"outcome": "succeeded"})
    return page["items"]
