"""Uploading, signing and pulling artifacts through the client, against a real platform."""

import asyncio
import hashlib
import io
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

import moorage
from moorage import Client, PrivateKey, errors, signatures
from moorage.models import ProjectRead, PublisherKeyRead, PullIssued
from moorage.resources import artifacts
from sdk.tests import cutting, shops
from sdk.tests.cutting import Cutter
from sdk.tests.running import Platform
from sdk.tests.shops import Shop

MIB = 1 << 20


@pytest.fixture
async def cutter(platform: Platform) -> AsyncIterator[Cutter]:
    async with cutting.laid(platform.port) as laid:
        yield laid


@pytest.fixture
async def over_cuts(cutter: Cutter, token: str) -> AsyncIterator[Client]:
    """The first admin, over a network that breaks in the middle."""
    async with Client(cutter.url, auth=moorage.AccessToken(token)) as client:
        yield client


def make_file(folder: Path, size: int, name: str = "thing.tar") -> Path:
    file = folder / name
    file.write_bytes(os.urandom(size))
    return file


def digest_of(file: Path) -> str:
    return f"sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}"


# Uploads


async def test_a_file_is_uploaded_and_published(
    admin: Client, project: ProjectRead, tmp_path: Path
) -> None:
    file = make_file(tmp_path, 3 * MIB + 17)
    seen: list[tuple[int, int]] = []

    artifact = await admin.artifacts.upload(
        project, file, media_type="application/x-tar", progress=lambda *each: seen.append(each)
    )

    assert (artifact.name, artifact.lifecycle) == ("thing.tar", "published")
    assert (artifact.size, artifact.digest) == (3 * MIB + 17, digest_of(file))
    assert (seen[0], seen[-1]) == ((0, artifact.size), (artifact.size, artifact.size))
    assert [a.id async for a in admin.artifacts.list(project, trust="unverified")] == [artifact.id]


async def test_an_open_file_is_uploaded_from_its_beginning(
    admin: Client, project: ProjectRead, tmp_path: Path
) -> None:
    file = make_file(tmp_path, 1000)
    with file.open("rb") as opened:
        opened.read(500)
        by_name = await admin.artifacts.upload(project, opened)
    in_memory = await admin.artifacts.upload(project, io.BytesIO(b"bytes"), name="small")
    empty = await admin.artifacts.upload(project, io.BytesIO(b""), name="empty")

    assert (by_name.name, by_name.digest) == ("thing.tar", digest_of(file))
    assert (in_memory.size, empty.size) == (5, 0)
    assert empty.lifecycle == "published"


async def test_what_is_there_already_is_not_sent_again(
    admin: Client, project: ProjectRead, over_cuts: Client, cutter: Cutter, tmp_path: Path
) -> None:
    file = make_file(tmp_path, 4 * MIB)
    first = await admin.artifacts.upload(project, file)

    again = await over_cuts.artifacts.upload(project, file)

    assert again.id == first.id
    assert cutter.carried < MIB


@pytest.mark.parametrize("part", [64 * MIB, 3 * MIB])
async def test_an_upload_goes_on_from_where_each_cut_left_it(
    over_cuts: Client,
    cutter: Cutter,
    project: ProjectRead,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    part: int,
) -> None:
    monkeypatch.setattr(artifacts, "PART", part)
    file = make_file(tmp_path, 48 * MIB)
    # The first connection carries the announcement.
    cutter.up = [2 * MIB, 1000, 24 * MIB, 10 * MIB]

    artifact = await over_cuts.artifacts.upload(project, file)

    assert (artifact.lifecycle, artifact.digest) == ("published", digest_of(file))
    assert cutter.up == []
    # What was in buffers at a cut is lost and goes twice; all of it again would be 84 MiB.
    assert cutter.carried < 76 * MIB


async def test_another_run_goes_on_where_the_first_was_ended(
    admin: Client, over_cuts: Client, cutter: Cutter, project: ProjectRead, tmp_path: Path
) -> None:
    file = make_file(tmp_path, 8 * MIB)

    def end(position: int) -> None:
        if position > 5 * MIB:
            raise InterruptedError

    with Watched(file, end) as watched, pytest.raises(InterruptedError):
        await admin.artifacts.upload(project, watched, name="thing.tar")
    (begun,) = await admin.artifacts.list(project).all()
    while not (arrived := (await admin.artifacts.get(begun)).received):
        await asyncio.sleep(0.01)  # what was sent is on its way to the disk still

    artifact = await over_cuts.artifacts.upload(project, file)

    assert begun.lifecycle == "uploading"
    assert (artifact.id, artifact.lifecycle) == (begun.id, "published")
    assert arrived < 8 * MIB
    assert cutter.carried < 8 * MIB


