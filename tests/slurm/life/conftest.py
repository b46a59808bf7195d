"""The life of one cluster, which the modules of this folder tell in their order."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.callers import Caller
from tests.e2e.shop import Shop
from tests.e2e.world import Member, Tenant
from tests.slurm import clusters, pictures
from tests.slurm.clusters import Cluster, Held, People


@pytest.fixture(scope="package")
def held(admin: Caller, acme: Tenant, nodes: list[Member]) -> Iterator[list[Held]]:
    with clusters.holding(admin, acme, nodes[:3]) as found:
        yield found


@pytest.fixture(scope="package")
def their_key(held: list[Held], bundles: Path) -> Iterator[str]:
    """The last host has a munge of somebody else, with a key and running; what is in that key."""
    host = held[-1][0].host
    there = host.run("dpkg-query -W -f '${Package}\n'").stdout.split()
    new = [
        name for name in ("libgpg-error0", "libgcrypt20", "libmunge2", "munge") if name not in there
    ]
    host.run(
        f"mkdir /root/theirs && cd /root/theirs && tar -x && dpkg -i {'_* '.join(new)}_*"
        " && rm -r /root/theirs && systemctl enable --now munge",
        stdin=bundles.joinpath("worker.tar").read_bytes(),
    )
    yield host.run("sha256sum /etc/munge/munge.key").stdout
    host.run(f"systemctl stop munge && dpkg --purge {' '.join(new)} && rm -rf /var/log/munge")


@pytest.fixture(scope="package")
def before(held: list[Held], their_key: str) -> list[frozenset[str]]:
    """What the hosts were like."""
    assert their_key
    return [pictures.take(node.host) for node, _ in held]


@pytest.fixture(scope="package")
def living(
    acme: Tenant, slurm: Shop, people: People, held: list[Held], before: list[frozenset[str]]
) -> Iterator[Cluster]:
    """A controller and two workers."""
    assert before
    found = clusters.deploy(acme, slurm, "life", {"controller": held[:1], "worker": held[1:]})
    yield found
    if found.read()["status"] != "deleted":
        found.ask("decommission", {"reason": "the tests are over"})
