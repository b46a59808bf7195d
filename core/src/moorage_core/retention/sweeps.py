"""Deletes what has expired, in batches that hold nothing for long."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, ClassVar

from moorage_core.background.driver import Sweep
from moorage_core.kit.db import Db
from moorage_core.platform import Platform
from moorage_core.retention import store

LEEWAY = timedelta(hours=1)
"""Clocks differ: what guards against reuse outlives its expiry by this."""
PULLS_KEPT = timedelta(days=1)
"""For whoever comes late: they are told that the credential has expired, not that it never was."""
PLANS_KEPT = timedelta(days=30)
"""For whoever asks what was agreed to before a change was made."""
REFUSALS_KEPT = timedelta(days=7)
"""For whoever asks what an error that they were shown was about."""
ENROLMENTS_KEPT = timedelta(days=30)
"""For whoever asks with which line, and when, a host came."""


class DeleteExpired(Sweep):
    """Oldest first, one short transaction per batch."""

    batches: ClassVar[int] = 500
    """Of each kind, at most so many in one activation; the next goes on."""

    def __init__(self, platform: Platform) -> None:
        super().__init__(platform)
        self.every = platform.settings.retention.sweep_every

    async def activate(self) -> dict[str, Any]:
        keep = self.platform.settings.retention
        now = self.platform.clock.now()
        before = {
            store.CERTIFICATES: now - keep.evidence,
            store.DELIVERIES: now - keep.deliveries,
            store.DEVICE_CODES: now - LEEWAY,
            store.ENROLMENTS: now - ENROLMENTS_KEPT,
            store.EVIDENCE: now - keep.evidence,
            store.IDEMPOTENCY: now - keep.idempotency,
            store.PASSWORD_CODES: now - LEEWAY,
            store.PLANS: now - PLANS_KEPT,
            store.PULLS: now - PULLS_KEPT,
            store.REFUSALS: now - REFUSALS_KEPT,
            store.SESSIONS: now - keep.sessions,
            store.USED_ASSERTIONS: now - LEEWAY,
        }
        seen = {
            "events": await self._repeat(
                lambda db: store.delete_events(db, before=now - keep.events, limit=keep.batch)
            )
        }
        for kind, moment in before.items():
            seen[kind.name] = await self._repeat(
                lambda db, kind=kind, moment=moment: store.delete_batch(
                    db, kind, before=moment, limit=keep.batch
                )
            )
        seen["webhooks"] = await self._repeat(
            lambda db: store.delete_webhooks(db, before=now - keep.deliveries, limit=keep.batch)
        )
        seen["tasks"] = await self._repeat(
            lambda db: store.delete_tasks(db, before=now - keep.tasks, limit=keep.batch)
        )
        seen["operations"] = await self._repeat(
            lambda db: store.delete_operations(db, before=now - keep.operations, limit=keep.batch)
        )
        seen["view_rows"] = await self._repeat(
            lambda db: store.delete_view_rows(db, before=now - keep.tasks, limit=keep.batch)
        )
        seen["node_access"] = await self._repeat(
            lambda db: store.delete_lists(db, before=now - keep.tasks, limit=keep.batch)
        )
        return seen

    async def _repeat(self, delete: Callable[[Db], Awaitable[int]]) -> int:
        """Batch after batch until one comes out short."""
        total = 0
        for _ in range(self.batches):
            async with self.platform.database.sweep() as db:
                deleted = await delete(db)
            total += deleted
            if deleted < self.platform.settings.retention.batch:
                break
        return total
