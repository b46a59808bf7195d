"""The store of bytes: nothing half-written, one writer, and faults made for real."""

import asyncio
import os
import subprocess
import sys
import tarfile
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.tests.artifacts.conftest import pieces
from core.tests.factories.artifacts import digest_of
from moorage_core.artifacts import rules, uploads
from moorage_core.artifacts.local_blobs import GIVEN, PIECE, LocalBlobs
from moorage_core.operate import archive

UPLOAD = "art_1"
EVER = datetime.now(UTC) + timedelta(days=1)

HUGE = ("a", "b", "c", "d")
"""Uploads that take long to hash."""


async def put(blobs: LocalBlobs, content: bytes, *, upload: str = UPLOAD) -> str:
    """A blob with this content."""
    await blobs.append(upload, offset=0, size=len(content), chunks=pieces(content))
    found = await blobs.seal(upload, digest=digest_of(content), size=len(content))
    assert found.digest == digest_of(content)
    return digest_of(content)


async def read(blobs: LocalBlobs, digest: str, *, size: int, offset: int = 0) -> bytes:
    stream = await blobs.open(digest, size=size, offset=offset)
    return b"".join([piece async for piece in stream])


def blob_file(place: Path, digest: str) -> Path:
    name = digest.removeprefix("sha256:")
    return place / "sha256" / name[:2] / name


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 7])
async def test_what_went_in_comes_out(blobs: LocalBlobs, size: int) -> None:
    content = os.urandom(size)

    digest = await put(blobs, content)

    assert await read(blobs, digest, size=size) == content
    assert await read(blobs, digest, size=size, offset=size // 2) == content[size // 2 :]


async def test_bytes_are_given_out_a_piece_at_a_time(blobs: LocalBlobs) -> None:
    content = os.urandom(3 * GIVEN + 7)
    digest = await put(blobs, content)

    stream = await blobs.open(digest, size=len(content), offset=0)

    assert [len(piece) async for piece in stream] == [GIVEN, GIVEN, GIVEN, 7]


async def test_an_upload_goes_on_where_it_ended(blobs: LocalBlobs) -> None:
    await blobs.append(UPLOAD, offset=0, size=10, chunks=pieces(b"01", b"234"))

    with pytest.raises(rules.UploadOffset, match="stands at 5"):
        await blobs.append(UPLOAD, offset=3, size=10, chunks=pieces(b"x"))
    received = await blobs.append(UPLOAD, offset=5, size=10, chunks=pieces(b"56789"))

    assert received == await blobs.size(UPLOAD) == 10
    found = await blobs.seal(UPLOAD, digest=digest_of(b"0123456789"), size=10)
    assert found.digest == digest_of(b"0123456789")


async def test_what_came_before_a_cut_is_kept(blobs: LocalBlobs) -> None:
    async def cut() -> AsyncIterator[bytes]:
        yield b"01234"
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        await blobs.append(UPLOAD, offset=0, size=10, chunks=cut())

    assert await blobs.size(UPLOAD) == 5


async def test_what_came_before_a_cancellation_is_kept_and_the_lock_is_free(
    blobs: LocalBlobs,
) -> None:
    begun = asyncio.Event()

    async def endless() -> AsyncIterator[bytes]:
        yield b"01234"
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(blobs.append(UPLOAD, offset=0, size=10, chunks=endless()))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert await blobs.append(UPLOAD, offset=5, size=10, chunks=pieces(b"56789")) == 10


async def test_one_writes_at_a_time(blobs: LocalBlobs, tmp_path: Path) -> None:
    """In this process and in every other: the second store has nothing in common but the folder."""
    begun, over = asyncio.Event(), asyncio.Event()
    other = LocalBlobs(tmp_path, reserve=0)

    async def slow() -> AsyncIterator[bytes]:
        yield b"01234"
        begun.set()
        await over.wait()

    first = asyncio.create_task(blobs.append(UPLOAD, offset=0, size=10, chunks=slow()))
    await begun.wait()
    with pytest.raises(rules.UploadBusy):
        await blobs.append(UPLOAD, offset=0, size=10, chunks=pieces(b"x"))
    with pytest.raises(rules.UploadBusy):
        await other.append(UPLOAD, offset=0, size=10, chunks=pieces(b"x"))
    sealed = await other.seal(UPLOAD, digest=digest_of(b"01234"), size=5)
    over.set()

    assert sealed.busy
    assert await first == 5
    assert await other.append(UPLOAD, offset=5, size=10, chunks=pieces(b"56789")) == 10
    other.close()


async def test_no_more_is_kept_than_was_announced(blobs: LocalBlobs) -> None:
    with pytest.raises(rules.MoreThanAnnounced):
        await blobs.append(UPLOAD, offset=0, size=8, chunks=pieces(b"01234", b"56789"))

    assert await blobs.size(UPLOAD) == 5


async def test_wrong_bytes_are_thrown_away(blobs: LocalBlobs, tmp_path: Path) -> None:
    await blobs.append(UPLOAD, offset=0, size=5, chunks=pieces(b"wrong"))

    found = await blobs.seal(UPLOAD, digest=digest_of(b"right"), size=5)

    assert (found.received, found.digest) == (5, digest_of(b"wrong"))
    assert await blobs.size(UPLOAD) == 0
    assert not blob_file(tmp_path, digest_of(b"right")).exists()
    assert await put(blobs, b"right") == digest_of(b"right")


async def test_a_blob_can_be_sealed_again_where_its_row_was_not_written(
    blobs: LocalBlobs, tmp_path: Path
) -> None:
    digest = await put(blobs, b"bytes")
    inode = blob_file(tmp_path, digest).stat().st_ino

    again = await blobs.seal(UPLOAD, digest=digest, size=5)

    assert again.digest == digest
    assert blob_file(tmp_path, digest).stat().st_ino == inode
    assert sorted(path.name for path in (tmp_path / "uploads").iterdir()) == [f".{UPLOAD}"]


async def test_huge_uploads_do_not_keep_a_small_one_waiting(
    blobs: LocalBlobs, tmp_path: Path
) -> None:
    """However many of them are being checked: they take turns."""
    size = 512 << 20
    await blobs.append("small", offset=0, size=5, chunks=pieces(b"small"))
    for name in HUGE:
        with (tmp_path / "uploads" / f".{name}").open("wb") as file:
            file.truncate(size)
    huge = [
        asyncio.create_task(blobs.seal(name, digest=digest_of(b""), size=size)) for name in HUGE
    ]
    await asyncio.sleep(0)

    found = await blobs.seal("small", digest=digest_of(b"small"), size=5)
    before = [task.done() for task in huge]

    assert (found.digest, before) == (digest_of(b"small"), [False] * len(HUGE))
    assert len({(await task).digest for task in huge}) == 1


async def test_nobody_gets_a_blob_by_knowing_its_digest(blobs: LocalBlobs) -> None:
    digest = await put(blobs, b"of another tenant")

    found = await blobs.seal("art_2", digest=digest, size=len(b"of another tenant"))

    assert (found.received, found.digest) == (0, None)


async def test_two_projects_with_the_same_bytes_share_one_blob(
    blobs: LocalBlobs, tmp_path: Path
) -> None:
    digest = await put(blobs, b"the same")
    assert await put(blobs, b"the same", upload="art_2") == digest

    assert [page async for page in blobs.digests()] == [[digest]]


# Faults


@contextmanager
def small_disk(place: Path, *, size: str) -> Iterator[None]:
    """A file system of its own that is soon full."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", place], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
async def test_a_full_disk_is_said_and_what_fitted_is_kept(tmp_path: Path) -> None:
    content = os.urandom(8 * PIECE)
    with small_disk(tmp_path, size="4m"):
        blobs = LocalBlobs(tmp_path, reserve=0)

        with pytest.raises(rules.StoreFull):
            await blobs.append(
                UPLOAD, offset=0, size=len(content), chunks=pieces(content[:PIECE], content[PIECE:])
            )
        kept = await blobs.size(UPLOAD)
        there = (tmp_path / "uploads" / f".{UPLOAD}").read_bytes()
        blobs.close()

    assert 0 < kept < len(content)
    assert there == content[:kept]


async def test_uploads_leave_a_reserve_on_the_disk(tmp_path: Path) -> None:
    blobs = LocalBlobs(tmp_path, reserve=1 << 60)

    with pytest.raises(rules.StoreFull):
        await blobs.append(UPLOAD, offset=0, size=5, chunks=pieces(b"bytes"))

    assert await blobs.size(UPLOAD) == 0
    blobs.close()


FULL = """
import asyncio, resource, sys
from pathlib import Path
from moorage_core.artifacts import rules
from moorage_core.artifacts.local_blobs import LocalBlobs
resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))
async def chunks():
    while True:
        yield bytes(100_000)
