"""The folders that everybody may leave things in: what is there, and clearing them."""

import os
import shutil
import stat
from collections.abc import Container, Iterator
from pathlib import Path

FOLDERS = ("tmp", "var/tmp", "dev/shm")
_SYSTEM = ("systemd-private-", "snap-private-tmp", ".X", ".ICE-unix", ".font-unix", ".Test-unix")
_PEOPLE = 1000


def things(root: Path = Path("/")) -> list[str]:
    """What is there, less what the system's own services keep there."""
    return sorted(f"/{entry.relative_to(root)}" for entry in _entries(root))


def clear(root: Path = Path("/"), *, spared: Container[str] = ()) -> list[str]:
    """Remove it. Links are removed and never followed; what is mounted there is left alone."""
    removed: list[str] = []
    for entry in list(_entries(root)):
        name = f"/{entry.relative_to(root)}"
        if name not in spared and _remove(entry):
            removed.append(name)
    return sorted(removed)


def _entries(root: Path) -> Iterator[Path]:
    for place in FOLDERS:
        try:
            entries = sorted((root / place).iterdir())
        except OSError:
            continue
        for entry in entries:
            if not entry.name.startswith(_SYSTEM) and not _is_service_s(entry):
                yield entry


def _is_service_s(entry: Path) -> bool:
    """Whether a user of the system's own services has put it there and still needs it."""
    try:
        return 0 < entry.lstat().st_uid < _PEOPLE
    except OSError:
        return True  # gone meanwhile


def _remove(entry: Path) -> bool:
    try:
        if not stat.S_ISDIR(entry.lstat().st_mode):
            entry.unlink()
            return True
        if os.path.ismount(entry):
            return False
        shutil.rmtree(entry)  # refuses to be led away by links
    except OSError:
        return False  # the residue names it
    return True
