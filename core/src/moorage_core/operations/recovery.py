"""What may be done about an operation, by whom it is asked, and what a report leads to.

Pure. Everything that was begun ends by public verbs alone, also where no controller ever comes
back: whatever has not ended can be cancelled, and what does not answer can be abandoned.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from moorage_core.errors import Conflict
from moorage_core.operations import rules
from moorage_core.operations.models import Operation, Recovery

Verb = Literal["retry", "resume", "cancel", "abandon", "replace"]
Stop = Literal["ends", "turns", "is_asked"]

AUTOMATIC = 5
"""Times that a retryable failure is tried again by itself."""
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=5), timedelta(minutes=5)


class RollsForwardOnly(Conflict):
    """The operation is past the point from which it could be taken back."""

    code = "rolls_forward_only"


class ReportRefused(Conflict):
    """The report does not fit what the operation is at."""

    code = "invalid_transition"


def is_untouched(operation: Operation) -> bool:
    """No controller ever had it: there is nothing to take back."""
    return operation.first_claimed_at is None and operation.attempt == 1


def verbs(operation: Operation) -> list[Verb]:
    """What may be asked of it now, in the order in which somebody should think of it."""
    if operation.app_instance_id is None:
        return []
    offered: list[Verb] = []
    if can_retry(operation):
        offered.append("retry")
    if operation.status == "blocked":
        offered.append("resume")
    if can_cancel(operation):
        offered.append("cancel")
    if is_lost(operation):
        offered.append("replace")
    if can_abandon(operation):
        offered.append("abandon")
    return offered


def is_lost(operation: Operation) -> bool:
    """Whether only another member helps. An action that is refused says nothing of its member."""
    of_member = operation.member_id is not None and operation.kind != "action"
    return of_member and operation.status == "failed" and operation.recovery == "terminal"


def offered(operation: Operation) -> list[Verb]:
    """The verbs that would be accepted, its instance and its member being as they are."""
    barred = reopening(operation) if operation.is_barred else frozenset[Verb]()
    return [verb for verb in verbs(operation) if verb not in barred]


def reopening(operation: Operation) -> frozenset[Verb]:
    """The verbs that open it again, in which its target has a say."""
    if operation.status == "failed":
        return frozenset({"retry", "cancel"})
    if operation.status == "blocked" and reopened(operation).direction == "forward":
        return frozenset({"resume"})
    return frozenset()


def can_retry(operation: Operation) -> bool:
    """A child is its parent's: once that is past its children, the parent is tried again."""
    fails = operation.status == "failed" and operation.recovery != "terminal"
    return fails and not _is_orphan(operation)


def can_cancel(operation: Operation) -> bool:
    """Taken back once, and not after the point of no return."""
    if operation.status in rules.ENDED - {"failed"} or operation.no_return:
        return False
    asked = operation.cancel_requested_at is not None or operation.direction == "undo"
    return not asked and not (operation.status == "failed" and _is_orphan(operation))


def can_abandon(operation: Operation) -> bool:
    """The last resort. Whoever is at work is asked to stop first, where that can be asked."""
    if operation.status == "running":
        return operation.cancel_requested_at is not None or operation.no_return
    return operation.status not in rules.ENDED - {"failed"}


def _is_orphan(operation: Operation) -> bool:
    return operation.parent_id is not None and not operation.parent_open


def check(operation: Operation, verb: Verb) -> None:
    if verb in verbs(operation):
        return
    if verb == "cancel" and operation.no_return and operation.status not in rules.ENDED:
        raise RollsForwardOnly(
            f"Operation {operation.id} is past its point of no return. It rolls forward only: "
            "wait for its end, or abandon it."
        )
    raise rules.InvalidTransition(
        f"Operation {operation.id} is {operation.status} "
        f"({operation.recovery or operation.direction}): {verb} is not possible. "
        f"Possible: {', '.join(verbs(operation)) or 'nothing'}."
    )


GOING = frozenset({"deleting", "delete_failed", "deleted"})
"""An instance of which nothing but its end is wanted any more."""


def goes(operation: Operation, *, instance: str) -> bool:
    """Whether it failed in an instance that goes or is gone, and so is not begun again."""
    ends = operation.kind == "instance.decommission"
    return operation.status == "failed" and instance in GOING and not ends


