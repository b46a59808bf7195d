"""Reports that come in one call."""

from typing import Any

import pytest

from core.tests.operations.queues import Queue, make_queue
from core.tests.site import TimedSite
from moorage_core.errors import ApiError
from moorage_core.operations import journal, reports
from moorage_core.operations.models import Operation
from moorage_core.operations.report_shapes import ReportCreate


@pytest.fixture
async def queue(timed: TimedSite) -> Queue:
    return await make_queue(timed)


def entry(brief: dict[str, Any], state: str, sequence: int = 1, **said: Any) -> reports.Entry:
    given = {"fence": brief["fence"], "sequence": sequence, "state": state} | said
    return reports.Entry(brief["id"], brief["grant"], ReportCreate.model_validate(given))


async def children(queue: Queue, count: int) -> list[dict[str, Any]]:
    """So many members are being added, each by an operation that somebody has."""
    await queue.ask("member.add", *(f"w{number}" for number in range(count)))
    await queue.done(await queue.take(), "succeeded")
    return await queue.claim()


def outcome(answers: list[Operation | ApiError]) -> list[str]:
    return [each.code if isinstance(each, ApiError) else each.status for each in answers]


async def cost(queue: Queue, entries: list[reports.Entry]) -> int:
    database = queue.platform.database
    before = database.statements
    assert set(outcome(await reports.take(queue.platform, entries))) == {"succeeded"}
    return database.statements - before


async def test_to_end_many_costs_no_more_statements_than_to_end_few(queue: Queue) -> None:
    briefs = await children(queue, 23)
    step = {"number": 1, "name": "join", "status": "succeeded"}
    said = {"steps": [step], "member": {"health": "healthy"}}
    entries = [entry(each, "succeeded", **said) for each in briefs]

    few, many = await cost(queue, entries[:2]), await cost(queue, entries[2:22])

    assert many == few
    assert len(queue.target.said) == 22


@pytest.mark.parametrize("at", [0, 3, 6])
async def test_a_refusal_takes_nothing_of_the_others_with_it(queue: Queue, at: int) -> None:
    briefs = await children(queue, 7)
    queue.target.cannot_end.add(briefs[at]["id"])

    answers = await reports.take(queue.platform, [entry(each, "succeeded") for each in briefs])

    expected = ["succeeded"] * 7
    expected[at] = "conflict"
    assert outcome(answers) == expected
    expected[at] = "running"
    assert await queue.statuses(*(each["id"] for each in briefs)) == expected


async def test_what_does_not_apply_is_answered_beside_what_does(queue: Queue) -> None:
    gap, late, good = await children(queue, 3)
    await queue.done(late, "running", message="hello")
    said = [entry(gap, "succeeded", 5), entry(late, "succeeded", 1), entry(good, "succeeded")]

    answers = await reports.take(queue.platform, said)

    assert outcome(answers) == ["sequence_gap", "running", "succeeded"]


async def test_reports_of_one_operation_apply_in_their_order(queue: Queue) -> None:
    one, other = await children(queue, 2)
    step = {"number": 1, "name": "join", "status": "running"}
    said = [
        entry(one, "running", 1, steps=[step]),
        entry(other, "succeeded", 1),
        entry(one, "succeeded", 2, steps=[step | {"status": "succeeded"}]),
    ]

    answers = await reports.take(queue.platform, said)

    assert outcome(answers) == ["running", "succeeded", "succeeded"]
    assert await queue.claim() != [], "their parent can be finished"


async def test_a_journal_is_full_when_its_results_are(queue: Queue) -> None:
    await queue.ask("instance.configure")
    brief = await queue.take()
    size = journal.RESULT_BYTES - 100
    steps = [
        {"number": number, "name": f"s{number}", "status": "succeeded", "result": "x" * size}
        for number in range(1, journal.JOURNAL_BYTES // size + 2)
    ]

    fits = await queue.say(brief, "running", steps=steps[:-1])
    again = await queue.say(brief, "running", steps=steps[:-1])
    over = await queue.say(brief, "running", steps=steps[-1:])

    assert outcome([fits, again, over]) == ["running", "running", "result_too_large"]
