"""Homes from the controller's host, on hosts whose kernel cannot mount them.

So a client in user space takes the kernel's place: it shows whom the server serves, and as whom.
"""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from moorage_lab import Host, Lab
from moorage_lab.layout import EXPORT
from moorage_slurm import archive
from tests.e2e.callers import Caller, wait_until
from tests.e2e.shop import Shop
from tests.e2e.world import Member, Tenant
from tests.slurm import clusters, pictures
from tests.slurm.clusters import Cluster, Held, People
from tests.slurm.replicas import Replica

pytestmark = pytest.mark.lab

SERVER = "moorage-slurm-homes.service"


@pytest.fixture(scope="module")
def disk(nodes: list[Member]) -> Iterator[Host]:
    """A host whose homes are on a disk of their own: roots of lab hosts cannot be served."""
    host = nodes[0].host
    host.run(f"mkdir {EXPORT}/disk && mount --bind {EXPORT}/disk /home")
    yield host
    host.run(f"umount /home && rm -r {EXPORT}/disk")


@pytest.fixture(scope="module")
def held(admin: Caller, acme: Tenant, nodes: list[Member], disk: Host) -> Iterator[list[Held]]:
    with clusters.holding(admin, acme, nodes[:2]) as found:
        yield found


@pytest.fixture(scope="module")
def before(held: list[Held]) -> list[frozenset[str]]:
    return [pictures.take(node.host) for node, _ in held]


@pytest.fixture(scope="module")
def cluster(
    acme: Tenant, slurm: Shop, people: People, held: list[Held], before: list[frozenset[str]]
) -> Cluster:
    """Controller and worker on one host."""
    assert before
    machines = {"controller": held[:1], "worker": held[:1]}
    return clusters.deploy(acme, slurm, "homes", machines, config={"home": {"mode": "controller"}})


@pytest.fixture(scope="module")
def client(lab: Lab) -> str:
    """The words before a path of the server: a client of NFS, for every host."""
    folder = lab.layout.export / "nfs"
    folder.mkdir()
    shown = ["apt-cache", "depends", "--important", "libnfs-utils"]
    if subprocess.run(shown, check=False, capture_output=True).returncode:
        subprocess.run(["apt-get", "update"], check=True)  # a machine that has no lists yet
    needs = subprocess.run(shown, check=True, capture_output=True, text=True).stdout.split()
    library = next(word for word in needs if word.startswith("libnfs1"))
    subprocess.run(["apt-get", "download", "libnfs-utils", library], check=True, cwd=folder)
    for deb in folder.glob("*.deb"):
        subprocess.run(["dpkg", "-x", deb, folder], check=True)
    found = next(folder.glob("usr/lib/*"))
    place = Path(EXPORT, "nfs")
    libraries = place / found.relative_to(folder)
    return f"env LD_LIBRARY_PATH={libraries} {place}/usr/bin/nfs-cat"


def test_one_host_serves_its_homes_and_mounts_none(cluster: Cluster, people: People) -> None:
    cluster.run("srun", "sh", "-c", "echo mine >~/word; chmod 600 ~/word", user=people.ada.login)

    mounts = cluster.run("findmnt", "--noheadings", "--output=FSTYPE", "/home")
    at_boot = cluster.run("systemctl", "list-unit-files", "--state=enabled", "--no-legend")
    assert "nfs" not in mounts
    assert not [line for line in at_boot.splitlines() if "nfs" in line or "rpc" in line]
    assert cluster.run("ss", "-Hltn", "sport = :2049 or sport = :111").count("LISTEN") == 1


def test_homes_go_to_hosts_that_are_named_and_to_whose_they_are(
    cluster: Cluster, people: People, held: list[Held], client: str, controller: Replica
) -> None:
    other, ada = held[1][0].host, people.ada

    def read(uid: int, before: str = "") -> str:
        name = f"{cluster.controller.address}/home/{ada.login}/word"
        line = f"{before} {client} 'nfs://{name}?version=4&uid={uid}&gid={uid}'"
        done = other.run(line, check=False)
        return done.stdout.strip() or done.stderr

    stranger = read(ada.uid)
    controller.stop()  # it would take back what is done by hand
    share(cluster.controller, allow=[str(other.address)])
    own, root, somebody = read(ada.uid), read(0), read(people.bob.uid)
    liar = read(ada.uid, before="setpriv --reuid=65534 --clear-groups")
    controller.start()

    assert own == "mine"
    assert "NFS4ERR_NOENT" in stranger
    assert "NFS4ERR_ACCESS" in root
    assert "NFS4ERR_ACCESS" in somebody
    assert "NFS4ERR_NOENT" in liar
    wait_until(lambda: "NFS4ERR_NOENT" in read(ada.uid), seconds=60)


def share(host: Host, *, allow: list[str]) -> None:
    given = json.dumps({"allow": allow, "deny": []}).encode()
    host.run(["python3", archive.PATH, "serving.share"], stdin=given)


def test_a_server_that_stopped_is_started_again(cluster: Cluster) -> None:
    cluster.run("systemctl", "stop", SERVER)

    wait_until(lambda: "Homes are not served" in str(cluster.read()["health_reasons"]), seconds=30)
    wait_until(lambda: cluster.read()["health"] == "healthy", seconds=60)

    assert cluster.run("systemctl", "is-active", SERVER).strip() == "active"


def test_a_disk_that_cannot_be_served_is_refused_in_words(held: list[Held]) -> None:
    host = held[1][0].host
    host.put(archive.make(), archive.PATH)

    refused = host.run(["python3", archive.PATH, "serving.check"], check=False)
    host.run(["rm", "-r", str(Path(archive.PATH).parent)])

    said = json.loads(refused.stdout)
    assert said["code"] == "homes_unservable"
    assert "Have /home on a disk of its own" in said["message"]


def test_a_worker_that_cannot_mount_homes_is_refused_and_left_as_it_was(
    cluster: Cluster, held: list[Held], before: list[frozenset[str]]
) -> None:
    wish = {"component": "worker", "allocations": [held[1][1]]}
    asked = cluster.admin.post(f"{cluster.path}/members", wish)

    below = f"/v1/operations/{asked['id']}/children"
    admin = cluster.admin
    found = admin.until(below, lambda page: page["items"][0]["status"] == "blocked", seconds=60)
    blocked = found["items"][0]
    admin.post(f"/v1/operations/{asked['id']}/cancel", {"reason": "it cannot be"})
    admin.until(f"/v1/operations/{asked['id']}", lambda found: found["ended_at"], seconds=60)

    assert blocked["error"]["code"] == "host_unfit"
    assert "cannot mount nfs4, from where homes come" in blocked["error"]["message"]
    assert pictures.until_as(before[1], held[1][0].host) == []


def test_the_end_leaves_nothing_of_the_server(
    cluster: Cluster, held: list[Held], before: list[frozenset[str]]
) -> None:
    ended = cluster.ask("decommission", {"reason": "the test is over"})

    assert ended["residue"] == []
    assert pictures.until_as(before[0], held[0][0].host) == []
