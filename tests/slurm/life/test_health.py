"""How a cluster says that it is ill, and how it gets well again. One cluster, many troubles."""

import re
from pathlib import Path
from typing import Any

import pytest

import moorage_slurm
from moorage_cli import main as cli
from tests.e2e.callers import wait_until
from tests.slurm.clusters import Cluster, People

pytestmark = pytest.mark.lab

SEEN, MENDED = 30.0, 120.0
"""Seconds. On a quiet machine a look comes every five."""
LIE = "203.0.113.9"
RUNBOOK = Path(moorage_slurm.__file__).with_name("runbook.md").read_text()


@pytest.fixture
def cluster(living: Cluster) -> Cluster:
    """The cluster, which is well."""
    until(living, "healthy")
    return living


def until(cluster: Cluster, health: str, *words: str, seconds: float = MENDED) -> dict[str, Any]:
    """The cluster, once it is so for reasons in which these words stand."""

    def is_so(found: dict[str, Any]) -> bool:
        said = " ".join(found["health_reasons"])
        return found["health"] == health and all(word in said for word in words)

    return cluster.admin.until(cluster.path, is_so, seconds=seconds)


def repairs(cluster: Cluster) -> list[dict[str, Any]]:
    path = f"/v1/operations?instance={cluster.id}&kind=instance.repair&limit=100"
    return cluster.admin.get(path)["items"]


def test_a_cluster_that_was_deployed_is_healthy_at_the_next_look(cluster: Cluster) -> None:
    found = cluster.read()

    assert (found["health"], found["health_reasons"]) == ("healthy", [])
    assert {each["health"] for each in cluster.members().values()} == {"healthy"}


def commands(after: str) -> list[str]:
    """The commands of the runbook in the block that follows some words."""
    block = RUNBOOK.partition(after)[2].partition("```console\n")[2].partition("```")[0]
    return [line.removeprefix("$ ") for line in block.splitlines()]


def test_what_the_runbook_has_people_type_on_hosts_works(cluster: Cluster) -> None:
    on_controller = commands("On the controller's host, for whoever may go there:")
    on_worker = commands("On a worker's host:")

    ended = [cluster.controller.run(each, check=False).code for each in on_controller]
    ended += [cluster.hosts["worker-1"].run(each, check=False).code for each in on_worker]
    assert ended == [0] * len([*on_controller, *on_worker])
    assert len(ended) > 8


def test_what_the_runbook_has_people_ask_of_the_platform_exists() -> None:
    found = set(re.findall(r"^\$ moor ([a-z-]+(?: [a-z][a-z-]+)?)", RUNBOOK, re.MULTILINE))
    said = {words: cli.run([*words.split(), "--help"]) for words in found}

    assert said == dict.fromkeys(found, 0)
    assert "operations retry" in found


def test_a_scheduler_that_is_killed_is_back_before_anybody_is_asked(cluster: Cluster) -> None:
    asked = len(repairs(cluster))
    before = cluster.run("systemctl", "show", "-p", "MainPID", "--value", "slurmctld")

    cluster.run("systemctl", "kill", "--signal=KILL", "slurmctld")
    wait_until(lambda: "is UP" in cluster.run("scontrol", "ping", check=False))

    assert cluster.run("systemctl", "show", "-p", "MainPID", "--value", "slurmctld") != before
    assert len(repairs(cluster)) == asked


def test_a_scheduler_that_was_stopped_is_seen_and_mended(cluster: Cluster) -> None:
    cluster.run("systemctl", "stop", "slurmctld")

    until(cluster, "unhealthy", "slurmctld is ", seconds=SEEN)
    until(cluster, "healthy")
    assert [each for each in repairs(cluster) if "controller-1 (slurmctld)" in each["reason"]]
    assert "is UP" in cluster.run("scontrol", "ping")


def test_without_its_database_a_cluster_runs_on_and_is_mended(cluster: Cluster) -> None:
    cluster.run("systemctl", "stop", "mariadb")

    until(cluster, "degraded", "mariadb is inactive", seconds=SEEN)
    assert "is UP" in cluster.run("scontrol", "ping")
    until(cluster, "healthy")
    assert cluster.run("sacctmgr", "-n", "-P", "show", "cluster", "format=cluster").strip()


