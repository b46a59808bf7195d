"""The journal of an operation: which steps were taken, and what came of them. Pure.

The recorded steps must be a prefix of those that the running release takes; where they are not,
nothing is guessed. A step that was at work when its replica was lost is taken up in the same
attempt, so that its tasks are found again; one that ended badly, or was to be looked at again,
begins the next.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from moorage.controller.briefs import StepRecord, Undo
from moorage.controller.outcomes import StepsChanged

TO_UNDO = frozenset({"running", "succeeded", "failed", "undoing", "undo_failed"})


class Journal:
    """The steps of an operation, recorded and new. One phase of it is being worked on."""

    def __init__(self, recorded: Iterable[StepRecord], *, phase: str) -> None:
        self.phase = phase
        self._steps = {(step.phase, step.number): step for step in recorded}
        self._at = 0
        self._unsaid: dict[tuple[str, int], StepRecord] = {}

    @property
    def no_return(self) -> bool:
        """Whether a step was begun after which there is no way back."""
        return any(step.no_return for step in self._steps.values())

    @property
    def steps(self) -> list[StepRecord]:
        return list(self._steps.values())

    def begin(self, name: str, *, undo: Undo | None, no_return: bool) -> StepRecord:
        """The next step: as it was recorded where it has succeeded, or running."""
        self._at += 1
        known = self._steps.get((self.phase, self._at))
        if known is None:
            return self._set(
                StepRecord(
                    phase=self.phase,
                    number=self._at,
                    name=name,
                    status="running",
                    undo=undo,
                    no_return=no_return,
                )
            )
        if known.name != name:
            raise StepsChanged(
                f"Step {self._at} was {known.name!r} when it was recorded, and this release takes "
                f"{name!r} there. Run a release that knows the recorded steps, or cancel."
            )
        if known.status == "succeeded":
            return known
        attempt = known.attempt + (known.status == "failed")
        change = {"status": "running", "attempt": attempt, "undo": undo, "message": None}
        return self._set(known.model_copy(update=change | {"no_return": no_return}))

    def was_begun(self, name: str) -> bool:
        """Whether the next step, if it has this name, was at work before."""
        known = self._steps.get((self.phase, self._at + 1))
        return known is not None and known.name == name and known.status != "succeeded"

    def succeed(self, step: StepRecord, result: Any) -> None:
        change = {"status": "succeeded", "result": result, "message": None}
        self._set(step.model_copy(update=change))

    def fail(self, step: StepRecord, message: str) -> None:
        self._set(step.model_copy(update={"status": "failed", "message": message}))

    def look_again(self, step: StepRecord, message: str) -> None:
        """The step goes on later, with tasks of its own."""
        change = {"attempt": step.attempt + 1, "message": message}
        self._set(step.model_copy(update=change))

    def check_whole(self) -> None:
        """At the end of the work: no step is recorded that was not taken."""
        left = [s for s in self._steps.values() if s.phase == self.phase and s.number > self._at]
        if left:
            raise StepsChanged(
                f"Step {left[0].number}, {left[0].name!r}, is recorded, and this release ends "
                "before it. Run a release that knows the recorded steps, or cancel."
            )

    # Taking back

    def to_undo(self) -> Sequence[StepRecord]:
        """Steps with a way back that were begun, the last one first."""
        order = {"prepare": 0, "run": 1, "finish": 2}
        begun = [s for s in self._steps.values() if s.status in TO_UNDO and s.undo is not None]
        return sorted(begun, key=lambda step: (order[step.phase], step.number), reverse=True)

    def undoing(self, step: StepRecord) -> StepRecord:
        """A step that is being taken back. Where that went wrong before, another attempt."""
        attempt = step.attempt + (step.status == "undo_failed")
        return self._set(step.model_copy(update={"status": "undoing", "attempt": attempt}))

    def undone(self, step: StepRecord) -> None:
        self._set(step.model_copy(update={"status": "undone", "message": None}))

    def undo_failed(self, step: StepRecord, message: str) -> None:
        self._set(step.model_copy(update={"status": "undo_failed", "message": message}))

    # What the platform has not heard yet

    def take_unsaid(self) -> list[StepRecord]:
        unsaid = [self._unsaid[place] for place in sorted(self._unsaid)]
        self._unsaid.clear()
        return unsaid

    def _set(self, step: StepRecord) -> StepRecord:
        place = (step.phase, step.number)
        self._steps[place] = self._unsaid[place] = step
        return step
