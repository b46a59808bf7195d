"""A cluster is there: the first jobs, the people, and what it says of itself."""

import pytest

from tests.e2e.callers import Caller, wait_until
from tests.e2e.site import Site
from tests.e2e.world import Tenant
from tests.slurm import clusters
from tests.slurm.clusters import Cluster, People

pytestmark = pytest.mark.lab

HUNDRED = """for n in $(seq 100); do
        sbatch --parsable --mem=1 --output=/dev/null --wrap=true
        test $((n % 10)) -gt 0 || squeue --me --noheader --format=%r
    done
"""
"""Their numbers, and now and then what each of them waits for."""


@pytest.fixture(scope="module")
def cluster(living: Cluster) -> Cluster:
    return living


def test_an_ordinary_member_runs_over_all_workers(cluster: Cluster, people: People) -> None:
    ran = cluster.run("srun", "--nodes=2", "sh", "-c", "id -u; hostname", user=people.ada.login)

    hosts = [host.name for name, host in cluster.hosts.items() if name.startswith("worker")]
    assert sorted(ran.split()) == sorted([str(people.ada.uid)] * 2 + hosts)


def test_none_of_the_first_hundred_jobs_meets_an_invalid_account(
    cluster: Cluster, people: People
) -> None:
    login = people.bob.login
    said = cluster.controller.run(
        ["runuser", "-u", login, "--", "sh", "-c", HUNDRED], check=False, timeout=120
    )
    wait_until(lambda: "None" not in reasons(cluster, login))  # the scheduler has met each of them
    waiting = reasons(cluster, login)
    cluster.run("scancel", f"--user={login}")  # nobody waits behind them

    jobs = [line for line in said.stdout.split() if line.isdigit()]
    assert (said.stderr, len(jobs)) == ("", 100)
    assert {*said.stdout.split(), *waiting} - {*jobs} <= {"None", "Priority", "Resources"}
    wait_until(lambda: len(booked(cluster, jobs)) == 100)
    assert {state.split()[0] for state, _ in booked(cluster, jobs)} <= {"COMPLETED", "CANCELLED"}
    assert {why for _, why in booked(cluster, jobs)} <= {"None", "Priority", "Resources"}


def reasons(cluster: Cluster, login: str) -> list[str]:
    """What the jobs of somebody wait for."""
    words = ("--noheader", "--states=PENDING", f"--user={login}", "--format=%r")
    return cluster.run("squeue", *words).split()


def booked(cluster: Cluster, jobs: list[str]) -> list[list[str]]:
    """How jobs ended, and what they waited for, as far as accounting has heard."""
    words = ("sacct", "-X", "-n", "-P", "-j", ",".join(jobs), "-o", "State,Reason")
    rows = [line.split("|") for line in cluster.run(*words).splitlines()]
    return [row for row in rows if row[0] not in ("PENDING", "RUNNING")]


def test_what_daemons_complain_of_when_they_start_is_in_the_runbook(cluster: Cluster) -> None:
    at = cluster.read()["created_at"].replace("T", " ").replace("Z", " UTC")
    said = {name: clusters.complaints(host, since=at) for name, host in cluster.hosts.items()}

    assert said == {name: [] for name in cluster.hosts}


def test_everything_that_a_deployment_did_has_a_name(cluster: Cluster) -> None:
    names = [step["name"] for step in cluster.steps("member.add")]

    assert len(set(names)) >= 8


def test_the_app_and_the_daemons_say_their_versions(cluster: Cluster) -> None:
    found = cluster.read()
    members = cluster.members().values()

    assert (found["app_version"], found["runtime_version"][:6]) == ("1.0.0", "24.11.")
    assert {member["runtime_version"][:6] for member in members} == {"24.11."}


def test_a_newcomer_is_on_the_cluster_within_a_minute_and_a_leaver_is_not(
    site: Site, admin: Caller, acme: Tenant, cluster: Cluster
) -> None:
    eve = clusters.make_person(site, admin, acme)
    ran = clusters.until_runs(cluster, eve.login)

    user = eve.caller.get("/v1/me")["id"]
    listed = acme.admin.get(f"/v1/projects/{acme.project}/memberships?limit=200")["items"]
    [own] = [each for each in listed if each["user_id"] == user]
    acme.admin.delete(f"/v1/memberships/{own['id']}", headers={"if-match": f'"{own["version"]}"'})
    clusters.until_unknown(cluster, eve.login)

    assert ran.split() == [eve.login]
    assert eve.login not in cluster.run("sacctmgr", "-nP", "show", "assoc", "format=user")