async def main():
    blobs = LocalBlobs(Path(sys.argv[1]), reserve=0)
    try:
        await blobs.append("art_1", offset=0, size=1 << 30, chunks=chunks())
    except rules.StoreFull:
        print("full at", await blobs.size("art_1"))
asyncio.run(main())
"""


def test_a_limit_on_file_sizes_is_a_full_disk_too(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", FULL, tmp_path], capture_output=True, text=True, check=True
    )

    assert "full at 3000000" in run.stdout


KILLED = """
import asyncio, sys
from pathlib import Path
from moorage_core.artifacts.local_blobs import LocalBlobs
async def chunks():
    for _ in range(3):
        yield b"x" * (1 << 20)
    print("sent", flush=True)
    await asyncio.Event().wait()
async def main():
    await LocalBlobs(Path(sys.argv[1]), reserve=0).append(
        "art_1", offset=0, size=4 << 20, chunks=chunks())
asyncio.run(main())
"""


async def test_an_upload_goes_on_after_its_process_was_killed(tmp_path: Path) -> None:
    content = b"x" * (4 << 20)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLED, tmp_path, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    await process.stdout.readline()
    process.kill()
    await process.wait()
    blobs = LocalBlobs(tmp_path, reserve=0)

    kept = await blobs.size(UPLOAD)
    await blobs.append(UPLOAD, offset=kept, size=len(content), chunks=pieces(content[kept:]))
    found = await blobs.seal(UPLOAD, digest=digest_of(content), size=len(content))
    blobs.close()

    assert kept == 3 << 20
    assert found.digest == digest_of(content)


async def test_bytes_that_changed_on_the_disk_are_never_given_out_whole(
    blobs: LocalBlobs, tmp_path: Path
) -> None:
    content = os.urandom(2 * GIVEN + 5)
    digest = await put(blobs, content)
    with blob_file(tmp_path, digest).open("r+b") as file:
        file.seek(GIVEN)
        file.write(b"changed")
    stream = await blobs.open(digest, size=len(content), offset=0)

    given = [await anext(stream), await anext(stream)]
    with pytest.raises(rules.ContentUnavailable, match="changed on the disk"):
        await anext(stream)

    assert sum(map(len, given)) == 2 * GIVEN < len(content)


async def test_bytes_that_are_missing_or_cut_are_said_before_anything_is_given_out(
    blobs: LocalBlobs, tmp_path: Path
) -> None:
    digest = await put(blobs, b"bytes")
    os.truncate(blob_file(tmp_path, digest), 3)
    with pytest.raises(rules.ContentUnavailable, match="of another size"):
        await blobs.open(digest, size=5, offset=0)

    blob_file(tmp_path, digest).unlink()
    with pytest.raises(rules.ContentUnavailable, match="missing"):
        await blobs.open(digest, size=5, offset=0)


async def test_uploading_again_mends_a_damaged_blob(blobs: LocalBlobs, tmp_path: Path) -> None:
    digest = await put(blobs, b"bytes")
    blob_file(tmp_path, digest).write_bytes(b"wrong")

    await put(blobs, b"bytes", upload="art_2")

    assert await read(blobs, digest, size=5) == b"bytes"


async def test_whoever_reads_a_blob_reads_it_to_the_end(blobs: LocalBlobs, tmp_path: Path) -> None:
    content = os.urandom(3 * PIECE)
    digest = await put(blobs, content)
    stream = await blobs.open(digest, size=len(content), offset=0)
    first = await anext(stream)

    assert await blobs.remove(digest, put_before=EVER)

    assert b"".join([first, *[piece async for piece in stream]]) == content


async def test_what_was_put_since_is_not_removed(blobs: LocalBlobs) -> None:
    seen = datetime.now(UTC) - timedelta(hours=1)
    digest = await put(blobs, b"bytes")

    assert not await blobs.remove(digest, put_before=seen)
    assert await blobs.remove(digest, put_before=EVER)
    assert not await blobs.remove(digest, put_before=EVER)


async def test_an_old_upload_that_is_sealed_now_counts_as_put_now(
    blobs: LocalBlobs, tmp_path: Path
) -> None:
    await blobs.append(UPLOAD, offset=0, size=5, chunks=pieces(b"bytes"))
    os.utime(tmp_path / "uploads" / f".{UPLOAD}", (0, 0))

    found = await blobs.seal(UPLOAD, digest=digest_of(b"bytes"), size=5)

    assert found.digest is not None
    assert not await blobs.remove(found.digest, put_before=datetime.now(UTC) - timedelta(hours=1))


async def test_files_are_closed_to_others_and_none_stays_open(
    blobs: LocalBlobs, tmp_path: Path
) -> None:
    before = len(os.listdir("/proc/self/fd"))
    digest = await put(blobs, b"bytes")
    stream = await blobs.open(digest, size=5, offset=0)
    await anext(stream)
    assert isinstance(stream, AsyncGenerator)
    await stream.aclose()

    assert blob_file(tmp_path, digest).stat().st_mode & 0o077 == 0
    assert blob_file(tmp_path, digest).parent.stat().st_mode & 0o077 == 0
    assert len(os.listdir("/proc/self/fd")) == before


async def test_bytes_that_stop_coming_end_the_request() -> None:
    async def stalled() -> AsyncIterator[bytes]:
        yield b"bytes"
        await asyncio.Event().wait()

    steady = uploads.steady(stalled(), seconds=0.01)

    assert await anext(steady) == b"bytes"
    with pytest.raises(rules.UploadStalled):
        await anext(steady)


async def test_a_backup_holds_blobs_and_nothing_that_is_unfinished(
    blobs: LocalBlobs, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    digest = await put(blobs, b"bytes")
    gone = await put(blobs, b"removed while the backup runs", upload="art_2")
    await blobs.append("art_3", offset=0, size=10, chunks=pieces(b"half"))
    target = tmp_path_factory.mktemp("backup") / "backup.tar"

    class Removing(archive.Writer):
        """Looks at a blob that the sweep takes away just then."""

        def add(self, name: str, path: Path, *, size: int | None = None) -> None:
            if name.endswith(gone.removeprefix("sha256:")):
                path.unlink()
            super().add(name, path, size=size)

    with tarfile.open(target, "w|") as tar:
        writer = Removing(tar)
        writer.add_folder("blobs", tmp_path)
        manifest = writer.finish(platform="test", schema="0001", postgres=17)

    name = digest.removeprefix("sha256:")
    assert list(manifest.digests) == [f"blobs/sha256/{name[:2]}/{name}"]
    assert manifest.digests[f"blobs/sha256/{name[:2]}/{name}"] == name
