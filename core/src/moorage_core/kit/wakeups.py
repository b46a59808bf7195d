"""Who waits for what, and how they hear that it moved.

A request that waits (a long poll, an event stream, a claim) registers a topic such as `org:org_…`
and sleeps on it with no connection and no transaction. A change marks its topics *after* its
commit: waiters of this process wake at once, and one connection tells the other processes with
NOTIFY. While one notification is on its way further topics gather, so a burst of commits costs a
few notifications and a mutation never pays for one (NOTIFY inside the transaction halves its rate).

A topic may carry a detail: `moved:ins_…#views` wakes whoever waits for `moved:ins_…`, who can ask
the waiter what it was.

A wake-up is a hint, not a message: whoever wakes looks again. Hints can be lost with a connection.
So each process asks once every few seconds which topics moved (`catch_up`), one query however many
wait.
"""

import asyncio
import json
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import psycopg
import structlog

from moorage_core.errors import ApiError
from moorage_core.kit import endings, logs

CHANNEL = "moorage"
PAYLOAD_LIMIT = 7900
CATCH_UP_SECONDS = 5.0
PAUSE_SECONDS = 0.5
DETAIL = "#"
"""Stands between a topic and its detail."""

log = structlog.get_logger()


class Waiter:
    """One sleeper. `wait` returns whether it was woken before the time was up."""

    def __init__(self) -> None:
        self._woken = asyncio.Event()
        self._topics: set[str] = set()
        self.dismissed = False
        """The process is about to stop: nobody should go on waiting."""

    def wake(self, topic: str | None = None) -> None:
        if topic is not None:
            self._topics.add(topic)
        self._woken.set()

    def take(self) -> set[str]:
        """The topics that woke it since this was last asked, each with its detail."""
        topics, self._topics = self._topics, set()
        return topics

    async def wait(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return False
        self._woken.clear()
        return True


class Hub:
    """The waiters of this process and its line to the other processes."""

    def __init__(self, url: str, *, catch_up: Callable[[], Awaitable[Iterable[str]]]) -> None:
        self._url = url
        self._catch_up = catch_up
        self._name = secrets.token_hex(8)
        self._waiters: dict[str, set[Waiter]] = {}
        self._dirty: set[str] = set()
        self._send = asyncio.Event()
        self._listeners: list[Callable[[Iterable[str] | None], None]] = []
        self._closing = False
        self.listening = asyncio.Event()

    def mark(self, topics: Iterable[str]) -> None:
        """Say that these topics moved. Call it after the commit, never before."""
        moved = set(topics)
        self._wake(moved)
        self._dirty |= moved
        if moved:
            self._send.set()

    @contextmanager
    def watch(self, topics: Iterable[str]) -> Generator[Waiter]:
        """Register before you look; a change between look and sleep then wakes you at once."""
        waiter = Waiter()
        if self._closing:
            self._dismiss(waiter)
        names = tuple(topics)
        for topic in names:
            self._waiters.setdefault(topic, set()).add(waiter)
        try:
            yield waiter
        finally:
            for topic in names:
                self._waiters[topic].discard(waiter)
                if not self._waiters[topic]:
                    del self._waiters[topic]

    def listen(self, listener: Callable[[Iterable[str] | None], None]) -> None:
        """Call `listener` with the topics of each wake-up; None when any may have been missed."""
        self._listeners.append(listener)

    def close(self) -> None:
        """Send everybody home who waits, and whoever comes to wait from now on."""
        self._closing = True
        for waiters in self._waiters.values():
            for waiter in waiters:
                self._dismiss(waiter)

    @staticmethod
    def _dismiss(waiter: Waiter) -> None:
        waiter.dismissed = True
        waiter.wake()

    @property
    def waiting(self) -> int:
        return sum(len(waiters) for waiters in self._waiters.values())

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Listen, send and catch up for as long as the block lasts."""
        tasks = [
            asyncio.create_task(self._forever(work), name=f"wakeups.{work.__name__}")
            for work in (self._listen, self._speak, self._look)
        ]
        try:
            yield
        finally:
            await endings.end(tasks)

    def _wake(self, topics: Iterable[str]) -> None:
        for listener in self._listeners:
            listener(topics)
        for topic in topics:
            for waiter in self._waiters.get(topic.partition(DETAIL)[0], ()):
                waiter.wake(topic)

    def _wake_everyone(self) -> None:
        self._wake(list(self._waiters))
        for listener in self._listeners:
            listener(None)

    async def _forever(self, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await work()
            except (psycopg.Error, OSError, ApiError) as err:
                log.warning("wakeups.interrupted", work=work.__name__, error=logs.named(err))
            except Exception:
                # Whatever it was: without this work the process would sleep on for good.
                log.exception("wakeups.failed", work=work.__name__)
            await asyncio.sleep(PAUSE_SECONDS)

    async def _connect(self) -> psycopg.AsyncConnection[Any]:
        # A peer that vanished without a word is noticed within seconds, not hours.
        return await psycopg.AsyncConnection.connect(
            self._url,
            autocommit=True,
            keepalives_idle=5,
            keepalives_interval=2,
            keepalives_count=3,
            tcp_user_timeout=15_000,
        )

    async def _listen(self) -> None:
        connection = await self._connect()
        async with connection:
            await connection.execute(f"LISTEN {CHANNEL}")
            self.listening.set()
            # Whatever was said while nobody listened is unknown: everyone looks again.
            self._wake_everyone()
            try:
                async for notification in connection.notifies():
                    sender, topics = json.loads(notification.payload)
                    if sender != self._name:
                        self._wake(topics)
            finally:
                self.listening.clear()

    async def _speak(self) -> None:
        connection = await self._connect()
        async with connection:
            while True:
                await self._send.wait()
                self._send.clear()
                topics, self._dirty = self._dirty, set()
                try:
                    for payload in chunks(self._name, sorted(topics)):
                        await connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, payload))
                except psycopg.Error:
                    self._dirty |= topics
                    self._send.set()
                    raise

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(CATCH_UP_SECONDS)
            self._wake(await self._catch_up())


def chunks(sender: str, topics: list[str]) -> Iterator[str]:
    """Payloads that fit into a notification, each with as many topics as it can take."""
    batch: list[str] = []
    size = 0
    for topic in topics:
        if batch and size + len(topic) + 4 > PAYLOAD_LIMIT - len(sender) - 16:
            yield json.dumps([sender, batch])
            batch, size = [], 0
        batch.append(topic)
        size += len(topic) + 4
    if batch:
        yield json.dumps([sender, batch])
