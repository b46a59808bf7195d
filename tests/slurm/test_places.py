"""Where a cluster can stand: on one host, on several, with GPUs, with homes from elsewhere.

What can be asked of members while all stand on one host is in a table of `components.md`; a test
for each of its lines is here (`test_table.py`).
"""

from collections.abc import Iterator
from typing import Any

import pytest

from moorage_lab.layout import EXPORT
from tests.e2e.callers import Caller, Refused, wait_until
from tests.e2e.shop import Shop
from tests.e2e.world import Member, Tenant
from tests.slurm import clusters
from tests.slurm.clusters import Cluster, Held, People

pytestmark = pytest.mark.lab

KEYS = "/etc/slurm/slurm.jwks"
HOME = {"mode": "mount", "what": f"{EXPORT}/home", "type": "none", "options": "bind"}
REASON = {"reason": "a test moves things"}


@pytest.fixture(scope="module")
def held(
    admin: Caller, acme: Tenant, nodes: list[Member], stocked: list[Member], gpu_node: Member
) -> Iterator[list[Held]]:
    """A plain host that may die, one with packages, and one without that has GPUs."""
    with clusters.holding(admin, acme, [nodes[0], stocked[0], gpu_node]) as found:
        yield found


@pytest.fixture(scope="module")
def single(acme: Tenant, slurm: Shop, people: People, held: list[Held]) -> Iterator[Cluster]:
    """Controller and worker on one host, with homes on the site's export and Slurm's own keys."""
    held[0][0].host.run(["mkdir", "-p", f"{EXPORT}/home"])
    machines = {"controller": held[:1], "worker": held[:1]}
    found = clusters.deploy(acme, slurm, "single", machines, config={"home": HOME, "auth": "slurm"})
    yield found
    if found.read()["status"] != "deleted":
        ended = found.ask("decommission", {"reason": "the test is over"})
        assert ended["residue"] == []


def worker(cluster: Cluster) -> str:
    """The only worker."""
    (found,) = (name for name in cluster.members() if name.startswith("worker"))
    return found


def ask(cluster: Cluster, verb: str, *names: str) -> dict[str, Any]:
    wish = {"members": [cluster.members()[name]["id"] for name in names], **REASON}
    return cluster.admin.post(f"{cluster.path}/members/{verb}", wish)


def replace(cluster: Cluster, name: str, by: Held, *, lost: bool = False) -> dict[str, Any]:
    # Who says force has accepted beforehand what is lost with a controller's host.
    wish = {"allocation": by[1], "lost": lost, "policy": "force" if lost else "wait", **REASON}
    return cluster.admin.post(f"/v1/members/{cluster.members()[name]['id']}/replace", wish)


def add(cluster: Cluster, at: Held) -> dict[str, Any]:
    wish = {"component": "worker", "allocations": [at[1]]}
    return cluster.admin.post(f"{cluster.path}/members", wish)


def move(cluster: Cluster, held: list[Held], asked: dict[str, Any], *, hosts: int) -> None:
    """Let members come and go, which stand on so many hosts afterwards."""
    cluster.wait(asked)
    cluster.learn(held)
    assert len({*cluster.allocations.values()}) == hosts


def submit(cluster: Cluster, people: People, line: str = "true", *more: str) -> str:
    words = ("--parsable", "--chdir=/tmp", "--output=/dev/null", *more, "--wrap", line)
    return cluster.run("sbatch", *words, user=people.ada.login).strip()


def state(cluster: Cluster, job: str) -> str:
    said = cluster.run("squeue", "-h", "-t", "all", "-j", job, "-o", "%T", check=False)
    return said.strip() or cluster.run("sacct", "-nXP", "-j", job, "-o", "State").strip()


def is_up(cluster: Cluster) -> bool:
    return "is UP" in cluster.run("scontrol", "ping")


