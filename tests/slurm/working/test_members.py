"""Workers of a cluster come and go while a job runs, which never hears of it."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.callers import Caller, Refused, wait_until
from tests.e2e.world import Tenant
from tests.slurm import clusters
from tests.slurm.clusters import Cluster, Held, People

pytestmark = pytest.mark.lab

KEY = "/etc/munge/munge.key"
SINCE = "%i %T %S %N"


@pytest.fixture(scope="module")
def witness(cluster: Cluster, people: People) -> str:
    """A job on the first worker that runs through everything, as the queue shows it."""
    submit(cluster, people, "worker-1", "sleep 3000")
    wait_until(lambda: "RUNNING" in queue(cluster))
    return queue(cluster)


@pytest.fixture(autouse=True)
def undisturbed(cluster: Cluster, witness: str) -> Iterator[None]:
    """Whatever a test does: the job goes on, and the scheduler is not started anew."""
    began = scheduler(cluster)
    yield
    assert witness in queue(cluster)
    assert scheduler(cluster) == began


def scheduler(cluster: Cluster) -> str:
    words = ("systemctl", "show", "-p", "ActiveEnterTimestampMonotonic", "slurmctld")
    return cluster.run(*words)


def queue(cluster: Cluster) -> str:
    return cluster.run("squeue", "-h", "-o", SINCE)


def nodes_of(cluster: Cluster) -> list[str]:
    return cluster.run("sinfo", "-h", "-N", "-o", "%N").split()


def reason(cluster: Cluster, name: str) -> str:
    return cluster.run("sinfo", "-h", "-n", name, "-o", "%E").strip()


def state(cluster: Cluster, name: str) -> str:
    return cluster.run("sinfo", "-h", "-n", name, "-o", "%T").strip()


def submit(cluster: Cluster, people: People, node: str, line: str, *more: str) -> int:
    words = ("sbatch", "--parsable", f"--nodelist={node}", "--chdir=/tmp", *more, "--wrap", line)
    return int(cluster.run(*words, user=people.ada.login))


def ask(cluster: Cluster, verb: str, *names: str, **more: Any) -> dict[str, Any]:
    """Ask something of members; the operation."""
    known = cluster.members()
    wish = {"members": [known[name]["id"] for name in names], "reason": "a fan is loud", **more}
    return cluster.admin.post(f"{cluster.path}/members/{verb}", wish)


def child(cluster: Cluster, asked: dict[str, Any]) -> dict[str, Any]:
    (found,) = cluster.admin.get(f"/v1/operations/{asked['id']}/children")["items"]
    return found


def until(cluster: Cluster, asked: dict[str, Any], status: str) -> dict[str, Any]:
    """The one operation below what was asked for, once it is in a state."""
    return cluster.reach(child(cluster, asked), status)


def test_several_workers_join_at_once_while_a_job_runs(cluster: Cluster, held: list[Held]) -> None:
    free = [allocation for _, allocation in held[3:]]
    wish = {"component": "worker", "allocations": free, "max_parallel": 2}

    cluster.wait(cluster.admin.post(f"{cluster.path}/members", wish))

    cluster.learn(held)
    assert nodes_of(cluster) == ["worker-1", "worker-2", "worker-3", "worker-4"]
    assert state(cluster, "worker-3") == state(cluster, "worker-4") == "idle"


def test_a_drain_waits_for_jobs_and_says_in_slurm_whose_it_is(
    cluster: Cluster, people: People
) -> None:
    job = submit(cluster, people, "worker-2", "while test ! -e /tmp/enough; do sleep 0.2; done")
    wait_until(lambda: f"{job} RUNNING" in queue(cluster))

    asked = ask(cluster, "drain", "worker-2")
    waiting = until(cluster, asked, "waiting")
    why = reason(cluster, "worker-2")
    cluster.hosts["worker-2"].run(["touch", "/tmp/enough"])
    cluster.wait(asked)

    assert waiting["message"] == f"waiting for job {job} on worker-2"
    assert why.startswith("moorage: a fan is loud (")
    assert (state(cluster, "worker-2"), cluster.members()["worker-2"]["status"]) == (
        "drained",
        "drained",
    )
    cluster.wait(ask(cluster, "resume", "worker-2"))
    assert state(cluster, "worker-2") == "idle"


def test_a_drain_that_is_cancelled_lets_jobs_start_again(cluster: Cluster, people: People) -> None:
    job = submit(cluster, people, "worker-2", "sleep 600")
    wait_until(lambda: f"{job} RUNNING" in queue(cluster))
    asked = ask(cluster, "drain", "worker-2")
    until(cluster, asked, "waiting")

    cluster.admin.post(f"/v1/operations/{asked['id']}/cancel", {"reason": "it is quiet again"})
    cluster.admin.until(f"/v1/operations/{asked['id']}", lambda found: found["ended_at"])

    assert cluster.members()["worker-2"]["status"] == "ready"
    assert state(cluster, "worker-2") == "mixed"
    assert f"{job} RUNNING" in queue(cluster)
    cluster.run("scancel", str(job))


def test_a_deadline_ends_what_is_still_there(cluster: Cluster, people: People) -> None:
    job = submit(cluster, people, "worker-2", "sleep 600", "--no-requeue")
    wait_until(lambda: f"{job} RUNNING" in queue(cluster))

    cluster.wait(ask(cluster, "drain", "worker-2", policy="deadline", deadline=2))

    assert f"{job} " not in queue(cluster)
    assert state(cluster, "worker-2") == "drained"
    cluster.wait(ask(cluster, "resume", "worker-2"))


def test_force_puts_a_job_back_into_the_queue(cluster: Cluster, people: People) -> None:
    job = submit(cluster, people, "worker-2", "sleep 600", "--requeue")
    wait_until(lambda: f"{job} RUNNING" in queue(cluster))

    asked = ask(cluster, "drain", "worker-2", policy="force")
    cluster.wait(asked)

    assert f"{job} PENDING" in queue(cluster)
    assert child(cluster, asked)["message"] == f"Jobs that were taken off: {job}."
    cluster.run("scancel", str(job))
    cluster.wait(ask(cluster, "resume", "worker-2"))


def test_a_drain_of_an_admin_is_respected_and_shown(cluster: Cluster) -> None:
    cluster.run("scontrol", "update", "nodename=worker-2", "state=drain", "reason=bad cable")

    drained = ask(cluster, "drain", "worker-2")
    cluster.wait(drained)
    resumed = ask(cluster, "resume", "worker-2")
    blocked = until(cluster, resumed, "blocked")
    still = (state(cluster, "worker-2"), reason(cluster, "worker-2"))
    cluster.run("scontrol", "update", "nodename=worker-2", "state=resume")
    cluster.admin.post(f"/v1/operations/{blocked['id']}/resume", {"reason": "the cable is new"})
    cluster.wait(resumed)

    assert "bad cable" in child(cluster, drained)["message"]
    assert blocked["error"]["code"] == "drained_by_another"
    assert "bad cable" in blocked["error"]["message"]
    assert still == ("drained", "bad cable")
    assert state(cluster, "worker-2") == "idle"


def test_a_worker_that_is_removed_does_not_come_back(cluster: Cluster, held: list[Held]) -> None:
    host = cluster.hosts["worker-3"]

    cluster.wait(ask(cluster, "remove", "worker-3"))
    host.reboot()

    assert nodes_of(cluster) == ["worker-1", "worker-2", "worker-4"]
    assert host.run(["test", "-e", KEY], check=False).code != 0
    assert host.run(["pgrep", "-x", "slurmd"], check=False).code != 0


def test_nobody_removes_the_controller(cluster: Cluster) -> None:
    with pytest.raises(Refused, match="verb_not_offered"):
        ask(cluster, "remove", cluster.login)


def test_a_worker_that_nobody_hears_is_blocked_with_what_keeps_it(
    cluster: Cluster, held: list[Held]
) -> None:
    node, allocation = held[3]
    wall = f"{cluster.controller.address}/32"
    node.host.run(["ip", "route", "add", "unreachable", wall])
    wish = {"component": "worker", "allocations": [allocation]}

    asked = cluster.admin.post(f"{cluster.path}/members", wish)
    blocked = until(cluster, asked, "blocked")
    node.host.run(["ip", "route", "del", "unreachable", wall])
    cluster.admin.post(f"/v1/operations/{blocked['id']}/resume", {"reason": "the wall is gone"})
    cluster.wait(asked)

    cluster.learn(held)
    assert blocked["error"]["code"] == "worker_silent"
    assert "cannot reach the scheduler" in blocked["error"]["message"]
    assert "cancel" in blocked["verbs"]
    assert state(cluster, "worker-5") == "idle"


def test_a_worker_is_replaced_by_a_new_one_that_comes_first(
    cluster: Cluster, held: list[Held]
) -> None:
    cluster.wait(ask(cluster, "remove", "worker-5"))
    old = cluster.members()["worker-4"]
    wish = {"allocation": held[3][1], "reason": "it is slow"}

    cluster.wait(cluster.admin.post(f"/v1/members/{old['id']}/replace", wish))

    cluster.learn(held)
    assert nodes_of(cluster) == ["worker-1", "worker-2", "worker-6"]
    assert state(cluster, "worker-6") == "idle"


def test_a_dead_host_is_replaced_and_holds_no_key_when_it_comes_back(
    cluster: Cluster, admin: Caller, acme: Tenant, people: People, held: list[Held]
) -> None:
    host, dead = cluster.hosts["worker-6"], cluster.members()["worker-6"]
    job = submit(cluster, people, "worker-6", "sleep 600", "--requeue")
    wait_until(lambda: f"{job} RUNNING" in queue(cluster))
    host.crash()
    wish = {"allocation": held[4][1], "lost": True, "reason": "its mains are burnt"}

    asked = cluster.wait(cluster.admin.post(f"/v1/members/{dead['id']}/replace", wish))
    cluster.learn(held)
    host.power_on()

    assert nodes_of(cluster) == ["worker-1", "worker-2", "worker-7"]
    assert f"{job} PENDING" in queue(cluster)
    now = cluster.controller.get(KEY)
    assert now == cluster.hosts["worker-1"].get(KEY) == cluster.hosts["worker-7"].get(KEY)
    assert now != host.get(KEY)
    assert host.run(["pgrep", "-x", "slurmd"], check=False).code != 0
    assert acme.admin.get(f"/v1/allocations/{dead['allocation_id']}")["dirty"] == ["abandoned"]
    assert cluster.run("srun", "--nodelist=worker-7", "id", "-un", user=people.ada.login)
    cluster.run("scancel", str(job))
    assert [each["where"] for each in asked["residue"]] == ["worker-6"]
    clusters.renew(admin, acme, held, 3)
    assert host.run(["test", "-e", KEY], check=False).code != 0
    cluster.wait(ask(cluster, "remove", "worker-7"))
    cluster.learn(held)
