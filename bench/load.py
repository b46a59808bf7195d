"""A load generator that costs little: raw HTTP/1.1 over kept-alive connections, requests as bytes.

An ordinary client library would use more of the two cores than the server that it measures.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field


class Connection(asyncio.Protocol):
    """One connection, one request at a time."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.answer: asyncio.Future[int] | None = None
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, found, rest = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        length = 0
        for line in head.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if len(rest) >= length and self.answer is not None and not self.answer.done():
            self.buffer = b""
            self.answer.set_result(int(head[9:12]))

    def connection_lost(self, exc: Exception | None) -> None:
        if self.answer is not None and not self.answer.done():
            self.answer.set_exception(exc or ConnectionError("the server closed the connection"))

    async def send(self, request: bytes) -> int:
        assert self.transport is not None
        self.answer = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return await self.answer


async def connect(port: int) -> Connection:
    _, connection = await asyncio.get_running_loop().create_connection(
        Connection, "127.0.0.1", port
    )
    return connection


@dataclass
class Outcome:
    """What a run of requests gave."""

    latencies: list[float] = field(default_factory=list[float])
    statuses: dict[int, int] = field(default_factory=dict[int, int])
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        return len(self.latencies) / self.seconds

    def percentile(self, share: float) -> float:
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]

    def note(self, status: int, seconds: float) -> None:
        self.latencies.append(seconds)
        self.statuses[status] = self.statuses.get(status, 0) + 1


async def closed_loop(
    port: int, make: Callable[[], bytes], *, clients: int, seconds: float
) -> Outcome:
    """`clients` connections, each sending its next request when the last one was answered."""
    outcome = Outcome()
    connections = [await connect(port) for _ in range(clients)]
    started = time.perf_counter()

    async def one(connection: Connection) -> None:
        while time.perf_counter() - started < seconds:
            sent = time.perf_counter()
            outcome.note(await connection.send(make()), time.perf_counter() - sent)

    await asyncio.gather(*(one(connection) for connection in connections))
    outcome.seconds = time.perf_counter() - started
    return outcome


async def open_loop(
    port: int, make: Callable[[], bytes], *, rate: float, seconds: float
) -> Outcome:
    """Requests at fixed moments, whatever the server does; latency from the planned moment."""
    outcome = Outcome()
    idle: list[Connection] = [await connect(port) for _ in range(16)]
    started = time.perf_counter()
    tasks: list[asyncio.Task[None]] = []

    async def one(planned: float) -> None:
        connection = idle.pop() if idle else await connect(port)
        outcome.note(await connection.send(make()), time.perf_counter() - planned)
        idle.append(connection)

    for number in range(int(rate * seconds)):
        planned = started + number / rate
        await asyncio.sleep(max(0.0, planned - time.perf_counter()))
        tasks.append(asyncio.create_task(one(planned)))
    await asyncio.gather(*tasks)
    outcome.seconds = time.perf_counter() - started
    return outcome
