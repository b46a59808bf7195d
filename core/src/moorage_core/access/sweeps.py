"""Background work of access: end grants that something has ended, bring nodes up to date."""

import asyncio
from collections import Counter
from datetime import timedelta
from typing import Any

import psycopg
import structlog

from moorage_core.access import authorities, commands, lists, node_store, rules, store
from moorage_core.access.models import Behind
from moorage_core.background import orgs
from moorage_core.background.driver import Sweep
from moorage_core.context import Context
from moorage_core.errors import ApiError, Busy
from moorage_core.kit import logs

BATCH = 200
HANDS = 4
"""Nodes brought up to date at the same time."""
MEMBERSHIPS_TOPIC = "memberships"
"""Moves when somebody lost a role or their account."""
ALLOCATIONS_TOPIC = "allocations"

log = structlog.get_logger()


class EndGrants(Sweep):
    """End the grants of leavers, of disabled accounts, of machines given back, and those past."""

    every = timedelta(seconds=2)
    topics = (MEMBERSHIPS_TOPIC, ALLOCATIONS_TOPIC)

    async def activate(self) -> dict[str, Any]:
        ended = 0
        while over := await self._look():
            pairs = ((org, (allocation, grant)) for org, allocation, grant in over)
            done = await orgs.each(self, pairs, _end)
            ended += done
            if not done or len(over) < BATCH:
                break
        return {"ended": ended}

    async def _look(self) -> list[tuple[str, str, str]]:
        async with self.platform.database.sweep() as db:
            return await store.list_over(
                db,
                roles=sorted(rules.USING_ROLES),
                now=self.platform.clock.now(),
                limit=BATCH,
            )


async def _end(ctx: Context, org: str, over: list[tuple[str, str]]) -> int:
    return await commands.end_over(ctx, over, org=org)


class SyncAccess(Sweep):
    """Give every node whose list of people is old the newest one, and note what it confirmed."""

    every = timedelta(seconds=5)
    topics = (authorities.TOPIC, ALLOCATIONS_TOPIC)

    async def activate(self) -> dict[str, Any]:
        seen = Counter[str]()
        while behind := await self._look():
            hands = asyncio.Semaphore(HANDS)
            steps = await asyncio.gather(*(self._one(node, hands) for node in behind))
            seen.update(steps)
            moved = sum(step not in ("nothing", "failed") for step in steps)
            if not moved or len(behind) < BATCH:
                break
        return dict(seen)

    async def _look(self) -> list[Behind]:
        async with self.platform.database.sweep() as db:
            return await node_store.list_behind(db, now=self.platform.clock.now(), limit=BATCH)

    async def _one(self, node: Behind, hands: asyncio.Semaphore) -> str:
        """One node that cannot be brought on does not keep the others waiting."""
        async with hands:
            try:
                return await lists.bring_up_to_date(self.platform, node)
            except (Busy, psycopg.Error, OSError) as err:
                log.warning(
                    "access.not_synced", allocation=node.allocation_id, error=logs.named(err)
                )
            except ApiError as err:
                await lists.put_off(self.platform, node, err.detail)
            return "failed"