class Watched(io.FileIO):
    """A file that tells how far it was read when it is read for the second time: to be sent."""

    def __init__(self, path: Path, tell: Callable[[int], None]) -> None:
        super().__init__(path, "rb")
        self._report, self._seeks = tell, 0

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self._seeks += 1
        return super().seek(offset, whence)

    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(-1 if size is None else size) or b""
        if self._seeks > 1:
            self._report(self.tell())
        return found


async def test_a_file_that_changes_while_it_is_sent_is_refused_and_nothing_is_kept(
    admin: Client, project: ProjectRead
) -> None:
    class Changing(io.BytesIO):
        def seek(self, offset: int, whence: int = 0, /) -> int:
            self.getbuffer()[:1] = b"a" if self.getvalue()[:1] != b"a" else b"b"
            return super().seek(offset, whence)

    with pytest.raises(errors.DigestMismatch):
        await admin.artifacts.upload(project, Changing(bytes(1000)), name="thing")

    (left,) = await admin.artifacts.list(project).all()
    assert (await admin.artifacts.get(left)).received == 0


async def test_a_file_that_becomes_shorter_ends_the_upload(
    admin: Client, project: ProjectRead
) -> None:
    class Shrinking(io.BytesIO):
        seeks = 0

        def seek(self, offset: int, whence: int = 0, /) -> int:
            self.seeks += 1
            if self.seeks == 2:
                self.truncate(10)
            return super().seek(offset, whence)

    with pytest.raises(moorage.ContentWrong, match="shorter"):
        await admin.artifacts.upload(project, Shrinking(bytes(1000)), name="thing")


@pytest.mark.parametrize("length", [64 * MIB, None], ids=["said", "not said"])
async def test_a_refusal_reaches_whoever_is_still_sending(
    admin: Client, project: ProjectRead, length: int | None
) -> None:
    announced = await admin.artifacts.create(
        project, name="thing", digest=f"sha256:{hashlib.sha256(b'').hexdigest()}", size=10
    )

    async def too_much() -> AsyncIterator[bytes]:
        for _ in range(64):
            yield bytes(MIB)

    with pytest.raises(errors.MoreThanAnnounced):
        await admin.artifacts.put_content(announced, too_much, length=length)


async def test_an_upload_outlives_a_crash_of_the_platform(
    platform: Platform, token: str, project: ProjectRead, tmp_path: Path
) -> None:
    """kill -9 of supervisor and workers while bytes flow, then a start."""
    file = make_file(tmp_path, 48 * MIB)
    some = asyncio.Event()

    async def crash() -> None:
        await some.wait()
        await asyncio.to_thread(platform.kill)
        await asyncio.to_thread(platform.start)

    def report(position: int) -> None:
        if position > 24 * MIB:
            loop.call_soon_threadsafe(some.set)

    loop = asyncio.get_running_loop()
    auth = moorage.AccessToken(token)
    with Watched(file, report) as watched:
        async with (
            Client(platform.url, auth=auth, patience=120) as client,
            asyncio.TaskGroup() as group,
        ):
            group.create_task(crash())
            upload = group.create_task(client.artifacts.upload(project, watched))
    artifact = upload.result()

    assert (artifact.lifecycle, artifact.digest) == ("published", digest_of(file))


# Signatures


@pytest.fixture
def key() -> PrivateKey:
    return PrivateKey.generate()


@pytest.fixture
async def registered(admin: Client, project: ProjectRead, key: PrivateKey) -> PublisherKeyRead:
    return await admin.publisher_keys.create(project, name="release", key=key)


async def test_a_key_is_registered_by_who_proves_that_they_have_it(
    admin: Client, project: ProjectRead
) -> None:
    ours, theirs = PrivateKey.generate(), PrivateKey.generate()
    keys = admin.publisher_keys

    made = await keys.create(project, name="here", key=ours)
    apart = await keys.create(
        project,
        name="on a device",
        public_key=theirs.public,
        proof=signatures.prove(project.id, theirs),
    )
    with pytest.raises(errors.KeyNotProved):
        await keys.create(
            project,
            name="a stranger's",
            public_key=PrivateKey.generate().public,
            proof=signatures.prove(project.id, ours),
        )

    assert (made.public_key["x"], apart.public_key["x"]) == (ours.public.x, theirs.public.x)


