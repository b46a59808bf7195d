"""What may happen to an instance, and when. Pure.

An instance's state follows its operations. What may be asked for is judged by the state that it
will have once everything asked for before is done, because operations wait for each other.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from moorage_core.errors import ApiError, Conflict, Fault
from moorage_core.instances.models import (
    Effect,
    Instance,
    Plan,
    Revision,
    Status,
)
from moorage_manifest import Manifest, versions
from moorage_manifest.vocabulary import OperationKind

_GONE: tuple[Status, ...] = ("deleting", "deleted")
_CHANGING: tuple[Status, ...] = (
    "stopping",
    "restarting",
    "configuring",
    "upgrading",
    "rolling_back",
    "rotating",
)


def _to(*after: Status) -> frozenset[Status]:
    return frozenset(after)


NEXT: dict[Status, frozenset[Status]] = {
    "requested": _to("deploying", "failed", *_GONE),
    "deploying": _to("running", "failed", *_GONE),
    "running": _to(*_CHANGING, *_GONE),
    "stopping": _to("stopped", "running", "failed", *_GONE),
    "stopped": _to("starting", *_GONE),
    "starting": _to("running", "stopped", "failed", *_GONE),
    "restarting": _to("running", "failed", *_GONE),
    "configuring": _to("running", "failed", *_GONE),
    "upgrading": _to("running", "failed", *_GONE),
    "rolling_back": _to("running", "failed", *_GONE),
    "rotating": _to("running", "failed", *_GONE),
    "failed": _to("deploying", "starting", *_CHANGING, *_GONE),
    "deleting": _to("delete_failed", "deleted"),
    "delete_failed": _to(*_GONE),
    "deleted": _to(),
}
"""`deleted` without `deleting` before is what happens to one that was given up without its app."""
ENDED: frozenset[Status] = frozenset({"deleted"})


@dataclass(frozen=True)
class Work:
    """What an operation makes of the instance: meanwhile, when it is done, and when it failed."""

    during: Status
    done: Status
    failed: Status = "failed"
    undone: Status | None = None
    """What it is after a cancel. None: what it was before."""


WORK: dict[str, Work] = {
    "instance.deploy": Work("deploying", "running", undone="failed"),
    "instance.configure": Work("configuring", "running"),
    "instance.upgrade": Work("upgrading", "running"),
    "instance.rollback": Work("rolling_back", "running"),
    "instance.stop": Work("stopping", "stopped"),
    "instance.start": Work("starting", "running"),
    "instance.restart": Work("restarting", "running"),
    "credential.rotate": Work("rotating", "running"),
    "instance.decommission": Work("deleting", "deleted", "delete_failed", "delete_failed"),
}
"""By kind. A repair changes no state: health says how it went."""
DURING: frozenset[Status] = frozenset(work.during for work in WORK.values())
"""States in which an operation is at the instance."""
REVISES = frozenset(
    {"instance.deploy", "instance.configure", "instance.upgrade", "instance.rollback"}
)
"""Kinds that make the instance something else."""
GROWING = frozenset(WORK) - {"instance.stop", "instance.decommission"} | {"instance.repair"}
"""Kinds that policy is asked about."""

_RUNNING = frozenset(WORK) - {"instance.deploy", "instance.start"} | {"instance.repair"}
ALLOWED: dict[Status, frozenset[str]] = {
    "running": _RUNNING,
    "stopped": frozenset({"instance.start", "instance.decommission"}),
    "failed": _RUNNING | {"instance.start"},
    "delete_failed": frozenset({"instance.decommission"}),
}
"""What may be asked of an instance that came to run, by the state in which it will be."""
UNDEPLOYED = frozenset({"instance.decommission"})
"""What may be asked of one that never ran: its deployment is tried again, or it goes."""
TIMEOUTS: dict[str, int] = {"instance.repair": 1800}
TIMEOUT = 3600
"""Seconds, where the manifest does not say it."""
ABANDONED = "abandoned"
"""Why an allocation is dirty: its instance was given up without its app."""
REPAIRS_PER_HOUR = 6


class InvalidTransition(Conflict):
    """The state of the instance does not allow this."""

    code = "invalid_transition"


class ChangePending(Conflict):
    """Another change of the instance is on its way."""

    code = "change_pending"


class ChangeSuperseded(Conflict):
    """A later change has taken the place of this one."""

    code = "change_superseded"


class NothingChanges(Conflict):
    """The instance is like this already."""

    code = "nothing_changes"


class NameTaken(Conflict):
    """The project has an instance of this name already."""

    code = "name_taken"


class ScopeNotAvailable(ApiError):
    """Only instances of one project can be deployed so far."""

    status = 422
    code = "scope_not_available"


class ModeNotSupported(ApiError):
    """The app does not run in this mode."""

    status = 422
    code = "mode_not_supported"


class InvalidConfig(ApiError):
    """The configuration does not fit the app's schema."""

    status = 422
    code = "invalid_config"


