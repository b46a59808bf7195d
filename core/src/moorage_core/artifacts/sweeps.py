"""Background work of artifacts: bytes that nobody needs."""

from datetime import timedelta
from typing import Any

from moorage_core import unit
from moorage_core.artifacts import rules, store, uploads
from moorage_core.artifacts.commands import DISCARD_TOPIC
from moorage_core.background.driver import Sweep

BATCH = 100


class DiscardUploads(Sweep):
    """Forget uploads that nobody goes on with; throw away bytes that no row waits for."""

    every = timedelta(hours=1)
    topics = (DISCARD_TOPIC,)

    async def activate(self) -> dict[str, Any]:
        return {"idle": await self._give_up(), "discarded": await self._discard()}

    async def _give_up(self) -> int:
        """The row is as old as the announcement; whether bytes still come, the store knows."""
        before = self.platform.clock.now() - rules.IDLE
        given_up, after = 0, ""
        while True:
            async with self.platform.database.sweep() as db:
                found = await store.list_old_uploads(db, before=before, after=after, limit=BATCH)
            for row in found:
                touched = await self.platform.blobs.touched_at(row["id"])
                if touched is None or touched < before:
                    async with unit.work(self.platform, row["org_id"]) as ctx:
                        given_up += await uploads.give_up(ctx, row["id"], org=row["org_id"])
            if len(found) < BATCH:
                return given_up
            after = found[-1]["id"]

    async def _discard(self) -> int:
        """What is completed, deleted or given up."""
        there = await self.platform.blobs.uploads()
        discarded = 0
        for start in range(0, len(there), BATCH):
            some = there[start : start + BATCH]
            async with self.platform.database.sweep() as db:
                waiting = await store.list_open_uploads(db, some)
            for upload in some:
                if upload not in waiting:
                    await self.platform.blobs.discard(upload)
                    discarded += 1
        return discarded


class RemoveBlobs(Sweep):
    """Remove blobs that no row names, and none has named for a day.

    Looks at every blob, so it looks seldom: nothing waits for the room of a day ago.
    """

    every = timedelta(hours=6)

    async def activate(self) -> dict[str, Any]:
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
        return {"removed": removed}
