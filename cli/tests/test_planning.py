"""Plans and triage as people read them."""

from datetime import UTC, datetime
from typing import Any

from cli.tests.test_sight import OPERATION
from moorage.models import PlanRead, TriageRead
from moorage_cli import planning
from moorage_cli.commands import triage

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ALLOWED = {"layer": "project", "allowed": True, "sentence": "fine", "who_can_change": None}
REFUSED = {
    "layer": "org",
    "allowed": False,
    "sentence": "Version 2.0.0 is not allowed.",
    "who_can_change": "a tenant admin of acme",
}


def plan(**changed: Any) -> PlanRead:
    whole: dict[str, Any] = {
        "id": "pln_1",
        "project_id": "prj_1",
        "instance_id": "ins_1",
        "kind": "instance.configure",
        "app_version": "1.0.0",
        "config": {},
        "changes": [],
        "effect": "none",
        "members": [],
        "members_total": 0,
        "policy": {"allowed": True, "verdicts": [ALLOWED]},
        "cost": [],
        "loses": [],
        "created_by": "usr_1",
        "created_by_name": "ada",
        "expires_at": NOON,
        "applied_operation_id": None,
        "correlation_id": "corr-1",
        "version": 1,
        "created_at": NOON,
    }
    return PlanRead.model_validate(whole | changed)


def member(number: int) -> dict[str, Any]:
    name = f"worker-{number}"
    return {"id": f"mem_{number}", "name": name, "component": "worker", "does": "restart"}


def test_a_plan_says_what_it_touches_changes_costs_and_loses() -> None:
    shown = planning.lines(
        plan(
            members=[member(1)],
            members_total=1,
            changes=[{"field": "/port", "effect": "restart"}],
            effect="restart",
            cost=[
                {
                    "label": "estimate",
                    "currency": "EUR",
                    "before_micros_per_hour": 500_000,
                    "after_micros_per_hour": 1_500_000,
                }
            ],
            loses=["Jobs that run."],
        )
    )

    assert shown == [
        "Plan pln_1: instance.configure at version 1.0.0, good until 2026-03-01 12:00:00Z",
        "Members: 1",
        "  worker-1 (worker): restart",
        "Configuration: restart",
        "  /port: restart",
        "Policy: allowed",
        "Cost: 0.50 → 1.50 EUR an hour (estimate)",
        "It loses, for good:",
        "  Jobs that run.",
    ]


def test_a_plan_that_policy_refuses_names_the_layer_and_who_can_help() -> None:
    shown = planning.lines(plan(policy={"allowed": False, "verdicts": [ALLOWED, REFUSED]}))

    assert shown[1:] == [
        "Members: none is touched",
        "Policy: refused",
        "  org: Version 2.0.0 is not allowed.",
        "    a tenant admin of acme can change that.",
    ]


def test_of_very_many_members_the_first_are_named() -> None:
    members = [member(number) for number in range(30)]

    shown = planning.lines(plan(members=members, members_total=1000))

    assert "Members: 1000" in shown
    assert f"  and {1000 - planning.SHOWN_MEMBERS} more" in shown


def story(**changed: Any) -> TriageRead:
    whole: dict[str, Any] = {
        "correlation_id": "corr-1",
        "cause": None,
        "next": [],
        "policy": [],
        "operations": [OPERATION],
        "timeline": [],
    }
    return TriageRead.model_validate(whole | changed)


def test_triage_begins_with_the_cause_and_the_next_command() -> None:
    cause = {
        "code": "package_missing",
        "message": "There is no package.",
        "operation_id": "opn_2",
        "step": "install",
        "task_id": "tsk_1",
        "exit_code": 100,
        "log": ["E: none"],
    }
    moment: dict[str, Any] = {
        "at": NOON,
        "kind": "task",
        "id": "tsk_1",
        "text": "exec on host-1",
        "status": "failed",
        "details": {},
    }
    child = OPERATION | {"id": "opn_2", "parent_id": "opn_1", "status": "failed"}

    shown = triage.lines(
        story(
            cause=cause,
            next=[{"verb": "retry", "operation_id": "opn_1", "text": "Try it again."}],
            policy=[ALLOWED],
            operations=[OPERATION | {"status": "failed"}, child],
            timeline=[moment],
        )
    )

    assert shown == [
        "member.add (opn_1) failed",
        "Cause: There is no package. [package_missing]",
        "  in operation opn_2, step install, task tsk_1, exit code 100",
        "  | E: none",
        "Next: moor operations retry opn_1 --reason TEXT    (Try it again.)",
        "Policy: allowed",
        "",
        "2026-03-01 12:00:00Z  task       exec on host-1  failed",
    ]


def test_triage_of_what_went_well_says_so() -> None:
    shown = triage.lines(story(policy=[REFUSED]))

    assert shown[:3] == [
        "member.add (opn_1) running",
        "Nothing of it has failed.",
        "Policy: org: Version 2.0.0 is not allowed. a tenant admin of acme can change that.",
    ]
