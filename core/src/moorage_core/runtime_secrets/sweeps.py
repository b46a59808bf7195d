"""Removes runtime secrets whose time is over."""

from datetime import timedelta
from typing import Any

from moorage_core.background import orgs
from moorage_core.background.driver import Sweep
from moorage_core.context import Context
from moorage_core.runtime_secrets import commands, store

BATCH = 200


class RemoveExpiredSecrets(Sweep):
    """Look for those that have expired; remove them and their values, org by org."""

    every = timedelta(seconds=30)

    async def activate(self) -> dict[str, Any]:
        now = self.platform.clock.now()
        async with self.platform.database.sweep() as db:
            found = await store.list_expired(db, now=now, limit=BATCH)
        expired = ((row["org_id"], row["id"]) for row in found)
        return {"removed": await orgs.each(self, expired, _remove)}


async def _remove(ctx: Context, org: str, ids: list[str]) -> int:
    return await commands.remove_expired(ctx, ids, org=org, now=ctx.now)
