"""From what is on record to one timeline, with the cause of a failure and what to do. Pure."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from moorage_core.authz.principals import Principal
from moorage_core.operations.models import Operation
from moorage_core.triage.models import Cause, Entry, Event, Moment, Next, Refusal, Step, Task

T = TypeVar("T")
MOST = 2000
"""Moments in one timeline. The latest stay."""
LINES, BYTES = 20, 4096
"""Of what a task wrote last."""
FAILED = ("failed", "blocked")
DONE = "succeeded"
SENTENCES = {
    "retry": "Try it again. What was done is not done again.",
    "resume": "Let it go on, once you have looked at what it needs.",
    "cancel": "Stop it, and have what it did taken back.",
    "replace": "Put another member in this one's place.",
    "abandon": "End it without its controller. What is left on machines is unknown then.",
}


def timeline(
    *,
    operations: Sequence[Operation],
    steps: Sequence[Step],
    tasks: Sequence[Task],
    events: Sequence[Event],
    entries: Sequence[Entry],
    refusals: Sequence[Moment] = (),
) -> list[Moment]:
    """Everything in the order in which it happened."""
    found = [
        *refusals,
        *(_entry(each) for each in entries),
        *(_operation(each) for each in operations),
        *(_step(each) for each in steps),
        *(moment for each in tasks for moment in _task(each)),
        *(_event(each) for each in events),
    ]
    return sorted(found, key=lambda moment: (moment.at, moment.kind, moment.id))[-MOST:]


def _entry(entry: Entry) -> Moment:
    denied = entry.outcome == "denied"
    text = f"{entry.actor_name} {'was refused' if denied else 'did'} {entry.action}"
    details: dict[str, Any] = {
        "audit_entry": entry.id,
        "actor": {"kind": entry.actor_kind, "id": entry.actor_id, "name": entry.actor_name},
        "break_glass": entry.break_glass,
        "reason": entry.reason,
        **entry.details,
    }
    kind = "refusal" if denied else "request"
    return Moment(entry.at, kind, entry.target, text, entry.outcome, details)


def refusal(told: Refusal, *, principal: Principal) -> Moment:
    """What the caller was told, as they were told it."""
    details: dict[str, Any] = {
        "actor": {"kind": principal.kind, "id": principal.id, "name": principal.name},
        "action": told.permission,
        "status": told.status,
        "code": told.code,
        "title": told.title,
        "message": told.detail,
        "errors": told.errors,
    }
    text = f"{principal.name} was refused {told.permission}"
    return Moment(told.at, "refusal", told.route, text, "denied", details)


def told_once(
    entries: Sequence[Entry], refusals: Sequence[Refusal], *, principal: Principal
) -> list[Entry]:
    """Without the counts of what the caller was told word for word."""
    words = {each.route for each in refusals}
    return [
        each
        for each in entries
        if not (each.outcome == "denied" and each.actor_id == principal.id and each.target in words)
    ]


def _operation(operation: Operation) -> Moment:
    what = operation.action or operation.kind
    details = {
        "kind": operation.kind,
        "instance_id": operation.app_instance_id,
        "member_id": operation.member_id,
        "parent_id": operation.parent_id,
        "attempt": operation.attempt,
        "direction": operation.direction,
        "message": operation.message,
        "error": operation.error,
        "residue": operation.residue,
        "ended_at": operation.ended_at and operation.ended_at.isoformat(),
    }
    text = f"{what} was asked for; it is {operation.status}"
    return Moment(operation.created_at, "operation", operation.id, text, operation.status, details)


def _step(step: Step) -> Moment:
    details = {
        "phase": step.phase,
        "number": step.number,
        "attempt": step.attempt,
        "message": step.message,
        "finished_at": step.finished_at and step.finished_at.isoformat(),
    }
    text = f"step {step.number}, {step.name}: {step.status}"
    return Moment(step.started_at, "step", step.operation_id, text, step.status, details)


def _task(task: Task) -> Iterator[Moment]:
    what = f"{task.kind} {task.key} on {task.allocation_id}"
    details: dict[str, Any] = {"operation_id": task.operation_id, "attempt": task.attempt}
    yield Moment(task.created_at, "task", task.id, f"{what} was queued", "queued", details)
    if task.started_at is not None:
        yield Moment(task.started_at, "task", task.id, f"{what} began", "running", details)
    if task.ended_at is not None:
        said = "" if task.exit_code is None else f", exit code {task.exit_code}"
        ended = details | {
            "exit_code": task.exit_code,
            "error_code": task.error_code,
            "error_message": task.error_message,
            "log": lines(task.tail),
        }
        text = f"{what} {task.status}{said}"
        yield Moment(task.ended_at, "task", task.id, text, task.status, ended)


def _event(event: Event) -> Moment:
    details = {"subject_version": event.subject_version, "data": event.data}
    return Moment(event.at, "event", event.subject, event.type, None, details)


def lines(tail: bytes) -> list[str]:
    """What hosts wrote is text that somebody reads, whatever bytes it is made of."""
    return tail[-BYTES:].decode("utf-8", "replace").splitlines()[-LINES:]


def cause(
    operations: Sequence[Operation], steps: Sequence[Step], tasks: Sequence[Task]
) -> Cause | None:
    """Why it came to nothing: the first part that failed, its last step, its last task.

    What failed and waits for its next attempt counts: whoever looks now wants to know why.
    """
    failed = [each for each in operations if each.status in FAILED or _is_tried_again(each)]
    if not failed:
        return None
    parts = [each for each in failed if each.parent_id is not None]
    operation = min(parts or failed, key=lambda each: each.ended_at or each.updated_at)
    error: dict[str, Any] = operation.error or {}
    step = _last(steps, lambda each: each.operation_id == operation.id and each.status != DONE)
    task = _last(tasks, lambda each: each.operation_id == operation.id and each.status != DONE)
    return Cause(
        code=error.get("code", operation.status),
        message=error.get("message") or operation.message or f"It is {operation.status}.",
        operation_id=operation.id,
        step=step and step.name,
        task_id=task and task.id,
        exit_code=task.exit_code if task else None,
        log=error.get("log") or (lines(task.tail) if task else []),
    )


def _is_tried_again(operation: Operation) -> bool:
    return operation.status == "waiting" and operation.error is not None


def _last(rows: Sequence[T], wanted: Callable[[T], bool]) -> T | None:
    return next((row for row in reversed(rows) if wanted(row)), None)


def next_steps(
    operations: Sequence[Operation], verbs: Callable[[Operation], Sequence[str]]
) -> list[Next]:
    """What can be done about what has not succeeded: about the whole first, then about parts."""
    open_ = [each for each in operations if each.status not in (DONE, "cancelled", "abandoned")]
    open_.sort(key=lambda each: (each.parent_id is not None, each.created_at, each.id))
    return [Next(verb, each.id, SENTENCES[verb]) for each in open_[:20] for verb in verbs(each)]
