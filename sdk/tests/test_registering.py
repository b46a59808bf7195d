"""Registering what lies at a source, through the client, against a real platform."""

import asyncio
import hashlib
import os
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from moorage import Client, errors
from moorage.models import ArtifactRead, ProjectRead, SourceRead
from moorage.resources import artifacts


@dataclass
class Files:
    """A web server on loopback, with one content at every path."""

    content: bytes
    port: int = 0
    asked: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        self.asked += 1
        head = f"HTTP/1.1 200 OK\r\ncontent-length: {len(self.content)}\r\n\r\n"
        writer.write(head.encode() + self.content)
        await writer.drain()
        writer.close()

    @property
    def digest(self) -> str:
        return f"sha256:{hashlib.sha256(self.content).hexdigest()}"


@pytest.fixture
async def files() -> AsyncIterator[Files]:
    files = Files(os.urandom(100_000))
    server = await asyncio.start_server(files.serve, "127.0.0.1", 0)
    files.port = server.sockets[0].getsockname()[1]
    yield files
    server.close()


@pytest.fixture
async def source(admin: Client, project: ProjectRead, files: Files) -> SourceRead:
    return await admin.sources.create(
        project.org_id,
        slug=f"s{uuid.uuid4().hex[:8]}",
        name="Files",
        kind="https",
        url=f"http://127.0.0.1:{files.port}",
    )


async def register(
    client: Client,
    project: ProjectRead,
    source: SourceRead,
    digest: str,
    location: str = "a/thing.tar",
) -> ArtifactRead:
    return await client.artifacts.register(
        project, name="thing.tar", source=source, location=location, digest=digest, size=100_000
    )


async def test_what_lies_at_a_source_is_read_once_and_published(
    admin: Client, project: ProjectRead, files: Files, source: SourceRead
) -> None:
    made = await register(admin, project, source, files.digest)
    again = await register(admin, project, source, files.digest)

    assert (made.lifecycle, made.source_id, again.id) == ("published", source.id, made.id)
    assert files.asked == 1


async def test_what_is_not_there_yet_is_gone_on_with_later(
    admin: Client, project: ProjectRead, files: Files, source: SourceRead
) -> None:
    right, digest = files.content, files.digest
    files.content = os.urandom(100_000)

    with pytest.raises(errors.DigestMismatch):
        await register(admin, project, source, digest)
    with pytest.raises(errors.ContentTaken):
        await register(admin, project, source, digest, "elsewhere")
    files.content = right
    made = await register(admin, project, source, digest)

    assert made.lifecycle == "published"


async def test_completing_waits_as_long_as_so_many_bytes_may_need(
    admin: Client, project: ProjectRead, source: SourceRead
) -> None:
    digest = f"sha256:{'a' * 64}"
    size = 10 * 60 * artifacts.FETCHED_PER_SECOND

    registered = await admin.artifacts.create(
        project, name="x", digest=digest, size=size, source=source, location="x"
    )

    assert artifacts.patience_for(registered) >= 600
