"""From Slurm 24.11 to 26.05 and back, on real hosts, with jobs that must not notice or be lost."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.e2e.callers import Caller, Refused, wait_until
from tests.e2e.shop import Shop
from tests.e2e.world import Member, Tenant
from tests.slurm import clusters, pictures
from tests.slurm.clusters import Cluster, Held, People
from tests.slurm.replicas import Replica

pytestmark = pytest.mark.lab

JOB = """\
echo $SLURM_JOB_ID >> /tmp/ran
while test ! -e /tmp/go-$SLURM_JOB_ID; do sleep 0.2; done
srun -n1 sh -c 'echo step $SLURM_STEP_ID by $(srun --version)' > /tmp/said-$SLURM_JOB_ID 2>&1
"""
END = {"reason": "the test is over", "preempt": True}
EARLIER, LATER = "24.11.", "26.05."
LISTED = "dpkg-query -W -f '${Package} ${Version} ${db:Status-Abbrev}\\n'"


@dataclass
class Story:
    """What happened to a cluster, for tests to look at."""

    operation: dict[str, Any]
    jobs: dict[str, int] = field(default_factory=dict[str, int])
    packages: dict[str, str] = field(default_factory=dict[str, str])
    seen: dict[str, str] = field(default_factory=dict[str, str])
    """Which release each member ran in the middle of it."""
    reason: str = ""
    """Why the worker that was away is drained, or what was waited for."""

    @property
    def result(self) -> dict[str, Any]:
        return self.operation["result"]


@pytest.fixture(scope="module")
def held(admin: Caller, acme: Tenant, nodes: list[Member]) -> Iterator[list[Held]]:
    with clusters.holding(admin, acme, nodes[:4]) as found:
        yield found


@pytest.fixture(scope="module")
def before(held: list[Held]) -> list[frozenset[str]]:
    """What the hosts were like."""
    return [pictures.take(node.host) for node, _ in held]


@pytest.fixture(scope="module")
def both(
    acme: Tenant, slurm: Shop, people: People, held: list[Held], before: list[frozenset[str]]
) -> Iterator[tuple[Cluster, Cluster]]:
    """A cluster of three hosts, and one that is all on one host."""
    assert before
    split = {"controller": held[:1], "worker": held[1:3]}
    single = {"controller": held[3:], "worker": held[3:]}
    asked = [
        clusters.request(acme, slurm, name, machines)
        for name, machines in (("split", split), ("single", single))
    ]
    for found, operation in asked:
        found.wait(operation)
    yield asked[0][0], asked[1][0]
    held[2][0].host.mend_network()
    assert decommission([found for found, _ in asked]) == []


def decommission(found: Iterable[Cluster]) -> list[dict[str, Any]]:
    """End clusters that have not ended, side by side; what is left of them."""
    there = [each for each in found if each.read()["status"] != "deleted"]
    asked = [each.admin.post(f"{each.path}/decommission", END) for each in there]
    ended = [each.wait(operation) for each, operation in zip(there, asked, strict=True)]
    return [left for each in ended for left in each["residue"]]


@pytest.fixture(scope="module")
def cluster(both: tuple[Cluster, Cluster]) -> Cluster:
    return both[0]


@pytest.fixture(scope="module")
def single(both: tuple[Cluster, Cluster]) -> Cluster:
    return both[1]


@pytest.fixture(scope="module")
def upgraded(
    cluster: Cluster, people: People, admin: Caller, held: list[Held], controller: Replica
) -> Story:
    """To the later release: a job runs, a worker is away, and the controller's process dies."""
    who = people.ada.login
    packages = {name: listed(cluster, name) for name in cluster.hosts}
    jobs = {
        "across": submit(cluster, who, "--nodelist=worker-1"),
        "waiting": submit(cluster, who, "--hold"),
        "dropped": submit(cluster, who, "--hold"),
    }
    wait_until(lambda: state(cluster, jobs["across"]) == "RUNNING")
    away = held[2][0]
    away.host.cut()
    admin.until(f"/v1/nodes/{away.node}", lambda found: not found["reachable"], seconds=60)

    asked = cluster.admin.post(f"{cluster.path}/upgrade", {"version": "2.0.0"})
    await_step(cluster, asked, "change the packages of the controller", "running")
    controller.kill()
    controller.start()
    await_step(cluster, asked, "see who runs which release", "succeeded")
    seen = releases(cluster)
    ended = cluster.wait(asked)
    reason = cluster.run("sinfo", "-h", "-n", "worker-2", "-o", "%E").strip()
    away.host.mend_network()

    return Story(ended, jobs, packages, seen, reason)


def submit(cluster: Cluster, who: str, *words: str) -> int:
    """A job that writes down that it ran, and ends with a step once it may."""
    line = ("sbatch", "--parsable", "--chdir=/tmp", "--output=/dev/null", *words, "--wrap", JOB)
    return int(cluster.run(*line, user=who))


