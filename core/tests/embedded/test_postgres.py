"""The embedded server on every PostgreSQL of this machine: starts, crashes, refusals, secrets."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from moorage_core.embedded import binaries, cluster, folder, postgres, roles
from moorage_core.embedded.binaries import Binaries
from moorage_core.embedded.folder import Folder
from moorage_core.embedded.postgres import Server

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root has another account to run as")


def process(prepared: Folder) -> int:
    pid = cluster.find_process(prepared)
    assert pid is not None
    return pid


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    pause = threading.Event()
    while not is_so():
        assert time.monotonic() < deadline
        pause.wait(0.02)


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not Path(f"/proc/{pid}/cwd").exists())


def test_four_roles_can_log_in(running: Server) -> None:
    who: list[object] = []
    for url in (running.super_url, running.owner_url, running.app_url, running.system_url):
        with psycopg.connect(url) as db:
            who += db.execute("SELECT current_user, current_database()").fetchall()

    names = ["moorage_super", "moorage_owner", "moorage_app", "moorage_system"]
    assert who == [(name, "moorage") for name in names]


def test_no_role_but_the_superuser_passes_row_level_security(running: Server) -> None:
    with psycopg.connect(running.super_url) as db:
        powers = db.execute(
            "SELECT rolname, rolsuper OR rolbypassrls OR rolcreatedb OR rolcreaterole"
            " OR rolreplication FROM pg_roles WHERE rolname LIKE 'moorage%' ORDER BY 1"
        ).fetchall()
        owner = db.execute(
            "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'moorage'"
        ).fetchall()

    assert powers == [
        ("moorage_app", False),
        ("moorage_owner", False),
        ("moorage_super", True),
        ("moorage_system", False),
    ]
    assert owner == [("moorage_owner",)]


def test_the_server_listens_on_its_socket_alone(running: Server) -> None:
    with psycopg.connect(running.super_url) as db:
        address = db.execute("SHOW listen_addresses").fetchone()
        checksums = db.execute("SHOW data_checksums").fetchone()
        encoding = db.execute("SHOW server_encoding").fetchone()

    assert (address, checksums, encoding) == (("",), ("on",), ("UTF8",))


def test_a_wrong_password_is_refused(running: Server) -> None:
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(running.app_url, password="guess")


def test_a_restart_keeps_the_data(prepared: Folder, installed: Binaries) -> None:
    first = postgres.start(prepared, binaries=installed, fsync=False)
    with psycopg.connect(first.owner_url) as db:
        db.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    postgres.stop(first)

    second = postgres.start(prepared, binaries=installed, fsync=False)

    with psycopg.connect(second.owner_url) as db:
        assert db.execute("SELECT answer FROM kept").fetchall() == [(42,)]


def test_a_running_server_is_adopted(prepared: Folder, installed: Binaries) -> None:
    first = postgres.start(prepared, binaries=installed, fsync=False)
    pid = process(prepared)

    second = postgres.start(prepared, binaries=installed, fsync=False)

    assert (second, process(prepared)) == (first, pid)
    assert postgres.find_running(prepared) is not None


@AS_ROOT
def test_without_root_the_server_runs_as_whoever_started_it(place: Path) -> None:
    wheel = [entry for entry in binaries.list_binaries() if binaries.WHEEL in entry.folder.parts]
    programs = (wheel or binaries.list_binaries())[0]
    place.chmod(0o777)
    script = (
        "import os, pathlib, sys; from moorage_core.embedded import binaries, folder, postgres;"
        "os.setgroups([]); os.setgid(65534); os.setuid(65534);"
        "made = folder.prepare(pathlib.Path(sys.argv[1]));"
        "programs = binaries.read_binaries(pathlib.Path(sys.argv[2]));"
        "first = postgres.start(made, fsync=False, binaries=programs);"
        "assert postgres.find_running(made);"
        "pid = int((made.postgres / 'postmaster.pid').read_text().split()[0]);"
        "assert os.stat(f'/proc/{pid}').st_uid == 65534;"
        "postgres.stop(first)"
    )

    done = subprocess.run(
        [sys.executable, "-c", script, str(place / "data"), str(programs.folder)], check=False
    )

    assert done.returncode == 0
    assert (place / "data").stat().st_mode & 0o777 == 0o700


def test_two_starts_at_once_make_one_server(prepared: Folder, installed: Binaries) -> None:
    script = (
        "import pathlib, sys; from moorage_core.embedded import binaries, folder, postgres;"
        "postgres.start(folder.prepare(pathlib.Path(sys.argv[1])), fsync=False,"
        " binaries=binaries.read_binaries(pathlib.Path(sys.argv[2])))"
    )
    command = [sys.executable, "-c", script, str(prepared.path), str(installed.folder)]

    both = [subprocess.Popen(command) for _ in range(2)]

    assert [starter.wait() for starter in both] == [0, 0]
    found = postgres.find_running(prepared)
    assert found is not None
    with psycopg.connect(found.app_url) as db:
        assert db.execute("SELECT 1").fetchone() == (1,)


@AS_ROOT
def test_root_of_a_container_knows_its_server(prepared: Folder, installed: Binaries) -> None:
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv, which takes a capability away, is not installed")
    script = (
        "import pathlib, sys; from moorage_core.embedded import binaries, folder, postgres;"
        "made = folder.prepare(pathlib.Path(sys.argv[1]));"
        "programs = binaries.read_binaries(pathlib.Path(sys.argv[2]));"
        "first = postgres.start(made, fsync=False, binaries=programs);"
        "assert postgres.start(made, binaries=programs) == first;"
        "assert postgres.find_running(made);"
        "postgres.stop(first);"
        "assert postgres.find_running(made) is None"
    )
    without = ["setpriv", "--bounding-set=-sys_ptrace", sys.executable, "-c", script]

    done = subprocess.run([*without, str(prepared.path), str(installed.folder)], check=False)

    assert done.returncode == 0
    assert not (prepared.postgres / "postmaster.pid").exists()


def test_nothing_is_found_running_after_a_stop(prepared: Folder, installed: Binaries) -> None:
    server = postgres.start(prepared, binaries=installed, fsync=False)

    postgres.stop(server)
    postgres.stop(server)

    assert postgres.find_running(prepared) is None


def test_a_killed_server_starts_again_with_what_was_committed(
    prepared: Folder, installed: Binaries
) -> None:
    server = postgres.start(prepared, binaries=installed)
    with psycopg.connect(server.owner_url) as db:
        db.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    open_connection = psycopg.connect(server.owner_url)
    kill(process(prepared))

    again = postgres.start(prepared, binaries=installed)

    open_connection.close()
    with psycopg.connect(again.owner_url) as db:
        assert db.execute("SELECT answer FROM kept").fetchall() == [(42,)]


def test_a_stale_pid_of_somebody_else_is_not_taken_for_the_server(
    prepared: Folder, installed: Binaries
) -> None:
    server = postgres.start(prepared, binaries=installed, fsync=False)
    left = (prepared.postgres / "postmaster.pid").read_text().split("\n", 1)
    postgres.stop(server)
    stranger = subprocess.Popen(
        ["sleep", "600"], user=prepared.account.uid if prepared.account.switch else None
    )
    (prepared.postgres / "postmaster.pid").write_text(f"{stranger.pid}\n{left[1]}")

    again = postgres.start(prepared, binaries=installed, fsync=False)

    stranger.kill()
    stranger.wait()
    with psycopg.connect(again.app_url) as db:
        assert db.execute("SELECT 1").fetchone() == (1,)


def test_passwords_are_nowhere_but_in_memory(running: Server) -> None:
    key = (running.folder.keys / "postgres.key").read_bytes()
    secrets = {roles.password(key, role=role).encode() for role in (*roles.MADE, roles.SUPER)}
    with psycopg.connect(running.super_url, autocommit=True) as db:
        db.execute("CHECKPOINT")

    files = [path for path in running.folder.path.rglob("*") if path.is_file()]
    command_lines = _command_lines()

    assert len(secrets) == 4
    assert [path for path in files for word in secrets if word in path.read_bytes()] == []
    assert [line for line in command_lines for word in secrets if word in line] == []
    assert [word for word in secrets if word.decode() in repr(running)] == []


def _command_lines() -> list[bytes]:
    """Those of every process on the machine; one may end while we look."""
    found: list[bytes] = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found.append((Path("/proc") / pid / "cmdline").read_bytes())
    return found


def test_a_failing_statement_leaves_no_value_in_the_log(
    prepared: Folder, installed: Binaries
) -> None:
    server = postgres.start(prepared, binaries=installed, fsync=False)
    with psycopg.connect(server.owner_url, autocommit=True) as db:
        db.execute("CREATE TABLE t (word text UNIQUE)")
        db.execute("INSERT INTO t VALUES ('hush-hush')")
        with pytest.raises(psycopg.errors.UniqueViolation):
            db.execute("INSERT INTO t VALUES ('hush-hush')")
    postgres.stop(server)

    log = "".join(path.read_text() for path in (prepared.postgres / "log").iterdir())

    assert "duplicate key value" in log
    assert "hush-hush" not in log


def test_a_cluster_of_another_major_is_refused_with_advice(
    prepared: Folder, installed: Binaries
) -> None:
    server = postgres.start(prepared, binaries=installed, fsync=False)
    postgres.stop(server)
    other = Binaries(installed.folder, installed.major + 1)

    with pytest.raises(postgres.WrongMajor) as refused:
        postgres.start(prepared, binaries=other)

    assert f"written by PostgreSQL {installed.major}" in str(refused.value)
    assert "moor backup" in str(refused.value)
    assert "moor restore" in str(refused.value)
    assert "pg_upgrade" in str(refused.value)


def test_a_cluster_whose_major_is_not_installed_is_refused_with_advice(prepared: Folder) -> None:
    (prepared.postgres / "PG_VERSION").write_text("14\n")

    with pytest.raises(postgres.WrongMajor, match="written by PostgreSQL 14"):
        postgres.start(prepared)


def test_the_programs_of_the_clusters_own_major_are_preferred(
    prepared: Folder, installed: Binaries
) -> None:
    first = postgres.start(prepared, binaries=installed, fsync=False)
    postgres.stop(first)

    second = postgres.start(prepared, fsync=False)

    assert second.binaries.major == installed.major


def test_old_programs_are_refused_with_advice() -> None:
    old = Binaries(Path("/opt/pg/bin"), 14)

    with pytest.raises(binaries.NoPostgres, match=r"15 or newer is needed; found: 14 in /opt/pg"):
        binaries.choose([old])


def test_a_newer_program_wins_over_one_that_is_too_old() -> None:
    found = [Binaries(Path("/opt/pg/bin"), 14), Binaries(Path("/usr/lib/pg/bin"), 17)]

    assert binaries.choose(found).major == 17


def test_a_missing_program_is_named_with_advice(place: Path) -> None:
    with pytest.raises(binaries.ProgramMissing, match="has no pg_dump"):
        Binaries(place, 18).program("pg_dump")


def test_a_cluster_without_its_key_is_refused(prepared: Folder, installed: Binaries) -> None:
    postgres.stop(postgres.start(prepared, binaries=installed, fsync=False))
    (prepared.keys / "postgres.key").unlink()

    with pytest.raises(roles.KeyUnusable, match=r"postgres\.key is missing"):
        postgres.start(prepared, binaries=installed)


def test_a_first_start_that_was_cut_short_begins_again(
    prepared: Folder, installed: Binaries
) -> None:
    (prepared.path / "postgres.new").mkdir()
    (prepared.path / "postgres.new" / "PG_VERSION").write_text("")

    server = postgres.start(prepared, binaries=installed, fsync=False)

    assert cluster.major(server.data) == installed.major
    assert not (prepared.path / "postgres.new").exists()


def test_a_long_path_gets_its_socket_elsewhere(place: Path, installed: Binaries) -> None:
    deep = folder.prepare(place / ("d" * 60) / ("e" * 60))

    server = postgres.start(deep, binaries=installed, fsync=False)

    sockets = cluster.socket_folder(deep)
    with psycopg.connect(server.app_url) as db:
        assert db.execute("SELECT 1").fetchone() == (1,)
    assert sockets.parent == Path("/tmp")
    assert sockets.stat().st_mode & 0o077 == 0
    postgres.stop(server)
    shutil.rmtree(sockets)


@AS_ROOT
def test_a_socket_folder_of_somebody_else_is_refused(place: Path) -> None:
    deep = folder.prepare(place / ("d" * 60) / ("e" * 60))
    sockets = cluster.socket_folder(deep)
    os.chown(sockets, 12345, 12345)

    with pytest.raises(cluster.SocketFolderTaken, match=str(sockets)):
        cluster.socket_folder(deep)

    sockets.rmdir()


@AS_ROOT
def test_a_wheel_in_a_closed_place_is_copied_into_the_data_folder(
    prepared: Folder, place: Path
) -> None:
    found = binaries.list_binaries()
    wheel = [entry for entry in found if entry.folder.parent.parent.name == binaries.WHEEL]
    if not wheel:
        pytest.skip(f"the wheel {binaries.WHEEL} is not installed")
    closed = place / "closed"
    closed.mkdir(mode=0o700)
    install = wheel[0].folder.parent
    shutil.copytree(install, closed / binaries.WHEEL / install.name, symlinks=True)
    libraries = install.parent.with_name(f"{binaries.WHEEL}.libs")
    shutil.copytree(libraries, closed / libraries.name, symlinks=True)
    unreachable = binaries.read_binaries(closed / binaries.WHEEL / install.name / "bin")

    server = postgres.start(prepared, binaries=unreachable, fsync=False)

    assert server.binaries.folder.is_relative_to(prepared.path / "binaries")
    shutil.rmtree(closed)
    kept = binaries.list_binaries(prepared.path / "binaries")
    assert server.binaries.folder in [entry.folder for entry in kept]


def test_a_server_that_cannot_start_says_why(prepared: Folder, installed: Binaries) -> None:
    postgres.stop(postgres.start(prepared, binaries=installed, fsync=False))
    with (prepared.postgres / "postgresql.conf").open("a") as file:
        file.write("no_such_setting = 1\n")

    with pytest.raises(cluster.ServerStuck, match="no_such_setting"):
        postgres.start(prepared, binaries=installed, fsync=False)
