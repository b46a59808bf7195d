"""The store of bytes in a folder.

    <data>/blobs/sha256/ab/<hex>     whole and verified; named by what is in them
    <data>/blobs/uploads/.<upload>   what has arrived so far. The dot keeps it out of backups

Bytes are written and read a piece at a time, in threads, so that neither the event loop nor the
memory notices how many there are. A blob comes into being by a rename, after its bytes and its
digest are known to be on the disk: there is never half of one.

Two locks, both of the kernel's kind that dies with its process. One on each upload's file: one
writer at a time, of all processes. One for the whole store, held for the moment in which a blob
takes its place or is removed: what was put a moment ago is not what a sweep, that looked before,
takes away.
"""

import asyncio
import contextlib
import errno
import fcntl
import hashlib
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import ParamSpec, TypeVar

import structlog

from moorage_core.artifacts import blob_files, rules

P = ParamSpec("P")
T = TypeVar("T")
Sealing = Generator[None, None, rules.Verification]
"""Checks an upload, a turn at a time."""

PIECE = 1 << 20
"""Bytes that are written, or hashed, at once: the most that an upload holds in memory."""
TURN = 32 << 20
"""Bytes of an upload that are hashed before the next upload has its turn."""
GIVEN = 1 << 18
"""Bytes that are given out at once. The server queues several: docs/explanation/artifacts.md."""
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
SEALING = ".sealing"
"""Ends the second name of an upload on its way to its place."""

log = structlog.get_logger()


