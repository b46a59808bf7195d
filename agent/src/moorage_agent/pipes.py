"""Where a command's output comes from: two named pipes that outlive the agent's process.

The command gets them opened for reading and writing. So it never meets a pipe without a reader:
while the agent is away it waits at a full pipe, and nothing is lost. An agent that comes back opens
them by name.
"""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

STREAMS = ("stdout", "stderr")
PIECE = 64 * 1024
_PIECES = 4
_F_SETPIPE_SZ = 1031


def make(folder: Path, *, uid: int) -> None:
    """Make the pipes, if they are not there. They belong to the command's user, who may open
    /dev/stdout."""
    for stream in STREAMS:
        with contextlib.suppress(FileExistsError):
            os.mkfifo(folder / stream, 0o600)
        os.chown(folder / stream, uid, -1)


def for_command(folder: Path) -> list[int]:
    """The ends for the command; they block, as a command expects. The caller closes them."""
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    return [os.open(folder / stream, flags) for stream in STREAMS]


class Pipes:
    """Both pipes, open on the agent's side."""

    def __init__(self, folder: Path) -> None:
        flags = os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
        self.streams = {os.open(folder / stream, flags): stream for stream in STREAMS}
        for handle in self.streams:
            fcntl.fcntl(handle, _F_SETPIPE_SZ, _PIECES * PIECE)

    def read(self, handle: int) -> bytes:
        """What is there now, up to a piece."""
        try:
            return os.read(handle, PIECE)
        except BlockingIOError:
            return b""

    def drain(self) -> Iterator[tuple[str, bytes]]:
        """What is there now: no more than a full pipe holds, however fast somebody writes."""
        for handle, stream in self.streams.items():
            for _ in range(_PIECES):
                data = self.read(handle)
                if not data:
                    break
                yield stream, data

    def __enter__(self) -> "Pipes":
        return self

    def __exit__(self, *_: object) -> None:
        for handle in self.streams:
            os.close(handle)
