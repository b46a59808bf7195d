"""One PostgreSQL cluster on disk: made, configured, found running, started, stopped.

Two facts about a crash shape this module. A `postmaster.pid` left behind names a process id
that may by now be anybody's, so a server counts as running only if that process works inside
the cluster's own folder. And after the server's parent process is killed its children need a
moment to notice; a new server that starts earlier is turned away by PostgreSQL itself.
"""

import hashlib
import os
import re
import shutil
import stat
import time
from pathlib import Path

from moorage_core.embedded import accounts, processes
from moorage_core.embedded.accounts import Account
from moorage_core.embedded.binaries import Binaries
from moorage_core.embedded.errors import OperatorError
from moorage_core.embedded.folder import Folder

CONFIG = "moorage.conf"
LOCALES = ("C.UTF-8", "C")
# A socket's whole path has 107 bytes; the file's own name takes the rest.
PLAIN_SOCKET_FOLDER = re.compile(r"[A-Za-z0-9_/.+-]{1,90}")
# Taken only with a name of its own, an owner that is checked, and closed to others.
SHORT_PLACE = Path("/tmp")  # noqa: S108
ORPHANS_END_WITHIN = 30.0
# Recovery after a crash reads back everything since the last checkpoint.
SETTLES_WITHIN = 600.0
# Statements and row details stay out of the server's log: rows hold what tenants own.
SETTINGS = """\
# Written at every start. Your own settings go into postgresql.conf, below the line that
# includes this file, or come from ALTER SYSTEM.
listen_addresses = ''
unix_socket_permissions = 0700
port = 5432
max_connections = 200
password_encryption = 'scram-sha-256'
logging_collector = on
log_directory = 'log'
log_filename = 'postgresql-%a.log'
log_truncate_on_rotation = on
log_rotation_age = '1d'
log_rotation_size = 0
log_statement = 'none'
log_min_error_statement = 'panic'
log_error_verbosity = 'terse'
log_parameter_max_length = 0
log_parameter_max_length_on_error = 0
"""
UNSAFE_AND_FAST = "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n"


class ServerStuck(OperatorError):
    """The server did not start or stop."""


class SocketFolderTaken(OperatorError):
    """Somebody else owns the folder where the server's socket would be."""


def major(cluster: Path) -> int | None:
    """The major release that wrote this cluster; None where there is no cluster yet."""
    try:
        return int((cluster / "PG_VERSION").read_text().strip())
    except FileNotFoundError:
        return None


def make(folder: Folder, *, binaries: Binaries, superuser: str, secret: str, fsync: bool) -> None:
    """Make a cluster beside the final place and move it there: half a cluster never shows."""
    beside = folder.path / "postgres.new"
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(mode=0o700)
    word = folder.sockets / "superuser"
    word.write_text("")
    word.chmod(0o600)
    for path in (beside, word):
        os.chown(path, folder.account.uid, folder.account.gid)
    try:
        word.write_text(f"{secret}\n")
        _initdb(
            folder.account, beside, binaries=binaries, superuser=superuser, word=word, fsync=fsync
        )
    finally:
        word.unlink()
    with (beside / "postgresql.conf").open("a") as file:
        file.write(f"\ninclude_if_exists = '{CONFIG}'\n")
    beside.rename(folder.postgres)


def _initdb(
    account: Account, place: Path, *, binaries: Binaries, superuser: str, word: Path, fsync: bool
) -> None:
    options = ["--data-checksums", "--encoding=UTF8", "--auth=scram-sha-256"]
    options += [f"--username={superuser}", f"--pwfile={word}", f"--pgdata={place}"]
    options += [] if fsync else ["--no-sync"]
    said = ""
    for locale in LOCALES:
        done = accounts.run(account, [binaries.program("initdb"), f"--locale={locale}", *options])
        if done.returncode == 0:
            return
        said = done.stderr.strip()[-2000:]
        if "invalid locale" not in said:
            break
    raise ServerStuck(f"initdb made no cluster in {place}: {said}")


def start(folder: Folder, *, binaries: Binaries, fsync: bool) -> None:
    """Start the server and return when it accepts connections."""
    cluster = folder.postgres
    _wait_for_orphans(folder)
    _clear_traces(folder)
    _configure(folder, fsync=fsync)
    first_words = cluster / "start.log"
    first_words.unlink(missing_ok=True)
    command = [binaries.program("pg_ctl"), "start", "-s", "-w", "-t", "600"]
    done = accounts.run(folder.account, [*command, "-D", cluster, "-l", first_words])
    if done.returncode != 0:
        raise ServerStuck(f"PostgreSQL in {cluster} did not start. {_last_words(cluster)}")


