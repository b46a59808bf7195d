"""The data folder: everything that one installation keeps on disk, under one path.

    postgres/   the database cluster; the database account's own, closed to others
    keys/       key files of the secret store, postgres.key, the audit keys; ours, closed
    tls/        our certificate authority and the server's certificate and key
    blobs/      artifacts by digest
    seals/      signed audit roots, kept outside the database
    run/        lock, sockets, effective settings; empty after a clean stop means nothing is lost

The folder itself lets the database account pass through (mode 0711) only where that account is
not ourselves.
"""

import fcntl
import os
import stat
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from moorage_core.embedded import accounts
from moorage_core.embedded.accounts import Account
from moorage_core.embedded.errors import OperatorError

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True)
class Folder:
    """A prepared data folder and the names inside it."""

    path: Path
    account: Account

    @property
    def postgres(self) -> Path:
        return self.path / "postgres"

    @property
    def keys(self) -> Path:
        return self.path / "keys"

    @property
    def tls(self) -> Path:
        return self.path / "tls"

    @property
    def blobs(self) -> Path:
        return self.path / "blobs"

    @property
    def seals(self) -> Path:
        return self.path / "seals"

    @property
    def run(self) -> Path:
        return self.path / "run"

    @property
    def sockets(self) -> Path:
        return self.run / "postgres"


class FolderUnsafe(OperatorError):
    """Others could read or change what must be ours alone."""

    exit_code = 1


class FolderUnusable(OperatorError):
    """The path cannot hold a data folder."""

    exit_code = 1


class FolderBusy(OperatorError):
    """Another `moor up` holds this folder."""

    exit_code = 5


def default_path(environment: Mapping[str, str], *, uid: int) -> Path:
    """Where data lives when nobody says: the system's place as root, else the person's."""
    if uid == 0:
        return Path("/var/lib/moorage")
    given = environment.get("XDG_DATA_HOME", "")
    base = Path(given) if given.startswith("/") else Path.home() / ".local" / "share"
    return base / "moorage"


def prepare(path: Path) -> Folder:
    """Make the folder and its parts with the right modes. Safe to run again."""
    place = path.expanduser().resolve()
    account = accounts.database_account(_owner(place / "postgres"))
    folder = Folder(place, account)
    through = 0o711 if account.switch else 0o700
    _make(folder.path, mode=through, uid=os.geteuid())
    for part in (folder.keys, folder.tls, folder.blobs, folder.seals):
        _make(part, mode=0o700, uid=os.geteuid())
    _make(folder.run, mode=through, uid=os.geteuid())
    for part in (folder.postgres, folder.sockets):
        _make(part, mode=0o700, uid=account.uid, gid=account.gid)
    return folder


def _owner(path: Path) -> int | None:
    try:
        return path.stat().st_uid
    except OSError:
        return None


def _make(path: Path, *, mode: int, uid: int, gid: int | None = None) -> None:
    try:
        if path.exists():
            _check(path, uid=uid)
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.stat().st_uid != uid:
            os.chown(path, uid, -1 if gid is None else gid)
        path.chmod(mode)
    except OSError as err:
        raise FolderUnusable(f"{path} cannot be used: {err.strerror}.") from err


def _check(path: Path, *, uid: int) -> None:
    """Refuse what is there already unless it is a folder of the right owner, closed to writing."""
    found = path.stat()
    if not stat.S_ISDIR(found.st_mode):
        raise FolderUnusable(f"{path} exists and is not a folder.")
    if found.st_uid not in (uid, os.geteuid()):
        raise FolderUnsafe(
            f"{path} belongs to user id {found.st_uid}; it must belong to {uid}. "
            f"Choose another place with --data, or give it over: chown -R {uid} {path}"
        )
    if found.st_mode & OTHERS_WRITE:
        raise FolderUnsafe(
            f"Others can write to {path} (mode {stat.S_IMODE(found.st_mode):04o}). "
            f"Close it first: chmod go-w {path}"
        )


@contextmanager
def hold(folder: Folder) -> Generator[None]:
    """Hold the folder for one `moor up`; a second one is refused with the first one's pid.

    A record lock belongs to this process alone: worker processes that it forks do not inherit
    it, so the folder is free at the moment this process dies, however it dies.
    """
    handle = os.open(folder.run / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _lock(handle, folder)
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, folder: Folder) -> None:
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError) as err:
        pid = os.pread(handle, 32, 0).decode(errors="replace").strip() or "unknown"
        raise FolderBusy(
            f"{folder.path} is in use by another `moor up`, process {pid}. "
            "Stop that one first, or choose another folder with --data."
        ) from err


@contextmanager
def in_turn(lock: Path) -> Generator[None]:
    """Wait until no other process is in here: starting one server twice would harm it."""
    handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def write_private(path: Path, content: bytes) -> None:
    """Put `content` at `path`, readable by us alone, whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.rename(path)
