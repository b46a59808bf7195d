"""Old tasks go with their output; what has not ended stays, and so does the operation."""

from datetime import timedelta

from core.tests.factories import machines
from core.tests.site import TimedSite, fresh
from core.tests.tasks.workplaces import Workplace, make_workplace
from moorage_core.retention.sweeps import DeleteExpired


async def add_output(place: Workplace, task: str) -> None:
    await machines.insert(
        place.site,
        "task_outputs",
        task_id=task,
        stream="stdout",
        at_offset=0,
        node_id=place.node,
        content=b"hello",
        org_id=place.tenant.org.id,
        project_id=place.tenant.project.id,
    )


async def test_tasks_go_a_month_after_their_end(timed: TimedSite) -> None:
    place = await make_workplace(timed)
    now = timed.clock.now()
    old = await place.queue(status="succeeded", ended_at=now - timedelta(days=31))
    recent = await place.queue(status="succeeded", ended_at=now - timedelta(days=29))
    waiting = await place.queue(created_at=now - timedelta(days=90))
    for task in (old, recent):
        await add_output(place, task)

    await DeleteExpired(timed.platform).activate()

    kept = await timed.rows("SELECT id FROM tasks WHERE node_id = %s", place.node)
    output = await timed.rows("SELECT task_id FROM task_outputs WHERE node_id = %s", place.node)
    assert {id for (id,) in kept} == {recent, waiting}
    assert output == [(recent,)]
    assert await timed.rows("SELECT 1 FROM operations WHERE id = %s", place.operation)


async def test_what_hosts_said_is_kept_for_a_year(timed: TimedSite) -> None:
    place = await make_workplace(timed)
    for age in (364, 366):
        await machines.insert(
            timed,
            "node_evidence",
            id=f"evd_{age}_{fresh()}",
            org_id=place.tenant.org.id,
            project_id=place.tenant.project.id,
            node_id=place.node,
            kind="ssh.login",
            key=str(age),
            received_at=timed.clock.now() - timedelta(days=age),
            data={},
        )

    await DeleteExpired(timed.platform).activate()

    kept = await timed.rows("SELECT key FROM node_evidence WHERE node_id = %s", place.node)
    assert kept == [("364",)]
