"""Background work of artifacts: bytes that nobody needs."""

from datetime import timedelta
from typing import Any

from moorage_core import unit
from moorage_core.artifacts import rules, store, uploads
from moorage_core.artifacts.commands import DISCARD_TOPIC
from moorage_core.background.driver import Sweep

BATCH = 100


class DiscardBytes(Sweep):
    """Forget uploads that nobody goes on with; throw away bytes that no row names."""

    every = timedelta(hours=1)
    topics = (DISCARD_TOPIC,)

    async def activate(self) -> dict[str, Any]:
        return {
            "idle": await self._give_up(),
            "uploads": await self._discard_uploads(),
            "blobs": await self._remove_blobs(),
        }

    async def _give_up(self) -> int:
        """Uploads of which no byte came for long. Those with newer bytes are looked at again."""
        before = self.platform.clock.now() - rules.IDLE
        async with self.platform.database.sweep() as db:
            idle = await store.list_idle_uploads(db, before=before, limit=BATCH)
        given_up = 0
        for row in idle:
            touched = await self.platform.blobs.touched_at(row["id"])
            if touched is None or touched < before:
                async with unit.work(self.platform, row["org_id"]) as ctx:
                    given_up += await uploads.give_up(ctx, row["id"], org=row["org_id"])
        return given_up

    async def _discard_uploads(self) -> int:
        """What has no row that waits for bytes: completed, deleted, given up."""
        there = await self.platform.blobs.uploads()
        discarded = 0
        for start in range(0, len(there), BATCH):
            some = there[start : start + BATCH]
            async with self.platform.database.sweep() as db:
                open_ones = await store.list_open_uploads(db, some)
            for upload in some:
                if upload not in open_ones:
                    await self.platform.blobs.discard(upload)
                    discarded += 1
        return discarded

    async def _remove_blobs(self) -> int:
        now = self.platform.clock.now()
        removed = 0
        async for digests in self.platform.blobs.digests():
            async with self.platform.database.sweep() as db:
                kept = await store.list_kept_digests(db, digests, deleted_before=now - rules.KEPT)
            for digest in digests:
                if digest not in kept:
                    removed += await self.platform.blobs.remove(
                        digest, put_before=now - rules.SETTLING
                    )
        return removed