class LocalBlobs:
    """Blobs in a folder of this machine, or one that all server processes mount."""

    def __init__(self, place: Path, *, reserve: int) -> None:
        self._place = place
        self._reserve = reserve
        self._pool = ThreadPoolExecutor(8, thread_name_prefix="blobs")
        # Hashing takes minutes for what is huge; it must not keep pieces of others waiting, nor
        # what is small behind it: all that is being hashed takes turns.
        self._hashing = ThreadPoolExecutor(2, thread_name_prefix="blobs-hash")
        self._sealing: dict[str, Future[rules.Verification]] = {}

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._hashing.shutdown(cancel_futures=True)

    # Uploads

    async def size(self, upload: str) -> int:
        found = await self._run(blob_files.stat, self._upload(upload))
        return 0 if found is None else found.st_size

    async def touched_at(self, upload: str) -> datetime | None:
        found = await self._run(blob_files.stat, self._upload(upload))
        return None if found is None else datetime.fromtimestamp(found.st_mtime, UTC)

    async def append(
        self, upload: str, *, offset: int, size: int, chunks: AsyncIterator[bytes]
    ) -> int:
        async with self._writing(upload) as file:
            rules.check_offset(upload, offset=offset, received=file.size)
            held = bytearray()
            try:
                async for chunk in chunks:
                    rules.check_room(upload, upto=file.size + len(held) + len(chunk), size=size)
                    held += chunk
                    if len(held) >= PIECE:
                        piece, held = held, bytearray()
                        await self._run(file.write, piece, reserve=self._reserve)
            finally:
                if held:
                    await self._run(file.write, held, reserve=self._reserve)
            return file.size

    @contextlib.asynccontextmanager
    async def _writing(self, upload: str) -> AsyncGenerator[blob_files.Writer]:
        opening = self._pool.submit(blob_files.Writer, self._upload(upload))
        try:
            file = await asyncio.shield(asyncio.wrap_future(opening))
        except blob_files.Busy as err:
            raise rules.busy(upload) from err
        except asyncio.CancelledError:
            opening.add_done_callback(_close_unwanted)
            raise
        try:
            yield file
        except OSError as err:
            if err.errno not in NO_ROOM:
                raise
            log.error("artifacts.store_full", upload=upload, place=str(self._place))
            raise rules.full(upload) from err
        finally:
            await asyncio.shield(asyncio.wrap_future(self._pool.submit(file.close)))

    async def seal(self, upload: str, *, digest: str, size: int) -> rules.Verification:
        # A request that is sent again while the first is at work gets what the first finds.
        running = self._sealing.get(upload)
        if running is None:
            running = self._sealing[upload] = Future()
            running.add_done_callback(lambda _: self._sealing.pop(upload, None))
            self._queue(self._seal(upload, digest=digest, size=size), running)
        return await asyncio.shield(asyncio.wrap_future(running))

    def _queue(self, work: Sealing, outcome: Future[rules.Verification]) -> None:
        """Behind the turns of all others."""
        turn = self._hashing.submit(self._take_turn, work, outcome)
        turn.add_done_callback(lambda turn: turn.cancelled() and outcome.cancel())

    def _take_turn(self, work: Sealing, outcome: Future[rules.Verification]) -> None:
        try:
            next(work)
            self._queue(work, outcome)
        except StopIteration as end:
            outcome.set_result(end.value)
        except Exception as err:  # noqa: BLE001 - raised where the outcome is awaited
            work.close()
            outcome.set_exception(err)

    def _seal(self, upload: str, *, digest: str, size: int) -> Sealing:
        place = self._upload(upload)
        try:
            with blob_files.held(place, make=size == 0) as descriptor:
                received = os.fstat(descriptor).st_size
                if received != size:
                    return rules.Verification(upload, received, None)
                found = yield from self._digest(
                    descriptor, sealed=self._blob(digest), digest=digest
                )
                if found == digest:
                    os.fsync(descriptor)
                    self._put(place, self._blob(digest))
                else:
                    place.unlink()
                return rules.Verification(upload, received, found)
        except FileNotFoundError:
            return rules.Verification(upload, 0, None)
        except blob_files.Busy:
            return rules.Verification(upload, 0, None, busy=True)

    def _digest(self, descriptor: int, *, sealed: Path, digest: str) -> Generator[None, None, str]:
        """Of the upload's bytes. An upload that is the blob already was hashed before."""
        there = blob_files.stat(sealed)
        if there is not None and os.path.samestat(there, os.fstat(descriptor)):
            return digest
        hashed, since = hashlib.sha256(), 0
        with os.fdopen(os.dup(descriptor), "rb", buffering=0) as file:
            file.seek(0)
            while piece := file.read(PIECE):
                hashed.update(piece)
                since += len(piece)
                if since >= TURN:
                    since = 0
                    yield
        return f"sha256:{hashed.hexdigest()}"

    def _put(self, upload: Path, blob: Path) -> None:
        """Give the upload its place as a blob.

        The upload keeps its name: where the row cannot be written, it is sealed again in no time.
        """
        blob.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside = upload.with_name(upload.name + SEALING)
        beside.unlink(missing_ok=True)
        beside.hardlink_to(upload)
        with self._settled():
            os.utime(beside)
            beside.rename(blob)
            # A rename between two names of one file leaves both.
            beside.unlink(missing_ok=True)
        blob_files.sync(blob.parent)
        blob_files.sync(blob.parent.parent)

    async def discard(self, upload: str) -> None:
        place = self._upload(upload)
        await self._run(blob_files.unlink, place, place.with_name(place.name + SEALING))

    async def uploads(self) -> list[str]:
        names = await self._run(blob_files.names, self._place / "uploads")
        return sorted({name.removesuffix(SEALING)[1:] for name in names if name.startswith(".")})

    # Blobs

    async def open(self, digest: str, *, size: int, offset: int) -> AsyncIterator[bytes]:
        place = self._blob(digest)
        found = await self._run(blob_files.stat, place)
        if found is None or found.st_size != size:
            raise _damaged(digest, "missing" if found is None else "of another size")
        return self._pieces(place, digest, size=size, offset=offset)

    async def _pieces(
        self, place: Path, digest: str, *, size: int, offset: int
    ) -> AsyncGenerator[bytes]:
        file = blob_files.Reader(place, offset=offset)
        try:
            left = size - offset
            while left > 0:
                piece = await self._run(file.read, min(GIVEN, left))
                left -= len(piece)
                if not piece or (left == 0 and not file.is_whole(digest)):
                    raise _damaged(digest, "changed on the disk")
                yield piece
        finally:
            file.close()

    async def remove(self, digest: str, *, put_before: datetime) -> bool:
        return await self._run(self._remove, self._blob(digest), put_before.timestamp())

    def _remove(self, blob: Path, put_before: float) -> bool:
        with self._settled():
            found = blob_files.stat(blob)
            if found is None or found.st_mtime >= put_before:
                return False
            blob.unlink()
            return True

    async def digests(self) -> AsyncGenerator[list[str]]:
        top = self._place / "sha256"
        for folder in sorted(await self._run(blob_files.names, top)):
            names = await self._run(blob_files.names, top / folder)
            yield [f"sha256:{name}" for name in names]

    # Inside

    def _upload(self, upload: str) -> Path:
        return self._place / "uploads" / f".{upload}"

    def _blob(self, digest: str) -> Path:
        name = digest.removeprefix("sha256:")
        return self._place / "sha256" / name[:2] / name

    @contextmanager
    def _settled(self) -> Generator[None]:
        """Alone, of all processes, while a blob takes its place or leaves it."""
        descriptor = os.open(self._place / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    async def _run(self, work: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        return await asyncio.wrap_future(self._pool.submit(work, *args, **options))


def _close_unwanted(opening: Future[blob_files.Writer]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()


def _damaged(digest: str, how: str) -> rules.ContentUnavailable:
    log.error("artifacts.blob_damaged", digest=digest, how=how)
    return rules.ContentUnavailable(
        f"The bytes of {digest} are {how} in the platform's store. Nothing wrong was given out."
        " The platform's operator can bring them back from a backup.",
        headers={"Retry-After": "60"},
    )
