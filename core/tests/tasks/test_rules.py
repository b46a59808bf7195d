"""What a poll leads to and what is made of a report: every case, without a database."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from moorage_core.tasks import rules
from moorage_core.tasks.models import Hold, Report
from moorage_core.tasks.rules import Change, Reported, Standing

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
RESULT: dict[str, Any] = {"exit_code": 0}
DEEP: dict[str, Any] = {}
_level = DEEP
for _ in range(100):
    _level["down"] = {}
    _level = _level["down"]


def told(
    status: str,
    state: str | None,
    *,
    ended: bool = False,
    cancelling: bool = False,
    told_at: datetime | None = None,
    fresh: bool = True,
    waits: bool = False,
) -> str:
    """Where the one task ends up."""
    task = Standing("t", status, ended, cancelling, told_at, waits)
    holds = [Hold("t", state)] if state else []
    made = rules.plan([task], holds, fresh=fresh, now=NOW)
    places = {
        "send": made.send,
        "again": made.again,
        "cancel": made.cancel,
        "forget": made.forget,
        "drop": made.drop,
        "lost": made.lost,
    }
    return ", ".join(name for name, tasks in places.items() if tasks) or "nothing"


@pytest.mark.parametrize(
    ("status", "state", "facts", "expected"),
    [
        ("queued", None, {}, "send"),
        ("queued", None, {"fresh": False}, "send"),
        ("queued", None, {"cancelling": True}, "drop"),
        ("sent", None, {}, "again"),
        ("sent", None, {"fresh": False}, "nothing"),
        ("sent", None, {"cancelling": True}, "drop"),
        ("sent", "received", {}, "nothing"),
        ("sent", "received", {"cancelling": True}, "cancel"),
        ("sent", "running", {}, "nothing"),
        ("running", "running", {}, "nothing"),
        ("running", "running", {"cancelling": True}, "cancel"),
        ("running", "running", {"cancelling": True, "told_at": NOW}, "nothing"),
        (
            "running",
            "running",
            {"cancelling": True, "told_at": NOW - timedelta(minutes=1)},
            "cancel",
        ),
        ("running", "succeeded", {"cancelling": True}, "nothing"),
        ("running", None, {}, "lost"),
        ("running", None, {"cancelling": True}, "lost"),
        ("running", None, {"fresh": False}, "nothing"),
        ("succeeded", "succeeded", {"ended": True}, "forget"),
        ("unknown", "running", {"ended": True}, "cancel"),
        ("unknown", "running", {"ended": True, "told_at": NOW}, "nothing"),
        ("unknown", "failed", {"ended": True}, "forget"),
        ("queued", None, {"waits": True}, "nothing"),
        ("sent", None, {"waits": True}, "nothing"),
        ("sent", None, {"waits": True, "cancelling": True}, "drop"),
        ("running", "running", {"waits": True, "cancelling": True}, "cancel"),
    ],
)
def test_what_a_node_is_told(
    status: str, state: str | None, facts: dict[str, Any], expected: str
) -> None:
    assert told(status, state, **facts) == expected


def test_a_task_that_nobody_knows_is_forgotten() -> None:
    made = rules.plan([], [Hold("t", "running")], fresh=True, now=NOW)

    assert made.forget == ["t"]
    assert not made.changes


@pytest.mark.parametrize(
    ("status", "state", "facts", "outcome", "kept"),
    [
        ("queued", "running", {}, "recorded", "running"),
        ("sent", "running", {}, "recorded", "running"),
        ("running", "running", {}, "repeated", None),
        ("sent", "failed", {}, "recorded", "failed"),
        ("running", "succeeded", {}, "recorded", "succeeded"),
        ("running", "unknown", {}, "recorded", "unknown"),
        ("succeeded", "succeeded", {}, "repeated", None),
        ("succeeded", "running", {}, "repeated", None),
        ("unknown", "succeeded", {}, "late", "succeeded"),
        ("unknown", "succeeded", {"late": True}, "late", None),
        ("timed_out", "succeeded", {}, "late", "succeeded"),
        ("succeeded", "failed", {}, "late", "failed"),
        ("running", "succeeded", {"fence": 2}, "refused", None),
    ],
)
def test_what_is_made_of_a_report(
    status: str, state: str, facts: dict[str, Any], outcome: str, kept: str | None
) -> None:
    task = Reported("t", facts.get("fence", 1), status, facts.get("late", False))

    said, change = rules.receive(task, Report("t", 1, state, result=RESULT))

    assert said == outcome
    assert (change.status if change else None) == kept
    assert change is None or change.late == (outcome == "late")


def test_a_report_on_what_is_not_the_nodes_is_refused() -> None:
    assert rules.receive(None, Report("t", 1, "running")) == ("refused", None)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ({"text": "a\x00b"}, {"text": "a\ufffdb"}),
        ({"text": "\ud800"}, {"text": "?"}),
        ({"a\x00": 1}, {"a\ufffd": 1}),
        ({"n": float("nan")}, {"n": None}),
        ({"n": [float("inf"), 1.5]}, {"n": [None, 1.5]}),
    ],
)
def test_what_the_database_cannot_keep_is_taken_out(said: Any, kept: Any) -> None:
    assert rules.bounded(said) == kept


def test_nothing_is_kept_that_is_too_large_or_too_deep() -> None:
    large = rules.bounded({"text": "x" * 300_000})
    deep = rules.bounded(DEEP)

    assert large is not None
    assert set(large) == {"dropped"}
    assert str(deep).count("down") == rules.DEPTH


def test_an_end_after_a_beginning_in_one_call_is_one_change() -> None:
    task = Reported("t", 1, "sent", late=False)

    _, began = rules.receive(task, Report("t", 1, "running"))
    _, ended = rules.receive(rules.after(task, began), Report("t", 1, "succeeded"))

    assert isinstance(ended, Change)
    assert ended.ends
