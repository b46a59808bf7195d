"""Mounts of this machine: which there are, and how they go."""

from pathlib import Path

from moorage_lab import shell
from moorage_lab.errors import CommandFailed

_MOUNTS = Path("/proc/self/mountinfo")


def below(folder: Path) -> list[Path]:
    """Every mount point at or below a folder, in the order they were mounted."""
    return [place for place in _points() if place.is_relative_to(folder)]


def is_mounted(place: Path) -> bool:
    return place in _points()


def mount(place: Path, *, kind: str, source: str, options: str) -> None:
    place.mkdir(parents=True, exist_ok=True)
    shell.call("mount", "-t", kind, "-o", options, source, place)


def unmount_below(folder: Path) -> None:
    """Unmount everything at or below a folder, the last mounted first."""
    for place in reversed(below(folder)):
        try:
            shell.call("umount", place)
        except CommandFailed:
            # Somebody's shell may stand in it. It goes with them; the name is free at once.
            shell.call("umount", "--lazy", place)


def _points() -> list[Path]:
    return parse(_MOUNTS.read_text())


def parse(mountinfo: str) -> list[Path]:
    """The mount points in a `mountinfo`."""
    return [Path(_unescaped(line.split(" ")[4])) for line in mountinfo.splitlines()]


def _unescaped(text: str) -> str:
    r"""The kernel writes blanks as `\040`."""
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text
