"""From the wish to the end: order, leases, parents and children, through Postgres."""

from datetime import timedelta

import pytest

from core.tests.operations.queues import Queue, make_queue
from core.tests.site import TimedSite
from moorage_core import unit
from moorage_core.errors import ApiError, Conflict
from moorage_core.operations import commands
from moorage_core.operations.models import NewChild, Operation


class PolicyRefused(Conflict):
    """Not any more."""

    code = "policy_refused"


@pytest.fixture
async def queue(timed: TimedSite) -> Queue:
    return await make_queue(timed)


async def test_a_wish_is_claimed_done_and_told(queue: Queue) -> None:
    id = await queue.ask("instance.configure")

    brief = await queue.take()
    await queue.done(brief, "succeeded", result={"moved": 3})

    found = await queue.get(id)
    assert (brief["id"], brief["fence"], brief["phase"]) == (id, 1, None)
    assert (found["status"], found["result"], found["verbs"]) == ("succeeded", {"moved": 3}, [])
    assert queue.target.of(id) == ["ready", "running", "succeeded"]
    events = await queue.site.rows(
        "SELECT type, app_instance_id FROM events WHERE subject = %s ORDER BY id", id
    )
    assert events == [
        (f"apps.operation.{state}", queue.instance)
        for state in ("requested", "running", "succeeded")
    ]


async def test_exclusive_ones_come_one_by_one_in_order(queue: Queue) -> None:
    first = await queue.ask("instance.configure")
    drain = await queue.ask("member.drain", "w1", alone=True)
    second = await queue.ask("instance.restart")

    assert await queue.statuses(first, drain, second) == ["ready", "pending", "pending"]
    await queue.done(await queue.take(), "succeeded")
    assert await queue.statuses(first, drain, second) == ["succeeded", "ready", "pending"]
    await queue.done(await queue.take(), "succeeded")
    assert await queue.status(second) == "ready"


@pytest.mark.rule("OP-1")
async def test_claims_are_fair_between_instances(queue: Queue, timed: TimedSite) -> None:
    other = await make_queue(timed, queue.tenant)
    many = [await queue.ask("member.drain", f"w{n}", alone=True) for n in range(3)]
    late = await other.ask("instance.configure")

    claimed = [brief["id"] for brief in await queue.claim(limit=2)]

    assert claimed == [many[0], late]


@pytest.mark.rule("OP-9")
async def test_a_bulk_prepares_once_and_finishes_once(queue: Queue) -> None:
    id = await queue.ask("member.add", "w1", "w2", "w3", max_parallel=2)

    prepare = await queue.take()
    assert (prepare["phase"], len(prepare["batch"])) == ("prepare", 3)
    await queue.done(prepare, "succeeded")
    assert await queue.child_statuses(id) == {"w1": "ready", "w2": "ready", "w3": "pending"}
    first, second = await queue.claim()
    await queue.done(first, "succeeded")
    (third,) = await queue.claim()
    await queue.done(second, "succeeded")
    assert await queue.status(id) == "waiting"
    await queue.done(third, "succeeded")
    finish = await queue.take()
    await queue.done(finish, "succeeded")

    assert finish["phase"] == "finish"
    assert finish["children"] == {"total": 3, "ended": 3, "succeeded": 3, "failed": 0}
    assert await queue.status(id) == "succeeded"


async def test_a_parent_without_children_prepares_and_finishes(queue: Queue) -> None:
    id = await queue.ask("instance.decommission", parent=True)

    assert await queue.finish() == ["instance.decommission prepare", "instance.decommission finish"]
    assert await queue.status(id) == "succeeded"


async def test_waves_come_one_after_another(queue: Queue) -> None:
    leader, worker = await queue.member("leader"), await queue.member("worker")
    children = (NewChild("member.add", worker, wave=1), NewChild("member.add", leader, wave=0))

    id = await queue.ask("instance.deploy", children=children)
    await queue.done(await queue.take(), "succeeded")

    assert await queue.child_statuses(id) == {"leader": "ready", "worker": "pending"}
    await queue.done(await queue.take(), "succeeded")
    assert await queue.child_statuses(id) == {"leader": "succeeded", "worker": "ready"}


