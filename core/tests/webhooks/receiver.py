"""A receiver on loopback: a real HTTP server that notes what it got and answers as it is told."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Received:
    """One request as it came over the wire."""

    line: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    url: str
    port: int
    received: list[Received] = field(default_factory=list[Received])
    answers: list[int | bytes] = field(default_factory=list[int | bytes])
    """What to answer, in order: a status, or raw bytes. The last is repeated; empty means 200."""
    open: asyncio.Event = field(default_factory=asyncio.Event)
    """While it is not set, requests get no answer."""
    connections: int = 0
    busy: int = 0
    """Requests that wait for an answer."""
    most_busy: int = 0

    def ids(self) -> list[str]:
        return [request.headers["webhook-id"] for request in self.received]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            line, *pairs = head.strip().split("\r\n")
            headers = {k.lower(): v for k, v in (pair.split(": ", 1) for pair in pairs)}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            self.received.append(Received(line, headers, body))
            await self._hold(reader)
            writer.write(self._answer())
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            pass  # The caller went away, which several tests want it to.
        finally:
            writer.close()

    async def _hold(self, reader: asyncio.StreamReader) -> None:
        """Until the receiver opens or the caller hangs up."""
        self.busy += 1
        self.most_busy = max(self.busy, self.most_busy)
        waiting = {asyncio.create_task(self.open.wait()), asyncio.create_task(reader.read())}
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.busy -= 1
            for task in waiting:
                task.cancel()

    def _answer(self) -> bytes:
        answer = 200 if not self.answers else self.answers[0]
        if len(self.answers) > 1:
            self.answers.pop(0)
        if isinstance(answer, bytes):
            return answer
        return f"HTTP/1.1 {answer} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode()


@asynccontextmanager
async def listening(
    *, tls: ssl.SSLContext | None = None, name: str = "127.0.0.1"
) -> AsyncIterator[Receiver]:
    """A receiver that answers 200 until told otherwise."""
    receiver = Receiver(url="", port=0)
    receiver.open.set()
    server = await asyncio.start_server(receiver._serve, "127.0.0.1", 0, ssl=tls)
    receiver.port = server.sockets[0].getsockname()[1]
    receiver.url = f"{'https' if tls else 'http'}://{name}:{receiver.port}/in"
    try:
        yield receiver
    finally:
        receiver.open.set()
        server.close()
        await server.wait_closed()
