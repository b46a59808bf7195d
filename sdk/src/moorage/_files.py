"""Files on their way to and from the platform: a piece at a time, hashed while they are read."""

import asyncio
import errno
import hashlib
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO

from moorage._problem import MoorageError

PIECE = 1 << 20


class ContentWrong(MoorageError):
    """The bytes that arrived are not those that were promised."""


class Source:
    """A file that is sent. Read from its beginning, whatever it was used for before."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    async def measure(self) -> tuple[int, str]:
        """Its size and its digest, by reading it once."""
        return await asyncio.to_thread(self._measure)

    def _measure(self) -> tuple[int, str]:
        hashed, size = hashlib.sha256(), 0
        self._file.seek(0)
        while piece := self._file.read(PIECE):
            hashed.update(piece)
            size += len(piece)
        return size, f"sha256:{hashed.hexdigest()}"

    async def pieces(self, start: int, end: int) -> AsyncIterator[bytes]:
        """The bytes from `start` up to `end`."""
        await asyncio.to_thread(self._file.seek, start)
        while start < end:
            piece = await asyncio.to_thread(self._file.read, min(PIECE, end - start))
            if not piece:
                raise ContentWrong("The file became shorter while it was sent.")
            start += len(piece)
            yield piece


@asynccontextmanager
async def opened(source: Path | str | BinaryIO) -> AsyncGenerator[Source]:
    """The file to send: opened here, or handed over open."""
    if not isinstance(source, Path | str):
        yield Source(source)
        return
    file = await asyncio.to_thread(Path(source).open, "rb")
    try:
        yield Source(file)
    finally:
        file.close()


class Target:
    """A file that arrives. It gets its name when its digest is known to be right, not before.

    What has arrived lies beside it under a name that the digest is part of, so that another run
    goes on where this one was cut.
    """

    def __init__(self, to: Path, *, digest: str, size: int) -> None:
        self.to = to
        self.part = to.with_name(f".{to.name}.{digest.removeprefix('sha256:')[:16]}.part")
        self.size = size
        self._digest = digest
        self._hash = hashlib.sha256()
        self._file: BinaryIO | None = None
        self.received = 0

    async def open(self) -> None:
        """Take up what an earlier run has left."""
        await asyncio.to_thread(self._open)

    def _open(self) -> None:
        # The name can be guessed: in a folder that others write to, it may be their trap.
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self._file = os.fdopen(os.open(self.part, flags, 0o666), "r+b")
        if os.fstat(self._file.fileno()).st_uid != os.geteuid():
            self.close()
            raise FileExistsError(errno.EEXIST, "somebody else's file is there", str(self.part))
        while self.received < self.size and (piece := self._file.read(PIECE)):
            self._hash.update(piece)
            self.received += len(piece)
        if self.received > self.size or self._file.read(1):
            self._begin_again()

    def _begin_again(self) -> None:
        assert self._file is not None
        self._file.seek(0)
        self._file.truncate()
        self._hash, self.received = hashlib.sha256(), 0

    async def write(self, piece: bytes) -> None:
        await asyncio.to_thread(self._write, piece)

    def _write(self, piece: bytes) -> None:
        assert self._file is not None
        self._file.write(piece)
        self._hash.update(piece)
        self.received += len(piece)

    async def finish(self) -> None:
        """Give the file its name, or throw it away where it is not what was promised."""
        await asyncio.to_thread(self._finish)

    def _finish(self) -> None:
        assert self._file is not None
        found = f"sha256:{self._hash.hexdigest()}"
        if (self.received, found) != (self.size, self._digest):
            self.close()
            self.part.unlink()
            raise ContentWrong(
                f"{self.received} bytes with the digest {found} arrived; promised were"
                f" {self.size} with {self._digest}. They were thrown away."
            )
        self._file.flush()
        os.fsync(self._file.fileno())
        self.close()
        self.part.replace(self.to)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file = None