async def test_nobody_comes_between_a_deployment_and_its_children(queue: Queue) -> None:
    await queue.ask("instance.deploy", "w1", child={"kind": "member.add"})
    await queue.done(await queue.take(), "succeeded")

    drain = await queue.ask("member.drain", "w2", alone=True)

    assert await queue.status(drain) == "pending"
    assert await queue.finish() == ["member.add", "instance.deploy finish", "member.drain"]
    assert await queue.status(drain) == "succeeded"


async def test_a_child_that_cannot_be_done_yet_waits_for_its_word(queue: Queue) -> None:
    child = {"kind": "member.add", "waits_for": ("allocation:a",)}
    id = await queue.ask("member.add", "w1", child=child)
    await queue.done(await queue.take(), "succeeded")

    assert await queue.child_statuses(id) == {"w1": "waiting"}
    await wake(queue, "allocation:b")
    assert await queue.child_statuses(id) == {"w1": "waiting"}
    await wake(queue, "allocation:a")
    assert await queue.child_statuses(id) == {"w1": "ready"}


async def wake(queue: Queue, topic: str) -> None:
    org = queue.tenant.org.id
    async with unit.work(queue.platform, org) as ctx:
        await commands.lock_instance(ctx, queue.instance, org=org)
        await commands.wake(ctx, queue.instance, org=org, topics={topic})


@pytest.mark.rule("OP-9")
async def test_a_budget_that_is_exceeded_ends_what_was_not_begun(queue: Queue) -> None:
    id = await queue.ask("member.add", "w1", "w2", "w3", max_parallel=1, failure_budget=0)
    await queue.done(await queue.take(), "succeeded")

    failure = {"error": {"code": "no_disk", "message": "no disk"}, "recovery": "terminal"}
    await queue.done(await queue.take(), "failed", **failure)

    assert await queue.child_statuses(id) == {"w1": "failed", "w2": "cancelled", "w3": "cancelled"}
    await queue.done(await queue.take(), "succeeded")
    found = await queue.get(id)
    assert (found["status"], found["error"]["code"]) == ("failed", "children_failed")


async def test_what_waits_comes_back_when_its_time_has_come(queue: Queue) -> None:
    id = await queue.ask("member.drain", "w1", alone=True)
    await queue.done(await queue.take(), "waiting", wait={"seconds": 60}, message="2 jobs left")

    await queue.pass_time(59)
    assert await queue.status(id) == "waiting"
    await queue.pass_time(2)

    assert await queue.status(id) == "ready"
    assert (await queue.take())["fence"] == 2


async def test_what_failed_retryably_is_tried_again_by_itself_and_then_not(queue: Queue) -> None:
    id = await queue.ask("instance.configure")
    pauses = 0

    while (brief := await queue.take())["attempt"] < 6:
        await queue.done(brief, "failed", recovery="retryable")
        assert await queue.status(id) == "waiting"
        pauses += 1
        await queue.pass_time(301)
    await queue.done(brief, "failed", recovery="retryable")

    found = await queue.get(id)
    assert (pauses, found["status"], found["attempt"]) == (5, "failed", 6)
    assert found["verbs"] == ["retry", "cancel", "abandon"]


@pytest.mark.parametrize(
    ("recovery", "status", "verbs"),
    [
        ("operator", "blocked", ["resume", "cancel", "abandon"]),
        ("reconcilable", "failed", ["retry", "cancel", "abandon"]),
        ("repairable", "failed", ["retry", "cancel", "abandon"]),
        ("terminal", "failed", ["cancel", "replace", "abandon"]),
    ],
)
@pytest.mark.rule("OP-12")
async def test_the_class_of_a_failure_says_what_can_be_done(
    queue: Queue, recovery: str, status: str, verbs: list[str]
) -> None:
    id = await queue.ask("member.drain", "w1", alone=True)

    await queue.done(await queue.take(), "failed", recovery=recovery)

    found = await queue.get(id)
    assert (found["status"], found["recovery"], found["verbs"]) == (status, recovery, verbs)


