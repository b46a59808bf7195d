"""State and accounting on an export of the site: a host that dies takes nothing along."""

from collections.abc import Iterator

import pytest

from moorage_lab.layout import EXPORT
from tests.e2e.callers import Caller, wait_until
from tests.e2e.shop import Shop
from tests.e2e.world import Member, Tenant
from tests.slurm import clusters
from tests.slurm.clusters import Cluster, Held, People

pytestmark = pytest.mark.lab

PLACE = f"{EXPORT}/state"
STATE = {"mode": "mount", "what": PLACE, "type": "none", "options": ""}
QUEUE = f"{PLACE}/slurmctld/job_state"
"""Slurm writes it some seconds after things have happened."""
LINE = "while test ! -e /tmp/enough; do sleep 0.2; done"


@pytest.fixture(scope="module")
def held(
    admin: Caller, acme: Tenant, stocked: list[Member], nodes: list[Member]
) -> Iterator[list[Held]]:
    """Two for controllers, which have no packages, and one that has."""
    with clusters.holding(admin, acme, [*nodes[:2], stocked[1]]) as found:
        yield found


@pytest.fixture(scope="module")
def cluster(acme: Tenant, slurm: Shop, people: People, held: list[Held]) -> Cluster:
    held[0][0].host.run(["mkdir", "-p", PLACE])
    machines = {"controller": held[:1], "worker": held[2:]}
    return clusters.deploy(acme, slurm, "state", machines, config={"state": STATE})


def submit(cluster: Cluster, people: People, *words: str) -> int:
    named = ("sbatch", "--parsable", "--chdir=/tmp", "--output=/dev/null", *words)
    return int(cluster.run(*named, user=people.ada.login))


def booked(cluster: Cluster, job: int) -> str:
    return cluster.run("sacct", "-X", "-n", "-P", "-j", str(job), "-o", "State").strip()


def test_a_dead_host_takes_nothing_along(
    cluster: Cluster, admin: Caller, acme: Tenant, people: People, held: list[Held]
) -> None:
    worker, dead = cluster.hosts["worker-1"], cluster.members()["controller-1"]
    cluster.run("systemctl", "stop", "moorage-slurm-copy.timer")
    done = submit(cluster, people, "--wrap=true")
    wait_until(lambda: booked(cluster, done) == "COMPLETED")
    running = submit(cluster, people, f"--wrap={LINE}")
    wait_until(lambda: booked(cluster, running) == "RUNNING")
    waits = submit(cluster, people, "--hold", f"--job-name=after-{running}", "--wrap=true")
    written = ["grep", "-q", f"after-{running}", QUEUE]
    wait_until(lambda: cluster.controller.run(written, check=False).code == 0)
    gone = cluster.controller
    gone.crash()
    wish = {"allocation": held[1][1], "lost": True, "reason": "its mains are burnt"}

    cluster.wait(cluster.admin.post(f"/v1/members/{dead['id']}/replace", wish))

    cluster.learn(held)
    rows = cluster.run("squeue", "-h", "-o", "%i %T").splitlines()
    assert sorted(rows) == [f"{running} RUNNING", f"{waits} PENDING"]
    assert booked(cluster, done) == "COMPLETED"
    worker.run(["touch", "/tmp/enough"])
    wait_until(lambda: booked(cluster, running) == "COMPLETED")
    cluster.run("scontrol", "release", str(waits))
    wait_until(lambda: booked(cluster, waits) == "COMPLETED")
    assert submit(cluster, people, "--wrap=true") > waits
    worker.run(["rm", "/tmp/enough"])
    gone.power_on()
    clusters.renew(admin, acme, held, 0)
    assert cluster.run("scontrol", "ping").strip().endswith("is UP"), "a wipe ends at the export"


def test_a_host_that_started_anew_schedules_with_the_same_state(cluster: Cluster) -> None:
    queue = ("squeue", "-h", "-t", "all", "-o", "%i")
    before, host = {*cluster.run(*queue).split()}, cluster.controller
    host.power_off()
    host.power_on()
    host.run("systemctl start munge mariadb")

    refused = host.run(["systemctl", "start", "slurmctld"], check=False)
    cluster.ask("repair", {"reason": "its host was started anew"})

    assert refused.code != 0, "it would begin anew, without its state"
    assert before <= {*cluster.run(*queue).split()}, "a repair runs a job of its own"


def test_nothing_stays_on_the_export_when_the_cluster_has_ended(cluster: Cluster) -> None:
    host = cluster.controller

    ended = cluster.ask("decommission", {"reason": "the test is over"})

    assert ended["residue"] == []
    assert host.run(["ls", "-A", PLACE]).stdout == ""
