"""Removes runtime secrets whose time is over."""

from collections import defaultdict
from datetime import timedelta
from typing import Any

from moorage_core import unit
from moorage_core.background.driver import Sweep
from moorage_core.runtime_secrets import commands, store

BATCH = 200


class RemoveExpiredSecrets(Sweep):
    """Look for those that have expired; remove them and their values, org by org."""

    every = timedelta(seconds=30)

    async def activate(self) -> dict[str, Any]:
        now = self.platform.clock.now()
        async with self.platform.database.sweep() as db:
            found = await store.list_expired(db, now=now, limit=BATCH)
        by_org: dict[str, list[str]] = defaultdict(list)
        for row in found:
            by_org[row["org_id"]].append(row["id"])
        removed = 0
        for org, ids in by_org.items():
            async with unit.work(self.platform, org) as ctx:
                removed += await commands.remove_expired(ctx, ids, org=org, now=now)
        return {"removed": removed}
