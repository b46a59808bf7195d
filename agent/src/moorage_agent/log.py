"""One line of JSON for each thing worth knowing, to the journal. Never a task's input or output."""

import json
import sys

from moorage_agent.tasks import Task


def line(message: str, **facts: object) -> None:
    """Say something."""
    print(json.dumps({"message": message, **facts}), file=sys.stderr, flush=True)


def of(task: Task, message: str, **facts: object) -> None:
    """Say something about a task."""
    line(
        message, task=task.id, kind=task.kind, operation=task.operation_id,
        correlation_id=task.correlation_id, **facts,
    )  # fmt: skip
