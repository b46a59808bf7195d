"""The folders in which programs keep what is theirs: what is there, and clearing them.

Programs write beside what tasks put on the host, and nobody records it. What is new in these places
since a holder came is the holder's, unless a package of the host has it, or the host itself. Of
places that other hosts see too nothing is said: it may be theirs.
"""

import os
from collections.abc import Container, Iterable
from pathlib import Path

from moorage_agent import commands, mounts
from moorage_agent.commands import Run

_PLACES = ("etc", "opt", "srv", "var/lib", "var/log")
_FILES_TOO = ("opt", "srv")
"""Where files come from nobody but holders; elsewhere the host makes some by itself."""
_OWN = (
    *("/var/lib/moorage-agent", "/var/lib/private", "/var/lib/systemd"),
    *("/var/log/journal", "/var/log/private"),
)
_LISTS = "var/lib/dpkg/info"


def things(root: Path = Path("/")) -> list[str]:
    """What is there. Raises OSError where that cannot be seen: it must not count as nothing."""
    table = mounts.read()
    found: list[str] = []
    for place in _PLACES:
        folder = root / place
        if not folder.is_dir() or mounts.is_shared(folder.resolve(), table):
            continue
        with os.scandir(folder) as entries:
            found += [
                f"/{place}/{entry.name}"
                for entry in entries
                if place in _FILES_TOO or entry.is_dir(follow_symlinks=False)
            ]
    return sorted(set(found) - {*_OWN})


def find_new(known: Container[str], *, root: Path = Path("/")) -> list[str]:
    """What has come since these were all there was."""
    new = [name for name in things(root) if name not in known]
    packaged = _of_packages(new, root) if new else set[str]()
    return [name for name in new if name not in packaged]


def clear(known: Container[str], *, root: Path = Path("/"), run: Run = commands.run) -> list[str]:
    """Remove what has come since, and say what it was. What cannot be removed is residue."""
    new = find_new(known, root=root)
    return [name for name in new if mounts.remove(root / name.lstrip("/"), run=run)]


def _of_packages(names: Iterable[str], root: Path) -> set[str]:
    """Those of these that packages of the host have brought."""
    wanted, found = {*names}, set[str]()
    for file in (root / _LISTS).glob("*.list"):
        try:
            found |= wanted.intersection(file.read_text(errors="replace").splitlines())
        except OSError:  # a package that is being removed
            continue
    return found
