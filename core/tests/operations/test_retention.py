"""Old operations go with their journal; a parent not before its children."""

from datetime import timedelta

from core.tests.operations.queues import make_queue
from core.tests.site import TimedSite
from moorage_core.retention import store


async def test_old_operations_go_children_first(timed: TimedSite) -> None:
    queue = await make_queue(timed)
    id = await queue.ask("member.add", "w1", "w2")
    step = {"phase": "prepare", "number": 1, "name": "look", "status": "succeeded"}
    prepare = await queue.take()
    await queue.done(prepare, "running", steps=[step])
    await queue.done(prepare, "succeeded")
    await queue.finish()

    before = queue.platform.clock.now() + timedelta(days=1)
    async with queue.platform.database.sweep() as db:
        first = await store.delete_operations(db, before=before, limit=100)
        second = await store.delete_operations(db, before=before, limit=100)

    left = await queue.site.rows(
        "SELECT count(*) FROM operations WHERE id = %s OR parent_id = %s", id, id
    )
    assert (first, second, left) == (2, 1, [(0,)])
