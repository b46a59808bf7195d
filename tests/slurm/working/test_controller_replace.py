"""Another host takes the place of a cluster's controller, while jobs run and wait."""

from typing import Any

import pytest

from tests.e2e.callers import Caller, wait_until
from tests.e2e.world import Tenant
from tests.slurm import clusters
from tests.slurm.clusters import Cluster, Held, People

pytestmark = pytest.mark.lab

STATE = "/var/lib/slurm/slurmctld/job_state"
"""Slurm writes it some seconds after things have happened."""
KEY = "/etc/munge/munge.key"
LINE = "while test ! -e /tmp/enough; do sleep 0.2; done"


def queue(cluster: Cluster) -> str:
    return cluster.run("squeue", "-h", "-o", "%i %T %S")


def submit(cluster: Cluster, people: People, line: str, *more: str) -> int:
    words = ("sbatch", "--parsable", "--chdir=/tmp", "--nodelist=worker-1", *more, "--wrap", line)
    return int(cluster.run(*words, user=people.ada.login))


def ended(cluster: Cluster, job: int) -> str:
    return cluster.run("sacct", "-X", "-n", "-P", "-j", str(job), "-o", "State,ExitCode").strip()


def waits(job: int) -> tuple[str, ...]:
    """How a job stands in the queue, and why."""
    return ("squeue", "-h", "-j", str(job), "-o", "%T %r")


def blocked_below(cluster: Cluster, operation: dict[str, Any]) -> dict[str, Any]:
    """The part of an operation that waits for a person, once one does."""
    path = f"/v1/operations/{operation['id']}/children"

    def stands(page: dict[str, Any]) -> list[dict[str, Any]]:
        return [each for each in page["items"] if each["status"] == "blocked"]

    return stands(cluster.admin.until(path, stands, seconds=60))[0]


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
    worker, gone = cluster.hosts["worker-1"], cluster.controller
    old = cluster.members()[cluster.login]
    wish = {"allocation": held[3][1], "reason": "its disk is old"}

    cluster.wait(cluster.admin.post(f"/v1/members/{old['id']}/replace", wish))

    cluster.learn(held)
    assert queue(cluster) == before
    worker.run(["touch", "/tmp/enough"])
    wait_until(lambda: ended(cluster, running) == "COMPLETED|0:0")
    assert ended(cluster, first) == "COMPLETED|0:0"
    cluster.run("scontrol", "release", str(waiting))
    wait_until(lambda: ended(cluster, waiting) == "COMPLETED|0:0")
    assert submit(cluster, people, "true") == waiting + 1
    assert cluster.read()["endpoints"]["login_member"] == cluster.login != old["name"]
    assert gone.run(["pgrep", "-x", "slurmctld"], check=False).code != 0


def test_a_dead_host_loses_no_job_that_workers_know_and_runs_none_twice(
    cluster: Cluster, admin: Caller, acme: Tenant, people: People, held: list[Held]
) -> None:
    worker, host = cluster.hosts["worker-1"], cluster.controller
    dead = cluster.members()[cluster.login]
    worker.run(["rm", "-f", "/tmp/enough", "/tmp/times", "/tmp/tasks"])
    running = submit(cluster, people, LINE)
    wait_until(lambda: is_running(cluster, running))
    later = submit(cluster, people, "echo once >>/tmp/times", "--hold")
    tasks = "echo $SLURM_ARRAY_TASK_ID >>/tmp/tasks"
    array = submit(cluster, people, tasks, "--hold", "--array=0-1")
    still = submit(cluster, people, "true", "--hold", f"--job-name=after-{running}")
    began = cluster.run("squeue", "-h", "-j", str(running), "-o", "%S")
    written = ["grep", "-q", f"after-{running}", STATE]
    wait_until(lambda: cluster.controller.run(written, check=False).code == 0)
    cluster.run("systemctl", "start", "moorage-slurm-copy.service")
    cluster.run("scontrol", "release", str(later))
    wait_until(lambda: ended(cluster, later) == "COMPLETED|0:0")
    cluster.run("scontrol", "release", str(array))
    wait_until(lambda: ended(cluster, array).split() == ["COMPLETED|0:0"] * 2)
    host.crash()
    wish = {"allocation": held[0][1], "lost": True, "reason": "its mains are burnt"}

    asked = cluster.admin.post(f"/v1/members/{dead['id']}/replace", wish)
    told = blocked_below(cluster, asked)
    cluster.admin.post(f"/v1/operations/{told['id']}/resume", {"reason": "nobody waits for these"})
    cluster.wait(asked)

    cluster.learn(held)
    assert cluster.run("squeue", "-h", "-j", str(running), "-o", "%S") == began
    cluster.run("scontrol", "release", str(still))
    wait_until(lambda: ended(cluster, still) == "COMPLETED|0:0")
    worker.run(["touch", "/tmp/enough"])
    wait_until(lambda: ended(cluster, running) == "COMPLETED|0:0")
    assert cluster.run(*waits(later)).startswith("PENDING JobHeld")
    assert {line[:15] for line in cluster.run(*waits(array)).splitlines()} == {"PENDING JobHeld"}
    assert worker.run(["cat", "/tmp/times"]).stdout.split() == ["once"]
    assert sorted(worker.run(["cat", "/tmp/tasks"]).stdout.split()) == ["0", "1"]
    assert submit(cluster, people, "true") > still
    host.power_on()
    assert host.get(KEY) != worker.get(KEY)
    assert host.run(["pgrep", "-x", "slurmctld"], check=False).code != 0
    assert (told["status"], told["error"]["code"]) == ("blocked", "losses_to_accept")
    assert f"jobs above {still}, which the view `slurm.queue`" in told["error"]["message"]
    assert f"Those that began since are ended: {still + 1}" in told["error"]["message"]
    clusters.renew(admin, acme, held, 3)