def check_instance(operation: Operation, verb: Verb, *, instance: str) -> None:
    """What failed is not begun again, nor taken back, in an instance that goes or is gone."""
    if verb in ("retry", "cancel") and goes(operation, instance=instance):
        raise rules.InvalidTransition(
            f"Instance {operation.instance_id} is {instance}: {verb} of operation {operation.id}, "
            "which failed, is not possible. Possible: abandon."
        )


# What the verbs lead to


def stop(operation: Operation) -> Stop:
    """How an operation is cancelled: at once, by turning it round, or by asking its controller."""
    if is_untouched(operation):
        return "ends"
    return "is_asked" if operation.status in rules.HELD else "turns"


def asked_to_stop(operation: Operation, *, reason: str, now: datetime) -> Operation:
    """With the wish to stop noted. It has as long to take back what it did as it had to do it."""
    return replace(
        operation,
        cancel_requested_at=operation.cancel_requested_at or now,
        cancel_reason=operation.cancel_reason or reason,
        deadline=_term(operation, now),
    )


def goes_back(operation: Operation) -> bool:
    """Whether a wish to stop takes back what was done.

    Members that are done stay: a request of which there are some is finished for those.
    """
    is_bulk = operation.is_parent and operation.kind.startswith("member.")
    return not (is_bulk and operation.children_succeeded)


def turned(operation: Operation) -> Operation:
    """In line again, to take back what it did. One that failed keeps no member any more."""
    failed = operation.status == "failed"
    return replace(
        operation,
        status="ready" if operation.status == "ready" else "pending",
        direction="undo" if goes_back(operation) else operation.direction,
        attempt=operation.attempt + failed,
        first_claimed_at=None if failed else operation.first_claimed_at,
        error=None,
        recovery=None,
        due_at=None,
        wakes_on=[],
    )


def reopened(operation: Operation) -> Operation:
    """The same wish once more, with a time of its own. Policy is asked again at the next claim.

    One that was to stop when it got stuck is still to stop.
    """
    is_stuck = operation.status == "blocked"
    turns = is_stuck and operation.phase != "finish" and _is_to_go_back(operation)
    undoes = turns or operation.direction == "undo"
    stops = undoes or (is_stuck and not operation.no_return)
    return replace(
        operation,
        status="pending",
        direction="undo" if undoes else operation.direction,
        attempt=operation.attempt + 1,
        error=None,
        recovery=None,
        residue=[],
        first_claimed_at=operation.first_claimed_at if operation.status == "blocked" else None,
        deadline=None,
        due_at=None,
        wakes_on=[],
        cancel_requested_at=operation.cancel_requested_at if stops else None,
        cancel_reason=operation.cancel_reason if stops else None,
    )


def abandoned(operation: Operation, *, reason: str) -> Operation:
    """Ended without its controller, whose grant is over. What it left behind, nobody knows."""
    where = operation.member_id or operation.app_instance_id
    left = {"what": "unknown", "where": where, "why": reason}
    return replace(
        operation,
        status="abandoned",
        fence=operation.fence + 1,
        message=reason,
        residue=operation.residue if is_untouched(operation) else [*operation.residue, left],
    )


def woken(operation: Operation, *, now: datetime) -> Operation:
    """In line again after a wait. Time in which it waited by its own policy does not count."""
    deadline = operation.deadline
    if deadline is not None and is_patient(operation):
        deadline += max(timedelta(0), now - operation.updated_at)
    return replace(operation, status="pending", due_at=None, wakes_on=[], deadline=deadline)


def let_go(operation: Operation, *, for_good: bool) -> Operation:
    """Free for another controller. One that is to stop is taken back by whoever gets it."""
    stops = operation.cancel_requested_at is not None
    return replace(
        operation,
        status="ready",
        direction="undo"
        if operation.phase != "finish" and _is_to_go_back(operation)
        else operation.direction,
        holder=None if for_good or stops else operation.holder,
    )


def _is_to_go_back(operation: Operation) -> bool:
    asked = operation.cancel_requested_at is not None and not operation.no_return
    return asked and goes_back(operation)


def is_patient(operation: Operation) -> bool:
    """Whether time counts while it waits. Children have times of their own."""
    return operation.patient or operation.phase == "children"


