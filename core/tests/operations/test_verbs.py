"""What people do about operations: cancel, retry, resume, abandon; and what time does."""

from typing import Any

import psycopg
import pytest

from core.tests.operations.queues import Queue, make_queue
from core.tests.site import TimedSite
from moorage_core.errors import ApiError
from moorage_core.operations import rules

ERROR = {"code": "x", "message": "It did not work."}
STEP = {"number": 1, "name": "write", "status": "succeeded", "undo": {"function": "unwrite"}}


@pytest.fixture
async def queue(timed: TimedSite) -> Queue:
    return await make_queue(timed)


async def test_what_nobody_began_is_cancelled_at_once(queue: Queue) -> None:
    first, second = await queue.ask("instance.configure"), await queue.ask("instance.restart")

    await queue.verb(first, "cancel")
    await queue.verb(second, "cancel")

    assert await queue.statuses(first, second) == ["cancelled", "cancelled"]
    entries = await queue.site.rows("SELECT action FROM audit_entries WHERE target = %s", first)
    assert entries == [("apps.operation.cancel",)]


@pytest.mark.rule("OP-10")
async def test_whoever_is_at_work_is_asked_to_stop_and_takes_it_back(queue: Queue) -> None:
    id = await queue.ask("instance.configure")
    brief = await queue.take()
    await queue.done(brief, "running", steps=[STEP])

    await queue.verb(id, "cancel")
    heard = await queue.done(brief, "running")
    await queue.done(brief, "undoing", steps=[STEP | {"status": "undoing"}])
    await queue.done(brief, "cancelled", steps=[STEP | {"status": "undone"}])

    assert (heard.status, heard.cancel_reason) == ("running", "a test says so")
    found = await queue.get(id)
    assert (found["status"], found["direction"], found["residue"]) == ("cancelled", "undo", [])


async def test_what_waits_is_turned_round(queue: Queue) -> None:
    id = await queue.ask("member.drain", "w1", alone=True)
    await queue.done(await queue.take(), "waiting", wait={"seconds": 600})

    await queue.verb(id, "cancel")
    brief = await queue.take()

    assert (brief["direction"], await queue.status(id)) == ("undo", "undoing")
    await queue.done(brief, "cancelled")
    assert await queue.status(id) == "cancelled"


@pytest.mark.rule("OP-11")
async def test_what_could_not_be_taken_back_is_named(queue: Queue) -> None:
    id = await queue.ask("instance.configure")
    brief = await queue.take()
    await queue.verb(id, "cancel")

    left = {"what": "/etc/app", "where": "w1", "why": "read-only"}
    await queue.done(brief, "cancelled", residue=[left])

    found = await queue.get(id)
    assert (found["status"], found["error"]["code"]) == ("failed", "undo_incomplete")
    assert (found["residue"], found["verbs"]) == ([left], ["retry", "abandon"])


@pytest.mark.rule("OP-10")
async def test_past_the_point_of_no_return_it_rolls_forward_only(queue: Queue) -> None:
    id = await queue.ask("instance.upgrade")
    brief = await queue.take()
    await queue.done(brief, "running", steps=[STEP | {"no_return": True}])

    refused = await queue.verb(id, "cancel", status=409)

    assert refused["code"] == "rolls_forward_only"
    assert (await queue.get(id))["verbs"] == ["abandon"]


async def test_a_lost_controller_does_not_stop_a_cancel(queue: Queue) -> None:
    id = await queue.ask("instance.configure")
    await queue.take()
    await queue.verb(id, "cancel")

    await queue.pass_time(31)
    brief = await queue.take("two")

    assert (brief["id"], brief["direction"]) == (id, "undo")


