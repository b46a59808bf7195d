"""The way between the platform and one who calls it: every exchange passes here, whole.

Whoever meets a delivery decides what becomes of it: passed on, passed on twice, kept for later, or
lost, before the platform has heard of it or after. A cut road carries nothing, and breaks what is
under way.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

LARGEST = 64 * 1024 * 1024
PATIENCE = 0.1
"""Seconds after which it matters whether somebody still waits for an answer."""
Pair = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Lost(Exception):
    """The platform did not answer."""


@dataclass(frozen=True)
class Answer:
    """What the platform said."""

    status: int
    raw: bytes
    body: bytes

    @cached_property
    def document(self) -> Any:
        try:
            return json.loads(self.body or b"null")
        except ValueError:
            return None


@dataclass(frozen=True)
class Delivery:
    """A request on its way."""

    road: "Road"
    method: str
    path: str
    token: str
    raw: bytes
    body: bytes

    @cached_property
    def document(self) -> Any:
        try:
            return json.loads(self.body or b"null")
        except ValueError:
            return None

    async def pass_on(self) -> Answer:
        """Let the platform have it; its answer. Raises `Lost`."""
        return await self.road.exchange(self.raw, head=self.method == "HEAD")


Meet = Callable[[Delivery], Awaitable[Answer | None]]
"""Decides what becomes of a delivery: its answer, or None where the connection breaks instead."""


@dataclass(eq=False)
class Road:
    """One caller's road to the platform at a port."""

    platform: int
    meet: Meet
    name: str = ""
    port: int = 0
    is_cut: bool = False
    _open: set[asyncio.StreamWriter] = field(default_factory=set[asyncio.StreamWriter])
    _idle: list[Pair] = field(default_factory=list[Pair])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Carry nothing any more."""
        self.is_cut = True
        for writer in self._open:
            writer.transport.abort()

    def mend(self) -> None:
        self.is_cut = False

    # Towards the caller

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while not self.is_cut and (delivery := await self._receive(reader)) is not None:
                answer = await self._unless_gone(delivery, reader)
                if answer is None or self.is_cut:
                    return
                writer.write(answer.raw)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError, Lost):
            pass
        finally:
            self._open.discard(writer)
            writer.transport.abort()

    async def _receive(self, reader: asyncio.StreamReader) -> Delivery | None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return None
        first, headers = _head(head)
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        method, path, _ = first.split(" ", 2)
        token = headers.get("authorization", "").removeprefix("Bearer ")
        return Delivery(self, method, path, token, head + body, body)

    async def _unless_gone(self, delivery: Delivery, reader: asyncio.StreamReader) -> Answer | None:
        """Whoever has gone is not waited for: the platform notices, as it would without us."""
        meeting = asyncio.ensure_future(self.meet(delivery))
        tasks: list[asyncio.Future[Any]] = [meeting]
        try:
            done, _ = await asyncio.wait(tasks, timeout=PATIENCE)
            if not done:
                tasks.append(asyncio.ensure_future(reader.read(1)))
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return None if meeting.cancelled() else meeting.result()

    # Towards the platform

    async def exchange(self, raw: bytes, *, head: bool = False) -> Answer:
        try:
            pair = self._take() or await asyncio.open_connection(
                "127.0.0.1", self.platform, limit=LARGEST
            )
        except OSError as err:
            raise Lost(str(err)) from err
        try:
            pair[1].write(raw)
            answer, keep = await _read_answer(pair[0], head=head)
        except (OSError, asyncio.IncompleteReadError) as err:
            pair[1].transport.abort()
            raise Lost(str(err)) from err
        except asyncio.CancelledError:
            pair[1].transport.abort()
            raise
        if keep:
            self._idle.append(pair)
        else:
            pair[1].close()
        return answer

    def _take(self) -> Pair | None:
        while self._idle:
            reader, writer = self._idle.pop()
            if not writer.is_closing() and not reader.at_eof():
                return reader, writer
            writer.transport.abort()
        return None

    def close(self) -> None:
        self.cut()
        for _, writer in self._idle:
            writer.transport.abort()


@contextlib.asynccontextmanager
async def laid(platform: int, meet: Meet, *, name: str = "") -> AsyncGenerator[Road]:
    """A road to the platform at that port."""
    road = Road(platform, meet, name)
    serving: set[asyncio.Task[None]] = set()

    def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(road.serve(reader, writer))
        serving.add(task)
        task.add_done_callback(serving.discard)

    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=LARGEST)
    road.port = server.sockets[0].getsockname()[1]
    try:
        yield road
    finally:
        server.close()
        road.close()
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)


def _head(raw: bytes) -> tuple[str, dict[str, str]]:
    first, *lines = raw.decode("latin-1").rstrip("\r\n").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    return first, {name.strip().lower(): value.strip() for name, _, value in pairs}


async def _read_answer(reader: asyncio.StreamReader, *, head: bool) -> tuple[Answer, bool]:
    """The answer, and whether the connection can be used again."""
    raw = await reader.readuntil(b"\r\n\r\n")
    first, headers = _head(raw)
    status = int(first.split()[1])
    body = b""
    if headers.get("transfer-encoding") == "chunked":
        chunks: list[bytes] = []
        while True:
            size = await reader.readuntil(b"\r\n")
            chunk = await reader.readexactly(int(size, 16) + 2)
            raw += size + chunk
            if len(chunk) == 2:
                break
            chunks.append(chunk[:-2])
        body = b"".join(chunks)
    elif not head and status not in (204, 304):
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        raw += body
    return Answer(status, raw, body), headers.get("connection", "").lower() != "close"
