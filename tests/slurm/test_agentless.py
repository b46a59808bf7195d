"""A cluster on a host where nothing of ours is installed: the platform works over SSH."""

from collections.abc import Iterator

import pytest

from moorage_lab import Lab
from tests.e2e import work, world
from tests.e2e.callers import Caller
from tests.e2e.shop import Shop
from tests.e2e.world import Member, Tenant
from tests.slurm import clusters
from tests.slurm.clusters import People

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def machine(lab: Lab, admin: Caller, acme: Tenant) -> Iterator[tuple[Member, str]]:
    """A host without agent, with the project's key on it."""
    host = lab.hosts[-1]
    node = world.make_node(admin, host.name, reach="ssh", address=str(host.address))
    member = Member(host, node["id"])
    wish = {"project": acme.project, "reason": "An end-to-end test needs this one."}
    made = admin.post(f"/v1/nodes/{node['id']}/allocations", wish)
    allocation = made["allocations"][0]["id"]
    path = f"/v1/projects/{acme.project}/access-credentials"
    credential = acme.admin.post(path, {"name": "bare hosts", "username": "root"})
    public = credential["public_key"]
    host.run("cat >>/root/.ssh/authorized_keys", stdin=f"{public}\n".encode())
    given, first = {"credential": credential["id"]}, {"if-match": '"0"'}
    acme.admin.put(f"/v1/allocations/{allocation}/ssh", given, headers=first)
    shown = acme.admin.post(f"/v1/allocations/{allocation}/ssh/scan")
    known = {"fingerprint": shown["offered_fingerprint"]}
    acme.admin.post(f"/v1/allocations/{allocation}/ssh/confirm", known)
    yield member, work.until_active(acme, allocation)
    work.release(acme, allocation)


def test_a_cluster_lives_on_a_host_without_agent(
    acme: Tenant, slurm: Shop, people: People, machine: tuple[Member, str]
) -> None:
    machines = {"controller": [machine], "worker": [machine]}
    found = clusters.deploy(acme, slurm, "bare", machines)

    ran = found.run("srun", "id", "-un", user=people.ada.login)
    ended = found.ask("decommission", {"reason": "the test is over"})

    assert ran.split() == [people.ada.login]
    assert ended["residue"] == []
