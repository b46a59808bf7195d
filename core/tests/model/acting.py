"""What controllers do: claim, report, leave, fall silent."""

from typing import Any

from core.tests.model.entries import (
    AUTOMATIC,
    BEGINS,
    HELD,
    LEASE,
    MEMBER_WORK,
    WORKING,
    Op,
    Refused,
)
from core.tests.model.paper import Paper


def claim(paper: Paper, replica: str, capacity: int) -> list[str]:
    """Those that a replica gets, in order. What its target cannot follow fails."""
    ready = sorted(
        (op for op in paper.ops.values() if op.status == "ready"), key=lambda op: op.turn
    )
    got = ready[:capacity]
    for op in got:
        op.holder, op.fence, op.sequence = replica, op.fence + 1, 0
        op.lease, op.begun = paper.now + LEASE, True
        op.status = "undoing" if op.direction == "undo" else "running"
    return [op.id for op in got if _begin(paper, op)]


def _begin(paper: Paper, op: Op) -> bool:
    part, working = paper.parts.get(str(op.member)), MEMBER_WORK.get(op.kind, "")
    begins = op.status == "running" and working != ""
    if begins and part and part.is_live and part.status not in BEGINS[working]:
        op.error, op.recovery = "invalid_transition", "operator"
        paper.move(op, "failed")
        paper.settle()
        return False
    op.told.append(op.status)
    paper.follow(op, "ready")
    return True


def _check_grant(op: Op, fence: int) -> None:
    heard = op.holder is not None and op.status in WORKING
    if fence != op.fence or not heard:
        raise Refused("grant_ended")


def report(paper: Paper, id: str, fence: int, sequence: int, said: dict[str, Any]) -> None:
    op = paper.ops[id]
    _check_grant(op, fence)
    if sequence <= op.sequence:
        return
    if sequence > op.sequence + 1:
        raise Refused("sequence_gap")
    if op.status == "ready":
        paper.move(op, "running" if op.direction == "forward" else "undoing")
    prepares = op.phase == "prepare"
    for step in said.get("steps", ()):
        op.steps.add((step.get("phase", "run"), step["number"]))
        op.no_return = op.no_return or step.get("no_return", False)
    op.residue += len(said.get("residue", ()))
    SAYS[said["state"]](paper, op, said)
    op.sequence, op.lease = sequence, paper.now + LEASE
    if prepares and op.stops:
        paper.stop_children(op)
    if op.status not in HELD:
        paper.settle()


def _say_running(paper: Paper, op: Op, said: dict[str, Any]) -> None:
    if op.direction != "forward":
        raise Refused("invalid_transition")
    paper.move(op, "running")


def _say_undoing(paper: Paper, op: Op, said: dict[str, Any]) -> None:
    _check_undoes(op)
    paper.move(op, "undoing")


def _check_undoes(op: Op) -> None:
    if op.direction != "undo" and not op.stops:
        raise Refused("invalid_transition")
    op.direction = "undo"


def _say_waiting(paper: Paper, op: Op, said: dict[str, Any]) -> None:
    if op.direction == "forward" and paper.goes_back(op):
        op.direction, op.holder = "undo", None
        paper.move(op, "ready")
        return
    op.due = paper.now + said["wait"]["seconds"]
    op.attempt += said["wait"].get("retry", False)
    paper.move(op, "waiting")


def _say_blocked(paper: Paper, op: Op, said: dict[str, Any]) -> None:
    op.recovery, op.error = "operator", said["error"]["code"]
    paper.move(op, "blocked")


def _say_succeeded(paper: Paper, op: Op, said: dict[str, Any]) -> None:
    if op.direction != "forward":
        raise Refused("invalid_transition")
    if op.phase == "prepare":
        if paper.goes_back(op):
            op.direction, op.holder = "undo", None
            paper.move(op, "ready")
        else:
            op.phase = "children"
            paper.move(op, "waiting")
        return
    op.error, op.recovery = None, None
    if op.phase == "finish" and op.stops:
        paper.move(op, "cancelled")
    elif op.phase == "finish" and paper.failures(op) > (op.budget or 0):
        op.error, op.recovery = "children_failed", "retryable"
        paper.move(op, "failed")
    else:
        paper.move(op, "succeeded")


def _say_cancelled(paper: Paper, op: Op, said: dict[str, Any]) -> None:
    _check_undoes(op)
    if op.residue:
        op.error, op.recovery = "undo_incomplete", "operator"
        paper.move(op, "failed")
    else:
        op.error, op.recovery = None, None
        paper.move(op, "cancelled")


def _say_failed(paper: Paper, op: Op, said: dict[str, Any]) -> None:
    op.error, op.recovery = said["error"]["code"], said["recovery"]
    if op.recovery == "operator":
        paper.move(op, "blocked")
    elif op.recovery != "retryable" or op.attempt > AUTOMATIC:
        paper.move(op, "failed")
    else:
        pause = min(5.0 * 2 ** (op.attempt - 1), 300.0)
        _say_waiting(paper, op, {"wait": {"seconds": pause, "retry": True}})


SAYS = {
    "running": _say_running,
    "undoing": _say_undoing,
    "waiting": _say_waiting,
    "blocked": _say_blocked,
    "succeeded": _say_succeeded,
    "cancelled": _say_cancelled,
    "failed": _say_failed,
}
"""By what a controller says of the whole operation."""


def pass_time(paper: Paper, seconds: float) -> None:
    paper.now += seconds
    for op in paper.ops.values():
        if op.status in HELD and op.lease < paper.now:
            _let_go(paper, op, for_good=False)
    due = [o for o in paper.ops.values() if o.status == "waiting" and o.due is not None]
    for op in due:
        if op.due is not None and op.due < paper.now:
            op.due = None
            paper.move(op, "pending")
    if due:
        paper.settle()


def leave(paper: Paper, replica: str) -> None:
    for op in paper.ops.values():
        if op.status in HELD and op.holder == replica:
            _let_go(paper, op, for_good=True)


def _let_go(paper: Paper, op: Op, *, for_good: bool) -> None:
    if op.phase != "finish" and paper.goes_back(op):
        op.direction = "undo"
    if for_good or op.stops:
        op.holder = None
    paper.move(op, "ready")
