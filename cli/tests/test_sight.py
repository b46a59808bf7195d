"""What people see of an operation, from what was read of it."""

import io
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rich.console import Console

from moorage.models import OperationRead, OperationStepRead
from moorage_cli import sight
from moorage_cli.sight import Sight

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
OPERATION: dict[str, Any] = {
    "id": "opn_1",
    "org_id": "org_1",
    "project_id": "prj_1",
    "kind": "member.add",
    "status": "running",
    "reason": "more of them",
    "message": None,
    "requested_by_kind": "user",
    "requested_by": "usr_1",
    "requested_by_name": "Ada",
    "fence": 1,
    "allocations": [],
    "lease_expires_at": None,
    "deadline": None,
    "correlation_id": "corr-1234",
    "app_slug": "echo",
    "instance_id": "ins_1",
    "member_id": None,
    "instance_name": None,
    "member_name": None,
    "parent_id": None,
    "operator_id": "aop_1",
    "action": None,
    "input": {},
    "phase": None,
    "children": None,
    "direction": "forward",
    "attempt": 1,
    "progress": None,
    "error": None,
    "result": None,
    "residue": [],
    "recovery": None,
    "no_return": False,
    "verbs": [],
    "cancel_requested_at": None,
    "cancel_reason": None,
    "due_at": None,
    "version": 1,
    "created_at": START,
    "updated_at": START,
    "ended_at": None,
}


def operation(**changed: Any) -> OperationRead:
    return OperationRead.model_validate(OPERATION | changed)


def step(number: int, name: str, status: str = "succeeded", **changed: Any) -> OperationStepRead:
    whole: dict[str, Any] = {
        "phase": "run",
        "number": number,
        "name": name,
        "status": status,
        "attempt": 1,
        "message": None,
        "result": None,
        "no_return": False,
        "started_at": START,
        "finished_at": START + timedelta(seconds=2),
    }
    return OperationStepRead.model_validate(whole | changed)


def child(member: str, status: str, **changed: Any) -> OperationRead:
    return operation(
        id=f"opn_{member}", parent_id="opn_1", member_id=member, status=status, **changed
    )


def counted(total: int, *, ended: int = 0, failed: int = 0) -> dict[str, int]:
    return {"total": total, "ended": ended, "succeeded": ended - failed, "failed": failed}


def drawn(seen: Sight) -> str:
    console = Console(file=io.StringIO(), width=80)
    with console.capture() as captured:
        console.print(sight.frame(seen, now=START + timedelta(seconds=5)))
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def test_steps_are_drawn_in_order_with_how_long_they_took() -> None:
    seen = Sight(
        operation(message="waiting for the server"),
        [step(1, "install"), step(2, "start", "running", finished_at=None, message="starting")],
    )

    assert drawn(seen) == (
        "member.add (opn_1)  running\n"
        "  waiting for the server\n"
        "  ✓ install          2.0 s\n"
        "  ▸ start: starting  5.0 s"
    )


def test_children_stand_between_prepare_and_finish_with_a_bar_below() -> None:
    seen = Sight(
        operation(phase="children", status="waiting", children=counted(4, ended=2, failed=1)),
        [step(1, "write config", phase="prepare"), step(1, "check", phase="finish")],
        [
            child("mem_3", "failed", error={"code": "x", "message": "no such package", "log": []}),
            child("mem_4", "running", message="installing"),
        ],
        {"mem_3": "replica-3", "mem_4": "replica-4"},
    )

    lines = drawn(seen).splitlines()

    assert lines[0] == "member.add (opn_1)  waiting · children"
    assert lines[1:5] == [
        "  ✓ write config                          2.0 s",
        "    ✗ replica-3: failed: no such package  5.0 s",
        "    ▸ replica-4: running: installing      5.0 s",
        "  ✓ check                                 2.0 s",
    ]
    assert lines[5].endswith("2 of 4, 1 failed")
    assert "━" in lines[5]


def test_of_very_many_children_the_first_are_drawn() -> None:
    children = [child(f"mem_{n}", "running") for n in range(sight.SHOWN_CHILDREN + 3)]

    shown = sight.lines(Sight(operation(), [], children), now=START)

    assert len(shown) == sight.SHOWN_CHILDREN + 1
    assert shown[-1].text == "and 3 more"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"attempt": 3}, "running · attempt 3"),
        ({"direction": "undo", "status": "undoing"}, "undoing · taking back"),
        ({"cancel_requested_at": START}, "running · asked to stop"),
        ({"status": "succeeded", "phase": "finish"}, "succeeded"),
    ],
)
def test_the_state_says_what_is_particular_about_it(changed: dict[str, Any], words: str) -> None:
    assert sight.state(operation(**changed)) == words


