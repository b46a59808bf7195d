"""A cluster's life on real hosts, from the catalog to the last file."""

import pytest

from tests.e2e.callers import Caller
from tests.e2e.shop import Shop
from tests.e2e.world import Member, Tenant
from tests.slurm import clusters

pytestmark = pytest.mark.lab


def test_a_cluster_is_deployed_and_leaves_nothing(
    admin: Caller, acme: Tenant, slurm: Shop, nodes: list[Member]
) -> None:
    held = clusters.hold(admin, acme, nodes[:3])
    import time

    t = time.time()
    found = clusters.deploy(acme, slurm, "first", {"controller": held[:1], "worker": held[1:]})

    print("deployed", time.time() - t)
    print(found.run("sinfo", "-N"), found.run("sacctmgr", "show", "assoc", "-P"))
    for st in found.steps("instance.deploy") + found.steps("member.add"):
        print(st["name"], st["started_at"][14:23], (st["finished_at"] or "")[14:23])
    assert found.run("srun", "-N2", "--account=root", "hostname").split() != []
    ended = found.ask("decommission", {"reason": "the test is over"})
    assert ended["residue"] == []
