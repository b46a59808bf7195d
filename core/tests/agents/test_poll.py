"""Polls: heartbeats, facts, work, and the end of a wait when its reason is gone."""

import asyncio
from typing import Any

import httpx2
import pytest

from core.tests.callers import Caller
from core.tests.factories.hosts import Host, enrolled
from core.tests.factories.machines import (
    INVENTORY,
    make_allocation_row,
    make_operation_row,
    make_task_row,
)
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site, fresh
from moorage_core.nodes.models import Facts


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


@pytest.fixture
async def host(site: Site, root: Caller) -> Host:
    return await enrolled(site, root)


@pytest.fixture
async def tenant(site: Site) -> Tenant:
    return await make_tenant(site)


async def begin(site: Site, host: Host) -> "asyncio.Task[httpx2.Response]":
    """A poll that has looked once and waits: what it said is remembered right before it sleeps."""
    facts = Facts(fresh(), "b", "0.1.0", None)
    poll = asyncio.create_task(host.poll(wait=15, run_id=facts.run_id))
    while not site.platform.heartbeats.has_said(host.node, facts):
        assert not poll.done(), poll.result().text
        await asyncio.sleep(0)
    return poll


async def test_a_poll_with_nothing_to_say_says_so(site: Site, host: Host) -> None:
    answer = (await host.poll()).json()

    answer.pop("server_time")
    assert answer == {
        "binding": None,
        "tasks": [],
        "cancel": [],
        "forget": [],
        "trust": None,
        "want_inventory": False,
    }


async def test_a_poll_that_says_nothing_new_writes_nothing(site: Site, host: Host) -> None:
    await host.poll()
    before = await site.rows("SELECT xmin::text, n::text FROM nodes n WHERE id = %s", host.node)

    await host.poll()

    after = await site.rows("SELECT xmin::text, n::text FROM nodes n WHERE id = %s", host.node)
    assert after == before


async def test_what_an_agent_says_of_itself_is_kept_when_it_changes(site: Site, host: Host) -> None:
    await host.poll(run_id="first")
    seen = INVENTORY | {"memory_bytes": 16 << 30}

    await host.poll(run_id="second", agent_version="0.2.0", trust="0" * 64, inventory=seen)

    rows = await site.rows(
        "SELECT run_id, agent_version, trust, inventory->>'memory_bytes', version FROM nodes"
        " WHERE id = %s",
        host.node,
    )
    version = rows[0][4]
    assert rows[0][:4] == ("second", "0.2.0", "0" * 64, str(16 << 30))
    assert version == 2, "announced and enrolled: what an agent says counts no version"


async def test_work_comes_at_once_and_with_whoever_holds_the_node(
    site: Site, host: Host, tenant: Tenant
) -> None:
    allocation = await make_allocation_row(tenant, host.node)
    operation = await make_operation_row(tenant, allocation)
    poll = await begin(site, host)

    task = await make_task_row(tenant, operation, allocation)
    site.platform.hub.mark({f"node:{host.node}"})

    answer = (await asyncio.wait_for(poll, 12)).json()
    assert [each["id"] for each in answer["tasks"]] == [task]
    assert answer["binding"] == {
        "allocation_id": allocation,
        "org_id": tenant.org.id,
        "project_id": tenant.project.id,
    }


async def test_a_wait_with_an_older_token_ends_when_a_newer_one_is_given(
    site: Site, host: Host
) -> None:
    before = host.clone()
    poll = await begin(site, before)

    await host.prove()

    assert (await asyncio.wait_for(poll, 12)).status_code == 401


async def test_a_wait_ends_when_the_node_is_found_to_be_two(site: Site, host: Host) -> None:
    copy = host.clone()
    await host.prove()
    poll = await begin(site, host)

    await copy.prove()

    assert (await asyncio.wait_for(poll, 12)).status_code == 401


async def test_an_older_wait_leaves_the_work_to_the_newer(
    site: Site, host: Host, tenant: Tenant
) -> None:
    allocation = await make_allocation_row(tenant, host.node)
    operation = await make_operation_row(tenant, allocation)
    older = await begin(site, host)
    task = await make_task_row(tenant, operation, allocation)

    newer = await host.poll(wait=0)
    site.platform.hub.mark({f"node:{host.node}"})

    assert [each["id"] for each in newer.json()["tasks"]] == [task]
    assert (await asyncio.wait_for(older, 12)).json()["tasks"] == []


