"""Pure decisions about tasks that exist: what a node is told, and what is made of what it says."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, cast

from moorage_core.errors import Conflict, Fault, Unauthenticated
from moorage_core.tasks.models import Hold, Report, Task

QUEUED_FOR = timedelta(minutes=10)
"""How long a node that has room may take to fetch a task before it is given up."""
LOOK_AGAIN = timedelta(minutes=1)
"""When it is looked at again whether a node that had no room has some."""
GRACE = timedelta(seconds=60)
"""Beyond a task's own time limit, for the way there and back."""
KEEP_WITHIN = timedelta(seconds=30)
"""A task that waits on its node gets more time when it has less than this: two polls and more."""
CANCEL_AGAIN = timedelta(seconds=10)
"""A node that was told to stop a task is told again after so long."""
AT_ONCE = {"agent": 32, "ssh": 8}
"""Tasks that a node has at once, by how it is reached. The others wait here, where time that
passes does not count as theirs. (sshd allows ten channels on a connection.)"""
ONE_AT_A_TIME = frozenset({"packages"})
"""Kinds of which a node does one after the other."""
CHUNK = 256 * 1024
RESULT_BYTES = 256 * 1024
DEPTH = 24
ENDS = frozenset({"succeeded", "failed", "cancelled", "timed_out", "unknown"})
GIVEN_UP = frozenset({"timed_out", "unknown"})
"""Ends that a node may not know of."""
STREAMS = ("stdout", "stderr", "content")


class OutputOffset(Conflict):
    """The bytes do not begin where the last ones ended."""

    code = "output_offset"


class OutputFull(Conflict):
    """The stream holds as much as is kept of it."""

    code = "output_full"


class TaskEnded(Conflict):
    """The task has ended."""

    code = "task_ended"


class OutputEnded(Conflict):
    """The task has ended, and its output with it."""

    code = "output_ended"


# Polls


@dataclass(frozen=True)
class Standing:
    """How a task of a node stands, as far as a poll must know."""

    id: str
    status: str
    ended: bool
    cancelling: bool
    """Somebody wants it to stop."""
    told_at: datetime | None
    """When the node was last told so."""
    waits: bool = False
    """Its node was taken out: what was not begun is not begun now."""
    kind: str = "exec"
    own: bool = False
    """The platform's own: it needs no room."""
    due_at: datetime | None = None


@dataclass(frozen=True)
class Plan:
    """What a poll leads to."""

    send: list[str]
    again: list[str]
    """Sent before, and it never came there."""
    cancel: list[str]
    forget: list[str]
    drop: list[str]
    """Asked to stop, and no node has it: cancelled."""
    lost: list[str]
    """Running, and the node does not have it any more: unknown."""
    keep: list[str] = field(default_factory=list[str])
    """The node has it and has not begun it: its time begins anew."""

    @property
    def changes(self) -> bool:
        return bool(self.send or self.again or self.cancel or self.drop or self.lost or self.keep)


def plan(
    standing: Sequence[Standing],
    holds: Iterable[Hold],
    *,
    fresh: bool,
    now: datetime,
    at_once: int = AT_ONCE["agent"],
) -> Plan:
    """What to tell a node, and what to conclude from what it holds.

    Conclusions are drawn from a fresh poll alone: while one waits, what it said grows old.
    """
    held = {hold.task: hold.state for hold in holds}
    known = {task.id for task in standing}
    room = Room(at_once)
    for task in standing:
        if held.get(task.id, "unknown") not in ENDS and (fresh or not task.ended):
            room.fill(task)
    made = Plan([], [], [], [id for id in held if id not in known], [], [])
    for task in standing:
        _place(made, task, held.get(task.id), fresh=fresh, now=now, room=room)
    return made


class Room:
    """What a node can begin beside what it has."""

    def __init__(self, at_once: int) -> None:
        self._left = at_once
        self._kinds = set[str]()

    def has_place(self, task: Standing) -> bool:
        """Taking people away, or wiping, waits for nobody's long commands."""
        alone = task.kind in ONE_AT_A_TIME and task.kind in self._kinds
        return task.own or (self._left > 0 and not alone)

    def fill(self, task: Standing) -> None:
        self._left -= 1
        self._kinds.add(task.kind)


