"""What may be claimed, for how long, and what is told of it. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from moorage_core.authz.permissions import Permission
from moorage_core.authz.roles import ROLES
from moorage_core.controllers.models import Hint, Probe, Replica, Told, Watch
from moorage_core.controllers.schemas import ProbeWish, UsageSaid
from moorage_core.errors import ApiError, Conflict, Fault, Forbidden
from moorage_core.members.models import Member
from moorage_manifest import Manifest

LEASE = timedelta(seconds=30)
"""Of a replica, from the beginning of each claim."""
LONGEST_WAIT = 20.0
"""Seconds. An answer leaves the replica time to claim anew before its lease ends."""
PUT_OFF_FOR = 1.0
"""Seconds until what could not be told is tried again, within a claim."""
AT_ONCE = 100
"""Watches in one answer."""
FORGOTTEN_AFTER = timedelta(days=7)
"""Replicas that nobody has heard of for so long are dropped."""
PROBE_QUEUED_FOR = timedelta(seconds=60)
"""A probe that no node has taken by then tells nobody anything any more."""
ON_CLUSTER: frozenset[str] = frozenset(
    str(role) for role in ROLES if Permission.INFRA_ACCESS_USE in ROLES[role].permissions
)
"""Roles whose people may be on the machines of their project."""


class NotAnOperator(Forbidden):
    """The caller is no operator of this app, or can no longer act as one."""

    code = "not_an_operator"


class WatchEnded(Conflict):
    """Another replica watches the instance, or nobody does any more."""

    code = "watch_ended"


class ScopeNotAsked(Forbidden):
    """The app's version has not asked for this."""

    code = "scope_not_asked"


class MeterUnknown(ApiError):
    """The app's version declares no such meter."""

    status = 422
    code = "meter_unknown"


class UsageInvalid(ApiError):
    """A record of usage cannot be."""

    status = 422
    code = "usage_invalid"


class ProbeUnknown(ApiError):
    """The app's version declares no such probe."""

    status = 422
    code = "probe_unknown"


class ProbeMisplaced(Conflict):
    """The probe cannot run on this member."""

    code = "probe_misplaced"


@dataclass(frozen=True)
class Look:
    """What one look of a claim found."""

    replica: Replica
    handed: int
    """The last number that was given."""
    operations: Sequence[Told] = ()
    watches: Sequence[Watch] = ()
    more_watches: bool = False
    """There are more that the replica has not heard of than fit."""
    hints: Sequence[Hint] = ()
    cancels: Sequence[Told] = ()
    lost: Sequence[str] = ()
    lost_watches: Sequence[str] = ()

    @property
    def next(self) -> int:
        """Up to which number the replica has heard everything, once it has this answer."""
        return self.watches[-1].handout if self.more_watches else self.handed

    @property
    def orgs(self) -> list[str]:
        """Where there is something to tell of."""
        parts = (self.operations, self.watches, self.hints, self.cancels)
        return sorted({each.org_id for part in parts for each in part})


class Counter:
    """Everything that a replica is handed gets the next number."""

    def __init__(self, handed: int) -> None:
        self.handed = handed

    def take(self, things: Sequence[object]) -> None:
        self.handed += len(things)

    @property
    def next(self) -> int:
        return self.handed + 1


def lost(named: Iterable[str], kept: set[str]) -> list[str]:
    """What a replica believes to hold and does not."""
    return [id for id in named if id not in kept]


def check_scope(manifest: Manifest, scope: str, *, org: str, project: str) -> None:
    if scope not in manifest.scopes:
        raise ScopeNotAsked(
            f"Version {manifest.version} of {manifest.slug} does not ask for the scope {scope}."
            " Declare it in the manifest; tenants consent to it.",
            org=org,
            project=project,
        )


def check_usage(records: Sequence[UsageSaid], manifest: Manifest, *, project: str) -> None:
    declared = {meter.name for meter in manifest.meters}
    for at, record in enumerate(records):
        where = f"body.records.{at}"
        if record.meter not in declared:
            raise MeterUnknown(
                f"Version {manifest.version} of {manifest.slug} declares no meter {record.meter}.",
                errors=[Fault(f"{where}.meter", "no meter of the manifest")],
            )
        if record.from_at > record.until_at:
            raise UsageInvalid(
                f"Record {record.key} ends before it begins.",
                errors=[Fault(f"{where}.until_at", "lies before from_at")],
            )
        if record.project not in (None, project):
            raise UsageInvalid(
                f"Record {record.key} is of a project that does not use the instance.",
                errors=[Fault(f"{where}.project", "not the instance's project")],
            )


def probe(wish: ProbeWish, manifest: Manifest, live: Mapping[str, Member]) -> Probe:
    """The command, and the machine that it runs on."""
    declared = {each.name: each for each in manifest.probes}.get(wish.name)
    if declared is None:
        raise ProbeUnknown(
            f"Version {manifest.version} of {manifest.slug} declares no probe {wish.name}."
        )
    member = live.get(wish.member)
    if member is None or member.allocation_id is None:
        raise ProbeMisplaced(f"Member {wish.member} is not on a machine of this instance.")
    if member.component != declared.component:
        raise ProbeMisplaced(
            f"Probe {wish.name} runs on members of {declared.component}, and {member.name} is of "
            f"{member.component}."
        )
    return Probe(declared.name, list(declared.command), declared.timeout, member.allocation_id)
