"""Artifacts: bytes by digest, uploaded, signed, revoked."""

import asyncio
import functools
import time
from collections.abc import AsyncIterable, Callable
from pathlib import Path
from typing import BinaryIO, Literal

from moorage import _files, _retry
from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._files import Source
from moorage._model import id_of, version_of
from moorage._operation import Arguments
from moorage._problem import Busy, TooManyRequests, Unreachable
from moorage.errors import (
    ContentTaken,
    StoreFull,
    UploadBusy,
    UploadIncomplete,
    UploadOffset,
    UploadStalled,
)
from moorage.models import (
    ArtifactCreate,
    ArtifactRead,
    ArtifactUpdate,
    ProjectRead,
    PublisherKeyRead,
    Received,
    Revocation,
    SignatureCreate,
    SignatureRead,
    SourceRead,
)

PART = 64 << 20
"""Bytes in one request. A cut loses nothing of them: what arrived stays."""
HASHED_PER_SECOND = 50_000_000
"""So slow may the platform be when it checks what was uploaded."""
FETCHED_PER_SECOND = 64 * 1024
"""So slow may a source be, on average, when the platform reads what was registered there."""
LATER = (Unreachable, Busy, TooManyRequests, UploadBusy, UploadOffset, UploadStalled)
"""After these an upload goes on from where the platform says that it stands."""

Artifact = ArtifactRead | str
Progress = Callable[[int, int], None]
"""Told how many bytes of how many have arrived."""