def stop(folder: Folder, *, binaries: Binaries) -> None:
    """Stop the server if it runs: end its connections, write everything down, leave."""
    if find_process(folder) is None:
        return
    command = [binaries.program("pg_ctl"), "stop", "-s", "-w", "-t", "120", "-m", "fast"]
    done = accounts.run(folder.account, [*command, "-D", folder.postgres])
    if done.returncode != 0 and find_process(folder) is not None:
        raise ServerStuck(f"PostgreSQL in {folder.postgres} did not stop: {done.stderr.strip()}")


def find_process(folder: Folder) -> int | None:
    """The process id of the server that runs on this folder's cluster."""
    lines = _pid_file(folder.postgres)
    if not lines or not lines[0].lstrip("-").isdigit():
        return None
    pid = abs(int(lines[0]))
    is_ours = processes.works_in(pid, place=folder.postgres, account=folder.account)
    return pid if is_ours else None


def sockets_of_running(folder: Folder) -> Path | None:
    """Where the running server listens; None unless it is ready for connections."""
    lines = _pid_file(folder.postgres)
    if find_process(folder) is None or len(lines) < 8 or lines[7].strip() != "ready":
        return None
    return Path(lines[4])


def wait_until_settled(folder: Folder) -> None:
    """Wait while a server is starting, recovering or stopping: until it is ready or gone."""
    deadline = time.monotonic() + SETTLES_WITHIN
    while find_process(folder) is not None and sockets_of_running(folder) is None:
        if time.monotonic() > deadline:
            raise ServerStuck(
                f"PostgreSQL in {folder.postgres} is neither ready nor gone. "
                f"{_last_words(folder.postgres)}"
            )
        time.sleep(0.05)


def socket_folder(folder: Folder) -> Path:
    """Where the socket goes: in the data folder, or in /tmp where that path is too long."""
    if PLAIN_SOCKET_FOLDER.fullmatch(str(folder.sockets)):
        return folder.sockets
    name = hashlib.sha256(os.fsencode(folder.path)).hexdigest()[:20]
    place = SHORT_PLACE / f"moorage-{name}"
    try:
        place.mkdir(mode=0o700)
        os.chown(place, folder.account.uid, folder.account.gid)
    except FileExistsError:
        found = place.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != folder.account.uid:
            raise SocketFolderTaken(
                f"{place} is not the database account's. Remove it, then start again."
            ) from None
        place.chmod(0o700)
    return place


def _configure(folder: Folder, *, fsync: bool) -> None:
    lines = SETTINGS + f"unix_socket_directories = '{socket_folder(folder)}'\n"
    target = folder.postgres / CONFIG
    target.write_text(lines if fsync else lines + UNSAFE_AND_FAST)
    os.chown(target, folder.account.uid, folder.account.gid)
    target.chmod(0o600)


def _clear_traces(folder: Folder) -> None:
    """Remove what a crash left, once it is known that nobody works there. PostgreSQL would keep
    to it while any process, even a dead one that nobody has collected yet, carries the number of
    the old server. Where we cannot look, PostgreSQL decides."""
    if not processes.can_look():
        return
    (folder.postgres / "postmaster.pid").unlink(missing_ok=True)
    for trace in socket_folder(folder).glob(".s.PGSQL.*"):
        trace.unlink()


def _wait_for_orphans(folder: Folder) -> None:
    deadline = time.monotonic() + ORPHANS_END_WITHIN
    while processes.any_works_in(folder.postgres, account=folder.account):
        if time.monotonic() > deadline:
            raise ServerStuck(
                f"Processes of an earlier PostgreSQL still work in {folder.postgres}. "
                "End them, then start again."
            )
        time.sleep(0.05)


def _pid_file(cluster: Path) -> list[str]:
    try:
        return (cluster / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return []


def _last_words(cluster: Path) -> str:
    logs = [
        cluster / "start.log",
        *sorted((cluster / "log").glob("*.log"), key=os.path.getmtime)[-1:],
    ]
    words = [
        line
        for log in logs
        if log.exists()
        for line in log.read_text(errors="replace").splitlines()[-8:]
    ]
    return "Its last words: " + " / ".join(words)
