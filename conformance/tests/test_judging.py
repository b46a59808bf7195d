"""What is held of a check while a pass goes on, and where a controller is killed."""

import json
from typing import Any

from moorage_conformance.checks import crashed
from moorage_conformance.findings import Broken
from moorage_conformance.judging import Check, Judge
from moorage_conformance.road import Exchange
from moorage_conformance.runbook import Command, commands
from moorage_conformance.world import MOST_NAMED, World

FIRST, SECOND = Check("OP-5", "The first."), Check("OP-6", "The second.")


def outcomes(judge: Judge) -> list[str]:
    return [finding.outcome for finding in judge.findings("Nothing showed it.")]


def test_a_check_that_is_broken_once_is_broken() -> None:
    judge = Judge((FIRST, SECOND))

    judge.kept(FIRST, SECOND)
    judge.broken(FIRST, "One.", "Two.", "a-correlation")
    judge.kept(FIRST)

    assert outcomes(judge) == ["broken", "kept"]
    (finding, _) = judge.findings("")
    assert finding.detail == "Expected: One. Seen: Two."
    assert finding.evidence == ("a-correlation",)


def test_every_fault_of_a_check_is_told_once_up_to_a_few() -> None:
    judge = Judge((FIRST,))

    for seen in ("Two.", "Two.", "Three.", "Four.", "Five.", "Six.", "Seven.", "Eight."):
        judge.broken(FIRST, "One.", seen)

    (finding,) = judge.findings("")
    told = ["Two.", "Three.", "Four.", "Five.", "Six."]
    expected = [*(f"Expected: One. Seen: {seen}" for seen in told), "And 2 more."]
    assert finding.detail.splitlines() == expected


def test_a_pass_that_cannot_go_on_is_not_kept_by_silence() -> None:
    judge = Judge((FIRST, SECOND))

    judge.give_up(Broken("It goes on.", "It does not."))

    assert outcomes(judge) == ["broken", "not_applicable"]


def test_a_pass_that_found_its_fault_breaks_nothing_besides() -> None:
    judge = Judge((FIRST, SECOND))

    judge.broken(SECOND, "One.", "Two.")
    judge.give_up(Broken("It goes on.", "It does not."))

    assert outcomes(judge) == ["not_applicable", "broken"]


def asked(path: str, body: dict[str, Any]) -> Exchange:
    return Exchange(0, "POST", path, (), json.dumps(body).encode())


def test_a_call_that_a_successor_makes_again_stands_in_the_same_place() -> None:
    step = {"number": 1, "name": "write", "status": "running"}
    report = {"sequence": 1, "fence": 1, "state": "running", "steps": [step | {"attempt": 1}]}
    again = {"sequence": 4, "fence": 2, "state": "running", "steps": [step | {"attempt": 2}]}
    later = {"sequence": 5, "fence": 2, "state": "running", "steps": [step | {"status": "done"}]}

    places = [
        crashed.places(asked("/v1/operations/opn_1/report", body))
        for body in (report, again, later)
    ]

    assert places[0] == places[1]
    assert places[1] != places[2]


def test_a_task_is_known_by_what_it_does_and_where() -> None:
    wish = {"kind": "put", "allocation": "alc_1", "input": {"path": "/a"}}

    places = [
        crashed.places(asked("/v1/operations/opn_1/tasks", {"tasks": [wish | more]}))
        for more in ({"key": "1/1"}, {"key": "1/2"}, {"key": "1/1", "allocation": "alc_2"})
    ]

    assert places[0] == places[1]
    assert places[0] != places[2]


def test_two_worlds_differ_in_words() -> None:
    one = World({"status": "running"}, {"host-1": {"status": "ready"}}, [{"/etc/a": "1"}])
    other = World({"status": "running"}, {}, [{"/etc/a": "1", "/etc/b": "2"}])

    assert one.differences(one) == []
    assert one.differences(other) == [
        "host 1 /etc/b is 2 and not absent",
        "member host-1 status is absent and not ready",
    ]


def test_worlds_that_differ_everywhere_are_told_in_few_words() -> None:
    one = World(hosts=[{f"/etc/{number:02}": "1" for number in range(40)}])

    told = World().differences(one)

    assert told[0] == "host 1 /etc/00 is 1 and not absent"
    assert told[MOST_NAMED:] == [f"{40 - MOST_NAMED} places more differ"]


def test_commands_that_look_are_run_and_others_asked_what_they_do() -> None:
    text = """
```console
$ moor triage CORRELATION
$ moor instances repair INSTANCE --reason "the greeting is wrong"
$ journalctl -u echo
```
"""
    looks, changes = commands(text)

    assert looks.filled({"CORRELATION": "c-1"}) == ["triage", "c-1"]
    assert changes.filled({"INSTANCE": "ins_1"}) == ["instances", "repair", "--help"]
    assert Command(("members", "list", "INSTANCE")).looks