def outlasted(operation: Operation) -> Operation:
    """Its time is over and it cannot be asked to stop, or has not stopped: a person must look."""
    if operation.cancel_requested_at is not None:
        error = {"code": "undo_outlasted", "message": "It did not stop in the time that it had."}
    else:
        error = {
            "code": "deadline_passed",
            "message": "Its time is over, and it is past its point of no return.",
        }
    return replace(operation, status="blocked", recovery="operator", error=error, deadline=None)


def _term(operation: Operation, now: datetime) -> datetime:
    return now + timedelta(seconds=operation.timeout_seconds or 0)


# What a report leads to


@dataclass(frozen=True)
class Word:
    """What a controller says of the whole operation."""

    state: str
    result: Any = None
    residue: tuple[dict[str, Any], ...] = ()
    error: dict[str, Any] | None = None
    recovery: Recovery = "operator"
    wait: timedelta | None = None
    wakes_on: tuple[str, ...] = ()
    retry: bool = False


def told(operation: Operation, word: Word, *, now: datetime) -> Operation:
    """The operation as the controller's word leaves it."""
    said = replace(operation, residue=[*operation.residue, *word.residue])
    match word.state:
        case "running":
            _demand(operation, operation.direction == "forward", word)
            return replace(said, status="running")
        case "undoing":
            _demand(operation, _may_undo(operation), word)
            return replace(said, status="undoing", direction="undo")
        case "waiting":
            return _waiting(said, word, now=now)
        case "blocked":
            return replace(said, status="blocked", recovery="operator", error=word.error)
        case "succeeded":
            _demand(operation, operation.direction == "forward", word)
            return _succeeded(said, word)
        case "cancelled":
            _demand(operation, _may_undo(operation), word)
            return _cancelled(replace(said, direction="undo"))
        case _:
            return _failed(said, word, now=now)


def _demand(operation: Operation, fits: bool, word: Word) -> None:
    if not fits:
        raise ReportRefused(
            f"Operation {operation.id} is {operation.status}, direction {operation.direction}: it "
            f"cannot become {word.state}."
        )


def _may_undo(operation: Operation) -> bool:
    return operation.direction == "undo" or operation.cancel_requested_at is not None


def _waiting(operation: Operation, word: Word, *, now: datetime) -> Operation:
    # Nobody waits for what nobody wants any more.
    return _turned_back(operation) or replace(
        operation,
        status="waiting",
        due_at=None if word.wait is None else now + word.wait,
        wakes_on=list(word.wakes_on),
        attempt=operation.attempt + word.retry,
    )


def _turned_back(operation: Operation) -> Operation | None:
    """One that was asked to stop and is let go of: free for whoever takes it back."""
    if operation.direction == "undo" or not _is_to_go_back(operation):
        return None
    return replace(operation, status="ready", direction="undo", holder=None)


def _succeeded(operation: Operation, word: Word) -> Operation:
    if operation.phase == "prepare":
        # It may have been asked to stop while it prepared: its children are not begun then.
        return _turned_back(operation) or replace(operation, status="waiting", phase="children")
    done = replace(operation, result=word.result, error=None, recovery=None)
    if operation.phase == "finish" and operation.cancel_requested_at is not None:
        return replace(done, status="cancelled")
    if operation.phase == "finish" and operation.children_failed > (operation.failure_budget or 0):
        error = {
            "code": "children_failed",
            "message": f"{operation.children_failed} of {operation.children_total} failed.",
        }
        return replace(done, status="failed", recovery="retryable", error=error)
    return replace(done, status="succeeded")


def _cancelled(operation: Operation) -> Operation:
    if not operation.residue:
        return replace(operation, status="cancelled", error=None, recovery=None)
    error = {
        "code": "undo_incomplete",
        "message": f"{len(operation.residue)} things could not be taken back. `residue` says what.",
    }
    return replace(operation, status="failed", recovery="operator", error=error)


def _failed(operation: Operation, word: Word, *, now: datetime) -> Operation:
    failed = replace(operation, error=word.error, recovery=word.recovery)
    if word.recovery == "operator":
        return replace(failed, status="blocked")
    if word.recovery != "retryable" or operation.attempt > AUTOMATIC:
        return replace(failed, status="failed")
    again = Word("waiting", wait=pause(operation.attempt), retry=True)
    return _waiting(failed, again, now=now)


def pause(attempt: int) -> timedelta:
    """How long a failure is left alone before the next attempt."""
    return min(FIRST_PAUSE * 2 ** min(attempt - 1, 10), LONGEST_PAUSE)
