"""A network that breaks in the middle: a TCP proxy that cuts a connection after so many bytes."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Cutter:
    """The proxy as a test sees it. Each cut is used up by one connection, in order."""

    platform: int
    port: int = 0
    up: list[int] = field(default_factory=list[int])
    """After how many bytes to the platform a connection breaks."""
    down: list[int] = field(default_factory=list[int])
    """After how many bytes from the platform."""
    carried: int = 0
    """Bytes that went to the platform in all."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.platform)
        tasks = [
            asyncio.create_task(self._carry(reader, far_writer, self.up, count=True)),
            asyncio.create_task(self._carry(far_reader, writer, self.down)),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            far_writer.transport.abort()
            writer.transport.abort()

    async def _carry(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        cuts: list[int],
        *,
        count: bool = False,
    ) -> None:
        passed = 0
        while chunk := await reader.read(65_536):
            writer.write(chunk)
            await writer.drain()
            passed += len(chunk)
            self.carried += len(chunk) if count else 0
            if cuts and passed > cuts[0]:
                cuts.pop(0)
                return


@asynccontextmanager
async def laid(platform: int) -> AsyncGenerator[Cutter]:
    """A cutting wire to the platform at that port."""
    cutter = Cutter(platform)
    serving: set[asyncio.Task[None]] = set()

    def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.add(asyncio.create_task(cutter.serve(reader, writer)))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    cutter.port = server.sockets[0].getsockname()[1]
    try:
        yield cutter
    finally:
        server.close()
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
