"""A cluster's life on real hosts, from the catalog to the last file."""

import asyncio
from collections.abc import Iterator

import pytest

from moorage_echo import release as echo
from tests.e2e import deployed, shop, world
from tests.e2e.callers import Caller
from tests.e2e.shop import Shop
from tests.e2e.site import Site
from tests.e2e.world import Member, Tenant
from tests.slurm import clusters, pictures
from tests.slurm.clusters import Cluster, People

pytestmark = pytest.mark.lab

Held = list[tuple[Member, str]]


@pytest.fixture(scope="module")
def held(admin: Caller, acme: Tenant, nodes: list[Member]) -> Iterator[Held]:
    with clusters.holding(admin, acme, nodes[:3]) as found:
        yield found


@pytest.fixture(scope="module")
def before(held: Held) -> list[frozenset[str]]:
    return [pictures.take_first(node.host) for node, _ in held]


@pytest.fixture(scope="module")
def cluster(
    acme: Tenant, slurm: Shop, people: People, held: Held, before: list[frozenset[str]]
) -> Cluster:
    assert before
    return clusters.deploy(acme, slurm, "life", {"controller": held[:1], "worker": held[1:]})


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


def test_what_somebody_else_left_is_named_and_everything_of_ours_is_gone(
    cluster: Cluster, held: Held, before: list[frozenset[str]]
) -> None:
    worker = cluster.hosts["worker-1"]
    worker.run("mkdir /mnt/planted && mount --bind /mnt/planted /var/log/slurm")

    ended = cluster.ask("decommission", {"reason": "the test is over"})
    worker.run("umount /var/log/slurm && rm -rf /mnt/planted /var/log/slurm")

    named = [(each["what"], each["where"]) for each in ended["residue"]]
    assert named == [("/var/log/slurm", "worker-1")]
    left = [pictures.until_as(old, held[at][0].host) for at, old in enumerate(before)]
    assert left == [[]] * 3


def test_another_app_uses_the_machine_at_once(
    site: Site, admin: Caller, acme: Tenant, held: Held, tmp_path_factory: pytest.TempPathFactory
) -> None:
    publisher = world.make_tenant(site, admin, "widgets")
    place = tmp_path_factory.mktemp("echo")
    made = asyncio.run(shop.open_shop(site, publisher, echo.cut, ("0.1.0",), place=place))
    shop.entitle(acme, made)
    argv = ("-m", "moorage", "run", "moorage_echo.controller:app")
    with shop.controller(site, made, clusters.python(*argv), log=place / "log"):
        one = deployed.deploy(acme, made, "keys", leader=[held[1][1]])
        put = one.put("berth")
        ended = one.ask("decommission", {"reason": "the test is over"})

    assert put["copies"] == 1
    assert ended["residue"] == []