def let_end(cluster: Cluster, job: int) -> None:
    for host in {host.name: host for host in cluster.hosts.values()}.values():
        host.run(["touch", f"/tmp/go-{job}"])
    wait_until(lambda: state(cluster, job) not in ("RUNNING", "COMPLETING", "PENDING"))


def state(cluster: Cluster, job: int) -> str:
    """Of a job, in the queue or in the books."""
    known = cluster.run("squeue", "-h", "-t", "all", "-j", str(job), "-o", "%T", check=False)
    if known.strip():
        return known.strip()
    return cluster.run("sacct", "-n", "-X", "-P", "-j", str(job), "-o", "State").strip()


def listed(cluster: Cluster, name: str) -> str:
    """Packages of a host with their versions."""
    return cluster.hosts[name].run(["sh", "-c", LISTED]).stdout


def releases(cluster: Cluster) -> dict[str, str]:
    return {name: each["runtime_version"] for name, each in cluster.members().items()}


def await_step(cluster: Cluster, asked: dict[str, Any], name: str, status: str) -> None:
    """Until a step of an operation is in a state, or beyond it."""
    path = f"/v1/operations/{asked['id']}/steps?limit=100"
    wanted = {status, "succeeded"}

    def is_there(found: dict[str, Any]) -> bool:
        return any(one["name"] == name and one["status"] in wanted for one in found["items"])

    cluster.admin.until(path, is_there, seconds=clusters.LONG)


def steps(cluster: Cluster, story: Story) -> list[str]:
    path = f"/v1/operations/{story.operation['id']}/steps?limit=100"
    return [one["name"] for one in cluster.admin.get(path)["items"]]


def test_an_upgrade_takes_slurms_own_order(cluster: Cluster, upgraded: Story) -> None:
    assert steps(cluster, upgraded) == [
        "look for room",
        "give workers time",
        "stop the scheduler and accounting",
        "copy state and database",
        "change the packages of the controller",
        "write the configuration",
        "start accounting",
        "start the scheduler",
        "see who runs which release",
        "change the workers",
        "put aside who is missing",
        "expect workers to answer as usual",
        "open the books",
        "look at the cluster",
        "run a job",
    ]


def test_half_an_upgrade_shows_both_releases(upgraded: Story) -> None:
    assert upgraded.seen["controller-1"].startswith(LATER)
    assert upgraded.seen["worker-1"].startswith(EARLIER)


def test_a_job_runs_across_an_upgrade_and_launches_a_step_afterwards(
    cluster: Cluster, upgraded: Story
) -> None:
    job = upgraded.jobs["across"]
    before = state(cluster, job)

    let_end(cluster, job)

    said = cluster.hosts["worker-1"].run(["cat", f"/tmp/said-{job}"]).stdout
    assert (before, state(cluster, job)) == ("RUNNING", "COMPLETED")
    assert re.fullmatch(rf"step 0 by slurm-wlm {re.escape(LATER)}\d+\n", said)


def test_app_and_daemons_have_the_later_version_and_workers_their_usual_time(
    cluster: Cluster, upgraded: Story
) -> None:
    found = cluster.read()

    assert (found["app_version"], found["runtime_version"][:6]) == ("2.0.0", LATER)
    assert releases(cluster)["worker-1"].startswith(LATER)
    assert "SlurmdTimeout" not in cluster.run("cat", "/etc/slurm/slurm.conf")


def test_a_copy_is_made_before_there_is_no_way_back(upgraded: Story) -> None:
    copy = upgraded.result["copy"]

    assert (copy["series"], copy["highest"]) == ("24.11", upgraded.jobs["dropped"])


def test_a_worker_that_was_away_is_drained_with_a_reason_and_brought_along_by_a_repair(
    cluster: Cluster, upgraded: Story
) -> None:
    def is_back() -> bool:
        said = cluster.run("sinfo", "-h", "-n", "worker-2", "-o", "%T").strip()
        return said == "idle" and releases(cluster)["worker-2"].startswith(LATER)

    wait_until(is_back, seconds=clusters.LONG)

    assert upgraded.result["behind"] == {"worker-2": "Its host does not answer."}
    assert upgraded.reason.startswith("moorage version: Its host does not answer.")


