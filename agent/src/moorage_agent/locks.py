"""What tasks over SSH know of each other: locks, because each is a process of its own.

They keep to what `turns` says: a wipe is alone, and two of a kind that works on one thing of the
host wait for each other. A lock goes with the process that held it, however that ended.
"""

import contextlib
import fcntl
import os
import shutil
from collections.abc import Generator
from pathlib import Path

from moorage_agent import durable, systemd, turns, units
from moorage_agent.kinds import exec as exec_kind
from moorage_agent.places import Places
from moorage_agent.tasks import Failed, Stop

FOLDER = "locks"
_GATE, _FLOOR, _SINGLES = "gate", "floor", "singles"
_LOOK_AGAIN = 0.1


@contextlib.contextmanager
def turn(state: Path, kind: str, stopping: Stop) -> Generator[None, None, None]:
    """Wait until a task of this kind may run, and let no other run that may not beside it."""
    with contextlib.ExitStack() as held:
        if kind == turns.ALONE:
            # Nobody comes in any more, and who is in goes.
            held.enter_context(_held(state, _GATE, fcntl.LOCK_EX, stopping))
            held.enter_context(_held(state, _FLOOR, fcntl.LOCK_EX, stopping))
        else:
            with _held(state, _GATE, fcntl.LOCK_SH, stopping):
                held.enter_context(_held(state, _FLOOR, fcntl.LOCK_SH, stopping))
            if kind in turns.ONE_AT_A_TIME:
                held.enter_context(_held(state, kind, fcntl.LOCK_EX, stopping))
        yield


def is_wipe_wanted(state: Path) -> bool:
    """Whether a wipe waits for the others to end, or runs."""
    handle = _open(state, _GATE)
    try:
        return not _try(handle, fcntl.LOCK_SH)
    finally:
        os.close(handle)


@contextlib.contextmanager
def own_folder(places: Places, task_id: str, stopping: Stop) -> Generator[Path, None, None]:
    """The folder of a task, which is its own while the process lives; gone at the end.

    Folders that nobody holds are those of processes that were killed. What they left goes first:
    commands that still run, and files.
    """
    singles = durable.private_folder(places.state / "single")
    with _held(places.state, _SINGLES, fcntl.LOCK_EX, stopping):
        _clear_abandoned(singles, places.run)
        folder = durable.private_folder(singles / task_id)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        if not _try(handle, fcntl.LOCK_EX):
            os.close(handle)
            raise Failed("already_running", "This very task still runs on the host.")
    try:
        yield folder
    finally:
        shutil.rmtree(places.run / task_id, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)


def _clear_abandoned(singles: Path, run: Path) -> None:
    for folder in sorted(singles.iterdir()):
        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            if _try(handle, fcntl.LOCK_EX) and _stop(exec_kind.unit_of(folder.name, folder)):
                shutil.rmtree(run / folder.name, ignore_errors=True)
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(handle)


def _stop(unit: str) -> bool:
    """Whether nothing of the unit is left. Without systemd there never was one."""
    if not systemd.is_booted():
        return True
    try:
        with systemd.reach() as connection:
            units.stop(connection, unit)
    except (systemd.Gone, systemd.Said, units.NotStopped):
        return False
    return True


@contextlib.contextmanager
def _held(state: Path, name: str, how: int, stopping: Stop) -> Generator[None, None, None]:
    handle = _open(state, name)
    try:
        while not _try(handle, how):
            if stopping.wait(_LOOK_AGAIN):
                raise Failed("not_started", "The task was ended while it waited for its turn.")
        yield
    finally:
        os.close(handle)


def _open(state: Path, name: str) -> int:
    folder = durable.private_folder(state / FOLDER)
    return os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _try(handle: int, how: int) -> bool:
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