async def test_retry_is_the_same_operation_at_the_end_of_the_line(queue: Queue) -> None:
    id = await queue.ask("instance.configure")
    await queue.done(await queue.take(), "failed", recovery="reconcilable")
    other = await queue.ask("instance.restart")

    again = await queue.verb(id, "retry")

    assert (again["status"], again["attempt"], again["error"]) == ("pending", 2, None)
    await queue.done(await queue.take(), "succeeded")
    brief = await queue.take()
    assert (await queue.status(other), brief["id"], brief["fence"]) == ("succeeded", id, 2)


async def test_a_person_lets_a_blocked_one_go_on(queue: Queue) -> None:
    id = await queue.ask("instance.configure")
    error = {"code": "disk_full", "message": "The disk is full.", "log": ["no space"]}
    await queue.done(await queue.take(), "blocked", error=error)
    assert (await queue.get(id))["error"] == error

    await queue.verb(id, "resume")

    assert (await queue.take())["attempt"] == 2


async def test_one_that_was_to_stop_when_it_got_stuck_is_taken_back(queue: Queue) -> None:
    id = await queue.ask("instance.configure", timeout=60)
    brief = await queue.take()
    await queue.done(brief, "running", steps=[STEP])
    await queue.verb(id, "cancel")
    for _ in range(4):
        await queue.done(brief, "running")
        await queue.pass_time(20)
    assert await queue.status(id) == "blocked"

    await queue.verb(id, "resume")

    brief = await queue.take()
    assert (brief["direction"], brief["cancel_requested"]) == ("undo", True)
    await queue.done(brief, "cancelled")
    assert await queue.status(id) == "cancelled"


@pytest.mark.parametrize("verb", ["retry", "cancel"])
@pytest.mark.parametrize("status", ["deleting", "delete_failed", "deleted"])
async def test_what_failed_stays_so_in_an_instance_that_goes(
    queue: Queue, verb: str, status: str
) -> None:
    failed = await queue.ask("action")
    await queue.done(await queue.take(), "failed", recovery="repairable", error=ERROR)
    await queue.site.sql.execute(
        """
        UPDATE instances SET status = %s, deleted_at = CASE WHEN %s = 'deleted' THEN now() END
        WHERE id = %s
        """,
        (status, status, queue.instance),
    )

    refused = await queue.verb(failed, verb, status=409)

    assert refused["code"] == "invalid_transition"
    await queue.verb(failed, "abandon")


async def test_a_decommissioning_that_failed_is_tried_again(queue: Queue) -> None:
    failed = await queue.ask("instance.decommission")
    await queue.done(await queue.take(), "failed", recovery="repairable", error=ERROR)
    await queue.site.sql.execute(
        "UPDATE instances SET status = 'delete_failed' WHERE id = %s", (queue.instance,)
    )

    await queue.verb(failed, "retry")

    assert await queue.status(failed) == "ready"


async def test_an_abandoned_one_opens_nothing_any_more(queue: Queue) -> None:
    id = await queue.ask("member.add", "w1", alone=True)
    brief = await queue.take()
    await queue.verb(id, "abandon", status=409)
    await queue.verb(id, "cancel")

    found = await queue.verb(id, "abandon")
    late = await queue.say(brief, "succeeded")

    assert found["status"] == "abandoned"
    assert [each["what"] for each in found["residue"]] == ["unknown"]
    assert isinstance(late, ApiError)
    assert late.code == "grant_ended"


# Parents


async def test_a_bulk_that_is_cancelled_is_finished_for_those_that_are_done(queue: Queue) -> None:
    id = await queue.ask("member.add", "w1", "w2", "w3", max_parallel=2)
    await queue.done(await queue.take(), "succeeded")
    first, second = await queue.claim()
    await queue.done(first, "succeeded")

    await queue.verb(id, "cancel")
    assert await queue.child_statuses(id) == {
        "w1": "succeeded",
        "w2": "running",
        "w3": "cancelled",
    }
    await queue.done(second, "cancelled")
    finish = await queue.take()
    await queue.done(finish, "succeeded")

    assert (finish["phase"], finish["direction"]) == ("finish", "forward")
    assert await queue.status(id) == "cancelled"