async def test_a_signature_is_made_here_and_checked_on_both_sides(
    admin: Client, project: ProjectRead, key: PrivateKey, registered: PublisherKeyRead
) -> None:
    artifact = await admin.artifacts.upload(project, io.BytesIO(os.urandom(10)), name="thing")

    signed = await admin.artifacts.sign(
        artifact, key=registered, signature=signatures.sign(artifact.digest, key)
    )
    found = await admin.artifacts.list_signatures(artifact).all()

    assert signed.trust == "verified"
    assert signatures.check(artifact.digest, found, known=[key.public]) == key.public.x
    stranger = PrivateKey.generate().public
    with pytest.raises(signatures.SignatureBroken):
        signatures.check(artifact.digest, found, known=[stranger])
    with pytest.raises(signatures.SignatureBroken):
        signatures.check("sha256:" + "0" * 64, found, known=[key.public])
    assert not signatures.is_good(artifact.digest, "no signature", key.public)
    assert not signatures.is_good(artifact.digest, found[0].signature, "no key")


async def test_a_revoked_key_takes_trust_with_it(
    admin: Client, project: ProjectRead, key: PrivateKey, registered: PublisherKeyRead
) -> None:
    artifact = await admin.artifacts.upload(project, io.BytesIO(os.urandom(10)), name="thing")
    await admin.artifacts.sign(
        artifact, key=registered, signature=signatures.sign(artifact.digest, key)
    )

    revoked = await admin.publisher_keys.revoke(registered, reason="it was copied")

    assert revoked.revoked
    assert (await admin.artifacts.get(artifact)).trust == "failed"
    assert [k.revoked async for k in admin.publisher_keys.list(project)] == [True]


async def test_an_artifact_is_deprecated_retired_and_removed(
    admin: Client, project: ProjectRead
) -> None:
    artifact = await admin.artifacts.upload(project, io.BytesIO(os.urandom(10)), name="thing")

    deprecated = await admin.artifacts.update(artifact, lifecycle="deprecated")
    retired = await admin.artifacts.update(deprecated, lifecycle="retired")
    await admin.artifacts.delete(retired)

    assert (deprecated.lifecycle, retired.lifecycle) == ("deprecated", "retired")
    assert await admin.artifacts.list(project).all() == []


# Pulls


@pytest.fixture
async def shop(admin: Client, project: ProjectRead, tmp_path: Path) -> Shop:
    return await shops.open_shop(admin, project, make_file(tmp_path, 12 * MIB))


def parts(folder: Path) -> list[Path]:
    """What downloads have left under names that are not final."""
    return [path for path in folder.iterdir() if path.name.startswith(".")]


async def fetch(client: Client, shop: Shop, to: Path) -> PullIssued:
    return await client.pulls.fetch(shop.project, app=shop.app, artifact=shop.artifact.name, to=to)


async def test_an_artifact_is_fetched_into_a_file(
    admin: Client, shop: Shop, tmp_path: Path
) -> None:
    to = tmp_path / "got.tar"

    pull = await fetch(admin, shop, to)

    assert digest_of(to) == shop.artifact.digest == pull.digest
    assert parts(tmp_path) == []
    assert pull.secret not in repr(pull)


async def test_a_download_goes_on_from_where_each_cut_left_it(
    over_cuts: Client, cutter: Cutter, shop: Shop, tmp_path: Path
) -> None:
    cutter.down = [3 * MIB, 2 * MIB, 4 * MIB]
    to = tmp_path / "got.tar"

    await fetch(over_cuts, shop, to)

    assert cutter.down == []
    assert digest_of(to) == shop.artifact.digest


async def test_another_run_goes_on_with_what_the_first_has_left(
    admin: Client, platform: Platform, token: str, cutter: Cutter, shop: Shop, tmp_path: Path
) -> None:
    to = tmp_path / "got.tar"
    cutter.down = [5 * MIB]
    async with Client(cutter.url, auth=moorage.AccessToken(token), patience=0) as client:
        with pytest.raises(moorage.Unreachable):
            await fetch(client, shop, to)
    (part,) = parts(tmp_path)
    left = part.stat().st_size
    seen: list[int] = []

    await admin.pulls.fetch(
        shop.project,
        app=shop.app,
        artifact=shop.artifact.name,
        to=to,
        progress=lambda received, _: seen.append(received),
    )

    assert not part.exists()
    assert left >= 4 * MIB
    assert seen[0] > left
    assert digest_of(to) == shop.artifact.digest


