"""The sequencer: numbers what has committed, so that readers can page by number and miss nothing.

A transaction that began early may commit late. Were events read by the order of insertion, a reader
who has passed number 10 would never see number 9 when it commits after. So insertion gives no
number: one process at a time (an advisory lock, and the streams' rows locked besides) numbers the
rows that it can see, and readers know numbers alone. A row that commits late gets a higher number
and is read later, never lost.
"""

from collections.abc import Awaitable, Callable, Iterable
from datetime import timedelta
from typing import Any

from moorage_core.background.driver import Sweep
from moorage_core.events import store
from moorage_core.kit import metrics
from moorage_core.kit.db import Database
from moorage_core.unit import SEQUENCER_TOPIC

BATCH = 1000
NUMBERED_TOPIC = "events"
"""Moves whenever events got numbers."""
AUDIT_TOPIC = "audit"
"""Moves whenever audit entries got numbers."""


class NumberRecords(Sweep):
    """Number committed events and audit entries, then wake whoever waits for them."""

    every = timedelta(seconds=2)
    topics = (SEQUENCER_TOPIC,)

    async def activate(self) -> dict[str, Any]:
        events = entries = 0
        while True:
            async with self.platform.database.sweep() as db:
                await store.lock_streams(db)
                topics = await store.number_events(db, limit=BATCH)
                audited = await store.number_audit(db, limit=BATCH)
            self._wake(topics, audited)
            events += len(topics)
            entries += audited
            if len(topics) < BATCH and audited < BATCH:
                return {"events": events, "audit_entries": entries}

    def _wake(self, topics: list[list[str]], audited: int) -> None:
        moved = {topic for names in topics for topic in names}
        if topics:
            moved.add(NUMBERED_TOPIC)
            metrics.EVENTS_NUMBERED.inc(len(topics))
        if audited:
            moved.add(AUDIT_TOPIC)
        self.platform.hub.mark(moved)


def catch_up(database: Database) -> Callable[[], Awaitable[Iterable[str]]]:
    """What the hub asks every few seconds: which topics moved since it asked last."""
    seen: list[int] = []

    async def look() -> Iterable[str]:
        async with database.sweep() as db:
            if not seen:
                seen.append((await store.get_stream(db, "events")).last)
                return ()
            seen[0], topics = await store.list_topics(db, after=seen[0])
        return (*topics, NUMBERED_TOPIC, SEQUENCER_TOPIC) if topics else (SEQUENCER_TOPIC,)

    return look
