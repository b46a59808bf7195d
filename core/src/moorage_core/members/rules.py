"""What may happen to a member, and what an operation's move means for it.

Pure. Controllers never set a member's state: it follows the operations that are asked for, so the
same moves lead to the same state whoever looks.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from moorage_core.allocations.models import Allocation
from moorage_core.errors import ApiError, Conflict, Fault
from moorage_core.kit.counting import counted
from moorage_core.members.models import DrainPolicy, Member, Owner, Placement, Status
from moorage_manifest import Manifest

Verb = Literal["add", "drain", "resume", "remove", "replace"]
NEXT: dict[Status, frozenset[Status]] = {
    "requested": frozenset({"joining", "failed", "removing", "removed"}),
    "joining": frozenset({"ready", "failed", "removed"}),
    "ready": frozenset({"draining", "removing", "replacing", "failed", "removed"}),
    "draining": frozenset({"drained", "ready", "failed", "removed"}),
    "drained": frozenset({"ready", "draining", "removing", "replacing", "failed", "removed"}),
    "removing": frozenset({"requested", "ready", "drained", "failed", "removed"}),
    "replacing": frozenset(
        {"joining", "ready", "draining", "drained", "removing", "failed", "removed"}
    ),
    "failed": frozenset(
        {
            "requested",
            "joining",
            "ready",
            "draining",
            "drained",
            "removing",
            "replacing",
            "removed",
        }
    ),
    "removed": frozenset(),
}
"""From state to state. `removed` straight away is what is left when nobody can be asked any more,
and the end of a member that never came to join."""
SETTLED: frozenset[Status] = frozenset({"requested", "ready", "drained", "failed", "removed"})
"""States in which a member stays when no operation is at it."""
WORKING: dict[str, Status] = {
    "member.add": "joining",
    "member.drain": "draining",
    "member.remove": "removing",
}
"""What a member is while its operation runs. A resumed one stays what it is until it works."""
DONE: dict[str, Status] = {
    "member.add": "ready",
    "member.drain": "drained",
    "member.resume": "ready",
    "member.remove": "removed",
}
STATES: dict[Verb, frozenset[Status]] = {
    "add": frozenset(),
    "drain": frozenset({"joining", "ready", "failed"}),
    "resume": frozenset({"draining", "drained", "failed"}),
    "remove": frozenset({"requested", "joining", "ready", "draining", "drained", "failed"}),
    "replace": frozenset({"ready", "draining", "drained", "failed"}),
}
"""In which state of a member each verb can be asked for."""
AT_WORK = frozenset(
    {
        "running",
        "starting",
        "configuring",
        "upgrading",
        "rolling_back",
        "restarting",
        "rotating",
        "failed",
    }
)
"""States of an instance in which its members can be asked for something."""
RESTING = frozenset({"stopping", "stopped"})
"""States in which they can still be taken away."""
LEADS_TO = {
    "instance.stop": "stopped",
    "instance.start": "running",
    "instance.decommission": "deleting",
}
"""What operations that come first make of an instance."""
SAID = ("health", "reasons", "runtime_version", "config_hash", "adapter_detail")
"""What a controller may say of a member."""
TIMEOUT = 3600
"""Seconds for an operation of which the manifest says nothing."""
ABANDONED = "The operation was abandoned: nobody knows what is left there."


class InvalidTransition(Conflict):
    """The state of the member or of its instance does not allow this."""

    code = "invalid_transition"


class VerbNotOffered(Conflict):
    """The app does not offer this for members of the component."""

    code = "verb_not_offered"


class MemberLeaving(Conflict):
    """The member is being taken away."""

    code = "member_leaving"


class TooManyMembers(Conflict):
    """The component cannot have so many members."""

    code = "too_many_members"


class TooFewMembers(Conflict):
    """The component needs more members than would be left."""

    code = "too_few_members"


class MachineUnfit(Conflict):
    """A member cannot stand on this machine."""

    code = "machine_unfit"


class DrainedByOthers(Conflict):
    """Another side drained the member, and only that side lets it work again."""

    code = "drained_by_others"


class UnknownComponent(ApiError):
    """The app has no such component."""

    status = 422
    code = "unknown_component"


PLACE_ERRORS: tuple[type[ApiError], ...] = (MachineUnfit, TooManyMembers, UnknownComponent)


# States


def check_transition(member: Member, after: Status) -> None:
    if after != member.status and after not in NEXT[member.status]:
        raise InvalidTransition(
            f"Member {member.name} ({member.id}) is {member.status}: it cannot become {after}."
        )


@dataclass(frozen=True)
class Following:
    """What a member becomes by a move of its operation."""

    status: Status
    settled: Status
    reason: str | None = None
    unknown: bool = False
    """Nobody knows what is left on the machine."""


def follow(
    member: Member,
    *,
    kind: str,
    status: str,
    why: str | None,
    keep: bool = False,
    again: bool = False,
) -> Following | None:
    """What a move of an operation makes of its member; None where it stays as it is.

    `status` is the operation's new one, `why` what it says of itself. With `keep` a member that
    could not join keeps its machine, so that it can be tried again. One that is at work `again`
    leaves, when it is cancelled, what it found the first time. One that never was at work on the
    member leaves it to whoever is, but for its coming and going; so does an addition that failed,
    once another operation was at work on the member.
    """
    if status == "running" and kind in DONE:
        found = member.settled if again or member.status not in SETTLED else member.status
        if kind in WORKING:
            return Following(WORKING[kind], found)
        return Following(member.status, found, member.status_reason)
    if status == "succeeded" and kind in DONE:
        return Following(DONE[kind], DONE[kind])
    leaves = kind == "member.remove" and status == "abandoned"
    if not again and not leaves and not (kind == "member.add" and is_to_join(member)):
        return None
    if status == "failed":
        return _failed(member, kind, why, keep=keep)
    if status == "cancelled":
        gone = kind == "member.add"
        after: Status = "removed" if gone else member.settled
        return Following(after, after, why if gone else None)
    if status == "abandoned":
        after = "removed" if kind in ("member.add", "member.remove") else "failed"
        return Following(after, after, ABANDONED, unknown=True)
    return None


def is_to_join(member: Member) -> bool:
    """Whether nothing but its addition was ever at work on it."""
    return member.status in ("requested", "joining")


def is_overtaken(member: Member, *, kind: str, operation: str) -> bool:
    """Whether what came of an addition is another operation's by now."""
    last = member.last_operation_id == operation
    return kind == "member.add" and not last and not is_to_join(member)