async def test_an_action_that_was_refused_asks_for_no_other_member(queue: Queue) -> None:
    id = await queue.ask("action", "w1", alone=True)

    await queue.done(await queue.take(), "failed", recovery="terminal")

    assert (await queue.get(id))["verbs"] == ["cancel", "abandon"]


# Leases, fences and numbers


@pytest.mark.rule("OP-2")
async def test_a_silent_controller_loses_what_it_has(queue: Queue) -> None:
    await queue.ask("instance.configure")
    lost = await queue.take("one")

    await queue.pass_time(31)
    taken = await queue.take("two")
    late = await queue.say(lost, "succeeded")

    assert (taken["id"], taken["fence"]) == (lost["id"], lost["fence"] + 1)
    assert isinstance(late, Conflict)
    assert late.code == "grant_ended"
    await queue.done(taken, "succeeded")


@pytest.mark.rule("OP-2")
async def test_the_same_holder_goes_on_while_nobody_has_taken_it(queue: Queue) -> None:
    id = await queue.ask("instance.configure")
    brief = await queue.take()

    await queue.pass_time(31)
    assert await queue.status(id) == "ready"
    await queue.done(brief, "running", message="still here")

    assert await queue.status(id) == "running"
    assert await queue.claim("two") == []
    await queue.done(brief, "succeeded")


async def test_renewals_keep_what_one_has(queue: Queue) -> None:
    id = await queue.ask("instance.configure")
    brief = await queue.take()

    for _ in range(5):
        await queue.pass_time(20)
        await queue.done(brief, "running")

    assert await queue.status(id) == "running"


@pytest.mark.rule("OP-3")
async def test_a_report_that_comes_twice_counts_once(queue: Queue) -> None:
    id = await queue.ask("instance.configure")
    brief = await queue.take()
    step = {"number": 1, "name": "write", "status": "succeeded", "result": 1}

    first = await queue.done(brief, "running", steps=[step], sequence=1)
    again = await queue.done(brief, "running", steps=[step | {"result": 2}], sequence=1)
    gap = await queue.say(brief, "running", sequence=3)

    assert (first.sequence, again.sequence) == (1, 1)
    assert isinstance(gap, ApiError)
    assert gap.code == "sequence_gap"
    steps = await queue.tenant.admin.get(f"/v1/operations/{id}/steps")
    assert [each["result"] for each in steps.json()["items"]] == [1]


@pytest.mark.rule("OP-4")
async def test_a_lost_answer_is_told_again_with_the_same_token(queue: Queue) -> None:
    id = await queue.ask("instance.configure")
    first = await queue.take()

    (again,) = await queue.tell([id])

    assert again["grant"] == first["grant"]
    assert queue.target.of(id) == ["ready", "running"]
    assert again["handout"] == first["handout"] == 1


async def test_after_an_outage_every_live_lease_gets_a_full_term(queue: Queue) -> None:
    id = await queue.ask("instance.configure")
    brief = await queue.take()
    await queue.sweep()

    await outage(queue, seconds=120)
    assert await queue.status(id) == "running"

    await queue.pass_time(29)
    assert await queue.status(id) == "running"
    await queue.pass_time(2)
    assert await queue.status(id) == "ready"
    await queue.done(brief, "succeeded")


async def outage(queue: Queue, *, seconds: int) -> None:
    """Time passes, and nobody was there to see it."""
    queue.site.clock.move(timedelta(seconds=seconds))
    await queue.sweep()


@pytest.mark.rule("OP-15")
async def test_policy_is_asked_again_at_the_first_claim(queue: Queue) -> None:
    id = await queue.ask("instance.upgrade")
    queue.target.refuses = PolicyRefused("The overlay was narrowed.")

    assert await queue.claim() == []

    found = await queue.get(id)
    assert (found["status"], found["error"]["code"]) == ("failed", "policy_refused")