def _place(
    made: Plan, task: Standing, state: str | None, *, fresh: bool, now: datetime, room: Room
) -> None:
    if task.ended:
        if state in ENDS:
            made.forget.append(task.id)
        elif state is None or not (fresh or task.status in GIVEN_UP):
            # It ended while the poll waited.
            return
        elif _is_due(task, now):
            # It was given up here and goes on there.
            made.cancel.append(task.id)
    elif state is not None:
        if task.cancelling and state not in ENDS and _is_due(task, now):
            made.cancel.append(task.id)
        elif state == "received" and fresh and _runs_out(task, now):
            made.keep.append(task.id)
    elif task.status == "running":
        if fresh:
            made.lost.append(task.id)
    elif task.status == "queued" or fresh:
        _choose(made, task, room)


def _choose(made: Plan, task: Standing, room: Room) -> None:
    """No node has it."""
    if task.cancelling:
        made.drop.append(task.id)
    elif not task.waits and room.has_place(task):
        room.fill(task)
        (made.send if task.status == "queued" else made.again).append(task.id)


def _runs_out(task: Standing, now: datetime) -> bool:
    """The platform's own is begun at once, or the node is not to be trusted with it."""
    return not task.own and task.due_at is not None and task.due_at - now < KEEP_WITHIN


def _is_due(task: Standing, now: datetime) -> bool:
    return task.told_at is None or now - task.told_at >= CANCEL_AGAIN


# Reports


@dataclass(frozen=True)
class Reported:
    """A task as far as a report on it must know."""

    id: str
    fence: int
    status: str
    late: bool
    """Something that came too late is kept already."""
    others_wait: bool = False
    """Its node has tasks that were not handed over."""


@dataclass(frozen=True)
class Change:
    """What a report changes about a task."""

    id: str
    status: str
    late: bool
    """Nothing but what is kept of a report that came too late."""
    changed: bool | None
    result: dict[str, Any] | None
    error_code: str | None
    error_message: str | None

    @property
    def ends(self) -> bool:
        return self.status in ENDS and not self.late


def receive(task: Reported | None, said: Report) -> tuple[str, Change | None]:
    """The outcome of a report, and what it changes."""
    if task is None or said.fence != task.fence:
        return "refused", None
    if task.status in ENDS:
        if said.state == task.status or said.state not in ENDS:
            return "repeated", None
        return "late", None if task.late else _change(said, late=True)
    if said.state == task.status:
        return "repeated", None
    return "recorded", _change(said, late=False)


def _change(said: Report, *, late: bool) -> Change:
    return Change(
        said.task,
        said.state,
        late,
        said.changed,
        bounded(said.result),
        clean_text(said.error_code, 100),
        clean_text(said.error_message, 4000),
    )


def after(task: Reported, change: Change | None) -> Reported:
    """The task as the next report of the same call finds it."""
    if change is None:
        return task
    if change.late:
        return replace(task, late=True)
    return replace(task, status=change.status)


# What hosts say is not to be trusted: not its size, not its characters


def bounded(result: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A result that the database can keep."""
    if result is None:
        return None
    cleaned = cast(dict[str, Any], clean(dict(result)))
    size = len(json.dumps(cleaned, separators=(",", ":")))
    if size > RESULT_BYTES:
        return {"dropped": f"The result had {size} bytes; {RESULT_BYTES} are kept at most."}
    return cleaned


def clean(value: Any, depth: int = 0) -> Any:
    """A JSON value without what PostgreSQL refuses, and no deeper than anybody reads."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict | list) and depth >= DEPTH:
        return None
    if isinstance(value, dict):
        pairs = cast(dict[Any, Any], value)
        return {clean_text(str(k)): clean(v, depth + 1) for k, v in pairs.items()}
    if isinstance(value, list):
        return [clean(each, depth + 1) for each in cast(list[Any], value)]
    return value


def clean_text(text: str | None, limit: int | None = None) -> str | None:
    if text is None:
        return None
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()[:limit]


# Those who ask


def check_open(task: Task) -> None:
    if task.ended_at is not None:
        raise TaskEnded(f"Task {task.id} has ended: {task.status}.")


def token_ended() -> Unauthenticated:
    return Unauthenticated(
        "Another token was given to this node, or it was taken out. Prove yourself again.",
        headers={"WWW-Authenticate": 'Bearer error="invalid_token"'},
    )


def offset_refused(task: str, stream: str, expected: int) -> OutputOffset:
    return OutputOffset(
        f"The stream {stream} of task {task} goes on at {expected}.",
        errors=[Fault("query.offset", str(expected))],
    )
