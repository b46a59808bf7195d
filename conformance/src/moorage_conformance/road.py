"""The road between a controller and the platform: every exchange is seen here, and may be bent.

A recording HTTP proxy on sockets of the kit's. A `Bend` decides what becomes of one exchange: it
may pass it on once, twice or not at all, hold it, kill whoever asked, change the answer or keep it.
"""

import asyncio
import contextlib
import json
import ssl
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast

import httpx2

Json = dict[str, Any]
HOP = {"connection", "content-length", "host", "keep-alive", "te", "transfer-encoding", "upgrade"}
LONGEST = 16 << 20
PATIENCE = 120.0
"""Longer than any long poll."""
LOOK_AGAIN = 0.01


@dataclass(frozen=True)
class Answer:
    """What the platform said."""

    status: int
    headers: tuple[tuple[str, str], ...]
    content: bytes

    @property
    def json(self) -> Json:
        return _object(self.content)

    @property
    def is_document(self) -> bool:
        """Whether it is the platform's own words. What a task wrote is passed on as it is, and may
        look like a document."""
        kind = dict(self.headers).get("content-type", "")
        return kind.partition(";")[0].endswith("json")

    def saying(self, document: Json) -> "Answer":
        """The same answer with another document."""
        return replace(self, content=json.dumps(document).encode())


@dataclass
class Exchange:
    """One request of a controller, and what became of it."""

    door: int
    """Whose it is: each replica has a door of its own."""
    method: str
    path: str
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    content: bytes = field(repr=False)
    at: float = field(default_factory=time.monotonic)
    answer: Answer | None = field(default=None, repr=False)
    """None where nothing was passed on, or no answer came."""
    answered_at: float | None = None
    given: bool = False
    """Whether the controller got the answer."""

    @property
    def json(self) -> Json:
        return _object(self.content)

    @property
    def token(self) -> str:
        said = dict(self.headers).get("authorization", "")
        return said.removeprefix("Bearer ")

    @property
    def route(self) -> str:
        """The path without what was asked."""
        return self.path.partition("?")[0]

    @property
    def is_claim(self) -> bool:
        return self.method == "POST" and self.route == "/v1/controller/claims"

    @property
    def is_task(self) -> bool:
        return self.method == "POST" and bool(_operation_of(self.route, "tasks"))

    @property
    def operations(self) -> set[str]:
        """The operations that it reports on or asks tasks for."""
        if self.is_task:
            return {_operation_of(self.route, "tasks")}
        return {said.operation for said in self.reports()}

    def reports(self) -> "Iterator[Said]":
        """The reports in it: one, or one for each entry of a batch."""
        if self.method != "POST":
            return
        answered = self.answer.json if self.answer is not None else {}
        if operation := _operation_of(self.route, "report"):
            status = self.answer.status if self.answer else 0
            yield Said(operation, self.token, self.json, status, answered.get("code"))
        elif self.route == "/v1/controller/reports":
            taken = {each["operation"]: each for each in answered.get("reports", ())}
            for entry in self.json.get("reports", ()):
                problem: Json = taken.get(entry["operation"], {}).get("problem") or {}
                status = int(problem.get("status", HTTPStatus.OK if taken else 0))
                grant = entry.get("grant", "")
                yield Said(entry["operation"], grant, entry, status, problem.get("code"))

    @property
    def begun(self) -> list[Json]:
        """The steps that begin by it."""
        steps = [step for said in self.reports() for step in said.steps]
        return [step for step in steps if step.get("status") == "running"]

    def words(self) -> str:
        """The exchange in a line for people: nothing secret is in it."""
        said = "no answer" if self.answer is None else f"{self.answer.status}"
        code = (self.answer.json if self.answer else {}).get("code")
        return f"{self.method} {self.route} -> {said}{f' {code}' if code else ''}"


@dataclass(frozen=True)
class Said:
    """One report on one operation, and how it was taken."""

    operation: str
    grant: str = field(repr=False)
    report: Json
    status: int
    """The HTTP status that it got, 0 where none is known."""
    code: str | None

    @property
    def steps(self) -> list[Json]:
        return self.report.get("steps") or []


Forward = Callable[[], Awaitable[Answer]]
Bend = Callable[[Exchange, Forward], Awaitable[Answer | None]]
"""What becomes of an exchange. None: the connection is cut, and nobody learns anything."""


async def straight(exchange: Exchange, forward: Forward) -> Answer | None:
    """Nothing is bent."""
    return await forward()


