"""One line of JSON for each thing worth knowing, to the journal. Never a task's input or output."""

import contextlib
import json
import sys

from moorage_agent.tasks import Task


def line(message: str, **facts: object) -> None:
    """Say something. Where nobody takes it, the work is more important."""
    with contextlib.suppress(OSError):
        print(json.dumps({"message": message, **facts}), file=sys.stderr, flush=True)


def of(task: Task, message: str, **facts: object) -> None:
    """Say something about a task."""
    line(
        message, task=task.id, kind=task.kind, operation=task.operation_id,
        correlation_id=task.correlation_id, **facts,
    )  # fmt: skip