class InvalidPlacement(ApiError):
    """The components cannot be placed like this."""

    status = 422
    code = "invalid_placement"


class OperatorUnfit(ApiError):
    """This app operator cannot serve the instance."""

    status = 422
    code = "operator_unfit"


class RollbackUnsupported(Conflict):
    """There is no way back to this."""

    code = "rollback_unsupported"


class NotAnUpgrade(Conflict):
    """The instance cannot go to this version."""

    code = "not_an_upgrade"


class LossesNotAccepted(Conflict):
    """This loses something, which has to be accepted."""

    code = "losses_not_accepted"


class TooManyRepairs(Conflict):
    """The instance was repaired too often within the hour."""

    code = "too_many_repairs"


class PlanStale(Conflict):
    """What the plan was made from has changed."""

    code = "plan_stale"


# States


def check_transition(id: str, before: Status, after: Status) -> None:
    if after not in NEXT[before]:
        raise InvalidTransition(f"Instance {id} is {before}: it cannot become {after}.")


def expected(status: Status, kinds: Iterable[str]) -> Status:
    """What the instance will be when what is open of it is done, in that order."""
    for kind in kinds:
        work = WORK.get(kind)
        status = status if work is None else work.done
    return status


def check_allowed(
    instance: Instance, kind: str, ahead: Sequence[str], *, preempt: bool = False
) -> None:
    """Refuse what makes no sense after what was asked for before. `ahead`: kinds in order.

    What preempts finds the instance as it was before those; only a decommission gives way to none.
    """
    will_be = expected(instance.status, ahead)
    if preempt and "instance.decommission" not in ahead and instance.status in DURING:
        will_be = instance.settled
    if will_be == "deleted":
        now = "is deleted" if instance.status == "deleted" else "is being decommissioned"
        raise InvalidTransition(f"Instance {instance.name} {now}.")
    allowed = ALLOWED.get(will_be, frozenset()) if instance.deployed else UNDEPLOYED
    if kind in allowed:
        return
    verb = kind.partition(".")[2]
    if not instance.deployed:
        raise InvalidTransition(
            f"Instance {instance.name} is {instance.status} and never ran, so {verb} makes no "
            "sense. Its deployment can be tried again, or the instance decommissioned."
        )
    after = "" if will_be == instance.status else " once what was asked for before is done"
    raise InvalidTransition(
        f"Instance {instance.name} is {will_be}{after}, and that does not allow {verb}."
    )


def after(instance: Instance, kind: str, status: str, before: str | None) -> Status | None:
    """What an operation's move makes of the instance; None where it stays as it is.

    One that never began leaves the instance alone, but for a deployment, without which it is
    nothing. One that was abandoned leaves it failed: what is there is not known. What is deleted
    stays so.
    """
    work = WORK.get(kind)
    if work is None or instance.status == "deleted":
        return None
    if status in ("running", "undoing"):
        return work.during
    ends: dict[str, Status] = {
        "succeeded": work.done,
        "failed": work.failed,
        "cancelled": work.undone or instance.settled,
        "abandoned": "deleted" if kind == "instance.decommission" else "failed",
    }
    began = instance.status == work.during or kind == "instance.deploy"
    given_up = kind == "instance.decommission" and status == "abandoned" and before != "pending"
    if status not in ends or not (began or given_up):
        return None
    return ends[status]


