"""The data folder: modes, refusals, and one `moor up` at a time."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from moorage_core.embedded import accounts, folder
from moorage_core.embedded.folder import Folder

HOLDER = """
import sys, pathlib
from moorage_core.embedded import folder
with folder.hold(folder.prepare(pathlib.Path(sys.argv[1]))):
    print("held", flush=True)
    sys.stdin.read()
"""
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root has another account to run as")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def hold_elsewhere(prepared: Folder) -> subprocess.Popen[str]:
    """Another process that holds the folder until its input ends."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(prepared.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def test_keys_are_closed_to_everybody_else(prepared: Folder) -> None:
    closed = {mode(path) for path in (prepared.keys, prepared.tls, prepared.postgres)}

    assert closed == {0o700}
    assert prepared.keys.stat().st_uid == os.geteuid()


def test_the_cluster_belongs_to_the_database_account(prepared: Folder) -> None:
    assert prepared.postgres.stat().st_uid == prepared.account.uid
    assert prepared.account.uid != 0


def test_preparing_twice_changes_nothing(prepared: Folder) -> None:
    before = {path: (mode(path), path.stat().st_uid) for path in prepared.path.rglob("*")}

    again = folder.prepare(prepared.path)

    assert again == prepared
    assert before == {path: (mode(path), path.stat().st_uid) for path in prepared.path.rglob("*")}


def test_a_folder_that_others_can_write_is_refused(place: Path) -> None:
    (place / "data").mkdir()
    (place / "data").chmod(0o777)

    with pytest.raises(folder.FolderUnsafe, match=r"Others can write to .*chmod go-w"):
        folder.prepare(place / "data")


def test_keys_that_others_can_write_are_refused(prepared: Folder) -> None:
    prepared.keys.chmod(0o770)

    with pytest.raises(folder.FolderUnsafe, match="keys"):
        folder.prepare(prepared.path)


def test_a_file_in_the_place_of_the_folder_is_refused(place: Path) -> None:
    (place / "data").write_text("")

    with pytest.raises(folder.FolderUnusable, match="is not a folder"):
        folder.prepare(place / "data")


@AS_ROOT
def test_a_folder_of_somebody_else_is_refused(place: Path) -> None:
    (place / "data").mkdir()
    os.chown(place / "data", 12345, 12345)

    with pytest.raises(folder.FolderUnsafe, match="belongs to user id 12345"):
        folder.prepare(place / "data")


@AS_ROOT
def test_the_folder_in_the_way_of_the_database_account_is_named(place: Path) -> None:
    (place / "closed").mkdir(mode=0o700)
    made = folder.prepare(place / "closed" / "data")

    with pytest.raises(accounts.FolderClosed, match=f"cannot enter {place}/closed,"):
        accounts.check_reach(made.postgres, account=made.account, purpose="the database")

    assert mode(place / "closed") == 0o700


def test_a_second_holder_is_refused_with_the_pid_of_the_first(prepared: Folder) -> None:
    holder = hold_elsewhere(prepared)

    with pytest.raises(folder.FolderBusy, match=f"process {holder.pid}"), folder.hold(prepared):
        pass

    holder.communicate("")


def test_the_folder_is_free_once_its_holder_was_killed(prepared: Folder) -> None:
    holder = hold_elsewhere(prepared)
    holder.send_signal(signal.SIGKILL)
    holder.communicate()

    with folder.hold(prepared):
        assert (prepared.run / "lock").read_text() == f"{os.getpid()}\n"


def test_a_forked_child_does_not_keep_the_folder(prepared: Folder) -> None:
    fork = "import os, signal\n    print(os.fork() or signal.pause(), flush=True)\n    os._exit(0)"
    command = [sys.executable, "-c", HOLDER.replace("sys.stdin.read()", fork), str(prepared.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int([parent.stdout.readline() for _ in range(2)][1])

    with folder.hold(prepared):
        assert Path(f"/proc/{child}").exists()

    os.kill(child, signal.SIGKILL)


def test_root_and_others_have_their_usual_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")

    assert folder.default_path({}, uid=0) == Path("/var/lib/moorage")
    assert folder.default_path({}, uid=1000) == Path("/home/ada/.local/share/moorage")
    assert folder.default_path({"XDG_DATA_HOME": "/d"}, uid=1000) == Path("/d/moorage")
    assert folder.default_path({"XDG_DATA_HOME": "d"}, uid=1000) != Path("d/moorage")


def test_a_private_file_is_whole_and_closed(place: Path) -> None:
    folder.write_private(place / "key", b"old")

    folder.write_private(place / "key", b"new")

    assert (place / "key").read_bytes() == b"new"
    assert mode(place / "key") == 0o600
    assert [path.name for path in place.iterdir()] == ["key"]