async def test_what_its_target_cannot_follow_fails_alone(queue: Queue) -> None:
    stuck = await queue.ask("action")
    fine = await queue.ask("action")
    queue.target.cannot_begin = {stuck}

    (told,) = await queue.claim()

    assert told["id"] == fine
    found = await queue.get(stuck)
    assert (found["status"], found["recovery"]) == ("failed", "operator")
    assert found["error"]["message"] == "It is not in the state for that."
    assert (await queue.get(fine))["status"] == "running"


@pytest.mark.rule("OP-6")
async def test_policy_is_asked_by_whoever_hands_it_over_first(queue: Queue) -> None:
    id = await queue.ask("instance.configure")
    await queue.reserve()
    await queue.pass_time(40)
    queue.target.refuses = PolicyRefused("No more of these.")

    assert await queue.claim("two") == []
    assert await queue.status(id) == "failed"


async def test_policy_is_not_asked_again_in_the_middle(queue: Queue) -> None:
    id = await queue.ask("instance.configure")
    await queue.take()
    await queue.pass_time(40)
    queue.target.refuses = PolicyRefused("No more of these.")

    await queue.take("two")

    assert await queue.status(id) == "running"


async def test_policy_is_asked_again_at_a_retry(queue: Queue) -> None:
    id = await queue.ask("instance.configure")
    error = {"code": "x", "message": "m"}
    await queue.done(await queue.take(), "failed", recovery="repairable", error=error)
    queue.site.clock.move(timedelta(seconds=1))
    queue.target.refuses = PolicyRefused("No more of these.")

    await queue.verb(id, "retry")

    assert await queue.claim() == []
    assert await queue.status(id) == "failed"


async def test_steps_that_are_done_do_not_change(queue: Queue) -> None:
    await queue.ask("instance.configure")
    brief = await queue.take()
    step = {"number": 1, "name": "write", "status": "succeeded"}
    await queue.done(brief, "running", steps=[step])

    other = await queue.say(brief, "running", steps=[step | {"status": "running"}])
    renamed = await queue.say(brief, "running", sequence=2, steps=[step | {"name": "read"}])
    await queue.done(brief, "running", sequence=2, steps=[step | {"status": "undone"}])

    assert [answer.code for answer in (other, renamed) if isinstance(answer, ApiError)] == [
        "step_final",
        "step_final",
    ]


@pytest.mark.rule("OP-6")
async def test_a_journal_has_a_size(queue: Queue) -> None:
    await queue.ask("instance.configure")
    brief = await queue.take()

    large = {"number": 1, "name": "write", "status": "succeeded", "result": "x" * 70_000}
    answer = await queue.say(brief, "running", steps=[large])

    assert isinstance(answer, ApiError)
    assert answer.code == "result_too_large"


async def test_the_owner_of_the_target_hears_what_is_said_of_it(queue: Queue) -> None:
    await queue.ask("member.add", "w1", alone=True)

    said = {"health": "healthy", "runtime_version": "2.1"}
    answer = await queue.done(await queue.take(), "running", member=said)

    assert isinstance(answer, Operation)
    assert [dict(each.member or {}) for each in queue.target.said] == [said]


async def test_what_happens_to_an_operation_belongs_to_the_request_that_asked_for_it(
    queue: Queue,
) -> None:
    first, second = await queue.ask("instance.configure"), await queue.ask("instance.restart")

    await queue.finish()

    found = await queue.site.rows(
        """
        SELECT o.id, count(DISTINCT e.correlation_id), min(e.correlation_id) = o.correlation_id
        FROM operations o JOIN events e ON e.subject = o.id WHERE o.id = ANY (%s) GROUP BY o.id
        """,
        [first, second],
    )
    assert sorted(found) == sorted([(first, 1, True), (second, 1, True)])
