"""The driver of background work.

A sweep has no input. It is woken by a timer or by a topic, looks at the database, and acts on what
it sees; waking it once too often is harmless, and nothing is lost when a wake-up is.

Most sweeps need no more than one process. Those are `single`: all of them run in the one process
that holds an advisory lock, on a connection of its own, so that a killed process gives the lock up
with its connection and another takes over within seconds. For the moment in which a process has
lost its connection and not yet noticed, sweeps stay correct when two run at once.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, ClassVar

import psycopg
import structlog

from moorage_core.errors import ApiError
from moorage_core.kit import endings, logs, metrics
from moorage_core.platform import Platform

LEADER_LOCK = (0x6D6F, 1)
STANDBY_SECONDS = 1.0
PAUSE_AFTER_FAILURE = 1.0

log = structlog.get_logger()


class Sweep(ABC):
    """One kind of background work."""

    every: timedelta
    """Look at least so often. Of the class, or of the instance where it is a setting."""
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
async def running(sweeps: Sequence[Sweep], *, system_url: str) -> AsyncGenerator[None]:
    """Run the sweeps for as long as the block lasts."""
    single = [sweep for sweep in sweeps if sweep.single]
    tasks = [asyncio.create_task(_lead(single, system_url), name="sweeps.single")]
    tasks += [
        asyncio.create_task(_loop(sweep), name=f"sweep.{sweep.name}")
        for sweep in sweeps
        if not sweep.single
    ]
    try:
        yield
    finally:
        await endings.end(tasks)


async def _lead(sweeps: Sequence[Sweep], system_url: str) -> None:
    """Whenever this process is the leader, run the sweeps that need one."""
    while True:
        try:
            await _lead_once(sweeps, system_url)
        except (psycopg.Error, OSError) as err:
            log.warning("sweeps.leadership_lost", error=logs.named(err))
        await asyncio.sleep(STANDBY_SECONDS)


async def _lead_once(sweeps: Sequence[Sweep], system_url: str) -> None:
    """Wait for the lock, then run until the connection that holds it is gone."""
    connection = await psycopg.AsyncConnection.connect(
        system_url, autocommit=True, keepalives_idle=5, keepalives_interval=2, keepalives_count=3
    )
    async with connection:
        while not await _try_lock(connection):
            await asyncio.sleep(STANDBY_SECONDS)
        log.info("sweeps.leading", sweeps=[sweep.name for sweep in sweeps])
        tasks = [asyncio.create_task(_loop(sweep), name=f"sweep.{sweep.name}") for sweep in sweeps]
        try:
            while True:
                await connection.execute("SELECT 1")
                await asyncio.sleep(STANDBY_SECONDS)
        finally:
            await endings.end(tasks)


async def _try_lock(connection: psycopg.AsyncConnection[Any]) -> bool:
    cursor = await connection.execute("SELECT pg_try_advisory_lock(%s, %s)", LEADER_LOCK)
    row = await cursor.fetchone()
    return bool(row and row[0])


async def _loop(sweep: Sweep) -> None:
    with sweep.platform.hub.watch(sweep.topics) as waiter:
        while True:
            await _activate(sweep)
            await waiter.wait(sweep.every.total_seconds())


async def _activate(sweep: Sweep) -> None:
    try:
        seen = await sweep.activate()
    except (psycopg.Error, OSError, ApiError) as err:
        log.warning("sweep.interrupted", sweep=sweep.name, error=logs.named(err))
        await asyncio.sleep(PAUSE_AFTER_FAILURE)
    except Exception:
        metrics.SWEEP_FAILURES.labels(sweep.name).inc()
        log.exception("sweep.failed", sweep=sweep.name)
        await asyncio.sleep(PAUSE_AFTER_FAILURE)
    else:
        if any(seen.values()):
            log.debug("sweep.done", sweep=sweep.name, **seen)