def settled(instance: Instance, after: Status, *, anew: bool) -> Status:
    """What the instance goes back to if what is at it is cancelled.

    A failure settles nothing: once it is taken back, the instance is what it was before. Only
    where another operation begins on a failed instance, that is what it finds.
    """
    if after in DURING:
        return instance.status if anew and instance.status not in DURING else instance.settled
    return instance.settled if after in ("failed", "delete_failed") else after


def check_there(instance: str, status: str, kind: str, ahead: Sequence[str]) -> None:
    """Refuse to open again what would find an instance that is gone by then."""
    goes = status in ("deleting", "delete_failed", "deleted") or any(
        each == "instance.decommission" for each in ahead if each != kind
    )
    if goes and kind != "instance.decommission":
        raise InvalidTransition(f"Instance {instance} is being decommissioned, or is gone.")


def check_retried(kind: str, revision: Revision | None) -> None:
    """Refuse to try a change again whose place another has taken."""
    if kind in REVISES and (revision is None or revision.outcome == "discarded"):
        raise ChangeSuperseded(
            "Another change was made since, so this one cannot be tried again. Ask for it anew."
        )


def timeout(manifest: Manifest, kind: OperationKind) -> int:
    return manifest.timeouts.get(kind) or TIMEOUTS.get(kind, TIMEOUT)


# Deploying


def check_mode(manifest: Manifest, mode: str | None, scope: str) -> str:
    """The operating mode of a new instance: the one that was asked for, or the app's first."""
    if scope != "project":
        raise ScopeNotAvailable(
            f"An instance with the scope {scope} cannot be deployed yet. Ask for the scope project."
        )
    modes = [each.operating_mode for each in manifest.modes if each.scope == scope]
    if not modes:
        raise ScopeNotAvailable("This version of the app does not run for one project.")
    if mode is not None and mode not in modes:
        raise ModeNotSupported(
            f"The app does not run in the mode {mode} for one project. It has: {', '.join(modes)}.",
            errors=[Fault("body.operating_mode", f"must be one of {', '.join(modes)}")],
        )
    return mode or modes[0]


def check_counts(manifest: Manifest, counts: Mapping[str, int]) -> None:
    """Refuse components that the app lacks, and fewer or more members than it can have."""
    known = manifest.components
    faults = [
        Fault(f"body.components.{key}", "is no component of the app")
        for key in counts
        if key not in known
    ]
    for key, component in known.items():
        have, least, most = counts.get(key, 0), component.min, component.max
        if have < least:
            faults.append(Fault(f"body.components.{key}", f"needs at least {least}, not {have}"))
        if most is not None and have > most:
            faults.append(Fault(f"body.components.{key}", f"can have at most {most}, not {have}"))
    if faults:
        first = faults[0]
        raise InvalidPlacement(
            f"Component {first.location.removeprefix('body.components.')} {first.message}.",
            errors=faults,
        )


# Changing


def check_no_change_pending(revision: Revision | None) -> None:
    """Each change starts from what the one before it left, so there is one at a time."""
    if revision is not None:
        raise ChangePending(
            f"Revision {revision.number} ({revision.kind}) is on its way by operation "
            f"{revision.operation_id}. Wait for its end, or cancel it."
        )


VERBS: dict[str, str] = {
    "instance.deploy": "deploy",
    "instance.configure": "reconfigure",
    "instance.upgrade": "upgrade",
    "instance.rollback": "roll back",
    "instance.stop": "stop",
    "instance.start": "start",
    "instance.restart": "restart",
    "instance.decommission": "remove",
    "credential.rotate": "rotate",
}
"""What a change does to each member, in words."""