def _failed(member: Member, kind: str, why: str | None, *, keep: bool) -> Following:
    """A machine that was allocated for a member that cannot join goes back, and so does it."""
    joins = kind == "member.add"
    gone = joins and member.managed and not member.keep_allocation and not keep
    after: Status = "removed" if gone else "failed"
    return Following(after, after if joins else member.settled, why or f"{kind} failed.")


def withdrawn(
    member: Member, *, kind: str, status: str, given: Mapping[str, Any], operation: str
) -> int:
    """How many members more are wanted, now that what was asked for one is taken back.

    What failed is still wanted: the difference to what there is stays to be seen. A replacement
    never changed what is wanted, nor does an addition whose member is there to stay.
    """
    if "replaces" in given or "replaced_by" in given:
        return 0
    if member.is_live and is_overtaken(member, kind=kind, operation=operation):
        return 0
    if kind == "member.add" and status in ("cancelled", "abandoned"):
        return -1
    return int(kind == "member.remove" and status == "cancelled" and member.is_live)


def stays_beside(old: Member, new: Member, *, status: str) -> int:
    """How many members more are wanted by the end of a replacement: what was taken back half-way
    leaves both, once the new one has joined, and neither goes unless somebody asks."""
    joined = new.is_live and new.status not in ("requested", "joining")
    return int(status == "cancelled" and old.is_live and joined)