@pytest.fixture(scope="module")
def gone_back(cluster: Cluster, upgraded: Story, people: People, controller: Replica) -> Story:
    """To the earlier release: one waits for a job, and the controller's process dies."""
    let_end(cluster, upgraded.jobs["across"])
    who = people.ada.login
    cluster.run("scancel", str(upgraded.jobs["dropped"]))
    jobs = {**upgraded.jobs, "late": submit(cluster, who, "--hold"), "last": submit(cluster, who)}
    wait_until(lambda: state(cluster, jobs["last"]) == "RUNNING")

    wish = {"accept_losses": True}
    asked = cluster.admin.post(f"{cluster.path}/rollback", wish)
    path = f"/v1/operations/{asked['id']}"
    waiting = cluster.admin.until(path, lambda one: one["status"] == "waiting", seconds=120)
    let_end(cluster, jobs["last"])
    await_step(cluster, asked, "put the copy back", "running")
    controller.kill()
    controller.start()

    return Story(cluster.wait(asked), jobs, reason=waiting["message"])


def test_what_going_back_loses_is_in_the_plan_and_has_to_be_accepted(
    cluster: Cluster, upgraded: Story
) -> None:
    plan = cluster.admin.post(f"{cluster.path}/plans", {"kind": "instance.rollback"})

    with pytest.raises(Refused, match="losses_not_accepted"):
        cluster.admin.post(f"{cluster.path}/rollback", {})

    assert len(plan["loses"]) == 4
    assert any("held" in each for each in plan["loses"])


def test_going_back_waits_for_jobs(gone_back: Story) -> None:
    assert gone_back.reason == f"waiting for job {gone_back.jobs['last']}"


def test_going_back_says_what_became_of_each_job(cluster: Cluster, gone_back: Story) -> None:
    jobs = gone_back.jobs
    kept = f"{gone_back.result['kept']['folder']}/scripts/{jobs['late']}.sh"

    said = gone_back.result["jobs"]

    assert said["held"] == [str(jobs["waiting"])]
    assert sorted(said["cancelled"]) == sorted(map(str, (jobs["across"], jobs["dropped"])))
    assert said["lost"] == [str(jobs["late"])]
    assert "srun -n1" in cluster.run("cat", kept)
    assert cluster.run("squeue", "-h", "-o", "%i %r").strip() == f"{jobs['waiting']} JobHeldUser"


def test_what_ended_since_is_kept_as_a_table(cluster: Cluster, gone_back: Story) -> None:
    table = cluster.run("cat", f"{gone_back.result['kept']['folder']}/jobs.csv")

    rows = [line.split(",") for line in table.splitlines()]

    ended = {row[0]: row[5] for row in rows}
    assert ended[str(gone_back.jobs["across"])] == "COMPLETED"
    assert ended[str(gone_back.jobs["last"])] == "COMPLETED"


def test_no_job_runs_twice_and_no_number_is_used_again(
    cluster: Cluster, gone_back: Story, people: People
) -> None:
    jobs = gone_back.jobs

    new = submit(cluster, people.ada.login)
    cluster.run("scontrol", "release", str(jobs["waiting"]), user=people.ada.login)
    for job in (new, jobs["waiting"]):
        let_end(cluster, job)

    workers = (cluster.hosts["worker-1"], cluster.hosts["worker-2"])
    ran = sorted(
        int(line)
        for host in workers
        for line in host.run("cat /tmp/ran 2>/dev/null || true").stdout.split()
    )
    assert new >= gone_back.result["first_job"] > max(jobs.values())
    assert ran == sorted([jobs["across"], jobs["last"], jobs["waiting"], new])


def test_every_host_has_the_packages_that_it_had(
    cluster: Cluster, upgraded: Story, gone_back: Story
) -> None:
    after = {name: listed(cluster, name) for name in cluster.hosts}

    assert after == upgraded.packages
    assert all(each.startswith(EARLIER) for each in releases(cluster).values())


def test_one_host_for_everything_goes_there_and_back_with_its_jobs(
    single: Cluster, people: People
) -> None:
    before = listed(single, "controller-1")
    job = submit(single, people.ada.login)
    wait_until(lambda: state(single, job) == "RUNNING")

    single.ask("upgrade", {"version": "2.0.0"})
    then, during = releases(single), state(single, job)
    at = single.controller.run("date +@%s.%N").stdout.strip()
    single.ask("restart")
    complaints = clusters.complaints(single.controller, since=at)
    back = single.ask("rollback", {"accept_losses": True, "policy": "force"})

    assert [each[:6] for each in then.values()] == [LATER, LATER]
    assert complaints == []
    assert (during, back["result"]["ended_for_it"]) == ("RUNNING", [job])
    assert listed(single, "controller-1") == before
    assert submit(single, people.ada.login) > job


def test_after_there_and_back_and_the_end_hosts_are_as_they_were(
    both: tuple[Cluster, Cluster],
    gone_back: Story,
    held: list[Held],
    before: list[frozenset[str]],
) -> None:
    residue = decommission(both)

    left = [pictures.until_as(old, held[at][0].host) for at, old in enumerate(before)]
    assert (residue, left) == ([], [[]] * len(held))
