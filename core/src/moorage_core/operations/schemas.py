"""What is asked of operations and sessions, on the wire. What is answered is in `shapes`."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from moorage_core.kit.ids import AllocationId
from moorage_core.kit.wire import NO_CONTROL, WHOLE, Input, Reason

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


class VerbCreate(Input):
    """A person's word on an operation."""

    reason: Reason
    """Why: it stands in the audit log, and with the operation where it is cancelled."""
