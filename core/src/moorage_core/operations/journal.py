"""The journal of operations: the steps that controllers say they have taken.

A step that has come to its end stays as it is, and a journal holds so much and no more. What is
written is checked before, so that of many reports one that is refused spoils no other.
"""

import json
from collections.abc import Mapping, Sequence

from moorage_core.context import Context
from moorage_core.errors import Conflict
from moorage_core.operations import queue_store
from moorage_core.operations.models import JournalEntry
from moorage_core.operations.report_shapes import StepReport

RESULT_BYTES = 64 * 1024
"""Of one step."""
JOURNAL_BYTES = 1024 * 1024
"""Of all steps of an operation."""
FINAL_STEPS = {"succeeded": {"undoing", "undone", "undo_failed"}, "undone": set[str]()}
"""What can follow on a step that has come to its end."""

Known = Mapping[tuple[str, int], JournalEntry]
"""The journal of one operation, by phase and number."""


class StepFinal(Conflict):
    """A step that has come to its end does not change any more."""

    code = "step_final"


class ResultTooLarge(Conflict):
    """The results of the steps are larger than a journal holds."""

    code = "result_too_large"


async def known(ctx: Context, operations: Sequence[str], *, org: str) -> dict[str, Known]:
    """The journals of operations, by operation; nothing of one that has none."""
    found: dict[str, dict[tuple[str, int], JournalEntry]] = {}
    if operations:
        for each in await queue_store.list_journal(ctx.db, sorted(operations), org=org):
            found.setdefault(each.operation_id, {})[each.phase, each.number] = each
    return {**found}


def check(said: Sequence[StepReport], known: Known) -> None:
    """Raises where steps cannot be written on a journal."""
    sizes = {key: entry.size for key, entry in known.items()}
    for step in said:
        _check_step(step, known.get((step.phase, step.number)))
        if step.result is not None:
            text = json.dumps(step.result, ensure_ascii=False)
            sizes[step.phase, step.number] = len(text.encode())
    if sum(sizes.values()) > JOURNAL_BYTES:
        raise ResultTooLarge(f"The results of all steps are more than {JOURNAL_BYTES} bytes.")


def _check_step(said: StepReport, known: JournalEntry | None) -> None:
    if len(json.dumps(said.result)) > RESULT_BYTES:
        raise ResultTooLarge(f"The result of step {said.name} is more than {RESULT_BYTES} bytes.")
    if known is None:
        return
    if known.name != said.name:
        raise StepFinal(f"Step {said.number} is {known.name}, not {said.name}.")
    allowed = FINAL_STEPS.get(known.status)
    if allowed is not None and said.status not in {known.status, *allowed}:
        raise StepFinal(f"Step {said.name} is {known.status}: it cannot become {said.status}.")


async def write(
    ctx: Context, said: Mapping[str, Sequence[StepReport]], *, org: str, project: str
) -> None:
    """Write journals on, by operation. What is said of one step twice counts as said last."""
    rows = {
        (operation, step.phase, step.number): {"operation_id": operation} | step.model_dump()
        for operation, steps in said.items()
        for step in steps
    }
    if rows:
        await queue_store.put_steps(
            ctx.db, list(rows.values()), org=org, project=project, now=ctx.now
        )
