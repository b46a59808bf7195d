"""Wire shapes of triage."""

from typing import Annotated, Any, Literal

from pydantic import StringConstraints

from moorage_core.kit.ids import OperationId, OrgId
from moorage_core.kit.wire import Input, Moment, Output, Reason
from moorage_core.operations.shapes import OperationRead

CorrelationId = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[!-~]+$")]


class TriageOpen(Input):
    org: OrgId
    """Whose request it was."""
    reason: Reason
    """Why: the org sees it."""


class CauseRead(Output):
    """Why it failed: the innermost thing that did."""

    code: str
    message: str
    operation_id: OperationId
    step: str | None
    task_id: str | None
    exit_code: int | None
    log: list[str]
    """The last lines of what went wrong."""


class NextRead(Output):
    """Something that can be done about it."""

    verb: Literal["retry", "resume", "cancel", "abandon", "replace"]
    operation_id: OperationId
    text: str


class MomentRead(Output):
    """One thing that happened."""

    at: Moment
    kind: Literal["request", "refusal", "operation", "step", "task", "event"]
    id: str
    """Of the thing that it happened to."""
    text: str
    status: str | None
    details: dict[str, Any]


class TriageLayerRead(Output):
    """What one layer of policy says to it now."""

    layer: str
    allowed: bool | None
    """Null: there was nothing to judge."""
    sentence: str
    who_can_change: str | None


class TriageRead(Output):
    correlation_id: str
    cause: CauseRead | None
    """Null: nothing of it has failed."""
    next: list[NextRead]
    policy: list[TriageLayerRead]
    """Empty where policy has no say in it."""
    operations: list[OperationRead]
    timeline: list[MomentRead]
    """In the order in which it happened; the latest two thousand moments."""
