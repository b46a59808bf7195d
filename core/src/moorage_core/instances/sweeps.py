"""Background work of instances."""

from datetime import timedelta
from typing import Any

from moorage_core import unit
from moorage_core.background.driver import Sweep
from moorage_core.events import registry
from moorage_core.instances import commands, store, telling

LOOK = 500


class ForgetStale(Sweep):
    """Say `unknown` of instances of which nothing was heard for too long."""

    every = timedelta(seconds=10)

    async def activate(self) -> dict[str, Any]:
        now = self.platform.clock.now()
        async with self.platform.database.sweep() as db:
            found = await store.list_stale(db, now=now, limit=LOOK)
        by_org: dict[str, list[str]] = {}
        for row in found:
            by_org.setdefault(row["org_id"], []).append(row["id"])
        forgotten = 0
        for org, ids in sorted(by_org.items()):
            async with unit.work(self.platform, org) as ctx:
                stale = await store.forget_observed(
                    ctx.db, ids, org=org, reasons=[telling.STALE], now=now
                )
                for row in await store.list_named(ctx.db, stale, org=org):
                    commands.publish(ctx, row, registry.INSTANCE_HEALTH_CHANGED)
            forgotten += len(stale)
        return {"seen": len(found), "forgotten": forgotten}
