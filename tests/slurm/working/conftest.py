"""One cluster at work, for all modules of this folder: each leaves it as it found it."""

from collections.abc import Iterator

import pytest

from tests.e2e.callers import Caller, wait_until
from tests.e2e.shop import Shop
from tests.e2e.world import Member, Tenant
from tests.slurm import clusters
from tests.slurm.clusters import Cluster, Held, People

ROBOT = "robot"
"""The login of a program."""


@pytest.fixture(scope="package")
def held(
    admin: Caller, acme: Tenant, stocked: list[Member], nodes: list[Member]
) -> Iterator[list[Held]]:
    """Machines of the project. The last two are free, and have no packages."""
    with clusters.holding(admin, acme, [*stocked, *nodes[:2]]) as found:
        yield found


@pytest.fixture(scope="package")
def working(acme: Tenant, slurm: Shop, people: People, held: list[Held]) -> Iterator[Cluster]:
    """A controller and two workers."""
    machines = {"controller": held[:1], "worker": held[1:3]}
    partitions = [{"name": "main"}, {"name": "fast", "features": ["fast"]}]
    config = {"service_accounts": {"automation": ROBOT}, "partitions": partitions}
    found = clusters.deploy(acme, slurm, "working", machines, config=config)
    yield found
    ended = found.ask("decommission", {"reason": "the tests are over"})
    assert ended["residue"] == []


@pytest.fixture(scope="module")
def cluster(working: Cluster) -> Iterator[Cluster]:
    """The cluster, as every module finds it."""
    members = working.members()
    names = [name for name in members if not name.startswith("controller")]
    assert sorted(names) == ["worker-1", "worker-2"]
    assert {each["status"] for each in members.values()} == {"ready"}
    assert working.run("squeue", "-h") == ""
    yield working
    empty(working)


def empty(cluster: Cluster) -> None:
    """Leave no job in the queue."""
    for state in ("PENDING", "RUNNING"):
        cluster.run("scancel", f"--state={state}")
    wait_until(lambda: not cluster.run("squeue", "-h"))
