"""Causes and what to do next, without a database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from moorage_core.operations.models import Operation
from moorage_core.triage import rules
from moorage_core.triage.models import Task

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def operation(id: str, status: str = "succeeded", **fields: Any) -> Operation:
    made = Operation(
        id=id,
        org_id="org_1",
        project_id="prj_1",
        kind="member.add",
        status=status,
        reason="",
        message=None,
        requested_by_kind="user",
        requested_by="usr_1",
        requested_by_name="Ada",
        fence=1,
        lease_expires_at=None,
        deadline=None,
        correlation_id="c",
        traceparent=None,
        app_slug="echo",
        app_instance_id="ins_1",
        version=1,
        created_at=NOW,
        updated_at=NOW,
        ended_at=None,
        allocations=[],
    )
    return replace(made, **fields)


def task(operation_id: str, status: str, tail: bytes = b"") -> Task:
    return Task(
        id="tsk_1",
        operation_id=operation_id,
        allocation_id="alc_1",
        kind="exec",
        key="1/start",
        attempt=1,
        status=status,
        exit_code=None if status == "succeeded" else 100,
        error_code=None,
        error_message=None,
        created_at=NOW,
        started_at=NOW,
        ended_at=NOW,
        tail=tail,
    )


def test_where_nothing_failed_there_is_no_cause() -> None:
    assert rules.cause([operation("opn_1")], [], []) is None


def test_the_first_part_that_failed_is_the_cause_of_the_whole() -> None:
    parent = operation("opn_1", "failed", error={"code": "children_failed", "message": "Two."})
    late = operation("opn_2", "failed", parent_id="opn_1", ended_at=NOW + timedelta(hours=1))
    early = operation("opn_3", "failed", parent_id="opn_1", ended_at=NOW)

    found = rules.cause([parent, late, early], [], [task("opn_3", "failed", b"\xffno\nspace\n")])

    assert found is not None
    assert (found.operation_id, found.exit_code) == ("opn_3", 100)
    assert found.log == ["\ufffdno", "space"]


def test_what_failed_and_is_tried_again_has_a_cause_meanwhile() -> None:
    said = {"code": "disk_full", "message": "No space is left."}

    found = rules.cause([operation("opr_1", "waiting", error=said)], [], [])

    assert found is not None
    assert (found.code, found.message) == ("disk_full", "No space is left.")


def test_of_a_long_timeline_the_latest_is_kept() -> None:
    many = [
        operation(f"opn_{number:05}", created_at=NOW + timedelta(seconds=number))
        for number in range(rules.MOST + 10)
    ]

    found = rules.timeline(operations=many, steps=[], tasks=[], events=[], entries=[])

    assert len(found) == rules.MOST
    assert (found[0].id, found[-1].id) == (many[10].id, many[-1].id)


def test_the_last_lines_are_few_and_short() -> None:
    assert rules.lines(b"".join(b"%d\n" % n for n in range(100))) == [
        str(n) for n in range(80, 100)
    ]
    assert len(rules.lines(b"x" * 100_000)[0]) == rules.BYTES


def test_what_can_be_done_about_the_whole_comes_first() -> None:
    parent = operation("opn_1", "failed")
    child = operation("opn_0", "blocked", parent_id="opn_1")

    found = rules.next_steps(
        [child, parent, operation("opn_2")],
        lambda each: ["retry"] if each.status == "failed" else ["resume"],
    )

    assert [(each.operation_id, each.verb) for each in found] == [
        ("opn_1", "retry"),
        ("opn_0", "resume"),
    ]
