"""Ends operations whose lease has run out, and those of leavers."""

from datetime import timedelta
from typing import Any

from moorage_core import unit
from moorage_core.authz.permissions import Permission
from moorage_core.background.driver import Sweep
from moorage_core.operations import commands, rules, store

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


class EndLeft(Sweep):
    """End the sessions of people and service accounts who may not open them any more.

    Their tokens open nothing from that moment on; what they have under way is stopped here.
    """

    every = timedelta(seconds=2)
    topics = ("memberships",)

    async def activate(self) -> dict[str, Any]:
        async with self.platform.database.sweep() as db:
            found = await store.list_left(
                db,
                roles=sorted(rules.OPENING_ROLES),
                key=Permission.INFRA_SESSION_CREATE,
                limit=BATCH,
            )
        ended = 0
        for row in found:
            async with unit.work(self.platform, row["org_id"]) as ctx:
                ended += await commands.end_left(ctx, row["id"], org=row["org_id"])
        return {"ended": ended}