def touched(
    kind: str, effect: Effect, members: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The members that a change touches, and what it does to each."""
    does = VERBS[kind]
    if kind == "instance.configure":
        if effect == "none":
            return []
        does = effect
    return [{**{k: each[k] for k in ("id", "name", "component")}, "does": does} for each in members]


def check_changes(instance: Instance, version_id: str, config: Mapping[str, Any]) -> None:
    if instance.version_id == version_id and instance.config == config:
        raise NothingChanges(f"Instance {instance.name} has this configuration already.")


def check_upgrade(
    instance: Instance, number: str, manifest: Manifest, counts: Mapping[str, int]
) -> None:
    """Refuse a version that is older, or that lacks what the instance has."""
    if versions.parse(number) < versions.parse(instance.app_version):
        raise NotAnUpgrade(
            f"Version {number} is older than {instance.app_version}. Going back is a rollback."
        )
    if manifest.runtime_backend != instance.runtime_backend:
        raise NotAnUpgrade(
            f"Version {number} runs on {manifest.runtime_backend}, the instance on "
            f"{instance.runtime_backend}."
        )
    for key, count in counts.items():
        if count and key not in manifest.components:
            raise NotAnUpgrade(
                f"Version {number} has no component {key}, of which there are {count} members. "
                "Remove them first."
            )
    check_mode(manifest, instance.operating_mode, instance.control_plane_scope)


def loses(manifest: Manifest, instance: Instance, to: Revision) -> tuple[str, ...]:
    """What going back to an earlier revision costs, in the words of the version that runs.

    Within one version nothing is lost: that is a change of the configuration.
    """
    if to.version_id == instance.version_id:
        return ()
    rollback = manifest.rollback
    if rollback is None or not rollback.supported:
        raise RollbackUnsupported(
            f"Version {instance.app_version} of {instance.app_slug} does not support going back to "
            f"{to.app_version}."
        )
    return tuple(rollback.loses)


def check_accepted(lost: Sequence[str], *, accepted: bool) -> None:
    if lost and not accepted:
        raise LossesNotAccepted(
            f"Going back loses: {' '.join(lost)} Say accept_losses to do it all the same.",
            errors=[Fault("body.accept_losses", each) for each in lost],
        )


def check_revision(instance: Instance, to: Revision | None, number: int | None) -> Revision:
    """The revision to go back to: one that ran, and that is not the present one."""
    if to is not None and to.outcome == "applied" and to.number != instance.revision:
        return to
    if number is None:
        raise RollbackUnsupported(
            f"Instance {instance.name} has no earlier revision to go back to."
        )
    raise RollbackUnsupported(
        f"Revision {number} of instance {instance.name} never ran, or runs now."
    )


def check_repairs(recent: int) -> None:
    if recent >= REPAIRS_PER_HOUR:
        raise TooManyRepairs(
            f"The instance was repaired {recent} times within the last hour. Look at why before "
            "the next time."
        )


# Plans


def moved(plan: Plan, read: Mapping[str, Any]) -> list[str]:
    """What is not any more as the plan has read it."""
    keys = sorted({*plan.read, *read})
    return [key for key in keys if plan.read.get(key) != read.get(key)]


def check_plan(
    plan: Plan, *, kind: str, given: Mapping[str, Any], read: Mapping[str, Any], now: datetime
) -> None:
    """Refuse a plan that was made for something else, or from what has moved since."""
    if plan.applied_operation_id is not None:
        raise PlanStale(f"Plan {plan.id} was applied already, by {plan.applied_operation_id}.")
    if plan.expires_at <= now:
        raise PlanStale(f"Plan {plan.id} is too old. Make another.")
    if plan.kind != kind or plan.input != given:
        raise PlanStale(f"Plan {plan.id} was made for another request. Make one for this.")
    if found := moved(plan, read):
        raise PlanStale(
            f"Since plan {plan.id} was made, these have moved: {', '.join(found)}. Look at a new "
            "plan before you decide.",
            errors=[Fault(name, "has moved") for name in found],
        )