async def test_a_damaged_part_never_gets_the_files_name(
    admin: Client, shop: Shop, tmp_path: Path
) -> None:
    to = tmp_path / "got.tar"
    to.write_bytes(b"what was there before")
    part = tmp_path / f".got.tar.{shop.artifact.digest.removeprefix('sha256:')[:16]}.part"
    part.write_bytes(b"wrong bytes")

    with pytest.raises(moorage.ContentWrong):
        await fetch(admin, shop, to)
    kept = to.read_bytes()
    await fetch(admin, shop, to)

    assert kept == b"what was there before"
    assert digest_of(to) == shop.artifact.digest


async def test_a_trap_at_the_parts_name_is_not_stepped_into(
    admin: Client, shop: Shop, tmp_path: Path
) -> None:
    """In a folder that others write to, they may have put something there."""
    name = f".got.tar.{shop.artifact.digest.removeprefix('sha256:')[:16]}.part"
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (tmp_path / name).symlink_to(victim)
    with pytest.raises(OSError, match=r"got\.tar"):
        await fetch(admin, shop, tmp_path / "got.tar")
    (tmp_path / name).unlink()
    (tmp_path / name).write_bytes(b"")
    if os.geteuid() == 0:
        os.chown(tmp_path / name, 12345, -1)
        with pytest.raises(FileExistsError):
            await fetch(admin, shop, tmp_path / "got.tar")

    assert victim.read_bytes() == b"precious"
    assert not (tmp_path / "got.tar").exists()


async def test_bytes_that_changed_in_the_store_never_get_the_files_name(
    shop: Shop, platform: Platform, token: str, tmp_path: Path
) -> None:
    name = shop.artifact.digest.removeprefix("sha256:")
    stored = platform.folder / "data/blobs/sha256" / name[:2] / name
    with stored.open("r+b") as file:
        file.write(b"changed")
    to = tmp_path / "got.tar"
    async with Client(platform.url, auth=moorage.AccessToken(token), patience=1) as impatient:
        with pytest.raises((moorage.Unreachable, moorage.ContentWrong)):
            await fetch(impatient, shop, to)

    assert not to.exists()


async def test_an_expired_credential_is_renewed(
    admin: Client, shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = tmp_path / "got.tar"
    issued: list[PullIssued] = []
    create = admin.pulls.create

    async def expiring(*args: object, **options: object) -> PullIssued:
        pull = await create(*args, **options)  # pyright: ignore[reportArgumentType]
        issued.append(pull)
        return pull

    monkeypatch.setattr(admin.pulls, "create", expiring)
    monkeypatch.setattr(admin.pulls, "content", Expired(admin, issued))

    await fetch(admin, shop, to)

    assert len(issued) == 2
    assert digest_of(to) == shop.artifact.digest


class Expired:
    """The first credential is said to have expired; the next ones are good."""

    def __init__(self, admin: Client, issued: list[PullIssued]) -> None:
        self._content, self._issued = admin.pulls.content, issued

    def __call__(self, pull: PullIssued, *, offset: int = 0) -> AsyncIterator[bytes]:
        if len(self._issued) == 1:
            raise errors.PullExpired(
                "It has expired.", status=410, code="pull_expired", correlation_id="none"
            )
        return self._content(pull, offset=offset)


async def test_nothing_is_fetched_that_no_known_key_has_signed(
    admin: Client, shop: Shop, tmp_path: Path
) -> None:
    to = tmp_path / "got.tar"
    stranger = PrivateKey.generate().public

    def check(pull: PullIssued) -> None:
        signatures.check(pull.digest, pull.signatures, known=[stranger])

    with pytest.raises(signatures.SignatureBroken):
        await admin.pulls.fetch(
            shop.project, app=shop.app, artifact=shop.artifact.name, to=to, check=check
        )

    assert parts(tmp_path) == []
    assert not to.exists()


async def test_a_revoked_artifact_is_refused_by_name(
    admin: Client, shop: Shop, tmp_path: Path
) -> None:
    await admin.artifacts.revoke(shop.artifact, reason="It opens a back door.")

    with pytest.raises(errors.PolicyRefused, match="back door"):
        await fetch(admin, shop, tmp_path / "got.tar")

    assert not (tmp_path / "got.tar").exists()
