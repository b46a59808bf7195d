"""Files of the store of bytes, as threads use them: one writer, one reader, small looks."""

import errno
import fcntl
import hashlib
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


class Busy(Exception):
    """Another process or request holds the file."""


class Writer:
    """The end of an upload, locked against every other writer."""

    def __init__(self, place: Path) -> None:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._descriptor = lock(place, os.O_RDWR | os.O_CREAT)
        self._turn = threading.Lock()
        self.size = os.fstat(self._descriptor).st_size

    def write(self, piece: bytearray, *, reserve: int) -> None:
        with self._turn, memoryview(piece) as left:
            disk = os.fstatvfs(self._descriptor)
            if disk.f_bavail * disk.f_frsize - len(left) < reserve:
                raise OSError(errno.ENOSPC, "the reserve is not for uploads")
            start = 0
            while start < len(left):
                written = os.pwrite(self._descriptor, left[start:], self.size)
                self.size += written
                start += written

    def close(self) -> None:
        """What was written is on the disk then."""
        with self._turn:
            try:
                os.fsync(self._descriptor)
            finally:
                os.close(self._descriptor)


class Reader:
    """A blob from one place on, hashed as it is read."""

    def __init__(self, place: Path, *, offset: int) -> None:
        self._place = place
        self._at = offset
        self._file: int | None = None
        self._turn = threading.Lock()
        self._hash = hashlib.sha256() if offset == 0 else None

    def is_whole(self, digest: str) -> bool:
        """Whether what was read, from the beginning, fits the digest. Of a part: yes."""
        return self._hash is None or f"sha256:{self._hash.hexdigest()}" == digest

    def read(self, size: int) -> bytes:
        with self._turn:
            if self._file is None:
                self._file = os.open(self._place, os.O_RDONLY | os.O_CLOEXEC)
            piece = os.pread(self._file, size, self._at)
            self._at += len(piece)
            if self._hash is not None:
                self._hash.update(piece)
            return piece

    def close(self) -> None:
        with self._turn:
            if self._file is not None:
                os.close(self._file)
            self._file = None


@contextmanager
def held(place: Path, *, make: bool) -> Generator[int]:
    """The upload's file, with no writer at it."""
    if make:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = lock(place, os.O_RDWR | (os.O_CREAT if make else 0))
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def lock(place: Path, flags: int) -> int:
    """Open a file that nobody else works at. Raises Busy.

    It may have been thrown away between the opening and the lock: then it is not the file any more.
    """
    descriptor = os.open(place, flags | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        there = stat(place)
        if there is None or not os.path.samestat(there, os.fstat(descriptor)):
            raise Busy
    except (BlockingIOError, Busy) as err:
        os.close(descriptor)
        raise Busy from err
    return descriptor


def stat(place: Path) -> os.stat_result | None:
    try:
        return place.stat()
    except FileNotFoundError:
        return None


def names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []


def unlink(*places: Path) -> None:
    for place in places:
        place.unlink(missing_ok=True)


def sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
