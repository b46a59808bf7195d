"""Tasks whose time has passed."""

from datetime import timedelta
from typing import Any

import pytest

from core.tests.site import TimedSite
from core.tests.tasks.workplaces import Workplace, exec_wish, make_workplace
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
