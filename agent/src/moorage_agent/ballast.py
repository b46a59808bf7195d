"""Room on the disk that is the agent's own, for when nobody else has left any.

The agent must write its identity to exchange its token, and on a full disk it would fall silent
just when somebody should look at the host. A file without meaning is kept for that; it is given up
when the disk is full, and made again when there is room.
"""

import errno
import os
from pathlib import Path

from moorage_agent import durable, log

SIZE = 256 * 1024
_NAME = "ballast"
FULL = (errno.ENOSPC, errno.EDQUOT)


def keep(state: Path) -> None:
    """Make the ballast if it is missing and there is room for more than it."""
    place = state / _NAME
    try:
        if place.exists() or _free(state) < 2 * SIZE:
            return
        durable.write(place, os.urandom(SIZE))  # a file system that packs finds nothing to pack
    except OSError as err:
        log.line("no room is kept for the agent's own files", reason=str(err))


def spend(state: Path) -> bool:
    """Give the ballast up; whether there was any."""
    try:
        (state / _NAME).unlink()
    except OSError:
        return False
    log.line("the disk is full: the agent uses the room that it kept for itself")
    return True


def write(path: Path, content: bytes) -> None:
    """Write a file of the agent's own durably, with the ballast's room where there is no other."""
    try:
        durable.write(path, content)
    except OSError as err:
        if err.errno not in FULL or not spend(path.parent):
            raise
        durable.write(path, content)


def _free(state: Path) -> int:
    found = os.statvfs(state)
    return found.f_bavail * found.f_frsize
