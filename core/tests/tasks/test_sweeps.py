"""Tasks whose time has passed."""

import dataclasses
from datetime import timedelta
from typing import Any

import pytest

from core.tests.site import TimedSite
from core.tests.tasks.workplaces import Workplace, exec_wish, make_workplace
from moorage_core.context import Context
from moorage_core.tasks import store
from moorage_core.tasks.models import Task
from moorage_core.tasks.sweeps import ExpireTasks


async def begin(timed: TimedSite) -> tuple[Workplace, dict[str, Any]]:
    place = await make_workplace(timed)
    await timed.rows("UPDATE operations SET lease_expires_at = %s", timed.clock.now() + DAY)
    (task,) = await place.ask(exec_wish(timeout=60))
    return place, task


DAY = timedelta(days=1)


@pytest.mark.rule("TK-5")
async def test_a_task_that_no_node_takes_is_given_up(timed: TimedSite) -> None:
    place, task = await begin(timed)
    timed.clock.move(timedelta(minutes=11))

    await ExpireTasks(timed.platform).activate()

    row = await place.row(task["id"])
    assert (row["status"], row["error_code"]) == ("timed_out", "never_taken")


async def test_a_task_that_waits_is_left_alone(timed: TimedSite) -> None:
    place, task = await begin(timed)
    timed.clock.move(timedelta(minutes=9))

    await ExpireTasks(timed.platform).activate()

    assert (await place.row(task["id"]))["status"] == "queued"


@pytest.mark.rule("TK-5")
async def test_a_task_that_nobody_hears_of_again_is_unknown(timed: TimedSite) -> None:
    place, task = await begin(timed)
    await place.poll()
    await place.say(task["id"], "running")
    timed.clock.move(timedelta(seconds=121))

    await ExpireTasks(timed.platform).activate()

    row = await place.row(task["id"])
    assert (row["status"], row["error_code"]) == ("unknown", "not_heard_of")


async def test_a_running_task_has_its_own_time_and_the_way_back(timed: TimedSite) -> None:
    place, task = await begin(timed)
    await place.poll()
    await place.say(task["id"], "running")
    timed.clock.move(timedelta(seconds=119))

    await ExpireTasks(timed.platform).activate()

    assert (await place.row(task["id"]))["status"] == "running"


async def test_tasks_that_wait_for_room_on_a_busy_node_are_not_given_up(timed: TimedSite) -> None:
    place = await make_workplace(timed)
    await timed.rows("UPDATE operations SET lease_expires_at = %s", timed.clock.now() + DAY)
    await place.ask(*[exec_wish(timeout=3600) for _ in range(40)])
    begun = (await place.poll()).tasks
    for task in begun:
        await place.say(task.id, "running")
    timed.clock.move(timedelta(minutes=50))

    await ExpireTasks(timed.platform).activate()

    states = await timed.rows(
        "SELECT status, count(*) FROM tasks WHERE node_id = %s GROUP BY 1 ORDER BY 1", place.node
    )
    assert states == [("queued", 8), ("running", 32)]


async def test_a_silent_node_with_room_is_not_waited_for(timed: TimedSite) -> None:
    place, first = await begin(timed)
    await timed.rows("UPDATE tasks SET timeout_seconds = 7200 WHERE id = %s", first["id"])
    await place.poll()
    await place.say(first["id"], "running")
    (waiting,) = await place.ask(exec_wish())
    timed.clock.move(timedelta(minutes=11))

    await ExpireTasks(timed.platform).activate()

    assert (await place.row(first["id"]))["status"] == "running"
    assert (await place.row(waiting["id"]))["error_code"] == "never_taken"


async def test_a_task_that_its_node_has_and_has_not_begun_is_not_given_up(
    timed: TimedSite,
) -> None:
    place, task = await begin(timed)
    await place.poll()
    for _ in range(8):
        timed.clock.move(timedelta(seconds=20))
        await place.poll((task["id"], "received"))

    await ExpireTasks(timed.platform).activate()

    assert (await place.row(task["id"]))["status"] == "sent"


class Refusing:
    """A slice that cannot say what the end of a task means in one of the orgs."""

    def __init__(self, org: str) -> None:
        self.org = org

    async def render(self, ctx: Context, task: Task) -> dict[str, Any]:
        return task.input

    async def ended(self, ctx: Context, task: Task) -> None:
        if task.org_id == self.org:
            raise RuntimeError("a bug that one org meets")


async def test_trouble_in_one_org_keeps_no_task_of_another_open(timed: TimedSite) -> None:
    place, stuck = await begin(timed)
    other, task = await begin(timed)
    timed.clock.move(timedelta(minutes=11))
    hooks = {"exec": Refusing(place.tenant.org.id)}

    await ExpireTasks(dataclasses.replace(timed.platform, task_hooks=hooks)).activate()

    assert (await place.row(stuck["id"]))["status"] == "queued"
    assert (await other.row(task["id"]))["status"] == "timed_out"


async def test_many_due_tasks_of_one_org_keep_no_other_waiting(timed: TimedSite) -> None:
    place, _ = await begin(timed)
    await place.ask(*(exec_wish(key=f"step/{number}", timeout=60) for number in range(5)))
    other, task = await begin(timed)
    timed.clock.move(timedelta(minutes=11))

    async with timed.platform.database.sweep() as db:
        found = await store.list_due(db, now=timed.clock.now(), limit=200)

    theirs = (place.tenant.org.id, other.tenant.org.id)
    due = [row["org_id"] for row in found if row["org_id"] in theirs]
    assert set(due[:2]) == set(theirs)
    assert task["id"] in [row["id"] for row in found]