async def test_to_stop_or_abandon_many_costs_no_more_statements_than_to_stop_few(
    queue: Queue,
) -> None:
    database, costs = queue.platform.database, list[list[int]]()
    for count in (2, 12):
        id = await queue.ask("member.add", *(f"w{count}-{number}" for number in range(count)))
        await queue.done(await queue.take(), "succeeded")
        await queue.claim()
        cost: list[int] = []
        for verb in ("cancel", "abandon"):
            before = database.statements
            await queue.verb(id, verb)
            cost.append(database.statements - before)
        costs.append(cost)

    assert costs[0] == costs[1]


async def test_a_bulk_of_which_nothing_was_done_is_taken_back(queue: Queue) -> None:
    id = await queue.ask("member.add", "w1", "w2")
    prepare = await queue.take()
    await queue.done(prepare, "running", steps=[STEP | {"phase": "prepare"}])
    await queue.done(prepare, "succeeded")

    await queue.verb(id, "cancel")
    brief = await queue.take()

    assert (brief["id"], brief["phase"], brief["direction"]) == (id, "prepare", "undo")
    assert brief["children"] == {"total": 2, "ended": 2, "succeeded": 0, "failed": 0}


@pytest.mark.parametrize("asked_by", ["a person", "its deadline"])
async def test_a_bulk_that_is_asked_to_stop_while_it_prepares_begins_no_child(
    queue: Queue, asked_by: str
) -> None:
    id = await queue.ask("member.add", "w1", "w2", max_parallel=1, timeout=60)
    prepare = await queue.take()
    if asked_by == "a person":
        await queue.verb(id, "cancel")
    else:
        for _ in range(4):
            await queue.done(prepare, "running")
            await queue.pass_time(20)

    await queue.done(prepare, "succeeded")

    assert await queue.child_statuses(id) == {"w1": "cancelled", "w2": "cancelled"}
    brief = await queue.take()
    assert (brief["id"], brief["phase"], brief["direction"]) == (id, "prepare", "undo")
    await queue.done(brief, "cancelled")
    assert await queue.status(id) == "cancelled"


async def test_whoever_takes_over_one_that_is_to_stop_stops_its_children_by_saying_so(
    queue: Queue,
) -> None:
    id = await queue.ask("instance.deploy", "w1", "w2", max_parallel=1)
    await queue.take()
    await queue.verb(id, "cancel")
    await queue.pass_time(31)

    await queue.done(await queue.take("two"), "undoing")

    assert await queue.child_statuses(id) == {"w1": "cancelled", "w2": "cancelled"}


async def test_a_bulk_that_is_tried_again_keeps_what_it_did_when_it_is_asked_to_stop(
    queue: Queue,
) -> None:
    id = await queue.ask("member.add", "w1", "w2")
    await queue.done(await queue.take(), "succeeded")
    first, second = await queue.claim()
    await queue.done(first, "succeeded")
    await queue.done(second, "failed", recovery="repairable", error=ERROR)
    await queue.done(await queue.take(), "succeeded")
    await queue.verb(id, "retry")
    prepare = await queue.take()

    await queue.verb(id, "cancel")
    await queue.done(prepare, "succeeded")

    assert await queue.finish() == ["member.add", "member.add finish"]
    assert await queue.child_statuses(id) == {"w1": "succeeded", "w2": "cancelled"}
    assert await queue.status(id) == "cancelled"


