"""Locks on files. The kernel releases them when their holder dies, however it dies.

The programs that a holder runs to their end (`shell.output`) hold them too: what was under way when
the holder was killed is done before anybody else begins.
"""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def hold(path: Path) -> Generator[None]:
    """Wait for the lock and hold it. Whoever holds it may remove the file."""
    descriptor = _take(path)
    try:
        yield
    finally:
        os.close(descriptor)


def _take(path: Path) -> int:
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.set_inheritable(descriptor, True)  # noqa: FBT003 - the function takes no keyword
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if _is_at(path, descriptor):
            return descriptor
        os.close(descriptor)  # its last holder removed the file: a new one is the lock now


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
