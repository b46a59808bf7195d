"""The way to a file on a host where others may have laid traps.

Every folder is opened from the one above it and never by its full name, so nobody can swap a
folder for a link on the way. A link counts only where nobody but root can have put it: the link
is root's, and so is the folder it is in. `/var/run` works; a link in somebody's home does not.
The last name is never followed.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from moorage_agent import ballast
from moorage_agent.tasks import Failed

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MODE = 0o755
_MOST_LINKS = 20


@dataclass(frozen=True)
class Place:
    """A name in an open folder."""

    folder: int
    name: str
    path: str

    def stat(self) -> Optional[os.stat_result]:
        """What is there under the name, links not followed; None where nothing is."""
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None


@contextlib.contextmanager
def reach(
    path: str, *, root: Path = Path("/"), make: Optional[Callable[[str], None]] = None
) -> Generator[Place, None, None]:
    """Open the folder that holds `path`. `make` is told of each folder that it makes on the way;
    without it a missing folder ends the task."""
    names = split(path)
    folder = _walk(names[:-1], root=root, path=path, make=make)
    try:
        yield Place(folder, names[-1], path)
    finally:
        os.close(folder)


def split(path: str) -> list[str]:
    """The names of an absolute path."""
    names = [name for name in path.split("/") if name not in ("", ".")]
    if not path.startswith("/") or not names or ".." in names or path.endswith("/"):
        raise Failed(
            "path_invalid", f"{path!r} is no path of a file: it must be absolute, without `..`."
        )
    return names


def _walk(names: list[str], *, root: Path, path: str, make: Optional[Callable[[str], None]]) -> int:
    folder = os.open(root, _FOLDER)
    ahead, behind, links = list(reversed(names)), "", 0
    while ahead:
        name = ahead.pop()
        try:
            target = _link(folder, name, path)
            if target is None:
                below = _enter(folder, name, make=make, path=f"{behind}/{name}")
                os.close(folder)
                folder, behind = below, f"{behind}/{name}"
                continue
            links += 1
            if links > _MOST_LINKS:
                raise Failed("path_invalid", f"{path} goes through more than {_MOST_LINKS} links.")
        except OSError as error:
            os.close(folder)
            raise refusal(error, path) from error
        except Failed:
            os.close(folder)
            raise
        # A link starts again: its own words, seen from where it stands, then what was still ahead.
        words = target if target.startswith("/") else f"{behind}/{target}"
        ahead += [one for one in reversed(os.path.normpath(words).split("/")) if one]
        os.close(folder)
        folder, behind = os.open(root, _FOLDER), ""
    return folder


def _link(folder: int, name: str, path: str) -> Optional[str]:
    """Where a link leads that may be followed; None where the name is no link."""
    try:
        seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISLNK(seen.st_mode):
        return None
    around = os.fstat(folder)
    trusted = (0, os.geteuid())
    shared = around.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if seen.st_uid not in trusted or around.st_uid not in trusted or shared:
        raise Failed(
            "path_is_symlink",
            f"`{name}` on the way to {path} is a symbolic link that others than root control.",
        )
    return os.readlink(name, dir_fd=folder)


def _enter(folder: int, name: str, *, make: Optional[Callable[[str], None]], path: str) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if make is None:
            raise
    make(path)
    try:
        os.mkdir(name, 0o700, dir_fd=folder)
    except FileExistsError:  # somebody else's, with a mode of its own
        return os.open(name, _FOLDER, dir_fd=folder)
    made = os.open(name, _FOLDER, dir_fd=folder)
    os.fchmod(made, _MODE)  # the agent's own mask would keep everybody out
    return made


def refusal(error: OSError, path: str) -> Failed:
    """What an error of the file system means for the task."""
    if error.errno in ballast.FULL:
        return Failed("disk_full", f"The disk that holds {path} is full. Nothing was changed.")
    if error.errno == errno.ENOENT:
        return Failed("path_missing", f"{path} is not there, or a folder above it is not.")
    if error.errno in (errno.ENOTDIR, errno.ELOOP):
        return Failed("path_invalid", f"Something above {path} is no folder.")
    if error.errno == errno.EROFS:
        return Failed("read_only", f"{path} is on a file system that is read-only.")
    if error.errno == errno.ENAMETOOLONG:
        return Failed("path_invalid", f"{path[:200]} is longer than the host allows.")
    return Failed("path_refused", f"The host refused {path}: {error.strerror}.")


def open_regular(place: Place) -> int:
    """Open a regular file for reading. Links, folders and devices are refused, unread."""
    seen = place.stat()
    if seen is None:
        raise Failed("path_missing", f"{place.path} is not there.")
    check_regular(seen, place.path)
    descriptor = os.open(
        place.name,
        os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC,
        dir_fd=place.folder,
    )
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # swapped since
        os.close(descriptor)
        raise Failed("path_is_special", f"{place.path} is no regular file.")
    return descriptor


def check_regular(seen: os.stat_result, path: str) -> None:
    """Refuse what is no regular file, by what it is."""
    if stat.S_ISLNK(seen.st_mode):
        raise Failed("path_is_symlink", f"{path} is a symbolic link. Name the file it leads to.")
    if stat.S_ISDIR(seen.st_mode):
        raise Failed("path_is_folder", f"{path} is a folder.")
    if not stat.S_ISREG(seen.st_mode):
        raise Failed("path_is_special", f"{path} is a device, socket or pipe.")
