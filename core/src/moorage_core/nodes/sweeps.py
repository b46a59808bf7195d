"""Background work on nodes: hearing them, missing them, having them imaged."""

import asyncio
import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from moorage_core import unit
from moorage_core.background.driver import Sweep
from moorage_core.events import registry
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.nodes import commands, rules, store
from moorage_core.platform import Platform

BATCH = 500
HANDS = 8
"""Nodes that are imaged at the same time."""
SAID = 500
"""Characters of what a failed command said that are shown."""


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
            for node in await store.mark_heard(ctx.db, ids, org=PLATFORM_ORG):
                commands.publish(ctx, registry.NODE_REACHABLE, node)


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
        return len(silent)


class ReimageNodes(Sweep):
    """Run the provisioner's command for nodes that are to be imaged, and give up what takes long.

    The command gets a JSON document on its standard input, with the line that makes the fresh host
    the node again. Without a command somebody does it by hand, and nothing is given up.
    """

    every = timedelta(seconds=15)
    topics = (commands.REIMAGES,)

    async def activate(self) -> dict[str, Any]:
        settings = self.platform.settings.machines
        if not settings.reimage_command:
            return {"imaging": 0}
        late = self.platform.clock.now() - settings.reimage_timeout
        async with self.platform.database.sweep() as db:
            found = await store.list_reimages(db, started_before=late, limit=BATCH)
        for row in found:
            if row["reimage_started_at"] is not None:
                await self._give_up(row["id"], "No host has enrolled since it was imaged.")
        fresh = [row["id"] for row in found if row["reimage_started_at"] is None]
        await asyncio.gather(*(self._image(node) for node in fresh[:HANDS]))
        return {"imaging": len(fresh)}

    async def _image(self, id: str) -> None:
        settings = self.platform.settings.machines
        async with unit.work(self.platform, PLATFORM_ORG) as ctx:
            reason = await store.start_reimage(ctx.db, id, org=PLATFORM_ORG, now=ctx.now)
            if reason is None:
                return
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
        if wrong is not None:
            await self._give_up(id, wrong)

    async def _give_up(self, id: str, why: str) -> None:
        async with unit.work(self.platform, PLATFORM_ORG) as ctx:
            if await store.give_up_reimage(ctx.db, id, org=PLATFORM_ORG):
                await commands.quarantine(ctx, id, reason=f"It could not be imaged anew. {why}")


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
    last = said.decode(errors="replace").replace(order["line"], "…").strip()[-SAID:]
    shown = "".join(c if c.isprintable() else " " for c in last)
    return f"The command {command[0]} ended with {process.returncode}: {shown}"