async def test_a_bulk_that_is_cancelled_before_its_end_is_finished_for_its_members(
    queue: Queue,
) -> None:
    id = await queue.ask("member.add", "w1")
    prepare = await queue.take()
    await queue.done(prepare, "running", steps=[STEP | {"phase": "prepare"}])
    await queue.done(prepare, "succeeded")
    await queue.done(await queue.take(), "succeeded")

    await queue.verb(id, "cancel")
    brief = await queue.take()
    await queue.done(brief, "waiting", wait={"seconds": 5})
    await queue.pass_time(10)
    again = await queue.take()
    await queue.done(again, "succeeded")

    for each in (brief, again):
        assert (each["phase"], each["direction"]) == ("finish", "forward")
        assert each["cancel_requested"] is True
    assert await queue.status(id) == "cancelled"
    assert await queue.child_statuses(id) == {"w1": "succeeded"}


async def test_a_deployment_that_is_cancelled_is_taken_back(queue: Queue) -> None:
    id = await queue.ask("instance.deploy", "w1", "w2", max_parallel=1)
    prepare = await queue.take()
    await queue.done(prepare, "running", steps=[STEP | {"phase": "prepare"}])
    await queue.done(prepare, "succeeded")
    await queue.done(await queue.take(), "succeeded")

    await queue.verb(id, "cancel")
    brief = await queue.take()

    assert (brief["id"], brief["phase"], brief["direction"]) == (id, "prepare", "undo")
    await queue.done(brief, "cancelled")
    assert await queue.status(id) == "cancelled"


async def test_children_end_with_a_parent_that_fails_and_are_tried_again_with_it(
    queue: Queue,
) -> None:
    id = await queue.ask("member.add", "w1", "w2")
    await queue.done(await queue.take(), "failed", recovery="repairable")
    assert await queue.child_statuses(id) == {"w1": "failed", "w2": "failed"}
    assert (await queue.children(id))["w1"]["verbs"] == ["abandon"]

    await queue.verb(id, "retry")

    assert await queue.child_statuses(id) == {"w1": "pending", "w2": "pending"}
    assert await queue.finish() == [
        "member.add prepare",
        "member.add",
        "member.add",
        "member.add finish",
    ]
    found = await queue.get(id)
    assert (found["status"], found["children"]) == (
        "succeeded",
        {"total": 2, "ended": 2, "succeeded": 2, "failed": 0},
    )


async def test_a_parent_whose_children_failed_is_tried_again_with_those(queue: Queue) -> None:
    id = await queue.ask("member.add", "w1", "w2")
    await queue.done(await queue.take(), "succeeded")
    first, second = await queue.claim()
    await queue.done(first, "succeeded")
    await queue.done(second, "failed", recovery="reconcilable")
    await queue.done(await queue.take(), "succeeded")
    assert (await queue.get(id))["error"]["code"] == "children_failed"

    await queue.verb(id, "retry")

    assert await queue.finish() == ["member.add prepare", "member.add", "member.add finish"]
    assert await queue.status(id) == "succeeded"


async def test_one_child_is_tried_again_while_its_parent_is_at_its_children(queue: Queue) -> None:
    id = await queue.ask("member.add", "w1", "w2")
    await queue.done(await queue.take(), "succeeded")
    first, second = await queue.claim()
    await queue.done(second, "failed", recovery="reconcilable")

    await queue.verb(second["id"], "retry")
    await queue.done(await queue.take(), "succeeded")
    await queue.done(first, "succeeded")

    assert await queue.finish() == ["member.add finish"]
    assert await queue.status(id) == "succeeded"


async def test_whoever_preempts_asks_those_ahead_to_stop(queue: Queue) -> None:
    running = await queue.ask("member.drain", "w1", alone=True)
    brief = await queue.take()
    waiting = await queue.ask("instance.configure")

    stop = await queue.ask("instance.stop", preempts=True)

    assert await queue.statuses(running, waiting, stop) == ["running", "cancelled", "pending"]
    assert (await queue.get(running))["cancel_requested_at"] is not None
    await queue.done(brief, "cancelled")
    assert await queue.status(stop) == "ready"


# Time


