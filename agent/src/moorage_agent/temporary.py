"""The folders that everybody may leave things in: what is there, and clearing them."""

from collections.abc import Container, Iterator
from pathlib import Path

from moorage_agent import commands, mounts
from moorage_agent.commands import Run

FOLDERS = ("tmp", "var/tmp", "dev/shm")
_SYSTEM = ("systemd-private-", "snap-private-tmp", ".X", ".ICE-unix", ".font-unix", ".Test-unix")
_PEOPLE = 1000


def things(root: Path = Path("/")) -> list[str]:
    """What is there, less what the system's own services keep there."""
    return sorted(f"/{entry.relative_to(root)}" for entry in _entries(root))


def clear(
    root: Path = Path("/"), *, spared: Container[str] = (), run: Run = commands.run
) -> list[str]:
    """Remove it. Links are removed and never followed; what is mounted there is unmounted first,
    and what cannot be unmounted stays with all that is around it: the residue names it."""
    removed: list[str] = []
    for entry in list(_entries(root)):
        name = f"/{entry.relative_to(root)}"
        if name not in spared and mounts.remove(entry, run=run):
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