class Artifacts(Group):
    """Artifacts: bytes by digest, each with a lifecycle and a trust."""

    async def upload(
        self,
        project: ProjectRead | str,
        source: Path | str | BinaryIO,
        *,
        name: str | None = None,
        media_type: str = "application/octet-stream",
        progress: Progress | None = None,
    ) -> ArtifactRead:
        """Upload a file and publish it, however often the connection breaks.

        Reads the file twice, a piece at a time: for its digest, then for its bytes. What the
        project has already is not sent again; what an earlier run has left is gone on with.

        Args:
            project: The project that it shall belong to.
            source: The file's path, or the file itself, opened for reading bytes; it must be able
                to seek.
            name: What it is called. Left out: the name of the file.
            media_type: What kind of bytes.
            progress: Called with the bytes that have arrived and the bytes in all.

        Raises:
            DigestMismatch: The file changed while it was sent. Nothing of it was kept.
            StoreFull: The platform has no room.
        """
        async with _files.opened(source) as file:
            size, digest = await file.measure()
            artifact = await self._announce(
                project,
                name=name or Path(str(getattr(source, "name", source))).name,
                digest=digest,
                size=size,
                media_type=media_type,
            )
            while artifact.lifecycle == "uploading":
                await self._send_rest(artifact, file, progress)
                artifact = await self._finish(artifact)
            return artifact

    async def register(
        self,
        project: ProjectRead | str,
        *,
        name: str,
        source: SourceRead | str,
        location: str,
        digest: str,
        size: int,
        kind: Literal["blob", "oci"] = "blob",
        media_type: str = "application/octet-stream",
    ) -> ArtifactRead:
        """Register bytes that lie at a source, and let the platform read them there once.

        Takes as long as that takes. After a failure, call it again: it goes on with the same.

        Args:
            project: The project that it shall belong to.
            name: What it is called.
            source: Where the bytes lie.
            location: The path below the source's address, or the repository in a registry.
            digest: `sha256:` and the hash of the bytes in hex.
            size: How many bytes.
            kind: `oci` at a registry.
            media_type: What kind of bytes.

        Raises:
            DigestMismatch: The source has other bytes there.
            ContentTaken: The project has these bytes already, from elsewhere, and not complete.
        """
        artifact = await self._announce(
            project,
            name=name,
            digest=digest,
            size=size,
            media_type=media_type,
            kind=kind,
            source=source,
            location=location,
        )
        return await self.complete(artifact) if artifact.lifecycle == "uploading" else artifact

    async def _announce(
        self,
        project: ProjectRead | str,
        *,
        name: str,
        digest: str,
        size: int,
        media_type: str,
        kind: Literal["blob", "oci"] = "blob",
        source: SourceRead | str | None = None,
        location: str | None = None,
    ) -> ArtifactRead:
        """A new artifact, or the one that an earlier run has left."""
        place = None if source is None else id_of(source)
        try:
            return await self.create(
                project,
                name=name,
                digest=digest,
                size=size,
                media_type=media_type,
                kind=kind,
                source=place,
                location=location,
            )
        except ContentTaken:
            async for found in self.list(project, digest=digest):
                same = (found.source_id, found.location) == (place, location)
                if same or found.lifecycle != "uploading":
                    return found
            raise

    async def _send_rest(
        self, artifact: ArtifactRead, file: Source, progress: Progress | None
    ) -> None:
        """Send what has not arrived yet, for as long as something arrives."""
        patience, since = _retry.Patience(self._transport.patience), time.monotonic()
        received = await self._received(artifact)
        while received < artifact.size:
            if progress is not None:
                progress(received, artifact.size)
            before, end = received, min(received + PART, artifact.size)
            try:
                chunks = functools.partial(file.pieces, received, end)
                answer = await self.put_content(
                    artifact, chunks, offset=received, length=end - received
                )
                received = answer.received
            except LATER as err:
                wait = patience.next(err, spent=time.monotonic() - since)
                if isinstance(err, StoreFull) or wait is None:
                    raise
                await asyncio.sleep(wait)
                received = await self._received(artifact)
            if received > before:
                patience, since = _retry.Patience(self._transport.patience), time.monotonic()
        if progress is not None:
            progress(received, artifact.size)

    async def _received(self, artifact: ArtifactRead) -> int:
        found = await self.get(artifact)
        return artifact.size if found.received is None else found.received

    async def _finish(self, artifact: ArtifactRead) -> ArtifactRead:
        patience, since = _retry.Patience(self._transport.patience), time.monotonic()
        while True:
            try:
                return await self.complete(artifact)
            except UploadIncomplete:
                # Somebody else began again.
                return await self.get(artifact)
            except UploadBusy as err:
                wait = patience.next(err, spent=time.monotonic() - since)
                if wait is None:
                    raise
                await asyncio.sleep(wait)

    @listing(operations.LIST_ARTIFACTS, ArtifactRead)
    def list(
        self,
        project: ProjectRead | str,
        *,
        digest: str | None = None,
        trust: str | None = None,
        page_size: int | None = None,
    ) -> Arguments:
        """The artifacts of a project; only the one with this digest, or those so trusted."""
        query = {"digest": digest, "trust": trust, "limit": page_size}
        return Arguments(path={"project": id_of(project)}, query=query)

    @call(operations.CREATE_ARTIFACT, ArtifactRead)
    def create(
        self,
        project: ProjectRead | str,
        *,
        name: str,
        digest: str,
        size: int,
        media_type: str = "application/octet-stream",
        kind: Literal["blob", "oci"] = "blob",
        source: SourceRead | str | None = None,
        location: str | None = None,
    ) -> Arguments:
        """Announce bytes that you will send, or that lie at a source.

        `upload` and `register` do this and all that comes after it.
        """
        return Arguments(
            path={"project": id_of(project)},
            body=ArtifactCreate(
                name=name,
                digest=digest,
                size=size,
                media_type=media_type,
                kind=kind,
                source=None if source is None else id_of(source),
                location=location,
            ),
        )

    @call(operations.GET_ARTIFACT, ArtifactRead)
    def get(self, artifact: Artifact) -> Arguments:
        """One artifact; while it is uploading, with `received`: the bytes that have arrived."""
        return Arguments(path={"artifact": id_of(artifact)})

    @call(operations.PUT_ARTIFACT_CONTENT, Received)
    def put_content(
        self,
        artifact: Artifact,
        chunks: Callable[[], AsyncIterable[bytes]],
        *,
        offset: int = 0,
        length: int | None = None,
    ) -> Arguments:
        """Send bytes from an offset on. `upload` does this, and goes on after a cut.

        `chunks` is called for each try. With `length`, the platform knows at once how many come.
        """
        return Arguments(
            path={"artifact": id_of(artifact)},
            query={"offset": offset},
            headers={} if length is None else {"Content-Length": str(length)},
            content=chunks,
            wait=60,
        )

    @call(operations.COMPLETE_ARTIFACT, ArtifactRead)
    def complete(self, artifact: Artifact) -> Arguments:
        """Let the platform check bytes that were sent, or that lie at a source, and publish them.

        Given the artifact, and not its id alone, it waits as long as so many bytes may need.
        """
        wait = 30.0 if isinstance(artifact, str) else patience_for(artifact)
        return Arguments(path={"artifact": id_of(artifact)}, wait=wait)

    @call(operations.UPDATE_ARTIFACT, ArtifactRead)
    def update(
        self,
        artifact: Artifact,
        *,
        lifecycle: Literal["published", "deprecated", "retired"],
        version: int | None = None,
    ) -> Arguments:
        """Deprecate or retire an artifact, or take a deprecation back. Retired is final."""
        return Arguments(
            path={"artifact": id_of(artifact)},
            body=ArtifactUpdate(lifecycle=lifecycle),
            version=version_of(artifact, version),
        )

    @call(operations.DELETE_ARTIFACT, None)
    def delete(self, artifact: Artifact, *, version: int | None = None) -> Arguments:
        """Remove an artifact that no published version is made of, or an upload of one."""
        return Arguments(path={"artifact": id_of(artifact)}, version=version_of(artifact, version))

    @call(operations.REVOKE_ARTIFACT, ArtifactRead)
    def revoke(self, artifact: Artifact, *, reason: str) -> Arguments:
        """Stop every new use of an artifact, at once and for good."""
        return Arguments(path={"artifact": id_of(artifact)}, body=Revocation(reason=reason))

    @call(operations.REVOKE_ARTIFACT_AS_PLATFORM, ArtifactRead)
    def revoke_as_platform(self, artifact: Artifact, *, reason: str) -> Arguments:
        """Break-glass: take any tenant's artifact out of use. The tenant sees who and why."""
        return Arguments(path={"artifact": id_of(artifact)}, body=Revocation(reason=reason))

    @call(operations.SIGN_ARTIFACT, ArtifactRead)
    def sign(self, artifact: Artifact, *, key: PublisherKeyRead | str, signature: str) -> Arguments:
        """Add a signature by a publisher key; `moorage.signatures.sign` makes one."""
        return Arguments(
            path={"artifact": id_of(artifact)},
            body=SignatureCreate(key=id_of(key), signature=signature),
        )

    @listing(operations.LIST_ARTIFACT_SIGNATURES, SignatureRead)
    def list_signatures(self, artifact: Artifact, *, page_size: int | None = None) -> Arguments:
        """The signatures of an artifact, each with the public key to check it with."""
        return Arguments(path={"artifact": id_of(artifact)}, query={"limit": page_size})


def patience_for(artifact: ArtifactRead) -> float:
    """The most seconds that completing it may take."""
    if artifact.source_id is not None:
        return 120 + artifact.size / FETCHED_PER_SECOND
    return 30 + artifact.size / HASHED_PER_SECOND
