"""What a journal says about the next step."""

import pytest

from moorage import testing
from moorage.controller.briefs import StepRecord, Undo
from moorage.controller.journal import Journal
from moorage.controller.outcomes import StepsChanged
from moorage.testing import Operation
from sdk.tests.controller.sample import app
from sdk.tests.controller.worlds import running


def record(number: int, name: str, status: str, **known: object) -> StepRecord:
    return StepRecord.model_validate({"number": number, "name": name, "status": status, **known})


def begin(journal: Journal, name: str) -> StepRecord:
    return journal.begin(name, undo=None, no_return=False)


def test_a_step_that_succeeded_is_as_it_was_recorded() -> None:
    journal = Journal([record(1, "a", "succeeded", result=5)], phase="run")

    step = begin(journal, "a")

    assert (step.status, step.result) == ("succeeded", 5)
    assert journal.take_unsaid() == []


@pytest.mark.parametrize(("status", "attempt"), [("running", 2), ("failed", 3)])
def test_an_interrupted_step_stays_in_its_attempt_and_a_failed_one_begins_the_next(
    status: str, attempt: int
) -> None:
    journal = Journal([record(1, "a", status, attempt=2)], phase="run")

    assert begin(journal, "a").attempt == attempt


def test_another_name_in_the_place_of_a_recorded_step_is_no_guess() -> None:
    journal = Journal([record(1, "a", "succeeded")], phase="run")

    with pytest.raises(StepsChanged, match="was 'a'"):
        begin(journal, "b")


def test_a_recorded_step_that_the_release_does_not_take_is_no_guess() -> None:
    journal = Journal([record(1, "a", "succeeded"), record(2, "b", "succeeded")], phase="run")
    begin(journal, "a")

    with pytest.raises(StepsChanged, match="Step 2"):
        journal.check_whole()


def test_phases_have_steps_of_their_own() -> None:
    journal = Journal([record(1, "a", "succeeded", phase="prepare")], phase="finish")

    assert begin(journal, "b").phase == "finish"
    journal.check_whole()


def test_what_was_begun_is_taken_back_the_last_one_first() -> None:
    undo = Undo(function="m:f")
    journal = Journal(
        [
            record(1, "a", "succeeded", undo=undo, phase="prepare"),
            record(1, "b", "succeeded", undo=undo, phase="finish"),
            record(2, "c", "running", undo=undo, phase="finish"),
            record(3, "d", "succeeded", phase="finish"),
            record(2, "e", "undone", undo=undo, phase="prepare"),
        ],
        phase="finish",
    )

    assert [step.name for step in journal.to_undo()] == ["c", "b", "a"]


@pytest.mark.rule("OP-7")
def test_an_operation_whose_steps_changed_is_blocked() -> None:
    world = running(Operation("member.resume", members=["worker-1"]))
    world.member("worker-1").status = "drained"
    world.host("h1").forgets = 1
    blocked = testing.run(app, world)
    child = blocked.operation("worker-1")
    child.steps = [child.steps[0].model_copy(update={"name": "wake up"})]

    after = testing.run(app, blocked.reopen("worker-1"))

    assert after.operation("worker-1").status == "blocked"
    assert after.operation("worker-1").error == "steps_changed"
