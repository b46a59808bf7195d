"""What is mounted where, so that clearing a folder never reaches into another file system.

A file system mounted below a tenant's folder is the site's, or a share that others use. It is taken
out of the way before anything there is removed; where that fails the folder stays, and is residue.
"""

import re
import shutil
import stat
from pathlib import Path

from moorage_agent import commands
from moorage_agent.commands import Run

TABLE = Path("/proc/self/mountinfo")
_NETWORK = ("nfs", "nfs4", "cifs", "smb3", "ceph", "lustre", "gpfs", "beegfs", "glusterfs", "9p")
_OCTAL = re.compile(r"\\([0-7]{3})")


def points(table: str) -> list[tuple[str, str]]:
    """Every mount point with its kind of file system, in the order of mounting. Pure."""
    found: list[tuple[str, str]] = []
    for line in table.split("\n"):  # a name may hold what else counts as the end of a line
        fields, _, rest = line.partition(" - ")
        words = fields.split(" ")
        if len(words) > 4:
            found.append((_plain(words[4]), rest.split(" ", 1)[0]))
    return found


def _plain(point: str) -> str:
    """A path as it is: the table writes blanks and the like in octal."""
    return _OCTAL.sub(lambda found: chr(int(found[1], 8)), point)


def within(tree: Path, table: str) -> list[str]:
    """The mount points at and below a folder, the one to take away first in front. Pure."""
    inside = f"{tree}/"
    return [point for point, _ in reversed(points(table)) if f"{point}/".startswith(inside)]


def kind_of(path: Path, table: str) -> str:
    """The kind of the file system that a path is on. Pure."""
    best, kind = "", ""
    for point, its in points(table):
        inside = f"{path}/".startswith(f"{point.rstrip('/')}/")
        if inside and len(point) >= len(best):
            best, kind = point, its
    return kind


def is_shared(path: Path, table: str) -> bool:
    """Whether a path is on a file system that other hosts see as well. Pure."""
    kind = kind_of(path, table)
    return kind in _NETWORK or kind.startswith("fuse.")


def is_point(path: Path, table: str) -> bool:
    """Whether something is mounted there, also where it is of the same file system. Pure."""
    return str(path) in [point for point, _ in points(table)]


def remove(place: Path, *, run: Run = commands.run) -> bool:
    """Remove a file or a folder, and nothing that is mounted in it; whether it is gone.

    Links are removed and never followed.
    """
    real = place.parent.resolve() / place.name
    for point in within(real, read()):
        run(["umount", "--lazy", "--no-canonicalize", "--", point])
    if within(real, read()):
        return False
    try:
        if stat.S_ISDIR(real.lstat().st_mode):
            shutil.rmtree(real)  # refuses to be led away by links
        else:
            real.unlink()
    except OSError:
        return False
    return True


def read() -> str:
    """The table of this moment. File names in it are bytes as they are."""
    return TABLE.read_bytes().decode("utf-8", "surrogateescape")
