"""Homes over the network: who gets them, what is brought for them, and whether they are there."""

import os
from pathlib import Path
from typing import Any

import pytest

from moorage_slurm import cluster, homes, render
from moorage_slurm.onhost import homes as onhost
from moorage_slurm.onhost import serving

GOLDEN = Path(__file__).with_name("golden")
LOCAL = {"mode": "local", "what": "", "type": "nfs4", "options": ""}
CONTROLLER = {**LOCAL, "mode": "controller"}
NFS = {**LOCAL, "mode": "mount", "what": "files.example:/home"}
BIND = {**NFS, "what": "/srv/home", "type": "none"}


def test_files_are_those_that_were_read_last() -> None:
    files = {
        str(onhost.CONF): render.homes_conf(["198.51.100.12", "198.51.100.11"]),
        onhost.UNIT: render.unit_homes(),
        "home.mount": render.mount_home(CONTROLLER, controller="198.51.100.10"),
        "home.mount of an export": render.mount_home(NFS, controller=None),
    }
    text = "".join(f"==> {path}\n{files[path]}\n" for path in sorted(files))

    golden = GOLDEN / "homes.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text)
    assert text == golden.read_text()


def test_a_worker_that_comes_or_goes_changes_one_line() -> None:
    with_one = serving.with_clients(render.homes_conf([]), allow=["198.51.100.11"], deny=[])

    assert with_one == render.homes_conf(["198.51.100.11"])
    assert serving.with_clients(with_one, allow=[], deny=["198.51.100.11"]) == render.homes_conf([])


def test_the_host_itself_is_always_served() -> None:
    conf = serving.with_clients(render.homes_conf([]), allow=[], deny=[onhost.OWN])

    assert conf == render.homes_conf([])


@pytest.mark.parametrize(
    ("home", "role", "brought", "kind"),
    [
        (LOCAL, cluster.CONTROLLER, None, ""),
        (LOCAL, cluster.WORKER, None, ""),
        (BIND, cluster.WORKER, None, ""),
        (NFS, cluster.CONTROLLER, "homes-client", "nfs4"),
        (NFS, cluster.WORKER, "homes-client", "nfs4"),
        (CONTROLLER, cluster.CONTROLLER, "homes-server", ""),
        (CONTROLLER, cluster.WORKER, "homes-client", "nfs4"),
    ],
)
def test_only_what_homes_need_is_brought_and_asked_for(
    home: dict[str, Any], role: str, brought: str | None, kind: str
) -> None:
    assert homes.bundle_for({"home": home, "state": LOCAL}, role) == brought
    assert cluster.kind_of_homes(home, role) == kind


def test_state_from_the_network_needs_a_client_on_the_controllers_host_alone() -> None:
    config = {"home": LOCAL, "state": NFS}

    assert homes.bundle_for(config, cluster.CONTROLLER) == "homes-client"
    assert homes.bundle_for(config, cluster.WORKER) is None


def test_a_worker_beside_the_controller_mounts_nothing() -> None:
    assert cluster.kind_of_homes(CONTROLLER, cluster.WORKER, beside=True) == ""


def test_a_host_whose_kernel_cannot_mount_homes_is_unfit() -> None:
    look = {"system": "debian 13", "cgroups": False, "free_mb": 9000, "filesystems": ["ext4"]}

    found = [cluster.objections(look, processes="linuxproc", mounts=kind) for kind in ("nfs4", "")]

    assert found == [["Its kernel cannot mount nfs4, from where homes come."], []]


@pytest.mark.parametrize(
    ("table", "mounted"),
    [
        ("10.0.0.1:/home /home nfs4 rw,vers=4.2 0 0\n", True),
        ("/dev/sda1 / ext4 rw 0 0\n", False),
        ("10.0.0.9:/home /home nfs4 rw,vers=4.2 0 0\n", False),
        ("10.0.0.1:/home /mnt nfs4 rw,vers=4.2 0 0\n", False),
    ],
)
def test_homes_are_mounted_where_they_come_from_where_they_should(
    table: str, mounted: bool
) -> None:
    assert onhost.is_mounted("10.0.0.1:/home", "nfs4", table) is mounted


def test_a_folder_from_elsewhere_shows_another_name() -> None:
    assert onhost.is_mounted("/srv/home", "none", "/dev/sda1 /home ext4 rw 0 0\n")