def test_only_what_moved_is_a_line_of_the_log() -> None:
    before = Sight(
        operation(phase="children", children=counted(2)),
        [step(1, "install"), step(2, "start", "running", finished_at=None)],
        [child("mem_1", "running")],
    )
    after = Sight(
        operation(phase="children", children=counted(2, ended=1)),
        [step(1, "install"), step(2, "start"), step(3, "check", "running")],
        [child("mem_1", "running"), child("mem_2", "waiting", message="no answer yet")],
    )

    assert sight.changes(before, after) == [
        "  start: succeeded",
        "  check: running",
        "  mem_2: waiting: no answer yet",
        "  1 of 2 done",
    ]
    assert sight.changes(after, after) == []


def test_the_first_look_is_logged_whole() -> None:
    seen = Sight(operation(message="begun"), [step(1, "install")])

    assert sight.changes(None, seen) == [
        "member.add (opn_1): running",
        "  begun",
        "  install: succeeded",
    ]


def test_the_end_comes_last() -> None:
    before = Sight(operation(phase="finish"), [step(1, "start", "running", finished_at=None)])
    after = Sight(
        operation(status="succeeded", phase="finish", message="done", children=counted(1, ended=1)),
        [step(1, "start")],
    )

    assert sight.changes(before, after) == [
        "  start: succeeded",
        "  1 of 1 done",
        "member.add (opn_1): succeeded",
        "  done",
    ]


def test_one_that_is_tried_again_says_why() -> None:
    seen = Sight(
        operation(
            status="waiting",
            attempt=2,
            error={"code": "unreachable", "message": "The host is silent.", "log": []},
        )
    )

    assert sight.changes(None, seen) == [
        "member.add (opn_1): waiting · attempt 2",
        "  The host is silent. It is tried again. [unreachable]",
    ]


def test_a_failure_ends_with_its_cause_and_the_next_commands() -> None:
    failed = operation(
        status="failed",
        error={"code": "package_missing", "message": "There is no package.", "log": ["E: none"]},
        recovery="retryable",
        verbs=["retry", "abandon"],
        ended_at=START + timedelta(seconds=90),
    )

    assert sight.ending(Sight(failed)) == [
        "member.add (opn_1) failed after 90 s.",
        "Cause: There is no package. [package_missing]",
        "  | E: none",
        (
            "Next: moor operations retry opn_1 --reason TEXT"
            "    (try it again from the first step that is not done)"
        ),
        (
            "Next: moor operations abandon opn_1 --reason TEXT"
            "    (end it without the app; what is left on machines is unknown)"
        ),
        "Why:  moor triage corr-1234",
    ]


def test_a_failed_member_can_be_replaced_by_its_id() -> None:
    failed = operation(status="failed", member_id="mem_7", recovery="terminal", verbs=["replace"])

    assert "moor members replace mem_7 " in sight.next_commands(failed)[0]


def test_success_ends_in_one_line() -> None:
    done = operation(status="succeeded", ended_at=START + timedelta(seconds=4))

    assert sight.ending(Sight(done)) == ["member.add (opn_1) succeeded after 4.0 s."]


def test_an_action_ends_with_its_result() -> None:
    done = operation(kind="action", action="echo.put", status="succeeded", result={"copies": 3})

    assert sight.ending(Sight(done))[1:] == ["Result:", "  copies: 3"]


def test_rows_in_a_result_are_a_table_and_what_is_inside_goes_further_in() -> None:
    rows = [{"job": 9, "state": "RUNNING"}, {"job": 10, "state": "PENDING"}]
    result = {"jobs": rows, "first": {"node": "a"}, "mixed": [{"a": 1}, {"b": 2}]}
    done = operation(kind="action", action="app.list", status="succeeded", result=result)

    assert sight.ending(Sight(done))[1:] == [
        "Result:",
        "  jobs:",
        "    JOB  STATE",
        "    9    RUNNING",
        "    10   PENDING",
        "  first:",
        "    node: a",
        '  mixed: {"a": 1}, {"b": 2}',
    ]


def test_what_was_taken_down_says_that_nothing_is_left_or_what() -> None:
    gone = operation(kind="instance.decommission", status="succeeded", ended_at=START)
    left = operation(
        kind="instance.decommission",
        status="failed",
        residue=[
            {"what": "/etc/echo", "where": "host-1", "why": "not empty"},
            {"what": "unknown", "where": None, "why": "never looked at"},
        ],
    )

    assert sight.residue(gone) == ["Residue: none"]
    assert sight.residue(left) == [
        "Residue: 2 left behind",
        "  /etc/echo on host-1: not empty",
        "  unknown: never looked at",
    ]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.04, "0.0 s"), (9.94, "9.9 s"), (42.4, "42 s"), (600, "10 min"), (9000, "2 h 30 min")],
)
def test_lengths_of_time_are_as_exact_as_people_care(seconds: float, said: str) -> None:
    assert sight.duration(timedelta(seconds=seconds)) == said


def test_what_an_app_says_is_shown_and_not_obeyed() -> None:
    seen = Sight(operation(message="a\x1b[2Jb"), [step(1, "s\x07tep", message="\u202e")])

    assert all(line.isprintable() for line in drawn(seen).splitlines())
