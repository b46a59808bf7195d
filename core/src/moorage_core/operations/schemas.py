"""Wire shapes of operations and sessions."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from moorage_core.kit.ids import AllocationId, OperationId, OrgId, ProjectId
from moorage_core.kit.wire import NO_CONTROL, WHOLE, Input, Moment, Output, Reason

StatusName = Literal["running", "succeeded", "failed", "cancelled"]
Lease = Annotated[int, Field(ge=60, le=8 * 3600), WHOLE]


class SessionCreate(Input):
    """An admin's work on machines that the project holds."""

    allocations: Annotated[list[AllocationId], Field(min_length=1, max_length=1000)]
    """The machines to work on, all of this project."""
    reason: Reason
    """Why: it stands in the audit log."""
    lease: Lease = 3600
    """Seconds until the session ends by itself, unless it is renewed."""


class LeaseRenew(Input):
    lease: Lease = 3600
    """Seconds from now. A session lasts 24 hours at most, however often it is renewed."""


class OperationEnd(Input):
    outcome: Literal["succeeded", "failed"]
    message: Annotated[str, StringConstraints(max_length=500, pattern=NO_CONTROL)] | None = None
    """What came of it, in a sentence."""


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
    lease_expires_at: Moment
    deadline: Moment
    correlation_id: str
    version: int
    created_at: Moment
    updated_at: Moment
    ended_at: Moment | None


class SessionIssued(OperationRead):
    token: str
    """Opens the machines of the session until it ends. Shown once."""
