"""Background work of credentials: tasks on hosts without agent, and old keys that go."""

import asyncio
import secrets
import time
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import psycopg
import structlog

from moorage_core import unit
from moorage_core.background.driver import Sweep
from moorage_core.credentials import rules, store
from moorage_core.credentials.models import OpenWork
from moorage_core.credentials.worker import LEASE, LeaseLost, Worker
from moorage_core.errors import ApiError
from moorage_core.kit import endings, logs
from moorage_core.operations import commands as operations
from moorage_core.platform import Platform
from moorage_core.secrets import commands as custody

NODES = 1000
"""Hosts with open tasks that are looked at in one go."""
BATCH = 200

log = structlog.get_logger()


@dataclass(frozen=True)
class Served:
    """A host that has one of our hands."""

    org: str
    task: asyncio.Task[str]


class RunSshTasks(Sweep):
    """Do the tasks of hosts without agent. Any number of processes share the hosts, by leases.

    A process that dies leaves its leases to run out. Whoever takes a host over finds what it left:
    what was not begun is begun, and of what ran nobody knows how it ended.
    """

    every = timedelta(seconds=5)
    topics = (operations.SSH_TASKS,)
    single = False

    def __init__(self, platform: Platform, *, linger: timedelta = timedelta(seconds=10)) -> None:
        """`linger`: how long a connection is kept for the next task."""
        super().__init__(platform)
        self._name = secrets.token_hex(8)
        self._hands = platform.settings.machines.ssh_hands
        self._linger = linger
        self._left_alone: dict[str, float] = {}
        """Hosts that another process has, or that gave trouble, and when that was."""

    async def activate(self) -> dict[str, Any]:
        """Until no host has anything to do. A slow host keeps nobody else from starting."""
        seen = Counter[str]()
        running: dict[str, Served] = {}
        self._left_alone.clear()
        try:
            with self.platform.hub.watch(self.topics) as waiter:
                while True:
                    for work in await self._find(running):
                        serving = asyncio.create_task(self._serve(work))
                        running[work.allocation_id] = Served(work.org_id, serving)
                    if not running:
                        return dict(seen)
                    woken = asyncio.create_task(waiter.wait(self.every.total_seconds()))
                    try:
                        await asyncio.wait(
                            {woken, *(each.task for each in running.values())},
                            return_when=asyncio.FIRST_COMPLETED,
                        )
                    finally:
                        woken.cancel()
                    for id in [id for id, each in running.items() if each.task.done()]:
                        ended = running.pop(id).task.result()
                        seen[ended] += 1
                        if ended != "done":
                            self._left_alone[id] = time.monotonic()
        finally:
            await endings.end(each.task for each in running.values())

    async def _find(self, running: dict[str, Served]) -> list[OpenWork]:
        if len(running) >= self._hands:
            return []
        try:
            async with self.platform.database.sweep() as db:
                found = await store.list_open_work(db, limit=NODES)
        except (psycopg.Error, OSError, ApiError) as err:
            log.warning("ssh.no_look", error=logs.named(err))
            return []
        early = time.monotonic() - self.every.total_seconds()
        waiting = [
            work
            for work in found
            if work.allocation_id not in running
            and self._left_alone.get(work.allocation_id, early) <= early
        ]
        busy = Counter(each.org for each in running.values())
        return rules.choose(waiting, busy, hands=self._hands)

    async def _serve(self, work: OpenWork) -> str:
        """One host. What goes wrong there must not touch the others."""
        worker = Worker(self.platform, work, name=self._name, linger=self._linger)
        try:
            # A lease that cannot be renewed is lost: by then nothing of ours may run there.
            return await worker.serve()
        except LeaseLost:
            log.warning("ssh.lease_lost", allocation=work.allocation_id)
            return "lease_lost"
        except (psycopg.Error, OSError, ApiError) as err:
            log.warning("ssh.interrupted", allocation=work.allocation_id, error=logs.named(err))
            await asyncio.sleep(1)
            return "interrupted"
        except Exception:
            log.exception("ssh.broken", allocation=work.allocation_id)
            await asyncio.sleep(LEASE.total_seconds())
            return "broken"


class DropOldKeys(Sweep):
    """Forget keys whose overlap has passed."""

    every = timedelta(minutes=1)

    async def activate(self) -> dict[str, Any]:
        async with self.platform.database.sweep() as db:
            outdated = await store.list_outdated(db, now=self.platform.clock.now(), limit=BATCH)
        for org, id in outdated:
            async with unit.work(self.platform, org) as ctx:
                secret = await store.drop_previous(ctx.db, id, org=org, now=ctx.now)
                if secret is not None:
                    await custody.remove(ctx, secret, org=org)
        return {"dropped": len(outdated)}