class Road:
    """Passes requests on and remembers them."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http
        self.bend: Bend = straight
        self.exchanges: list[Exchange] = []
        self._under_way: dict[int, set[asyncio.Future[Any]]] = defaultdict(set)

    def mark(self) -> int:
        """A place in what was said, to look back to."""
        return len(self.exchanges)

    def since(self, mark: int, door: int | None = None) -> list[Exchange]:
        return [e for e in self.exchanges[mark:] if door is None or e.door == door]

    async def quiet(self, door: int) -> None:
        """Until nothing of a door's is under way: what its replica asked for came to an end."""
        while self._under_way[door]:
            await asyncio.sleep(LOOK_AGAIN)

    async def cut(self, door: int) -> None:
        """Break off what is under way: nobody learns anything, at either end."""
        for work in self._under_way[door]:
            work.cancel()
        await self.quiet(door)

    @contextlib.contextmanager
    def bent(self, bend: Bend) -> Generator[None]:
        """Every exchange goes this way, for as long as the block goes on."""
        self.bend = bend
        try:
            yield
        finally:
            self.bend = straight

    async def meet(
        self, door: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """One connection of a controller, request after request."""
        try:
            while (exchange := await _read(door, reader)) is not None:
                answer = await self._while_there(exchange, reader)
                if answer is None:
                    break
                writer.write(_written(answer))
                await writer.drain()
                exchange.given = True
        except (OSError, ValueError, asyncio.IncompleteReadError):
            pass
        finally:
            with contextlib.suppress(OSError):
                writer.close()

    async def _while_there(self, exchange: Exchange, reader: asyncio.StreamReader) -> Answer | None:
        """A request whose sender is gone is broken off here too: nobody would hear the answer."""
        self.exchanges.append(exchange)
        work = asyncio.ensure_future(self.bend(exchange, lambda: self._forward(exchange)))
        self._under_way[exchange.door].add(work)
        # Whoever waits for an answer sends nothing meanwhile: what can come is the end.
        gone = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            return work.result() if work.done() and not work.cancelled() else None
        except httpx2.HTTPError:
            return None
        finally:
            for each in (work, gone):
                each.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)
            self._under_way[exchange.door].discard(work)

    async def _forward(self, exchange: Exchange) -> Answer:
        passed = [(name, value) for name, value in exchange.headers if name not in HOP]
        answered = await self._http.request(
            exchange.method, exchange.path, headers=passed, content=exchange.content
        )
        headers = [(n.lower(), v) for n, v in answered.headers.items()]
        kept = tuple((n, v) for n, v in headers if n not in HOP | {"content-encoding"})
        exchange.answer = Answer(answered.status_code, kept, answered.content)
        exchange.answered_at = time.monotonic()
        return exchange.answer


@contextlib.asynccontextmanager
async def opened(url: str, *, ca: str | Path | None, doors: Sequence[Path]) -> AsyncGenerator[Road]:
    """A road to a platform, with a door for each replica."""
    context = ssl.create_default_context(cafile=None if ca is None else str(ca))
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=50)
    http = httpx2.AsyncClient(
        base_url=url, verify=context, timeout=PATIENCE, trust_env=False, limits=limits
    )
    async with http, contextlib.AsyncExitStack() as stack:
        road = Road(http)
        for number, path in enumerate(doors):
            server = await asyncio.start_unix_server(
                lambda reader, writer, door=number: road.meet(door, reader, writer), path
            )
            stack.callback(server.close)
        yield road


# --- HTTP, as much of it as controllers speak ----------------------------------------------------


async def _read(door: int, reader: asyncio.StreamReader) -> Exchange | None:
    line = await reader.readline()
    if not line:
        return None
    method, path, _ = line.decode("latin-1").split(" ", 2)
    headers: list[tuple[str, str]] = []
    while (line := (await reader.readline()).decode("latin-1").strip()) != "":
        name, _, value = line.partition(":")
        headers.append((name.strip().lower(), value.strip()))
    return Exchange(door, method, path, tuple(headers), await _body(dict(headers), reader))


async def _body(headers: dict[str, str], reader: asyncio.StreamReader) -> bytes:
    if headers.get("transfer-encoding", "").lower() == "chunked":
        content = b""
        while size := int((await reader.readline()).split(b";")[0], 16):
            content += await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
        return content
    size = int(headers.get("content-length", "0"))
    if size > LONGEST:
        raise ValueError("a request of this size is none of a controller's")
    return await reader.readexactly(size)


def _written(answer: Answer) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    if answer.status != HTTPStatus.NO_CONTENT:
        lines.append(f"content-length: {len(answer.content)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + answer.content


def _operation_of(route: str, last: str) -> str:
    words = route.split("/")
    is_one = len(words) == 5 and words[1:3] == ["v1", "operations"] and words[4] == last
    return words[3] if is_one else ""


def _object(content: bytes) -> Json:
    try:
        found = json.loads(content)
    except ValueError:
        return {}
    return cast(Json, found) if isinstance(found, dict) else {}
