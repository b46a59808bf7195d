"""Clearing folders does not reach into what is mounted there."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from moorage_agent import accounts, mounts, temporary
from moorage_agent.commands import Completed

TABLE = (
    "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "30 21 0:30 / /tmp rw - tmpfs tmpfs rw\n"
    "31 30 0:31 / /tmp/job/a\\040b rw shared:1 - nfs4 server:/x rw\n"
    "32 31 0:32 / /tmp/job/a\\040b/inner rw - tmpfs tmpfs rw\n"
    "33 30 0:33 / /tmp/jobs rw - tmpfs tmpfs rw\n"
)


def test_mounts_of_a_folder_are_found_from_the_inside_out() -> None:
    assert mounts.within(Path("/tmp/job"), TABLE) == ["/tmp/job/a b/inner", "/tmp/job/a b"]
    assert mounts.kind_of(Path("/tmp/job/a b/x"), TABLE) == "nfs4"


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Path]:
    """A host's files, with a share that is mounted in a temporary folder and in a home."""
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    (tmp_path / "share").mkdir()
    (tmp_path / "share/precious").write_text("of everybody")
    points = [tmp_path / "host" / place for place in ("tmp/job/the share", "home/alice/data")]
    for point in points:
        point.mkdir(parents=True)
        subprocess.run(["mount", "--bind", str(tmp_path / "share"), str(point)], check=True)
    yield tmp_path / "host"
    for point in points:
        subprocess.run(["umount", "--lazy", str(point)], capture_output=True, check=False)


def stubborn(argv: Sequence[str], *, stdin: bytes | None = None, timeout: float = 30) -> Completed:
    """A host on which nothing can be unmounted."""
    return Completed(32, stderr="umount: not permitted")


def test_what_is_mounted_in_temporary_folders_outlives_their_clearing(host: Path) -> None:
    removed = temporary.clear(host)

    assert removed == ["/tmp/job"]
    assert temporary.things(host) == []
    assert (host.parent / "share/precious").read_text() == "of everybody"


def test_what_is_mounted_in_a_home_outlives_the_home(host: Path) -> None:
    removed = accounts.remove_home(accounts.Host(host), "alice", os.geteuid())

    assert removed == "/home/alice"
    assert not (host / "home/alice").exists()
    assert (host.parent / "share/precious").read_text() == "of everybody"


def test_where_nothing_can_be_unmounted_the_folder_stays_and_is_named(host: Path) -> None:
    removed = temporary.clear(host, run=stubborn)
    home = accounts.remove_home(accounts.Host(host, stubborn), "alice", os.geteuid())

    assert (removed, home) == ([], None)
    assert temporary.things(host) == ["/tmp/job"]
    assert (host.parent / "share/precious").read_text() == "of everybody"


def test_a_home_that_is_mounted_itself_stays(host: Path) -> None:
    home = host / "home/alice"
    subprocess.run(["mount", "--bind", str(home), str(home)], check=True)
    try:
        removed = accounts.remove_home(accounts.Host(host), "alice", os.geteuid())
    finally:
        subprocess.run(["umount", "--lazy", str(home)], check=True)

    assert removed is None
    assert (host.parent / "share/precious").exists()
