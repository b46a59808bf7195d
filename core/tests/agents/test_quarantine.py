"""What a node that was taken out still hears: what is to stop, and who may not be there."""

from typing import Any

import pytest

from core.tests.callers import Caller
from core.tests.factories import machines
from core.tests.factories.hosts import Host
from core.tests.factories.tenants import Tenant, make_tenant
from core.tests.site import Site
from core.tests.tasks.workplaces import exec_wish, make_workplace
from moorage_core.access.sweeps import EndGrants, SyncAccess
from moorage_core.tasks import commands as tasks
from moorage_core.tasks.models import Report

OUT = {"reason": "a fan is loud"}
TAKEN = {"reason": "it mines coins"}


@pytest.fixture
async def root(site: Site) -> Caller:
    return await site.actor("platform_admin")


class Entered:
    """A machine of a project with somebody on it, whose agent polls."""

    def __init__(self, tenant: Tenant, allocation: str, grant: str, host: Host) -> None:
        self.tenant, self.allocation, self.grant, self.host = tenant, allocation, grant, host
        self.platform = tenant.site.platform

    async def sync(self) -> list[dict[str, Any]]:
        """What the node is handed, once the sweeps have looked."""
        await EndGrants(self.platform).activate()
        await SyncAccess(self.platform).activate()
        return (await self.host.poll()).json()["tasks"]

    async def confirm(self, task: dict[str, Any]) -> None:
        report = Report(task["id"], task["fence"], "succeeded", changed=True, result={})
        await tasks.report(self.platform, self.host.node, [report])

    async def read(self) -> dict[str, Any]:
        return (await self.tenant.admin.get(f"/v1/grants/{self.grant}")).json()


async def make_host(site: Site, node: str) -> Host:
    host = Host(site.client)
    host.node, host.token = node, await machines.give_node_token(site, node)
    return host


@pytest.fixture
async def entered(site: Site) -> Entered:
    tenant = await make_tenant(site)
    allocation = await tenant.id("allocation")
    given = await tenant.admin.post(f"/v1/allocations/{allocation}/grants", {})
    assert given.status_code == 201, given.text
    ((node,),) = await site.rows("SELECT node_id FROM allocations WHERE id = %s", allocation)
    made = Entered(tenant, allocation, given.json()["id"], await make_host(site, node))
    (task,) = await made.sync()
    await made.confirm(task)
    return made


async def test_a_node_that_was_taken_back_is_told_to_stop(site: Site, root: Caller) -> None:
    place = await make_workplace(site)
    host = await make_host(site, place.node)
    (task,) = await place.ask(exec_wish(timeout=86400))
    await host.poll()
    await place.say(task["id"], "running")

    taken = await root.post(f"/v1/platform/allocations/{place.allocation}/release", TAKEN)

    assert taken.status_code == 200, taken.text
    heard = (await host.poll(holds=[{"task": task["id"], "state": "running"}])).json()
    assert heard["cancel"] == [task["id"]]
    assert (heard["tasks"], heard["binding"]) == ([], None)


async def test_a_leaver_is_gone_from_a_quarantined_node(root: Caller, entered: Entered) -> None:
    quarantined = await root.post(f"/v1/nodes/{entered.host.node}/quarantine", OUT)
    assert quarantined.status_code == 200, quarantined.text
    await entered.tenant.admin.delete(f"/v1/grants/{entered.grant}")
    before = await entered.read()

    (task,) = await entered.sync()
    await entered.confirm(task)

    assert (task["kind"], task["input"]["people"]) == ("access-sync", [])
    assert task["allocation_id"] == entered.allocation
    assert (before["carried_out"], (await entered.read())["carried_out"]) == (False, True)


async def test_nobody_stays_on_a_node_that_was_taken_back(root: Caller, entered: Entered) -> None:
    taken = await root.post(f"/v1/platform/allocations/{entered.allocation}/release", TAKEN)
    assert taken.status_code == 200, taken.text

    (task,) = await entered.sync()
    before = await entered.read()
    await entered.confirm(task)

    assert task["input"] == {"authorities": [], "people": []}
    assert task["allocation_id"] is None, "nobody holds the node: it is the platform's own"
    assert before["ended_at"] is not None
    assert before["carried_out"] is False, "nothing was done there yet"
    assert (await entered.read())["carried_out"] is True
    assert await entered.sync() == []


async def test_a_machine_that_could_not_be_cleaned_is_still_told(
    site: Site, entered: Entered
) -> None:
    await site.rows(
        "UPDATE allocations SET status = 'release_failed' WHERE id = %s", entered.allocation
    )

    (task,) = await entered.sync()

    assert task["input"] == {"authorities": [], "people": []}


async def test_the_next_holder_hears_nothing_of_the_last(
    site: Site, root: Caller, entered: Entered
) -> None:
    await root.post(f"/v1/platform/allocations/{entered.allocation}/release", TAKEN)
    await EndGrants(site.platform).activate()
    await SyncAccess(site.platform).activate()
    await root.post(f"/v1/nodes/{entered.host.node}/resume")
    following = await make_tenant(site)
    theirs = await machines.make_allocation_row(following, entered.host.node)

    heard = (await entered.host.poll()).json()

    assert heard["binding"]["allocation_id"] == theirs
    assert [task["allocation_id"] for task in heard["tasks"]] == [entered.allocation], (
        "what was on its way names a machine that is not held, and the agent refuses it"
    )
    refused = Report(heard["tasks"][0]["id"], 1, "failed", error_code="wrong_allocation")
    await tasks.report(site.platform, entered.host.node, [refused])
    assert await entered.sync() == []
