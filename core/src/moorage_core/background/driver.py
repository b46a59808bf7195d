"""The driver of background work.

A sweep has no input. It is woken by a timer or by a topic, looks at the database, and acts on what it
sees; waking it once too often is harmless, and nothing is lost when a wake-up is. Where one process suffices
the sweep is `single`: it runs in the process that holds its advisory lock, on a connection of its own,
so that a killed process gives the lock up with its connection and another takes over within seconds.
"""

import asyncio
import zlib
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, ClassVar

import psycopg
import structlog

from moorage_core.errors import ApiError
from moorage_core.kit import metrics
from moorage_core.platform import Platform

LOCK_SPACE = 0x6D6F
STANDBY_SECONDS = 1.0
PAUSE_AFTER_FAILURE = 1.0

log = structlog.get_logger()


class Sweep(ABC):
    """One kind of background work."""

    every: ClassVar[timedelta]
    """Look at least so often."""
    topics: ClassVar[tuple[str, ...]] = ()
    """Look when one of these moves."""
    single: ClassVar[bool] = True
    """One process at a time is enough."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform

    @property
    def name(self) -> str:
        return type(self).__name__

    @abstractmethod
    async def activate(self) -> dict[str, Any]:
        """Look and act. Returns what it saw and did, for the log."""


@asynccontextmanager
async def running(platform: Platform, sweeps: Sequence[Sweep], *, system_url: str) -> AsyncIterator[None]:
    """Run the sweeps for as long as the block lasts."""
    tasks = [
        asyncio.create_task(_keep_running(platform, sweep, system_url), name=f"sweep.{sweep.name}")
        for sweep in sweeps
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _keep_running(platform: Platform, sweep: Sweep, system_url: str) -> None:
    while True:
        try:
            if sweep.single:
                async with _leadership(sweep, system_url) as connection:
                    await _loop(platform, sweep, connection)
            else:
                await _loop(platform, sweep, None)
        except (psycopg.Error, OSError, ApiError) as err:
            log.warning("sweep.interrupted", sweep=sweep.name, error=str(err))
        await asyncio.sleep(STANDBY_SECONDS)


@asynccontextmanager
async def _leadership(sweep: Sweep, system_url: str) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
    """Wait until this process is the one that runs the sweep."""
    connection = await psycopg.AsyncConnection.connect(
        system_url, autocommit=True, keepalives_idle=5, keepalives_interval=2, keepalives_count=3
    )
    async with connection:
        key = zlib.crc32(sweep.name.encode()) - 2**31
        while not await _try_lock(connection, key):
            await asyncio.sleep(STANDBY_SECONDS)
        log.info("sweep.leading", sweep=sweep.name)
        yield connection


async def _try_lock(connection: psycopg.AsyncConnection[Any], key: int) -> bool:
    cursor = await connection.execute("SELECT pg_try_advisory_lock(%s, %s)", (LOCK_SPACE, key))
    row = await cursor.fetchone()
    return bool(row and row[0])


async def _loop(
    platform: Platform, sweep: Sweep, leader: psycopg.AsyncConnection[Any] | None
) -> None:
    with platform.hub.watch(sweep.topics) as waiter:
        while True:
            if leader is not None:
                # The lock lives and dies with this connection: without it somebody else leads.
                await leader.execute("SELECT 1")
            await _activate(sweep)
            await waiter.wait(sweep.every.total_seconds())


async def _activate(sweep: Sweep) -> None:
    try:
        seen = await sweep.activate()
    except (psycopg.Error, OSError, ApiError):
        raise
    except Exception:
        metrics.SWEEP_FAILURES.labels(sweep.name).inc()
        log.exception("sweep.failed", sweep=sweep.name)
        await asyncio.sleep(PAUSE_AFTER_FAILURE)
        return
    if any(seen.values()):
        log.debug("sweep.done", sweep=sweep.name, **seen)
