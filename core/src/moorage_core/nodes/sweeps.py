"""Background work on nodes: hearing them, missing them, having them imaged."""

import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import Awaitable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from typing import Any

import psycopg
import structlog

from moorage_core import unit
from moorage_core.background.driver import Sweep
from moorage_core.context import Context
from moorage_core.controllers import watches
from moorage_core.errors import ApiError
from moorage_core.events import registry
from moorage_core.kit import endings, logs, metrics, tokens
from moorage_core.kit.db import org_scope
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.kit.wakeups import Waiter
from moorage_core.nodes import commands, rules, store
from moorage_core.platform import Platform

BATCH = 500
HANDS = 8
"""Nodes that are imaged at the same time."""
SAID = 500
"""Characters of what a failed command said that are shown."""

log = structlog.get_logger()


class FlushHeartbeats(Sweep):
    """Write down who was heard of, all in one statement. Every process has its own to write."""

    every = timedelta(seconds=5)
    single = False

    async def activate(self) -> dict[str, Any]:
        heard = self.platform.heartbeats.take()
        if not heard:
            return {"heard": 0}
        try:
            async with self.platform.database.sweep() as db:
                back = await store.flush_seen(db, heard)
        except BaseException:
            self.platform.heartbeats.put_back(heard)
            raise
        if back:
            await self._welcome(back)
        return {"heard": len(heard), "back": len(back)}

    async def _welcome(self, ids: list[str]) -> None:
        async with unit.work(self.platform, PLATFORM_ORG) as ctx:
            back = await store.mark_heard(ctx.db, ids, org=PLATFORM_ORG)
            for node in back:
                commands.publish(ctx, registry.NODE_REACHABLE, node)
            await watches.hint_nodes(ctx, [node.id for node in back])


class FindSilentNodes(Sweep):
    """Say of nodes that were not heard of for a while that they are silent, and since when.

    While the platform itself was away nobody could be heard of. So whoever begins to look, or has
    not looked for a while, gives every node one full term first.
    """

    every = timedelta(seconds=2)

    def __init__(self, platform: Platform) -> None:
        super().__init__(platform)
        self._since: datetime | None = None
        self._looked: datetime | None = None

    async def activate(self) -> dict[str, Any]:
        now = self.platform.clock.now()
        self._since = rules.listening_since(self._since, last_look=self._looked, now=now)
        before = rules.silent_before(
            now=now,
            silent_after=self.platform.settings.machines.silent_after,
            listening_since=self._since,
        )
        async with self.platform.database.sweep() as db:
            # Looked at in any case: that the database answers is part of being there.
            found = await store.list_silent(db, before=before or self._since, limit=BATCH)
        self._looked = now
        return {"silent": 0 if before is None or not found else await self._note(found, before)}

    async def _note(self, ids: list[str], before: datetime) -> int:
        async with unit.work(self.platform, PLATFORM_ORG) as ctx:
            silent = await store.mark_silent(ctx.db, ids, org=PLATFORM_ORG, before=before)
            for node in silent:
                commands.publish(ctx, registry.NODE_UNREACHABLE, node)
            await watches.hint_nodes(ctx, [node.id for node in silent])
        return len(silent)