def test_one_host_is_a_whole_cluster(single: Cluster, people: People) -> None:
    ran = single.run("srun", "id", "-un", user=people.ada.login)

    assert ran.split() == [people.ada.login]
    assert single.read()["topology_mode"] == "single_node"


def test_a_host_of_two_members_gets_the_key_once(single: Cluster) -> None:
    ended = single.ask("rotate", {"reason": "somebody has seen it"})

    assert ended["result"] == {"late": []}
    assert single.run("srun", "--account=root", "grep", "-o", "HS256", KEYS) == "HS256\n"


def test_jobs_wait_while_the_only_worker_is_drained(single: Cluster, people: People) -> None:
    single.wait(ask(single, "drain", "worker-1"))
    job = submit(single, people)
    waits = state(single, job)
    single.wait(ask(single, "resume", "worker-1"))

    wait_until(lambda: state(single, job) == "COMPLETED")
    assert waits == "PENDING"


def test_nobody_removes_the_controller_of_one_host(single: Cluster) -> None:
    with pytest.raises(Refused, match="verb_not_offered"):
        ask(single, "remove", "controller-1")


@pytest.fixture(scope="module")
def last(single: Cluster, held: list[Held]) -> int:
    """The host of everything is gone; the last number of a job there."""
    known = single.run("squeue", "-h", "-t", "all", "-o", "%i").split()
    held[0][0].host.crash()
    return max(map(int, known))


def test_a_lost_worker_is_not_replaced_before_the_controller_that_was_beside_it(
    single: Cluster, last: int, held: list[Held]
) -> None:
    asked = replace(single, "worker-1", held[1], lost=True)
    refused = single.reach(asked, "blocked")
    single.admin.post(f"/v1/operations/{asked['id']}/cancel", REASON)
    single.admin.until(f"/v1/operations/{asked['id']}", lambda found: found["ended_at"])

    assert refused["error"]["code"] == "controller_lost"
    assert "replace controller-1 as lost, and then worker-1" in refused["error"]["message"]
    assert {*single.members()} == {"controller-1", "worker-1"}
    assert single.members()["worker-1"]["status"] == "ready"


def test_a_host_that_was_lost_with_everything_is_replaced_controller_first(
    single: Cluster, people: People, last: int, held: list[Held]
) -> None:
    gone = held[0][0].host
    single.wait(replace(single, "controller-1", held[1], lost=True))
    move(single, held, replace(single, "worker-1", held[1], lost=True), hosts=1)

    ran = single.run("srun", "hostname", user=people.ada.login)
    gone.power_on()

    assert ran.split() == [held[1][0].host.name]
    assert int(submit(single, people)) > last
    assert gone.run(["pgrep", "slurm"], check=False).code != 0


def test_the_only_worker_can_go_and_come_back_while_the_controller_stays(
    single: Cluster, people: People, held: list[Held]
) -> None:
    began = single.run("systemctl", "show", "-p", "MainPID", "slurmctld")
    single.wait(ask(single, "remove", worker(single)))
    without = single.run("sinfo", "-h", "-N"), is_up(single)

    move(single, held, add(single, held[1]), hosts=1)

    assert without == ("", True)
    assert single.run("srun", "id", "-un", user=people.ada.login).split() == [people.ada.login]
    assert single.run("systemctl", "show", "-p", "MainPID", "slurmctld") == began


@pytest.fixture(scope="module")
def gpus(single: Cluster, held: list[Held]) -> str:
    """A worker on a host with GPUs."""
    before = worker(single)
    move(single, held, add(single, held[2]), hosts=2)
    (found,) = {name for name in single.members() if name.startswith("worker")} - {before}
    return found


