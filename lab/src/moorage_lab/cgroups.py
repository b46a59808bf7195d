"""Control groups: everything that runs for a lab runs in one, so nothing can get away.

Each host has a group of its own. Without it the containers that one shell starts share one tree,
and stopping a service on one host reaches into the others. A group is made anew for every boot: a
group that was once killed kills what systemd starts in it later (the kernel compares the kill
counts of the two groups involved).
"""

import os
import select
import time
from collections.abc import Iterator
from pathlib import Path

from moorage_lab.errors import LabError, MachineLacks

_MOUNTS = Path("/proc/self/mountinfo")
_TRIES = 3


class StillAlive(LabError):
    """Processes have survived their end."""


def find_unified() -> Path | None:
    """Where the unified hierarchy is mounted."""
    return next((place for kind, place in _hierarchies() if kind == "cgroup2"), None)


def make(group: str) -> Path:
    """Make the group; the file that takes its processes.

    Groups above it pass on the controllers that the machine gives them, so that a host has what
    its machine has.
    """
    folder = _folder(group)
    folder.mkdir(parents=True, exist_ok=True)
    for above in reversed(folder.parents[: len(Path(group).parts) - 1]):
        for controller in (above / "cgroup.controllers").read_text().split():
            _pass_on(above, controller)
    return folder / "cgroup.procs"


def _pass_on(folder: Path, controller: str) -> None:
    try:
        (folder / "cgroup.subtree_control").write_text(f"+{controller}")
    except OSError:
        pass  # a controller that cannot be shared here; the host goes without


def is_populated(group: str) -> bool:
    """Whether anything runs in the group or below it."""
    try:
        return "populated 1" in (_folder(group) / "cgroup.events").read_text()
    except OSError:
        return False


def processes(group: str) -> list[int]:
    """The processes of the group itself, not of those below it."""
    try:
        return [int(line) for line in (_folder(group) / "cgroup.procs").read_text().split()]
    except OSError:
        return []


def end(group: str) -> None:
    """Kill everything in the group at once, wait until it is gone, and remove the group."""
    for _ in range(_TRIES):
        try:
            (_folder(group) / "cgroup.kill").write_text("1")
        except FileNotFoundError:
            pass
        if wait_until_empty(group, seconds=30) and _is_removed(group):
            return
    raise StillAlive(f"Processes in the control group {group} outlive a kill: look at them.")


def _is_removed(group: str) -> bool:
    try:
        remove(group)
    except OSError:
        return False  # something entered it a moment after the kill
    return True


def wait_until_empty(group: str, *, seconds: float) -> bool:
    """Wait until nothing runs in the group; False when the time is up."""
    try:
        events = os.open(_folder(group) / "cgroup.events", os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        return _wait(events, until=time.monotonic() + seconds)
    finally:
        os.close(events)


def _wait(events: int, *, until: float) -> bool:
    poll = select.poll()
    poll.register(events, select.POLLPRI)
    while b"populated 1" in os.pread(events, 256, 0):
        left = until - time.monotonic()
        if left <= 0:
            return False
        poll.poll(left * 1000)
    return True


def remove(group: str) -> None:
    """Remove an empty group and those below it, in every hierarchy: nspawn mirrors them."""
    for _, place in _hierarchies():
        for folder, _, _ in os.walk(place / group, topdown=False):
            try:
                Path(folder).rmdir()
            except FileNotFoundError:
                continue


def remove_if_empty(group: str) -> None:
    """Remove a group that others may use, if nobody does."""
    for _, place in _hierarchies():
        try:
            (place / group).rmdir()
        except OSError:
            continue


def _folder(group: str) -> Path:
    unified = find_unified()
    if unified is None:
        raise MachineLacks("No cgroup2 file system is mounted here.")
    return unified / group


def _hierarchies() -> Iterator[tuple[str, Path]]:
    for line in _MOUNTS.read_text().splitlines():
        fields, _, rest = line.partition(" - ")
        kind = rest.split(" ", 1)[0]
        if kind in {"cgroup", "cgroup2"}:
            yield kind, Path(fields.split(" ")[4])
