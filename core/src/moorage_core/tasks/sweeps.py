"""Gives up tasks whose time has passed."""

from collections import defaultdict
from datetime import timedelta
from typing import Any

from moorage_core import unit
from moorage_core.background.driver import Sweep
from moorage_core.tasks import commands, store

BATCH = 500


class ExpireTasks(Sweep):
    """Look for tasks that are due; end them, org by org."""

    every = timedelta(seconds=2)

    async def activate(self) -> dict[str, Any]:
        async with self.platform.database.sweep() as db:
            found = await store.list_due(db, now=self.platform.clock.now(), limit=BATCH)
        by_org: dict[str, list[str]] = defaultdict(list)
        for row in found:
            by_org[row["org_id"]].append(row["id"])
        ended = 0
        for org, ids in by_org.items():
            async with unit.work(self.platform, org) as ctx:
                ended += len(await commands.give_up(ctx, ids, org=org))
        return {"given_up": ended}
