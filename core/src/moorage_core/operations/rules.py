"""Pure decisions about operations: who may still act, for how long, and how they end."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from moorage_core.authz.permissions import Permission
from moorage_core.authz.roles import ROLES, Role
from moorage_core.errors import Conflict
from moorage_core.operations.models import Grant, Machine, Operation

LONGEST = timedelta(hours=24)
"""However often a session is renewed, it ends then."""
OPENING_ROLES: frozenset[str] = frozenset(
    str(role) for role in Role if Permission.INFRA_SESSION_CREATE in ROLES[role].permissions
)
"""Roles whose people open sessions; without one, those that they opened end."""
NEXT: dict[str, frozenset[str]] = {
    "pending": frozenset({"ready", "cancelled", "failed", "abandoned"}),
    "ready": frozenset(
        {"running", "undoing", "pending", "cancelled", "failed", "blocked", "abandoned"}
    ),
    "running": frozenset(
        {
            "ready",
            "waiting",
            "blocked",
            "succeeded",
            "failed",
            "cancelled",
            "undoing",
            "abandoned",
        }
    ),
    "waiting": frozenset({"pending", "succeeded", "failed", "blocked", "cancelled", "abandoned"}),
    "blocked": frozenset({"pending", "cancelled", "failed", "abandoned"}),
    "undoing": frozenset({"ready", "waiting", "blocked", "cancelled", "failed", "abandoned"}),
    "failed": frozenset({"pending", "abandoned"}),
    "succeeded": frozenset(),
    "cancelled": frozenset(),
    "abandoned": frozenset(),
}
"""From state to state. The database holds the same table and refuses everything else."""
ENDED = frozenset({"succeeded", "failed", "cancelled", "abandoned"})
OPEN = frozenset(NEXT) - ENDED
LOST = frozenset({"failed", "abandoned"})
"""Of a child: it counts against its parent's budget."""
HELD = frozenset({"running", "undoing"})
"""A controller has it."""
LEASE = timedelta(seconds=30)
"""How long a controller may be silent before another gets its operations."""
OPENER_LEFT = "Whoever opened it may not open sessions in this project any more."


class OperationEnded(Conflict):
    """The operation has ended."""

    code = "operation_ended"


class GrantEnded(Conflict):
    """The operation has ended, or another holder has taken it over."""

    code = "grant_ended"


class PlatformsOwn(Conflict):
    """It is the platform's own work: nobody stops it or holds it open."""

    code = "platforms_own"


class InvalidTransition(Conflict):
    """The operation's state does not allow this."""

    code = "invalid_transition"


class AllocationNotActive(Conflict):
    """A machine is not in the state in which work on it can begin."""

    code = "allocation_not_active"


def may_have_journal(operation: Operation) -> bool:
    """Whoever is the first to have it has reported nothing yet: nobody wrote a step."""
    return operation.fence > 1 or operation.sequence > 0


def check_move(id: str, before: str, after: str) -> None:
    if after not in NEXT[before]:
        raise InvalidTransition(f"Operation {id} is {before}: it cannot become {after}.")


def check_active(machines: Iterable[Machine]) -> None:
    """Work begins on machines that are held and ready."""
    for machine in machines:
        if machine.status != "active":
            raise AllocationNotActive(
                f"Allocation {machine.id} is {machine.status}. Work begins on active ones only."
            )


def check_grant(operation: Operation, grant: Grant) -> None:
    """The grant is live: its operation runs, and nobody has taken it over."""
    if operation.status not in HELD or grant.fence != operation.fence:
        raise GrantEnded(
            f"The grant for operation {operation.id} is over: it is {operation.status}, fence "
            f"{operation.fence}, and the grant has fence {grant.fence}."
        )


def check_running(operation: Operation) -> None:
    if operation.status != "running":
        raise OperationEnded(
            f"Operation {operation.id} has ended: {operation.status}. Open a new session."
        )


def check_not_own(operation: Operation) -> None:
    """What the platform does of itself is not people's to end, or to hold open."""
    if operation.requested_by_kind == "system":
        raise PlatformsOwn(
            f"Operation {operation.id} is the platform's own ({operation.reason}). It ends by "
            "itself, when its work is done or its time is over."
        )


def lease_until(now: datetime, lease: timedelta, *, deadline: datetime | None) -> datetime:
    """When a session's lease that is asked for now ends: never after the deadline."""
    return min(now + lease, deadline or now + lease)


def deadline_of(now: datetime, lease: timedelta) -> datetime:
    return now + max(lease, LONGEST)
