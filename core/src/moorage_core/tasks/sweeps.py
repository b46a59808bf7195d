"""Gives up tasks whose time has passed."""

from datetime import timedelta
from typing import Any

from moorage_core.background import orgs
from moorage_core.background.driver import Sweep
from moorage_core.context import Context
from moorage_core.tasks import commands, store

BATCH = 500


class ExpireTasks(Sweep):
    """Look for tasks that are due; end them, org by org."""

    every = timedelta(seconds=2)

    async def activate(self) -> dict[str, Any]:
        async with self.platform.database.sweep() as db:
            found = await store.list_due(db, now=self.platform.clock.now(), limit=BATCH)
        due = ((row["org_id"], row["id"]) for row in found)
        return {"given_up": await orgs.each(self, due, _give_up)}


async def _give_up(ctx: Context, org: str, ids: list[str]) -> int:
    return len(await commands.give_up(ctx, ids, org=org))
