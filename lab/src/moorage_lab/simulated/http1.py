"""A small HTTP/1.1 client: one request at a time on a connection that is kept.

A client library costs several times the CPU of what it carries here, and a thousand agents share
a core with the server that they are measured against.
"""

import asyncio
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlsplit

LARGEST = 64 * 1024 * 1024


class Unreachable(Exception):
    """There was no answer. Trying again later may help."""


class Refused(Exception):
    """The platform answered with a problem."""

    def __init__(self, answer: "Answer") -> None:
        problem = answer.problem()
        self.status = answer.status
        self.code = str(problem.get("code", "unknown"))
        self.errors: list[dict[str, Any]] = problem.get("errors") or []
        self.retry_after = float(answer.headers.get("retry-after", "0") or 0)
        super().__init__(f"{self.status} {self.code}: {problem.get('detail', '')}")


@dataclass(frozen=True)
class Answer:
    """What the server said."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def problem(self) -> dict[str, Any]:
        """The problem document of a refusal; empty where it is none."""
        try:
            read: Any = json.loads(self.body or b"{}")
        except ValueError:
            return {}
        return cast("dict[str, Any]", read) if isinstance(read, dict) else {}


@dataclass(frozen=True)
class Server:
    """Where the platform is, and what to trust it by."""

    url: str
    trust: ssl.SSLContext | None = None

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        parts = urlsplit(self.url)
        return parts.port or (443 if parts.scheme == "https" else 80)

    @property
    def context(self) -> ssl.SSLContext | None:
        if urlsplit(self.url).scheme != "https":
            return None
        return self.trust or ssl.create_default_context()


class Connection(asyncio.Protocol):
    """One connection. An answer is complete by its length or by its last chunk."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._waiting: asyncio.Future[Answer] | None = None
        self._buffer = bytearray()

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if len(self._buffer) > LARGEST:
            self._fail(Unreachable("The answer has no end."))
            return
        answer = parse(self._buffer)
        if answer and self._waiting and not self._waiting.done():
            self._buffer.clear()
            self._waiting.set_result(answer)

    def connection_lost(self, exc: Exception | None) -> None:
        self._fail(Unreachable(f"The connection was closed: {exc or 'by the server'}."))

    def _fail(self, err: Exception) -> None:
        if self._transport:
            self._transport.close()
        if self._waiting and not self._waiting.done():
            self._waiting.set_exception(err)

    async def send(self, request: bytes, *, seconds: float) -> Answer:
        """Send it and wait for the answer."""
        assert self._transport is not None
        self._waiting = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        try:
            async with asyncio.timeout(seconds):
                answer = await self._waiting
        except TimeoutError as err:
            self.close()
            raise Unreachable(f"No answer within {seconds:g} s.") from err
        except asyncio.CancelledError:
            self.close()
            raise
        if answer.headers.get("connection", "").lower() == "close":
            self.close()
        return answer

    def close(self) -> None:
        if self._transport:
            self._transport.close()


@dataclass
class Line:
    """One caller's connections: kept when idle, replaced when dead."""

    server: Server
    idle: list[Connection] = field(default_factory=list[Connection])

    async def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | bytes | None = None,
        *,
        token: str = "",
        headers: Mapping[str, str] | None = None,
        seconds: float = 30,
    ) -> dict[str, Any]:
        """Send a request; its answer, a JSON object."""
        request = encode(
            method, path, host=self.server.host, body=body, token=token, headers=headers or {}
        )
        answer = await self._send(request, seconds=seconds)
        if answer.status >= 300:
            raise Refused(answer)
        return json.loads(answer.body or b"{}")

    async def _send(self, request: bytes, *, seconds: float) -> Answer:
        kept = self._take()
        if kept:
            try:
                return await self._ask(kept, request, seconds=seconds)
            except Unreachable:
                if seconds and kept.is_open:  # it lives, and was slow
                    raise
        return await self._ask(await self._connect(), request, seconds=seconds)

    async def _ask(self, connection: Connection, request: bytes, *, seconds: float) -> Answer:
        answer = await connection.send(request, seconds=seconds)
        if connection.is_open:
            self.idle.append(connection)
        return answer

    def _take(self) -> Connection | None:
        while self.idle:
            connection = self.idle.pop()
            if connection.is_open:
                return connection
        return None

    async def _connect(self) -> Connection:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(30):
                _, made = await loop.create_connection(
                    Connection, self.server.host, self.server.port, ssl=self.server.context
                )
        except (OSError, TimeoutError) as err:
            raise Unreachable(f"{type(err).__name__}: {err}") from err
        return made

    def close(self) -> None:
        for connection in self.idle:
            connection.close()
        self.idle.clear()


def encode(
    method: str,
    path: str,
    *,
    host: str,
    body: Mapping[str, Any] | bytes | None,
    token: str,
    headers: Mapping[str, str],
) -> bytes:
    """The bytes of a request."""
    kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
    content = body if isinstance(body, bytes) else json.dumps(body).encode() if body else b""
    lines = [f"{method} {path} HTTP/1.1", f"host: {host}", f"content-length: {len(content)}"]
    if content:
        lines.append(f"content-type: {kind}")
    if token:
        lines.append(f"authorization: Bearer {token}")
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + content


def parse(data: bytes | bytearray) -> Answer | None:
    """The answer, once all of it is there."""
    head, found, rest = bytes(data).partition(b"\r\n\r\n")
    if not found:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    body = _chunks(rest) if "transfer-encoding" in headers else _sized(rest, headers)
    return None if body is None else Answer(int(first.split()[1]), headers, body)


def _sized(rest: bytes, headers: Mapping[str, str]) -> bytes | None:
    length = int(headers.get("content-length", "0"))
    return rest[:length] if len(rest) >= length else None


def _chunks(rest: bytes) -> bytes | None:
    body = bytearray()
    while True:
        size, found, rest = rest.partition(b"\r\n")
        if not found:
            return None
        length = int(size.split(b";")[0], 16)
        if len(rest) < length + 2:
            return None
        if length == 0:
            return bytes(body)
        body += rest[:length]
        rest = rest[length + 2 :]
