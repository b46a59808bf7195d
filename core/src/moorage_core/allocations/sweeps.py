"""Background work of allocations."""

import asyncio
from datetime import timedelta
from typing import Any

from moorage_core.allocations import commands, progress, store
from moorage_core.background.driver import Sweep

AT_ONCE = 4
"""So many allocations move at a time: each takes a connection."""
LOOK = 500


class DriveAllocations(Sweep):
    """Take allocations that are on their way one step further."""

    every = timedelta(seconds=5)
    topics = (commands.TOPIC,)

    async def activate(self) -> dict[str, Any]:
        async with self.platform.database.sweep() as db:
            found = await store.list_moving(db, now=self.platform.clock.now(), limit=LOOK)
        turn = asyncio.Semaphore(AT_ONCE)
        steps = (self._advance(turn, row) for row in found)
        # One that cannot move keeps nobody else from moving.
        moved = await asyncio.gather(*steps, return_exceptions=True)
        for problem in moved:
            if isinstance(problem, BaseException):
                raise problem
        return {"seen": len(found), "moved": sum(map(bool, moved))}

    async def _advance(self, turn: asyncio.Semaphore, row: dict[str, Any]) -> bool:
        async with turn:
            return await progress.advance(self.platform, row["id"], org=row["org_id"])