def drained_by(
    member: Member, kind: str, given: Mapping[str, Any], after: Status
) -> tuple[Owner | None, str | None]:
    """Whose side drained a member, and why, once it is in its next state."""
    if after == "ready":
        return None, None
    if kind == "member.drain" and after == "draining":
        return given.get("owner", "user"), given.get("reason")
    return member.drain_owner, member.drain_reason


def gone(member: Member, reason: str) -> Member:
    """A tombstone."""
    return replace(member, status="removed", settled="removed", status_reason=reason)


# Asking


def check_instance(id: str, status: str, ahead: Iterable[str], verb: Verb) -> None:
    """Whether an instance will be in a state in which its members can be asked for this.

    `ahead` are the kinds of operations that come first, in their order.
    """
    for kind in ahead:
        status = LEADS_TO.get(kind, status)
    if status in AT_WORK or (verb == "remove" and status in RESTING):
        return
    raise InvalidTransition(
        f"Instance {id} is {status}, or will be: no member of it can be asked to {verb}."
    )


def check_reopened(id: str, status: str, ahead: Iterable[str], verb: Verb, *, part: bool) -> None:
    """Whether an instance is still one in which its members can be asked for this once more.

    A `part` of a larger whole has come as far as that: of a deployment, say, which is under way.
    """
    rests = status in RESTING and verb != "remove"
    if not part:
        check_instance(id, status, ahead, verb)
    elif rests or status == "deleted":
        raise InvalidTransition(f"Instance {id} is {status}: there is nobody to {verb} a member.")


def check_verb(manifest: Manifest, component: str, verb: Verb) -> None:
    found = manifest.components.get(component)
    if found is None:
        keys = ", ".join(sorted(manifest.components)) or "none"
        raise UnknownComponent(
            f"{manifest.slug} {manifest.version} has no component {component}; it has: {keys}."
        )
    if verb not in found.verbs:
        offered = ", ".join(found.verbs) or "nothing"
        raise VerbNotOffered(
            f"{manifest.slug} {manifest.version} does not offer {verb} for {component}: it offers "
            f"{offered}."
        )


def check_members(members: Sequence[Member], verb: Verb, leaving: frozenset[str]) -> None:
    """Whether each member can be asked for this now, those ahead in the queue included."""
    faults = [
        Fault(f"body.members.{member.id}", sentence)
        for member in members
        if (sentence := _obstacle(member, verb, leaving)) is not None
    ]
    if not faults:
        return
    detail = f"{_first(faults)} Nothing was asked for."
    if any(member.id in leaving for member in members):
        raise MemberLeaving(detail, errors=faults)
    raise InvalidTransition(detail, errors=faults)


def _obstacle(member: Member, verb: Verb, leaving: frozenset[str]) -> str | None:
    if member.id in leaving:
        return f"Member {member.name} is being removed: an operation for that is open."
    if member.status not in STATES[verb]:
        return f"Member {member.name} is {member.status}: it cannot be asked to {verb}."
    return None


def _first(faults: Sequence[Fault]) -> str:
    more = f" And {len(faults) - 1} more." if len(faults) > 1 else ""
    return faults[0].message + more


def check_may_resume(members: Iterable[Member], side: Owner) -> None:
    """Only the side that drained a member lets it work again."""
    for member in members:
        if member.drain_owner not in (None, side):
            raise DrainedByOthers(
                f"Member {member.name} was drained by the {member.drain_owner}: "
                f"{member.drain_reason}. Only that side lets it work again."
            )


def check_room(manifest: Manifest, live: Mapping[str, int], more: Mapping[str, int]) -> None:
    """At most as many members as the manifest allows, those on their way included."""
    for key, count in more.items():
        most, have = manifest.components[key].max, live.get(key, 0)
        if most is not None and have + count > most:
            raise TooManyMembers(
                f"{manifest.slug} {manifest.version} allows {counted(most, 'member', 'members')} "
                f"of {key}: there are {have}, and {count} more were asked for."
            )


