"""An operation as people look at it: what it does now, what came of it, what they can do next.

Pure: what was read goes in, lines come out. Who reads it again and again is `watching`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from moorage.models import OperationRead, OperationStepRead, ResidueRead
from moorage_cli import output
from moorage_cli.terminal import plain

ENDED = frozenset({"succeeded", "failed", "cancelled", "abandoned"})
SETTLED = ENDED | {"blocked"}
"""What an operation stays in until a person does something."""
TAKING_DOWN = frozenset({"instance.decommission", "member.remove"})
SHOWN_CHILDREN = 12
BAR_WIDTH = 40

MARKS = {
    "succeeded": ("✓", "green"),
    "failed": ("✗", "red"),
    "blocked": ("!", "red"),
    "undo_failed": ("✗", "red"),
    "cancelled": ("-", "yellow"),
    "abandoned": ("-", "yellow"),
    "undoing": ("↶", "yellow"),
    "undone": ("↶", "yellow"),
    "running": ("▸", "cyan"),
    "waiting": ("…", "cyan"),
}
VERBS = {
    "retry": ("operations retry {id}", "try it again from the first step that is not done"),
    "resume": ("operations resume {id}", "go on, once what blocked it is mended"),
    "cancel": ("operations cancel {id}", "take back what it did"),
    "replace": ("members replace {member}", "put another machine in its place"),
    "abandon": (
        "operations abandon {id}",
        "end it without the app; what is left on machines is unknown",
    ),
}


@dataclass(frozen=True)
class Sight:
    """An operation as it was at one moment."""

    operation: OperationRead
    steps: Sequence[OperationStepRead] = ()
    children: Sequence[OperationRead] = ()
    """Those at work, and those that need somebody."""
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the members of the children are called, by id."""

    def child(self, child: OperationRead) -> str:
        """A child in a line: whose it is, its state, and what it says."""
        told = child.error.message if child.error and child.status in SETTLED else words(child)
        whose = self.names.get(child.member_id or "", child.member_id or child.id)
        return f"{whose}: {child.status}" + (f": {told}" if told else "")


@dataclass(frozen=True)
class Line:
    """One line of the display: how deep, in which state, what, and for how long."""

    depth: int
    status: str
    text: str
    lasted: timedelta | None = None


def title(operation: OperationRead) -> str:
    """What it is, in a few words."""
    what = f"{operation.kind} {operation.action}" if operation.action else operation.kind
    return f"{what} ({operation.id})"


def state(operation: OperationRead) -> str:
    """In which state it is, and what is particular about that."""
    found = [operation.status]
    if operation.phase and operation.status not in ENDED:
        found.append(operation.phase)
    if operation.direction == "undo" and operation.status not in ENDED:
        found.append("taking back")
    if operation.attempt > 1:
        found.append(f"attempt {operation.attempt}")
    if operation.cancel_requested_at and operation.status not in ENDED:
        found.append("asked to stop")
    return " · ".join(found)


def lines(sight: Sight, *, now: datetime) -> list[Line]:
    """Steps in the order in which they run, with the children between prepare and finish."""
    found = [*_steps(sight.steps, ("run", "prepare"), now)]
    found += [
        Line(1, child.status, sight.child(child), _lasted(child.created_at, child.ended_at, now))
        for child in sight.children[:SHOWN_CHILDREN]
    ]
    if (hidden := len(sight.children) - SHOWN_CHILDREN) > 0:
        found.append(Line(1, "running", f"and {hidden} more"))
    return [*found, *_steps(sight.steps, ("finish",), now)]


def _steps(
    steps: Sequence[OperationStepRead], phases: Sequence[str], now: datetime
) -> Iterator[Line]:
    for step in steps:
        if step.phase in phases:
            said = f": {step.message}" if step.message else ""
            again = f" (attempt {step.attempt})" if step.attempt > 1 else ""
            last = "" if not step.no_return else " (no way back from here)"
            lasted = _lasted(step.started_at, step.finished_at, now)
            yield Line(0, step.status, f"{step.name}{again}{last}{said}", lasted)


def _lasted(start: datetime, end: datetime | None, now: datetime) -> timedelta:
    return max((end or now) - start, timedelta())


def words(operation: OperationRead) -> str | None:
    """What it says now: its message, or why the last attempt came to nothing."""
    if operation.error and operation.status == "waiting":
        return f"{operation.error.message} It is tried again. [{operation.error.code}]"
    return operation.message


def share(operation: OperationRead) -> tuple[int, int] | None:
    """How much is done of how much; None where nobody has said."""
    if operation.children:
        return operation.children.ended, operation.children.total
    if operation.progress and operation.progress.total:
        return operation.progress.done, operation.progress.total
    return None


