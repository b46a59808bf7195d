"""A cluster is there: the first jobs, the people, and what it says of itself."""

import pytest

from tests.e2e.callers import Caller
from tests.e2e.site import Site
from tests.e2e.world import Tenant
from tests.slurm import clusters
from tests.slurm.clusters import Cluster, People

pytestmark = pytest.mark.lab


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
    script = (
        "for n in $(seq 100); do sbatch --parsable --mem=1 --output=/dev/null --wrap=true; done"
    )
    said = cluster.controller.run(
        ["runuser", "-u", people.bob.login, "--", "sh", "-c", script], check=False, timeout=120
    )
    cluster.run("scancel", f"--user={people.bob.login}")  # nobody waits behind them

    assert said.stderr == ""
    assert len(said.stdout.split()) == 100


def test_what_daemons_complain_of_when_they_start_is_in_the_runbook(cluster: Cluster) -> None:
    said = {name: clusters.complaints(host) for name, host in cluster.hosts.items()}

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