def check_enough_left(manifest: Manifest, staying: Mapping[str, int]) -> None:
    """At least as many members as the manifest needs stay."""
    for key, left in staying.items():
        component = manifest.components.get(key)
        if component is not None and left < component.min:
            raise TooFewMembers(
                f"{manifest.slug} {manifest.version} needs "
                f"{counted(component.min, 'member', 'members')} of {key}, and {left} would be "
                "left. Replace a member, or decommission the instance."
            )


# Machines


def check_known(manifest: Manifest, placements: Mapping[str, Placement]) -> None:
    for key in placements:
        if key not in manifest.components:
            keys = ", ".join(sorted(manifest.components)) or "none"
            raise UnknownComponent(
                f"{manifest.slug} {manifest.version} has no component {key}; it has: {keys}."
            )


def check_machine(row: Allocation, *, instance: str | None, runtime_backend: str) -> None:
    """Held, ready, clean, nobody else's, and not meant for something else."""
    why = None
    if row.status != "active":
        why = f"is {row.status}, not active"
    elif row.dirty:
        why = f"is dirty ({', '.join(row.dirty)}) and can only be released"
    elif row.instance_id not in (None, instance):
        why = f"carries members of instance {row.instance_id}"
    elif row.scheduler_type not in (None, runtime_backend):
        why = f"is noted for {row.scheduler_type}, and this runs {runtime_backend}"
    if why is not None:
        raise MachineUnfit(f"Allocation {row.name} ({row.id}) {why}.")


def check_sharing(
    manifest: Manifest, wanted: Mapping[str, Placement], have: Mapping[str, Sequence[str]]
) -> None:
    """Two members stand on one host only where one of their components says that they may.

    `have` are the components of live members by allocation.
    """
    there = {id: list(keys) for id, keys in have.items()}
    for key, placement in wanted.items():
        for id in placement.allocations:
            for other in there.get(id, ()):
                if not _may_share(manifest, key, other):
                    raise MachineUnfit(
                        f"On allocation {id} there would be {key} and {other} together, which "
                        f"{manifest.slug} {manifest.version} does not allow."
                    )
            there.setdefault(id, []).append(key)


def _may_share(manifest: Manifest, one: str, other: str) -> bool:
    found = [manifest.components.get(key) for key in (one, other)]
    shares = [set(c.may_share_host_with) if c is not None else set[str]() for c in found]
    return other in shares[0] or one in shares[1]


# What controllers say


def knows_people(manifest: Manifest) -> bool:
    """Whether the app is told who may be on its cluster: they have accounts on its machines."""
    return "principals.read" in manifest.scopes


def says_new(member: Member, said: Mapping[str, Any]) -> bool:
    """Most of what is observed is as it was: that costs no write."""
    have = {**vars(member), "reasons": member.health_reasons}
    return any(said.get(key) is not None and said[key] != have[key] for key in SAID)


# What operations are told


def waves(manifest: Manifest) -> dict[str, int]:
    """In which wave of a deployment the members of each component join."""
    found: dict[str, int] = {}
    for key, component in manifest.components.items():
        last = max(found.values(), default=-1)
        found[key] = last + 1 if component.waits_for_others else max(last, 0)
    return found


def timeout(manifest: Manifest, kind: str) -> int:
    """Seconds that one operation of the kind may take."""
    timeouts: Mapping[str, int] = {str(k): int(v) for k, v in manifest.timeouts.items()}
    return timeouts.get(kind, TIMEOUT)


def drain_input(
    policy: DrainPolicy, deadline: int | None, *, owner: Owner, reason: str
) -> dict[str, Any]:
    """How an app is told to empty a member."""
    return {
        "policy": policy,
        "deadline_seconds": deadline if policy == "deadline" else None,
        "owner": owner,
        "reason": reason,
    }


def child_timeout(base: int, policy: DrainPolicy, deadline: int | None) -> int:
    """What runs there has its own time, before that of the operation."""
    return base + (deadline or 0) if policy == "deadline" else base


def adds_first(manifest: Manifest, component: str, live: int) -> bool:
    """Whether there is room for the new member beside the one that it replaces."""
    most = manifest.components[component].max
    return most is None or live < most


def member_name(component: str, number: int) -> str:
    return f"{component}-{number}"
