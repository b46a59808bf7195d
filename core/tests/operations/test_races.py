"""Two at once, on a real database: nobody gets what another has."""

import asyncio

import pytest

from core.tests.operations.queues import Queue, make_queue
from core.tests.site import TimedSite
from moorage_core.errors import ApiError


@pytest.fixture
async def queue(timed: TimedSite) -> Queue:
    return await make_queue(timed)


@pytest.mark.rule("OP-1")
async def test_two_claimers_never_get_the_same_operation(queue: Queue) -> None:
    wanted = {await queue.ask("member.drain", f"w{n}", alone=True) for n in range(20)}
    for name in ("one", "two", "three"):
        await queue.replica(name)

    got = await asyncio.gather(
        *(queue.claim(name, limit=5) for _ in range(2) for name in ("one", "two", "three"))
    )

    ids = [brief["id"] for briefs in got for brief in briefs]
    assert len(ids) == len(set(ids))
    assert set(ids) <= wanted


async def test_wishes_that_come_at_once_get_places_of_their_own(queue: Queue) -> None:
    ids = await asyncio.gather(*(queue.ask("instance.restart") for _ in range(8)))

    rows = await queue.site.rows(
        "SELECT place, status FROM operations WHERE id = ANY (%s) ORDER BY place", ids
    )
    assert [status for _, status in rows] == ["ready"] + ["pending"] * 7
    assert len({place for place, _ in rows}) == 8


async def test_of_a_cancel_that_comes_first_a_claim_gets_nothing(queue: Queue) -> None:
    id = await queue.ask("instance.configure")

    await queue.verb(id, "cancel")

    assert await queue.claim() == []
    assert await queue.status(id) == "cancelled"


async def test_a_cancel_in_the_middle_of_a_claim_is_told_with_it(queue: Queue) -> None:
    id = await queue.ask("instance.configure")
    reserved = await queue.reserve()

    await queue.verb(id, "cancel")
    (brief,) = await queue.tell(reserved)

    assert (await queue.status(id), brief["cancel_requested"]) == ("running", True)
    await queue.say(brief, "cancelled")
    assert await queue.status(id) == "cancelled"


async def test_a_cancel_that_comes_after_a_claim_is_asked_of_whoever_has_it(queue: Queue) -> None:
    id = await queue.ask("instance.configure")
    brief = await queue.take()

    await queue.verb(id, "cancel")

    assert (await queue.status(id), brief["cancel_requested"]) == ("running", False)
    answer = await queue.say(brief, "running")
    assert not isinstance(answer, ApiError)
    assert answer.cancel_requested_at is not None
    await queue.say(brief, "cancelled")
    assert await queue.status(id) == "cancelled"


async def test_a_claim_and_a_cancel_that_meet_leave_one_story(queue: Queue) -> None:
    """Whichever wins: the operation ends cancelled, and only its holder was told of it."""
    for _ in range(10):
        id = await queue.ask("instance.configure")

        briefs, _ = await asyncio.gather(queue.claim(), queue.verb(id, "cancel"))

        assert await queue.status(id) == ("running" if briefs else "cancelled")
        for brief in briefs:
            await queue.say(brief, "cancelled")
        assert await queue.status(id) == "cancelled"


async def test_a_report_and_the_end_of_the_lease_that_meet_leave_one_holder(queue: Queue) -> None:
    await queue.ask("instance.configure")
    brief = await queue.take("one")
    await queue.pass_time(31)

    answer, others = await asyncio.gather(queue.say(brief, "succeeded"), queue.claim("two"))

    assert isinstance(answer, ApiError) == bool(others)


async def test_children_that_end_at_once_finish_their_parent_once(queue: Queue) -> None:
    id = await queue.ask("member.add", *(f"w{n}" for n in range(6)))
    await queue.done(await queue.take(), "succeeded")
    briefs = await queue.claim()

    await asyncio.gather(*(queue.done(brief, "succeeded") for brief in briefs))

    assert await queue.finish() == ["member.add finish"]
    assert (await queue.get(id))["children"] == {
        "total": 6,
        "ended": 6,
        "succeeded": 6,
        "failed": 0,
    }