class ReimageNodes(Sweep):
    """Run the provisioner's command for nodes that are to be imaged, and give up what takes long.

    The command gets a JSON document on its standard input, with the line that makes the fresh host
    the node again. Without a command somebody does it by hand, and nothing is given up.
    """

    every = timedelta(seconds=15)
    topics = (commands.REIMAGES,)

    def __init__(self, platform: Platform) -> None:
        super().__init__(platform)
        self._left_alone: dict[str, float] = {}
        """Nodes that gave trouble, and when that was."""

    async def activate(self) -> dict[str, Any]:
        """Until no node is left to begin with. A slow command keeps no other node waiting."""
        seen = Counter[str]()
        running: dict[str, asyncio.Task[bool]] = {}
        if not self.platform.settings.machines.reimage_command:
            return dict(seen)
        try:
            with self.platform.hub.watch(self.topics) as waiter:
                while True:
                    found = [row for row in await self._find(seen) if row["id"] not in running]
                    for row in found[: HANDS - len(running)]:
                        running[row["id"]] = asyncio.create_task(self._image(row))
                    if not running:
                        return dict(seen)
                    await self._any_ends(running, waiter)
                    for id in [id for id, task in running.items() if task.done()]:
                        seen[await self._settle(id, running.pop(id))] += 1
        finally:
            await endings.end(running.values())

    async def _any_ends(self, running: dict[str, asyncio.Task[bool]], waiter: Waiter) -> None:
        """Until one is through, or there may be others to begin with."""
        woken = asyncio.create_task(waiter.wait(self.every.total_seconds()))
        try:
            await asyncio.wait({woken, *running.values()}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            woken.cancel()

    async def _find(self, seen: Counter[str]) -> list[dict[str, Any]]:
        """Those to begin with. What takes too long is given up on the way."""
        late = self.platform.clock.now() - self.platform.settings.machines.reimage_timeout
        try:
            async with self.platform.database.sweep() as db:
                found = await store.list_reimages(db, started_before=late, limit=BATCH)
        except (psycopg.Error, OSError, ApiError) as err:
            # Commands are at work: they go on.
            log.warning("reimage.no_look", error=logs.named(err))
            return []
        early = time.monotonic() - self.every.total_seconds()
        found = [row for row in found if self._left_alone.get(row["id"], early) <= early]
        for row in found:
            if row["reimage_started_at"] is not None:
                why = "No host has enrolled since it was imaged."
                ended = self._give_up(row, why, started=row["reimage_started_at"])
                seen[await self._settle(row["id"], ended)] += 1
        return [row for row in found if row["reimage_started_at"] is None]

    async def _settle(self, id: str, act: Awaitable[bool]) -> str:
        """What goes wrong with one node must not touch the others."""
        try:
            if await act:
                self._left_alone.pop(id, None)
                return "done"
        except (psycopg.Error, OSError, ApiError) as err:
            log.warning("reimage.interrupted", node=id, error=logs.named(err))
        except Exception:
            metrics.SWEEP_FAILURES.labels(self.name).inc()
            log.exception("reimage.failed", node=id)
        self._left_alone[id] = time.monotonic()
        return "failed"

    async def _image(self, row: dict[str, Any]) -> bool:
        """False where nothing was begun: somebody else has, or it is not wanted any more."""
        settings = self.platform.settings.machines
        id = row["id"]
        async with self._work(row) as ctx:
            reason = await store.start_reimage(ctx.db, id, org=PLATFORM_ORG, now=ctx.now)
            if reason is None:
                return False
            node = await commands.lock(ctx, id)
            line = await commands.issue_line(ctx, node, expires_in=settings.reimage_timeout)
        order = {
            "node": id,
            "name": node.name,
            "address": node.address,
            "line": line,
            "reason": reason,
        }
        wrong = await run(
            settings.reimage_command, order, limit=settings.reimage_timeout.total_seconds()
        )
        if wrong is not None and node.reimage_started_at is not None:
            await self._give_up(row, wrong, started=node.reimage_started_at)
        return True

    async def _give_up(self, row: dict[str, Any], why: str, *, started: datetime) -> bool:
        id = row["id"]
        async with self._work(row) as ctx:
            awaited = await store.give_up_reimage(ctx.db, id, org=PLATFORM_ORG, started=started)
            if awaited is not None:
                await store.revoke_open(ctx.db, org=PLATFORM_ORG, node=id, now=ctx.now)
            if awaited:
                await commands.quarantine(ctx, id, reason=f"It could not be imaged anew. {why}")
        return awaited is not None

    def _work(self, row: dict[str, Any]) -> AbstractAsyncContextManager[Context]:
        """Sees the allocation that waits for the node too."""
        scope = org_scope(PLATFORM_ORG)
        scope = scope if row["holder"] is None else scope.with_org(row["holder"])
        return unit.work(self.platform, PLATFORM_ORG, scope=scope)


async def run(command: Sequence[str], order: dict[str, Any], *, limit: float) -> str | None:
    """Run a provisioner's command to its end; what went wrong, if something did."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as err:
        return f"The command {command[0]} cannot be run: {err.strerror}."
    try:
        async with asyncio.timeout(limit):
            _, said = await process.communicate(json.dumps(order).encode())
    except TimeoutError:
        return f"The command {command[0]} did not end within {limit:.0f} s."
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode == 0:
        return None
    told = _secret(order["line"]).sub("…", said.decode(errors="replace"))
    last = logs.scrub(told).strip()[-SAID:]
    shown = "".join(c if c.isprintable() else " " for c in last)
    return f"The command {command[0]} ended with {process.returncode}: {shown}"


def _secret(line: str) -> re.Pattern[str]:
    """The line, and its token wherever else it stands, with its prefix or without."""
    token = re.escape(tokens.ENROLMENT) + r"([A-Za-z0-9_-]+)"
    bare = [re.escape(found) for found in re.findall(token, line)]
    return re.compile("|".join([re.escape(line), f"{tokens.ENROLMENT}[A-Za-z0-9_-]*", *bare]))