async def test_a_quarantined_node_is_heard_and_gets_no_work(
    site: Site, root: Caller, host: Host, tenant: Tenant
) -> None:
    allocation = await make_allocation_row(tenant, host.node)
    operation = await make_operation_row(tenant, allocation)
    task = await make_task_row(tenant, operation, allocation)
    act = {"reason": "it smells of smoke"}

    quarantined = await root.post(f"/v1/nodes/{host.node}/quarantine", act)

    assert quarantined.json()["status"] == "quarantined"
    assert quarantined.json()["allocation_id"] == allocation
    assert (await host.poll()).json()["tasks"] == []
    resumed = await root.post(f"/v1/nodes/{host.node}/resume")
    assert resumed.json()["status"] == "allocated"
    assert [each["id"] for each in (await host.poll()).json()["tasks"]] == [task]


async def test_what_a_host_saw_is_kept_once_and_with_whoever_holds_it(
    site: Site, host: Host, tenant: Tenant
) -> None:
    item: dict[str, Any] = {
        "kind": "ssh.login",
        "at": "2026-11-15T12:00:00+00:00",
        "key": "cursor-1",
        "data": {"login": "ada", "serial": 7},
    }
    unheld = await host.call("POST", "evidence", json={"items": [item]})
    allocation = await make_allocation_row(tenant, host.node)

    held = await host.call("POST", "evidence", json={"items": [item, item | {"key": "cursor-2"}]})

    once = {"recorded": 1, "dropped": 0}
    assert (unheld.json(), held.json()) == (once, once)
    rows = await site.rows(
        "SELECT key, org_id, allocation_id, data->>'login' FROM node_evidence WHERE node_id = %s"
        " ORDER BY key",
        host.node,
    )
    assert rows == [
        ("cursor-1", "org_" + "0" * 26, None, "ada"),
        ("cursor-2", tenant.org.id, allocation, "ada"),
    ]


async def test_a_number_that_somebody_made_up_keeps_no_evidence_back(
    site: Site, host: Host
) -> None:
    item: dict[str, Any] = {"kind": "ssh.login", "key": "c", "data": {"serial": 10**40, "b": True}}

    answer = await host.call("POST", "evidence", json={"items": [item]})

    assert answer.json() == {"recorded": 1, "dropped": 0}
    rows = await site.rows("SELECT data FROM node_evidence WHERE node_id = %s", host.node)
    assert rows == [({"serial": "1" + "0" * 40, "b": True},)]


async def test_output_and_reports_go_up(site: Site, host: Host, tenant: Tenant) -> None:
    allocation = await make_allocation_row(tenant, host.node)
    operation = await make_operation_row(tenant, allocation)
    task = await make_task_row(tenant, operation, allocation)
    await host.poll()

    put = await host.call("PUT", f"tasks/{task}/output/stdout", content=b"hello\n")
    report = {"task": task, "fence": 1, "state": "succeeded", "result": {"exit_code": 0}}
    told = await host.call("POST", "reports", json={"reports": [report]})

    assert put.json() == {"next_offset": 6}
    assert told.json() == {"results": [{"task": task, "outcome": "recorded"}]}
    rows = await site.rows("SELECT status, stdout_bytes FROM tasks WHERE id = %s", task)
    assert rows == [("succeeded", 6)]


async def test_too_much_output_at_once_is_refused(site: Site, host: Host, tenant: Tenant) -> None:
    allocation = await make_allocation_row(tenant, host.node)
    task = await make_task_row(tenant, await make_operation_row(tenant, allocation), allocation)

    put = await host.call("PUT", f"tasks/{task}/output/stdout", content=b"x" * (256 * 1024 + 1))

    assert put.status_code == 413


async def test_people_are_no_agents(site: Site, root: Caller, tenant: Tenant) -> None:
    body = {"wait": 0, "run_id": "run", "agent_version": "0"}

    for caller in (root, tenant.admin):
        answer = await caller.post("/v1/agent/poll", body)

        assert answer.status_code == 403
        assert "infra.agent.report" in answer.json()["detail"]


async def test_the_agent_is_one_file_that_anybody_may_have(site: Site) -> None:
    agent = await site.client.get("/v1/agent/agent.pyz")

    assert agent.status_code == 200
    assert agent.content == site.platform.handout.agent
    assert (await site.client.get("/v1/agent/ca.pem")).status_code == 404, "plain HTTP: none"