def test_a_worker_whose_daemon_was_stopped_is_mended_and_no_other_is_touched(
    cluster: Cluster,
) -> None:
    other = ("systemctl", "show", "-p", "MainPID", "--value", "slurmd")
    before = cluster.hosts["worker-2"].run([*other]).stdout
    cluster.hosts["worker-1"].run("systemctl stop slurmd")

    until(cluster, "degraded", "worker-1: slurmd does not run", seconds=SEEN)
    until(cluster, "healthy")
    assert repairs(cluster)[0]["reason"] == "Not well: worker-1 (slurmd)"
    assert cluster.hosts["worker-2"].run([*other]).stdout == before


def test_a_name_that_leads_elsewhere_is_told_and_jobs_run_all_the_same(cluster: Cluster) -> None:
    liar = cluster.hosts["worker-1"]
    liar.run(f"cp /etc/hosts /root/hosts; sed -i '1i {LIE} '$(hostname) /etc/hosts")

    until(cluster, "degraded", f"worker-1: Its own name leads to {LIE}", seconds=SEEN)
    ran = cluster.run("srun", "--account=root", "--nodelist=worker-1", "echo", "ran")
    liar.run("cp /root/hosts /etc/hosts; rm /root/hosts")

    assert ran.split() == ["ran"]
    until(cluster, "healthy")


def test_a_resolver_that_does_not_answer_is_told(cluster: Cluster) -> None:
    slow = cluster.hosts["worker-1"]
    slow.break_dns()

    until(cluster, "degraded", "worker-1: Looking up names takes it", seconds=SEEN * 2)
    slow.mend_dns()
    until(cluster, "healthy")


def test_a_full_disk_is_told_and_all_is_well_once_there_is_room(cluster: Cluster) -> None:
    full = cluster.hosts["worker-1"]
    full.fill_disk()

    until(cluster, "degraded", "worker-1: ", "/var", seconds=60)
    # A job there makes sure that Slurm drains it, as it does by itself sooner or later.
    there = ("--parsable", "--account=root", "--nodelist=worker-1", "--output=/dev/null")
    job = cluster.run("sbatch", *there, "--wrap=true").strip()
    why = ("sinfo", "-h", "-n", "worker-1", "-o", "%E")
    wait_until(lambda: "SlurmdSpoolDir is full" in cluster.run(*why), seconds=60)
    full.mend_disk()
    until(cluster, "degraded", "worker-1: ", "slurm.node.resume")
    cluster.act("slurm.node.resume", {}, member="worker-1")
    until(cluster, "healthy")
    cluster.run("scancel", job)


def test_a_clock_beyond_what_munge_allows_is_told_and_not_repaired_in_vain(
    cluster: Cluster,
) -> None:
    late = cluster.hosts["worker-1"]
    asked = len(repairs(cluster))
    late.skew_clock(-900, "munge")
    late.run("systemctl --no-block restart slurmd")

    until(cluster, "degraded", "worker-1: ", "munge allows", seconds=60)
    assert len(repairs(cluster)) <= asked + 1
    late.mend_clock()
    until(cluster, "healthy", seconds=120)


def test_a_worker_that_rebooted_comes_back(cluster: Cluster) -> None:
    cluster.hosts["worker-2"].reboot()

    until(cluster, "degraded", "worker-2: ", seconds=60)
    until(cluster, "healthy")
    assert cluster.run("srun", "--account=root", "--nodelist=worker-2", "echo", "ran").split()


def test_a_controller_that_rebooted_comes_back_with_its_queue(
    cluster: Cluster, people: People
) -> None:
    login = people.ada.login
    held = ("--parsable", "--hold", "--mem=1", "--output=/dev/null", "--wrap=true")
    job = cluster.run("sbatch", *held, user=login).strip()
    wait_until(lambda: job in cluster.run("sacct", "-n", "-X", "-o", "JobID", f"--jobs={job}"))
    cluster.controller.reboot()

    until(cluster, "unhealthy", seconds=60)
    until(cluster, "healthy")
    assert cluster.run("squeue", "-h", "-o", "%A", f"--jobs={job}").split() == [job]
    cluster.run("scancel", job)