def test_a_worker_elsewhere_joins_with_its_gpus_and_the_same_homes(
    single: Cluster, people: People, held: list[Held], gpus: str
) -> None:
    login, there = people.ada.login, f"--nodelist={gpus}"

    one = (there, "--gres=gpu:1")
    seen = single.run("srun", *one, "sh", "-c", "echo $CUDA_VISIBLE_DEVICES", user=login)
    single.run("srun", there, "sh", "-c", "hostname >~/where", user=login)

    assert seen.split() == ["0"]
    assert "gpu:simulated:2" in single.run("scontrol", "show", "node", gpus)
    assert single.run("cat", f"/home/{login}/where").split() == [held[2][0].host.name]
    wait_until(lambda: single.read()["topology_mode"] == "split")


def test_more_gpus_than_there_are_are_never_given(
    single: Cluster, people: People, gpus: str
) -> None:
    refused = single.controller.run(
        ["runuser", "-u", people.ada.login, "--", "srun", "--gres=gpu:3", "true"], check=False
    )

    assert refused.code != 0
    assert "Requested node configuration is not available" in refused.stderr


def test_gpus_get_another_name_while_nothing_runs(
    single: Cluster, people: People, gpus: str
) -> None:
    single.wait(single.configure(gpu_types={"Simulated H200": "fast"}))

    one = ("--gres=gpu:fast:1", "printenv", "CUDA_VISIBLE_DEVICES")
    assert single.run("srun", *one, user=people.ada.login).strip() == "0"


def test_the_controller_moves_to_another_host_and_the_worker_beside_it_stays(
    single: Cluster, people: People, held: list[Held], gpus: str
) -> None:
    move(single, held, ask(single, "remove", gpus), hosts=1)
    old, stays = single.login, single.hosts[worker(single)]
    job = submit(single, people, "while test ! -e /tmp/enough; do sleep 0.2; done")
    wait_until(lambda: state(single, job) == "RUNNING")

    move(single, held, replace(single, old, held[2]), hosts=2)

    went = state(single, job)
    stays.run(["touch", "/tmp/enough"])
    wait_until(lambda: state(single, job) == "COMPLETED")
    assert (went, single.controller.name) == ("RUNNING", held[2][0].host.name)
    assert stays.run(["pgrep", "-x", "slurmctld"], check=False).code != 0


def test_the_worker_beside_the_controller_is_replaced_onto_another_host(
    single: Cluster, people: People, held: list[Held]
) -> None:
    move(single, held, replace(single, worker(single), held[2]), hosts=1)

    move(single, held, replace(single, worker(single), held[1]), hosts=2)

    ran = single.run("srun", "hostname", user=people.ada.login)
    assert ran.split() == [held[1][0].host.name]
    assert is_up(single)


def test_a_cluster_that_ends_awaits_what_runs_and_starts_nothing_more(
    single: Cluster, people: People
) -> None:
    host = single.hosts[worker(single)]
    host.run("rm -f /tmp/enough /tmp/ran")
    single.wait(single.configure(jobs_at_the_end="wait"))
    line = "while test ! -e /tmp/enough; do sleep 0.2; done; echo $SLURM_JOB_ID >>/tmp/ran"
    runs = submit(single, people, line, "--exclusive")
    wait_until(lambda: state(single, runs) == "RUNNING")
    waits = submit(single, people, "echo $SLURM_JOB_ID >>/tmp/ran")

    asked = single.admin.post(f"{single.path}/decommission", {"reason": "the test is over"})
    waiting = single.reach(asked, "waiting")
    left = single.run("squeue", "-h", "-o", "%i %T").split()
    late = ["runuser", "-u", people.ada.login, "--", "sbatch", "--chdir=/tmp", "--wrap=true"]
    refused = single.controller.run(late, check=False)
    host.run(["touch", "/tmp/enough"])
    ended = single.wait(asked)

    assert waiting["message"] == f"waiting for job {runs}"
    assert left == [runs, "RUNNING"], waits
    assert "partition not available" in refused.stderr
    assert host.run(["cat", "/tmp/ran"]).stdout.split() == [runs]
    assert ended["residue"] == []
