"""Reports of many operations travel together, and none is lost on the way."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from moorage import ApiError, Unprocessable, Unreachable
from moorage._problem import Busy
from moorage.controller.briefs import StepRecord
from moorage.controller.outcomes import Lost
from moorage.controller.reporter import Answer, Reporter
from moorage.controller.reports import ErrorReport, Report, ReportAnswer
from moorage.errors import GrantEnded
from moorage.resources import controllers
from moorage.resources.controllers import ReportEntry

Send = Callable[[list[ReportEntry]], Awaitable[list[Answer]]]
TAKEN = ReportAnswer(status="running")


def entry(operation: str) -> ReportEntry:
    return ReportEntry(operation=operation, grant="g", fence=1, sequence=1, state="running")


def refused(kind: type[ApiError], status: int, code: str) -> ApiError:
    return kind("no", status=status, code=code, correlation_id="none")


async def sent(send: Send, *operations: str) -> list[ReportAnswer | BaseException]:
    """What comes of a report on each of these, all asked for in one moment."""
    reporter = Reporter(send)
    serving = asyncio.create_task(reporter.run())
    reports = [asyncio.ensure_future(reporter.report(entry(id))) for id in operations]
    await asyncio.wait(reports)
    serving.cancel()
    await asyncio.wait({serving})
    return [report.exception() or report.result() for report in reports]


async def test_reports_that_wait_together_go_in_one_call() -> None:
    calls: list[int] = []

    async def send(entries: list[ReportEntry]) -> list[Answer]:
        calls.append(len(entries))
        return [TAKEN for _ in entries]

    answers = await sent(send, *(f"opn_{n}" for n in range(150)))

    assert answers == [TAKEN] * 150
    assert calls == [100, 50]


async def test_each_report_has_an_answer_of_its_own() -> None:
    async def send(entries: list[ReportEntry]) -> list[Answer]:
        over = refused(GrantEnded, 409, "grant_ended")
        return [over if each.operation == "opn_2" else TAKEN for each in entries]

    first, second = await sent(send, "opn_1", "opn_2")

    assert first == TAKEN
    assert isinstance(second, Lost)


async def test_a_report_that_is_malformed_spoils_no_other() -> None:
    async def send(entries: list[ReportEntry]) -> list[Answer]:
        if any(each.operation == "opn_2" for each in entries):
            raise refused(Unprocessable, 422, "malformed")
        return [TAKEN for _ in entries]

    first, second, third = await sent(send, "opn_1", "opn_2", "opn_3")

    assert (first, third) == (TAKEN, TAKEN)
    assert isinstance(second, Unprocessable)


async def test_a_report_is_sent_until_it_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moorage.controller.reporter.FIRST_PAUSE", 0.0)
    tries: list[int] = []

    async def send(entries: list[ReportEntry]) -> list[Answer]:
        tries.append(entries[0].sequence)
        if len(tries) < 3:
            raise Unreachable("silence", sent=True, correlation_id="none")
        return [TAKEN]

    assert await sent(send, "opn_1") == [TAKEN]
    assert tries == [1, 1, 1]


async def test_a_report_that_is_put_off_is_sent_again_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("moorage.controller.reporter.FIRST_PAUSE", 0.0)
    calls: list[list[str]] = []

    async def send(entries: list[ReportEntry]) -> list[Answer]:
        calls.append([each.operation for each in entries])
        busy = refused(Busy, 503, "busy")
        first = len(calls) == 1
        return [busy if first and each.operation == "opn_2" else TAKEN for each in entries]

    answers = await sent(send, "opn_1", "opn_2")

    assert answers == [TAKEN, TAKEN]
    assert calls == [["opn_1", "opn_2"], ["opn_2"]]


def test_what_people_read_holds_no_characters_that_the_platform_does_not_take() -> None:
    spoilt, kept = "a\x00b\ud800", "a\ufffdb?"
    step = StepRecord(number=1, name="n", status="failed", message=spoilt)
    error = ErrorReport(code="x", message=spoilt, log=[spoilt])
    said = Report(state="failed", message=spoilt, steps=[step], error=error)

    made = controllers.entry("opn_1", "g", said, fence=1, sequence=1)

    assert made.message == kept
    assert made.steps
    assert made.steps[0].message == kept
    assert made.error == ErrorReport(code="x", message=kept, log=[kept])


async def test_an_answer_that_makes_no_sense_leaves_nobody_waiting() -> None:
    async def send(entries: list[ReportEntry]) -> list[Answer]:
        return []

    (answer,) = await sent(send, "opn_1")

    assert isinstance(answer, Lost)
