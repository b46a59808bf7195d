"""Says what a delivery is, in the words of the matrix: which operation, which step, which moment.

It learns from what passes: a hand-over names an operation and its token, the answer to a wish names
a task. One for each life; ids never leave it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.faults.cells import Moment, Point, Step
from tests.faults.road import Answer, Delivery

TASKS = re.compile(r"/v1/operations/(opn_\w+)/tasks$")
ASKED = {"secrets": re.compile(r"/v1/operations/(opn_\w+)/secrets$")}
ASKED["observed"] = re.compile(r"/v1/instances/(ins_\w+)/observed$")
KEY = re.compile(r"(?P<phase>\w+)/(?P<number>\d+)\.\d+/(?P<what>\d+-\w+)-")


@dataclass
class Known:
    """An operation that was handed over."""

    act: str
    kind: str
    member: str
    phase: str
    names: dict[tuple[str, int], str] = field(default_factory=dict[tuple[str, int], str])
    at: int = 0
    """The step that was begun last."""

    def step(self, phase: str, number: int) -> Step:
        name = self.names.get((phase, number), "")
        return Step(self.act, self.kind, self.member, phase, number, name)


@dataclass
class Sight:
    """What is known of a life."""

    act: str = ""
    """What is being asked for now."""
    operations: dict[str, Known] = field(default_factory=dict[str, Known])
    tasks: dict[str, Point] = field(default_factory=dict[str, Point])
    tasks_of: dict[str, str] = field(default_factory=dict[str, str])
    """Operations by their tasks."""
    tokens: dict[str, str] = field(default_factory=dict[str, str])
    """Operations by the tokens that open them."""

    def asked(self, delivery: Delivery) -> list[Point]:
        """What a request says, before the platform has heard of it."""
        if delivery.path == "/v1/controller/reports":
            return [*self._reports(delivery.document)]
        if delivery.path == "/v1/agent/reports":
            told = [self.tasks.get(each["task"]) for each in delivery.document["reports"]]
            return [
                Point(point.step, Moment.INSIDE, point.what.replace("asked", "told"))
                for point in told
                if point is not None
            ]
        operation = self.operations.get(self.tokens.get(delivery.token, ""))
        if operation is None or delivery.method == "GET":
            return []
        if TASKS.fullmatch(delivery.path):
            keys = [task["key"] for task in delivery.document["tasks"]]
            return [point for key in keys if (point := _task(operation, key))]
        here = operation.step(operation.phase, operation.at)
        return [
            Point(here, Moment.INSIDE, f"asked {word}")
            for word, path in ASKED.items()
            if path.fullmatch(delivery.path)
        ]

    def _reports(self, document: Any) -> Iterator[Point]:
        for said in document["reports"]:
            known = self.operations.get(said["operation"])
            if known is None:
                continue
            for step in said.get("steps", []):
                place = step["phase"], step["number"]
                known.names[place] = step["name"]
                if step["status"] == "running":
                    known.at = step["number"]
                    yield Point(known.step(*place), Moment.BEGINS)
                elif step["status"] == "succeeded":
                    yield Point(known.step(*place), Moment.ENDS)
            if said["state"] == "succeeded":
                yield Point(known.step(known.phase, 0), Moment.ENDS)

    def answered(self, delivery: Delivery, answer: Answer) -> list[Point]:
        """What an answer says. What it teaches is kept."""
        if answer.status >= 300:
            return []
        if delivery.path == "/v1/controller/claims":
            return [self._handed(brief) for brief in answer.document["operations"]]
        if TASKS.fullmatch(delivery.path) and delivery.method == "POST":
            operation = self.operations[self.tokens[delivery.token]]
            for task in answer.document["tasks"]:
                if point := _task(operation, task["key"]):
                    self.tasks[task["id"]] = point
                    self.tasks_of[task["id"]] = self.tokens[delivery.token]
        return []

    def _handed(self, brief: Any) -> Point:
        known = self.operations.get(brief["id"])
        if known is None:
            member = (brief.get("member") or {}).get("name", "")
            known = Known(self.act, brief["kind"], member, "")
            self.operations[brief["id"]] = known
        known.phase, known.at = brief["phase"] or "run", 0
        for step in brief["steps"]:
            known.names[step["phase"], step["number"]] = step["name"]
        self.tokens[brief["grant"]] = brief["id"]
        return Point(known.step(known.phase, 0), Moment.HANDED)


def _task(operation: Known, key: str) -> Point | None:
    found = KEY.match(key)
    if found is None:
        return None
    step = operation.step(found["phase"], int(found["number"]))
    return Point(step, Moment.INSIDE, f"asked {found['what']}")