def frame(sight: Sight, *, now: datetime) -> RenderableType:
    """The whole picture, drawn anew whenever something moved."""
    operation = sight.operation
    head = Text.assemble((plain(title(operation)), "bold"), "  ", plain(state(operation)))
    parts: list[RenderableType] = [head]
    if told := words(operation):
        parts.append(Text(f"  {plain(told)}"))
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(overflow="fold")
    table.add_column(justify="right", no_wrap=True, style="dim")
    for line in lines(sight, now=now):
        mark, style = MARKS.get(line.status, ("·", "dim"))
        indent = "  " * (line.depth + 1)
        lasted = "" if line.lasted is None else duration(line.lasted)
        table.add_row(Text.assemble(indent, (mark, style), " ", plain(line.text)), lasted)
    parts.append(table)
    if (found := share(operation)) and operation.status not in ENDED:
        parts.append(_bar(operation, *found))
    return Group(*parts)


def _bar(operation: OperationRead, done: int, total: int) -> RenderableType:
    row = Table(box=None, pad_edge=False, show_header=False)
    row.add_column(width=BAR_WIDTH)
    row.add_column(no_wrap=True)
    said = f"{done} of {total}"
    if operation.children and operation.children.failed:
        said += f", {operation.children.failed} failed"
    row.add_row(ProgressBar(total=total, completed=done, width=BAR_WIDTH), said)
    return row


def changes(before: Sight | None, after: Sight) -> list[str]:
    """What moved between two looks, one line each: for logs and pipes. The end comes last."""
    old, new = before.operation if before else None, after.operation
    whole: list[str] = []
    if old is None or state(old) != state(new):
        whole.append(f"{title(new)}: {state(new)}")
    if (now := words(new)) and (old is None or words(old) != now):
        whole.append(f"  {now}")
    parts = _changed_parts(before, after)
    return [*parts, *whole] if new.status in SETTLED else [*whole, *parts]


def _changed_parts(before: Sight | None, after: Sight) -> list[str]:
    found: list[str] = []
    known = {(step.phase, step.number): step for step in (before.steps if before else ())}
    for step in after.steps:
        last = known.get((step.phase, step.number))
        if last is None or (last.status, last.message) != (step.status, step.message):
            said = f": {step.message}" if step.message else ""
            found.append(f"  {step.name}: {step.status}{said}")
    seen = {child.id: after.child(child) for child in (before.children if before else ())}
    told = [(child.id, after.child(child)) for child in after.children]
    found += [f"  {text}" for id, text in told if seen.get(id) != text]
    done = share(after.operation)
    if done and (before is None or share(before.operation) != done):
        found.append(f"  {done[0]} of {done[1]} done")
    return found


def ending(sight: Sight) -> list[str]:
    """What came of it: how it ended, why, what is left, and what to do next."""
    operation = sight.operation
    lasted = duration(_lasted(operation.created_at, operation.ended_at, operation.updated_at))
    found = [f"{title(operation)} {operation.status} after {lasted}."]
    if operation.error:
        found.append(f"Cause: {operation.error.message} [{operation.error.code}]")
        found += [f"  | {line}" for line in operation.error.log or ()]
    if operation.action and operation.result is not None:
        found += _result(operation.result)
    found += residue(operation)
    if operation.status != "succeeded":
        found += [f"  {sight.child(child)}" for child in sight.children if child.status in SETTLED]
        found += next_commands(operation)
    return found


def _result(value: Any) -> list[str]:
    if not isinstance(value, dict):
        return [f"Result: {output.cell(value)}"]
    return ["Result:", *output.outline(cast(dict[str, Any], value))]


def residue(operation: OperationRead) -> list[str]:
    """What is left behind, by name. Where something was taken down, also that nothing is."""
    if operation.residue:
        left = (f"  {_at(each)}: {each.why}" for each in operation.residue)
        return [f"Residue: {len(operation.residue)} left behind", *left]
    took_down = operation.kind in TAKING_DOWN and operation.status == "succeeded"
    return ["Residue: none"] if took_down else []


def _at(left: ResidueRead) -> str:
    return f"{left.what} on {left.where}" if left.where else left.what


def next_commands(operation: OperationRead) -> list[str]:
    """The verbs that this operation allows now, as commands; and where its story stands."""
    found = [
        f"Next: moor {command(verb, operation.id, operation.member_id)}    ({VERBS[verb][1]})"
        for verb in operation.verbs
    ]
    return [*found, f"Why:  moor triage {operation.correlation_id}"]


def command(verb: str, operation: str, member: str | None = None) -> str:
    """What to type for a verb of an operation."""
    words = VERBS[verb][0].format(id=operation, member=member or "MEMBER")
    return f"{words} --reason TEXT"


def duration(length: timedelta) -> str:
    """A length of time, as exact as people care."""
    seconds = length.total_seconds()
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = int(seconds // 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
