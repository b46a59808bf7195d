"""An operation as it is shown, and what else is answered. Other slices answer with it too."""

from typing import Any, Literal

from pydantic import Field, model_validator

from moorage_core.kit.ids import (
    AllocationId,
    AppOperatorId,
    InstanceId,
    MemberId,
    OperationId,
    OrgId,
    ProjectId,
)
from moorage_core.kit.wire import Moment, Output
from moorage_core.operations import recovery
from moorage_core.operations.models import Operation

StatusName = Literal[
    "pending",
    "ready",
    "running",
    "waiting",
    "blocked",
    "undoing",
    "succeeded",
    "failed",
    "cancelled",
    "abandoned",
]


class ErrorRead(Output):
    code: str
    message: str
    log: list[str] = Field(default_factory=list[str])
    """The last lines of what went wrong."""


class ResidueRead(Output):
    """What could not be taken back, or nobody knows."""

    what: str
    where: str | None
    why: str


class ProgressRead(Output):
    done: int
    total: int


class ChildrenRead(Output):
    total: int
    ended: int
    succeeded: int
    failed: int


class OperationRead(Output):
    id: OperationId
    org_id: OrgId
    project_id: ProjectId
    kind: str
    status: StatusName
    reason: str
    message: str | None
    requested_by_kind: str
    requested_by: str
    requested_by_name: str
    fence: int
    allocations: list[AllocationId]
    lease_expires_at: Moment | None
    """Until when whoever is at work on it may be silent."""
    deadline: Moment | None
    """When it is asked to stop."""
    correlation_id: str
    app_slug: str | None
    instance_id: InstanceId | None
    instance_name: str | None
    """Null in the answer to a change, as the name of its member."""
    member_id: MemberId | None
    member_name: str | None
    parent_id: OperationId | None
    operator_id: AppOperatorId | None
    """Who does it."""
    action: str | None
    input: dict[str, Any] | None
    """Null, as its result: an action's, whose key you do not hold."""
    phase: Literal["prepare", "children", "finish"] | None
    """Of one with children: what it is at."""
    children: ChildrenRead | None
    direction: Literal["forward", "undo"]
    attempt: int
    progress: ProgressRead | None
    error: ErrorRead | None
    result: Any
    residue: list[ResidueRead]
    recovery: Literal["retryable", "reconcilable", "repairable", "operator", "terminal"] | None
    no_return: bool
    """It rolls forward only."""
    verbs: list[Literal["retry", "resume", "cancel", "abandon", "replace"]]
    """What can be asked of it now."""
    cancel_requested_at: Moment | None
    cancel_reason: str | None
    due_at: Moment | None
    """When one that waits looks again."""
    version: int
    created_at: Moment
    updated_at: Moment
    ended_at: Moment | None

    @model_validator(mode="before")
    @classmethod
    def _show(cls, given: Any) -> Any:
        """Read off a row: what is worked out stands beside what is stored."""
        return shown(given) if isinstance(given, Operation) else given


class OperationStepRead(Output):
    """An entry of the journal."""

    phase: Literal["run", "prepare", "finish"]
    number: int
    name: str
    status: Literal["running", "succeeded", "failed", "undoing", "undone", "undo_failed"]
    attempt: int
    message: str | None
    result: Any
    no_return: bool
    started_at: Moment
    finished_at: Moment | None


class StepsRead(Output):
    items: list[OperationStepRead]


class ReportTaken(Output):
    """How the operation stands now. The lease is renewed."""

    status: StatusName
    direction: Literal["forward", "undo"]
    fence: int
    sequence: int
    lease_expires_at: Moment | None
    cancel_requested: bool
    """Stop, and take back what was done."""
    cancel_reason: str | None


class SessionIssued(OperationRead):
    token: str
    """Opens the machines of the session until it ends. Shown once."""


def shown(operation: Operation) -> dict[str, Any]:
    done, total = operation.progress_done, operation.progress_total
    progress = None if done is None or total is None else {"done": done, "total": total}
    return operation.__dict__ | {
        "instance_id": operation.app_instance_id,
        "children": children(operation),
        "progress": progress,
        "residue": [*operation.residue, *operation.children_residue],
        "verbs": recovery.offered(operation),
        **({"input": None, "result": None} if operation.is_withheld else {}),
    }


def children(operation: Operation) -> dict[str, int] | None:
    """How far the children of a parent are."""
    if not operation.is_parent:
        return None
    return {
        "total": operation.children_total,
        "ended": operation.children_ended,
        "succeeded": operation.children_succeeded,
        "failed": operation.children_failed,
    }
