"""A bad network, for real: a TCP proxy before the platform that loses, cuts and answers by itself.

It serves one request per connection and remembers what it saw. Faults are used up in order; a
request that meets none passes.
"""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Seen:
    """One request that came by."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""


@dataclass(frozen=True)
class Cut:
    """The connection breaks before the platform hears of the request."""


@dataclass(frozen=True)
class LoseAnswer:
    """The platform does what it is asked; its answer never arrives."""


@dataclass(frozen=True)
class Answer:
    """Somebody on the way answers in the platform's place."""

    status: int
    body: bytes = b"{}"
    headers: tuple[tuple[str, str], ...] = ()


Fault = Cut | LoseAnswer | Answer


def to_everything(seen: Seen) -> bool:
    return True


@dataclass
class Wire:
    """The proxy as a test sees it."""

    port: int
    platform: int
    secure: bool = False
    seen: list[Seen] = field(default_factory=list[Seen])
    faults: list[Fault] = field(default_factory=list[Fault])
    applies: Callable[[Seen], bool] = to_everything
    """Which requests the faults are for."""

    @property
    def url(self) -> str:
        return f"{'https' if self.secure else 'http'}://127.0.0.1:{self.port}"

    def count(self, method: str, path: str) -> int:
        return len([s for s in self.seen if (s.method, s.path) == (method, path)])

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            seen = await _read_request(reader)
            self.seen.append(seen)
            fault = self.faults.pop(0) if self.faults and self.applies(seen) else None
            await self._meet(fault, seen, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            writer.transport.abort()
        finally:
            writer.close()

    async def _meet(self, fault: Fault | None, seen: Seen, writer: asyncio.StreamWriter) -> None:
        if isinstance(fault, Cut):
            writer.transport.abort()
        elif isinstance(fault, Answer):
            writer.write(_rendered(fault))
            await writer.drain()
        else:
            async with contextlib.aclosing(self._ask_platform(seen)) as chunks:
                async for chunk in chunks:
                    if fault is None:
                        writer.write(chunk)
                        await writer.drain()
            if fault is not None:
                writer.transport.abort()

    async def _ask_platform(self, seen: Seen) -> AsyncGenerator[bytes]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.platform)
        try:
            headers = seen.headers | {"connection": "close"}
            lines = [f"{seen.method} {seen.path} HTTP/1.1"]
            lines += [f"{name}: {value}" for name, value in headers.items()]
            writer.write("\r\n".join([*lines, "", ""]).encode() + seen.body)
            while chunk := await reader.read(65_536):
                yield chunk
        finally:
            writer.close()


@asynccontextmanager
async def laid(platform: int, *, tls: ssl.SSLContext | None = None) -> AsyncGenerator[Wire]:
    """A wire to the platform at that port."""
    wire = Wire(port=0, platform=platform, secure=tls is not None)
    serving: set[asyncio.Task[None]] = set()

    def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.add(asyncio.create_task(wire.serve(reader, writer)))

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    wire.port = server.sockets[0].getsockname()[1]
    try:
        yield wire
    finally:
        server.close()
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)


async def _read_request(reader: asyncio.StreamReader) -> Seen:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Seen(method, path, headers, body)


def _rendered(answer: Answer) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} Said", "connection: close"]
    lines += [f"content-length: {len(answer.body)}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    return "\r\n".join([*lines, "", ""]).encode() + answer.body
