"""What a task says, on disk until the platform has it.

Each stream is a file up to the task's limit; what comes after is counted and dropped. The count is
on disk as well, so that it survives the agent. Nothing is held in memory but the piece at hand.
"""

import os
import struct
import threading
from pathlib import Path

STREAMS = ("stdout", "stderr", "content")
PIECE = 256 * 1024
_COUNT = struct.Struct("<Q")


class Outputs:
    """The streams of one task. One thread writes, another may read."""

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder, self._limit = folder, limit
        self._files: dict[str, int] = {}
        self._lock = threading.Lock()
        self._sizes = {stream: _size(folder / stream) for stream in STREAMS}
        self._dropped = {stream: _count(folder / f"{stream}.dropped") for stream in STREAMS}
        self.is_disk_full = False

    def write(self, stream: str, data: bytes) -> None:
        """Keep bytes up to the limit. On a full disk they count as dropped."""
        if stream not in STREAMS:
            raise ValueError(f"{stream!r} is no stream")
        with self._lock:
            kept = self._append(stream, data[: max(self._limit - self._sizes[stream], 0)])
            self._sizes[stream] += kept
            if kept < len(data):
                self._drop(stream, len(data) - kept)

    def size(self, stream: str) -> int:
        return self._sizes[stream]

    def read(self, stream: str, offset: int) -> bytes:
        """A piece of a stream."""
        try:
            with open(self._folder / stream, "rb") as file:
                file.seek(offset)
                return file.read(min(PIECE, max(self._sizes[stream] - offset, 0)))
        except FileNotFoundError:
            return b""

    def dropped(self) -> dict[str, int]:
        """The bytes beyond the limit, where there are any."""
        return {stream: count for stream, count in self._dropped.items() if count}

    def close(self) -> None:
        with self._lock:
            for handle in self._files.values():
                os.close(handle)
            self._files.clear()

    def _append(self, stream: str, data: bytes) -> int:
        kept = 0
        try:
            while kept < len(data):
                kept += os.write(self._open(stream), data[kept:])
        except OSError:
            self.is_disk_full = True
        return kept

    def _drop(self, stream: str, count: int) -> None:
        self._dropped[stream] += count
        try:
            os.pwrite(self._open(f"{stream}.dropped"), _COUNT.pack(self._dropped[stream]), 0)
        except OSError:
            self.is_disk_full = True

    def _open(self, name: str) -> int:
        if name not in self._files:
            flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            # A count is written over and over, at the start; a stream grows.
            flags |= 0 if name.endswith(".dropped") else os.O_APPEND
            self._files[name] = os.open(self._folder / name, flags, 0o600)
        return self._files[name]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _count(path: Path) -> int:
    try:
        return int(_COUNT.unpack(path.read_bytes())[0])
    except (FileNotFoundError, struct.error):
        return 0