@pytest.mark.rule("OP-13")
async def test_a_late_one_is_asked_to_stop_and_then_needs_a_person(queue: Queue) -> None:
    id = await queue.ask("instance.configure", timeout=60)
    brief = await queue.take()
    for _ in range(4):
        await queue.pass_time(20)
        await queue.done(brief, "running")
    assert (await queue.get(id))["cancel_reason"] == "Its time is over."

    for _ in range(4):
        await queue.pass_time(20)
        await queue.say(brief, "running")

    found = await queue.get(id)
    assert (found["status"], found["error"]["code"]) == ("blocked", "undo_outlasted")
    assert found["verbs"] == ["resume", "abandon"]


async def test_time_does_not_count_for_what_waits_by_its_own_policy(queue: Queue) -> None:
    id = await queue.ask("member.drain", "w1", alone=True, timeout=60, patient=True)
    await queue.done(await queue.take(), "waiting", wait={"seconds": 3600})

    await queue.pass_time(3601)

    found = await queue.get(id)
    assert (found["status"], found["cancel_requested_at"]) == ("ready", None)


async def test_time_counts_for_what_waits_otherwise(queue: Queue) -> None:
    id = await queue.ask("member.drain", "w1", alone=True, timeout=60)
    await queue.done(await queue.take(), "waiting", wait={"seconds": 3600})

    await queue.pass_time(61)

    found = await queue.get(id)
    assert (found["status"], found["direction"]) == ("ready", "undo")


# With the controller gone for ever

ROADS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "ready": [],
    "running": [("running", {})],
    "running past no return": [("running", {"steps": [STEP | {"no_return": True}]})],
    "waiting": [("waiting", {"wait": {"hints": ["never"]}})],
    "blocked": [("blocked", {})],
    "undoing": [("running", {"steps": [STEP]}), ("cancel", {}), ("undoing", {})],
    "failed": [("failed", {"recovery": "terminal"})],
    "failed undo": [("cancel", {}), ("failed", {"recovery": "terminal"})],
    "blocked undo": [("cancel", {}), ("blocked", {})],
}


@pytest.mark.parametrize("kind", ["instance.configure", "member.add"])
@pytest.mark.parametrize("road", ROADS)
@pytest.mark.rule("OP-14")
async def test_everything_ends_with_the_controller_gone(queue: Queue, road: str, kind: str) -> None:
    members = ("w1", "w2") if kind == "member.add" else ()
    id = await queue.ask(kind, *members)
    if ROADS[road]:
        brief = await queue.take()
        for state, said in ROADS[road]:
            if state == "cancel":
                await queue.verb(id, "cancel")
            else:
                await queue.done(brief, state, **said)

    for _ in range(4):
        offered = (await queue.get(id))["verbs"]
        verb = next((v for v in ("cancel", "abandon") if v in offered), None)
        if verb is None:
            break
        await queue.verb(id, verb)
        await queue.pass_time(31)

    assert await queue.status(id) in {"cancelled", "abandoned"}
    assert set((await queue.child_statuses(id)).values()) <= rules.ENDED


async def test_the_code_and_the_database_know_the_same_moves(queue: Queue) -> None:
    rows = await queue.site.rows("SELECT before, after FROM operation_moves")

    assert set(rows) == {(before, after) for before in rules.NEXT for after in rules.NEXT[before]}


async def test_the_database_refuses_any_other_move(queue: Queue) -> None:
    id = await queue.ask("instance.configure")

    with pytest.raises(psycopg.errors.CheckViolation):
        await queue.site.sql.execute(
            "UPDATE operations SET status = 'succeeded', ended_at = now() WHERE id = %s", (id,)
        )


@pytest.mark.rule("OP-8")
async def test_the_database_refuses_what_conflicts(queue: Queue) -> None:
    await queue.ask("instance.configure")
    behind = await queue.ask("member.drain", "w1", alone=True)

    with pytest.raises(psycopg.errors.ExclusionViolation):
        await queue.site.sql.execute(
            "UPDATE operations SET status = 'ready' WHERE id = %s", (behind,)
        )
