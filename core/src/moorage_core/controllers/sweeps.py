"""Frees what silent replicas watched."""

from datetime import timedelta
from typing import Any

from moorage_core.background.driver import Sweep
from moorage_core.controllers import rules, store, watches

BATCH = 100


class FreeWatches(Sweep):
    """Let others watch what replicas watched whose lease has ended; forget those in time."""

    every = timedelta(seconds=2)

    async def activate(self) -> dict[str, Any]:
        now = self.platform.clock.now()
        async with self.platform.database.sweep() as db:
            silent = await store.lock_silent(db, now=now, limit=BATCH)
            operators = await store.free_watches(db, silent) if silent else []
            before = now - rules.FORGOTTEN_AFTER
            forgotten = await store.forget_replicas(db, before=before, limit=BATCH)
        self.platform.hub.mark(watches.topic(operator) for operator in operators)
        return {"silent": len(silent), "forgotten": forgotten}
