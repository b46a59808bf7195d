"""Another host takes the place of a cluster's controller, while jobs run and wait."""

from collections.abc import Iterator

import pytest

from tests.e2e.callers import Caller, wait_until
from tests.e2e.shop import Shop
from tests.e2e.world import Member, Tenant
from tests.slurm import clusters
from tests.slurm.clusters import Cluster, Held, People

pytestmark = pytest.mark.lab

STATE = "/var/lib/slurm/slurmctld/job_state"
"""Slurm writes it some seconds after things have happened."""
KEY = "/etc/munge/munge.key"
LINE = "while test ! -e /tmp/enough; do sleep 0.2; done"


@pytest.fixture(scope="module")
def held(admin: Caller, acme: Tenant, nodes: list[Member]) -> Iterator[list[Held]]:
    with clusters.holding(admin, acme, nodes[:3]) as found:
        yield found


@pytest.fixture(scope="module")
def cluster(acme: Tenant, slurm: Shop, people: People, held: list[Held]) -> Iterator[Cluster]:
    """A controller and a worker; one machine is free."""
    machines = {"controller": held[:1], "worker": held[1:2]}
    found = clusters.deploy(acme, slurm, "succession", machines)
    yield found
    ended = found.ask("decommission", {"reason": "the test is over"})
    assert ended["residue"] == []


def queue(cluster: Cluster) -> str:
    return cluster.run("squeue", "-h", "-o", "%i %T %S")


def submit(cluster: Cluster, people: People, line: str, *more: str) -> int:
    words = ("sbatch", "--parsable", "--chdir=/tmp", *more, "--wrap", line)
    return int(cluster.run(*words, user=people.ada.login))


def ended(cluster: Cluster, job: int) -> str:
    return cluster.run("sacct", "-X", "-n", "-P", "-j", str(job), "-o", "State,ExitCode").strip()


def is_running(cluster: Cluster, job: int) -> bool:
    return f"{job} RUNNING" in queue(cluster)


def test_the_live_state_moves_and_jobs_never_hear_of_it(
    cluster: Cluster, people: People, held: list[Held]
) -> None:
    first = submit(cluster, people, "true")
    wait_until(lambda: ended(cluster, first) == "COMPLETED|0:0")
    running = submit(cluster, people, LINE)
    waiting = submit(cluster, people, "true", "--hold")
    wait_until(lambda: is_running(cluster, running))
    before = queue(cluster)
    old, worker = cluster.members()["controller-1"], cluster.hosts["worker-1"]
    gone = cluster.hosts.pop("controller-1")
    wish = {"allocation": held[2][1], "reason": "its disk is old"}

    cluster.wait(cluster.admin.post(f"/v1/members/{old['id']}/replace", wish))

    cluster.learn(held)
    assert queue(cluster) == before
    worker.run(["touch", "/tmp/enough"])
    wait_until(lambda: ended(cluster, running) == "COMPLETED|0:0")
    assert ended(cluster, first) == "COMPLETED|0:0"
    cluster.run("scontrol", "release", str(waiting))
    wait_until(lambda: ended(cluster, waiting) == "COMPLETED|0:0")
    assert submit(cluster, people, "true") == waiting + 1
    assert cluster.read()["endpoints"]["login_member"] == "controller-2"
    assert gone.run(["pgrep", "-x", "slurmctld"], check=False).code != 0


def test_a_dead_host_loses_no_job_that_workers_know_and_runs_none_twice(
    cluster: Cluster, people: People, held: list[Held]
) -> None:
    worker, dead = cluster.hosts["worker-1"], cluster.members()["controller-2"]
    worker.run(["rm", "-f", "/tmp/enough", "/tmp/times"])
    running = submit(cluster, people, LINE)
    wait_until(lambda: is_running(cluster, running))
    later = submit(cluster, people, "echo once >>/tmp/times", "--hold")
    still = submit(cluster, people, "true", "--hold", f"--job-name=after-{running}")
    began = cluster.run("squeue", "-h", "-j", str(running), "-o", "%S")
    written = ["grep", "-q", f"after-{running}", STATE]
    wait_until(lambda: cluster.controller.run(written, check=False).code == 0)
    cluster.run("systemctl", "start", "moorage-slurm-copy.service")
    cluster.run("scontrol", "release", str(later))
    wait_until(lambda: ended(cluster, later) == "COMPLETED|0:0")
    host = cluster.hosts.pop("controller-2")
    host.crash()
    wish = {"allocation": held[0][1], "lost": True, "reason": "its mains are burnt"}

    asked = cluster.wait(cluster.admin.post(f"/v1/members/{dead['id']}/replace", wish))

    cluster.learn(held)
    cluster.hosts.pop("controller-1", None)
    assert cluster.run("squeue", "-h", "-j", str(running), "-o", "%S") == began
    cluster.run("scontrol", "release", str(still))
    wait_until(lambda: ended(cluster, still) == "COMPLETED|0:0")
    worker.run(["touch", "/tmp/enough"])
    wait_until(lambda: ended(cluster, running) == "COMPLETED|0:0")
    assert cluster.run("squeue", "-h", "-j", str(later), "-o", "%T %r").startswith(
        "PENDING JobHeld"
    )
    assert worker.run(["cat", "/tmp/times"]).stdout.split() == ["once"]
    assert submit(cluster, people, "true") > still
    host.power_on()
    assert host.get(KEY) != worker.get(KEY)
    assert host.run(["pgrep", "-x", "slurmctld"], check=False).code != 0
    first = cluster.admin.get(f"/v1/operations/{asked['id']}/children")["items"]
    assert any("a minute or two old" in (each["message"] or "") for each in first)
