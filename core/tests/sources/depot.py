"""A source on loopback: a real HTTP server that notes what it was asked and does as it is told."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

Answer = Callable[["Asked", asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True)
class Asked:
    """One request as it came over the wire."""

    method: str
    target: str
    headers: dict[str, str]
    reader: asyncio.StreamReader = field(repr=False)

    async def hang_up(self) -> None:
        """Until the caller has gone."""
        await self.reader.read()

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]


@dataclass
class Depot:
    url: str
    port: int
    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])
    """By path; `*` for all others. Nothing there: 404."""
    asked: list[Asked] = field(default_factory=list[Asked])
    connections: int = 0
    left: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a caller hung up before the end."""

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            line, *pairs = head.strip().split("\r\n")
            method, target, _ = line.split(" ")
            headers = {k.lower(): v for k, v in (pair.split(": ", 1) for pair in pairs)}
            asked = Asked(method, target, headers, reader)
            self.asked.append(asked)
            answer = self.answers.get(asked.path) or self.answers.get("*") or status(404)
            await answer(asked, writer)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            self.left.set()
        finally:
            writer.close()


@asynccontextmanager
async def listening(
    *, tls: ssl.SSLContext | None = None, name: str = "127.0.0.1"
) -> AsyncIterator[Depot]:
    depot = Depot(url="", port=0)
    server = await asyncio.start_server(depot._serve, "127.0.0.1", 0, ssl=tls)
    depot.port = server.sockets[0].getsockname()[1]
    depot.url = f"{'https' if tls else 'http'}://{name}:{depot.port}"
    try:
        yield depot
    finally:
        server.close()


def raw(*pieces: bytes) -> Answer:
    """These bytes, one after the other, and the end."""

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()

    return answer


def status(code: int, **headers: str) -> Answer:
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return raw(f"HTTP/1.1 {code} X\r\n{lines}content-length: 0\r\n\r\n".encode())


def content(*pieces: bytes, length: int | None = None, code: int = 200) -> Answer:
    """A body in these pieces; with its true length unless told otherwise."""
    size = sum(map(len, pieces)) if length is None else length
    return raw(f"HTTP/1.1 {code} X\r\ncontent-length: {size}\r\n\r\n".encode(), *pieces)


def unmeasured(*pieces: bytes) -> Answer:
    """A body that ends with the connection."""
    return raw(b"HTTP/1.1 200 X\r\n\r\n", *pieces)


def redirect(url: str, code: int = 307) -> Answer:
    return status(code, location=url)


def document(text: str, code: int = 200) -> Answer:
    return content(text.encode(), code=code)


async def silence(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Takes the request and says nothing until the caller hangs up."""
    await asked.hang_up()
