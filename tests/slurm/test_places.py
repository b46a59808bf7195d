"""Where a cluster can stand: on one host, on several, with GPUs, with homes from elsewhere."""

from collections.abc import Iterator

import pytest

from moorage_lab.layout import EXPORT
from tests.e2e.callers import Caller, wait_until
from tests.e2e.shop import Shop
from tests.e2e.world import Member, Tenant
from tests.slurm import clusters
from tests.slurm.clusters import Cluster, People

pytestmark = pytest.mark.lab

KEYS = "/etc/slurm/slurm.jwks"
HOME = {"mode": "mount", "what": f"{EXPORT}/home", "type": "none", "options": "bind"}


@pytest.fixture(scope="module")
def held(
    admin: Caller, acme: Tenant, stocked: list[Member], gpu_node: Member
) -> Iterator[list[tuple[Member, str]]]:
    """A plain host with packages, and one without that has GPUs."""
    with clusters.holding(admin, acme, [stocked[0], gpu_node]) as found:
        yield found


@pytest.fixture(scope="module")
def single(
    acme: Tenant, slurm: Shop, people: People, held: list[tuple[Member, str]]
) -> Iterator[Cluster]:
    """Controller and worker on one host, with homes on the site's export and Slurm's own keys."""
    held[0][0].host.run(["mkdir", "-p", f"{EXPORT}/home"])
    machines = {"controller": held[:1], "worker": held[:1]}
    found = clusters.deploy(acme, slurm, "single", machines, config={"home": HOME, "auth": "slurm"})
    yield found
    ended = found.ask("decommission", {"reason": "the test is over"})
    assert ended["residue"] == []


def test_one_host_is_a_whole_cluster(single: Cluster, people: People) -> None:
    ran = single.run("srun", "id", "-un", user=people.ada.login)

    assert ran.split() == [people.ada.login]
    assert single.read()["topology_mode"] == "single_node"


def test_a_host_of_two_members_gets_the_key_once(single: Cluster) -> None:
    ended = single.ask("rotate", {"reason": "somebody has seen it"})

    assert ended["result"] == {"late": []}
    assert single.run("srun", "--account=root", "grep", "-o", "HS256", KEYS) == "HS256\n"


def test_a_worker_elsewhere_joins_with_its_gpus_and_the_same_homes(
    single: Cluster, people: People, held: list[tuple[Member, str]]
) -> None:
    login = people.ada.login
    wish = {"component": "worker", "allocations": [held[1][1]]}
    single.wait(single.admin.post(f"{single.path}/members", wish))
    single.learn(held)

    one = ("--nodelist=worker-2", "--gres=gpu:1")
    seen = single.run("srun", *one, "sh", "-c", "echo $CUDA_VISIBLE_DEVICES", user=login)
    single.run("srun", "--nodelist=worker-2", "sh", "-c", "hostname >~/where", user=login)

    assert seen.split() == ["0"]
    assert "gpu:simulated:2" in single.run("scontrol", "show", "node", "worker-2")
    assert single.run("cat", f"/home/{login}/where").split() == [held[1][0].host.name]


def test_more_gpus_than_there_are_are_never_given(single: Cluster, people: People) -> None:
    refused = single.controller.run(
        ["runuser", "-u", people.ada.login, "--", "srun", "--gres=gpu:3", "true"], check=False
    )

    assert refused.code != 0
    assert "Requested node configuration is not available" in refused.stderr


def test_gpus_get_another_name_while_nothing_runs(single: Cluster, people: People) -> None:
    single.wait(single.configure(gpu_types={"Simulated H200": "fast"}))

    one = ("--gres=gpu:fast:1", "printenv", "CUDA_VISIBLE_DEVICES")
    assert single.run("srun", *one, user=people.ada.login).strip() == "0"


def test_the_worker_beside_the_controller_can_go(single: Cluster, people: People) -> None:
    first = single.members()["worker-1"]
    wish = {"members": [first["id"]], "reason": "jobs should run elsewhere"}
    single.wait(single.admin.post(f"{single.path}/members/remove", wish))

    ran = single.run("srun", "hostname", user=people.ada.login)

    assert ran.split() == [single.hosts["worker-2"].name]
    wait_until(lambda: single.read()["topology_mode"] == "split")
