"""Places and servers for tests that need real ones."""

import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from moorage_core.embedded import binaries, cluster, folder
from moorage_core.embedded.folder import Folder

INSTALLED = {entry.major: entry for entry in reversed(binaries.list_binaries())}
# The oldest and the newest of this machine; what lies between takes time and shows nothing new.
TRIED = sorted({min(INSTALLED), max(INSTALLED)})
MEMORY = Path("/dev/shm")
ROOM = 8 << 30
"""Bytes that must be free in memory before places are made there: for two dozen of them."""


@contextmanager
def open_place() -> Generator[Path]:
    """An empty folder. Not pytest's own: that one is closed to the database account."""
    path = Path(tempfile.mkdtemp(prefix="moorage-test-", dir=_in_memory()))
    path.chmod(0o755)
    try:
        yield path
    finally:
        shutil.rmtree(path)


def _in_memory() -> Path | None:
    """Where a database is copied ten times as fast as on a disk; None where that has no room."""
    if not MEMORY.is_dir():
        return None
    found = os.statvfs(MEMORY)
    lines = Path("/proc/meminfo").read_text().splitlines()
    (available,) = (int(line.split()[1]) << 10 for line in lines if "MemAvailable" in line)
    has_room = min(found.f_bavail * found.f_frsize, available) >= ROOM
    return MEMORY if has_room and not found.f_flag & os.ST_NOEXEC else None


@contextmanager
def prepared_folder(path: Path) -> Generator[Folder]:
    """A data folder; a server left running on it is stopped at the end."""
    made = folder.prepare(path)
    try:
        yield made
    finally:
        stop(made)


def stop(made: Folder) -> None:
    """Stop the server of a data folder, if one runs there."""
    written = cluster.major(made.postgres)
    if written in INSTALLED:
        cluster.stop(made, binaries=INSTALLED[written])
