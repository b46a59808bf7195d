"""Ends operations whose lease has run out."""

from datetime import timedelta
from typing import Any

from moorage_core import unit
from moorage_core.background.driver import Sweep
from moorage_core.operations import commands, store

BATCH = 100


class EndExpired(Sweep):
    """Look for leases that have run out; end each operation in its org."""

    every = timedelta(seconds=2)

    async def activate(self) -> dict[str, Any]:
        async with self.platform.database.sweep() as db:
            found = await store.list_expired(db, now=self.platform.clock.now(), limit=BATCH)
        ended = 0
        for row in found:
            async with unit.work(self.platform, row["org_id"]) as ctx:
                ended += await commands.end_expired(ctx, row["id"], org=row["org_id"])
        return {"ended": ended}
