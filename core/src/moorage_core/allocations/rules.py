"""What may happen to an allocation, what happens next, and what it costs.

Pure. The platform's own steps between a wish and its end are decided here from what was seen, so
that whoever looks again comes to the same step.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast

from moorage_core.allocations.models import Allocation, Occupant, Status, TaskSeen
from moorage_core.errors import Conflict
from moorage_core.kit.counting import counted

NEXT: dict[Status, frozenset[Status]] = {
    "requested": frozenset({"provisioning", "active", "failed", "released"}),
    "provisioning": frozenset({"active", "failed", "releasing", "released"}),
    "active": frozenset({"releasing", "released"}),
    "releasing": frozenset({"released", "release_failed"}),
    "release_failed": frozenset({"releasing", "released"}),
    "released": frozenset(),
    "failed": frozenset(),
}
"""`released` without `releasing` before is what break-glass does, and the end of a wish that never
came to a machine."""
LIVE: frozenset[Status] = frozenset(status for status, after in NEXT.items() if after)
"""Those that hold their node."""
HOLDS_FOR_USE: frozenset[Status] = frozenset({"requested", "provisioning", "active"})
"""Those that are somebody's to work on, now or soon."""
HOUR = 3600
SETUP, WIPE, VERIFY = "setup/probe", "release/wipe", "release/probe"
"""The keys of the platform's own tasks."""
FORCED, NOT_CLEANED, ABANDONED = "force_released", "not_cleaned", "abandoned"
"""Why an allocation is dirty."""
TAKEN_OUT = "The node was taken out before it was ready. Ask again for another one."
"""Why it was taken out is for those who run the platform, in their words: tenants get ours."""
IMAGING = "it was being imaged anew for an allocation that was given up: image it again"
PROOF_BYTES = 65_536
"""What of a node's word is kept with an allocation; of a longer one, how long it was."""


class InvalidTransition(Conflict):
    """The state of the allocation does not allow this."""

    code = "invalid_transition"


class NodeTakenOut(Conflict):
    """The node was taken out, and nothing is done there."""

    code = "node_taken_out"


class Occupied(Conflict):
    """Members of an instance stand on this machine."""

    code = "allocation_occupied"


class NameTaken(Conflict):
    """The project has an allocation of this name already."""

    code = "name_taken"


def check_transition(id: str, before: Status, after: Status) -> None:
    if after not in NEXT[before]:
        raise InvalidTransition(f"Allocation {id} is {before}: it cannot become {after}.")


def check_live(id: str, status: Status) -> None:
    if status not in LIVE:
        raise InvalidTransition(f"Allocation {id} is {status} already: it holds no node.")


def check_unoccupied(row: Allocation, occupant: Occupant | None) -> None:
    if occupant is not None:
        raise Occupied(
            f"Allocation {row.name} carries {', '.join(occupant.members[:5])} of instance "
            f"{occupant.instance_name} ({occupant.instance_id}). Remove or replace them first, or "
            "decommission the instance."
        )


def check_can_clean(row: Allocation, node_status: str, node_reason: str | None) -> None:
    """Refuse to try again where it cannot help: a node that was taken out for another reason."""
    ours = node_reason == quarantine_reason(row.id)
    if row.status == "release_failed" and node_status == "quarantined" and not ours:
        raise NodeTakenOut(
            f"Node {row.node_name} was taken out, so it cannot be cleaned now. Those who run the "
            "platform know why, and can resume it or take the machine back."
        )


def released_to(row: Allocation) -> Status:
    """What a release leads to: where nothing was done on the machine, there is nothing to clean."""
    return "released" if row.status == "requested" else "releasing"


def name(given: str | None, number: int, count: int, *, sku: str, id: str) -> str:
    """What the machine is called in its project."""
    if given is None:
        return f"{sku[:30]}-{id[-8:]}"
    return given if count == 1 else f"{given[:36]}-{number}"


def force_reason(id: str) -> str:
    return f"allocation {id} was taken back without cleaning"


def quarantine_reason(id: str) -> str:
    """What stands on a node that could not be cleaned. By this a later release knows its own."""
    return f"allocation {id} was released and the node could not be shown to be clean"


# What happens next


@dataclass(frozen=True)
class Seen:
    """All that the next step of an allocation hangs on."""

    id: str
    status: Status
    reimage: bool
    reimage_from: int | None
    gpus: int
    node_status: str
    generation: int
    image_awaited: bool
    """Whether it is to be imaged, and the time for that is not up."""
    unreachable_since: datetime | None
    overdue: bool
    tasks: Mapping[str, TaskSeen]
    """By key, of the operation of the present phase."""


Act = Literal[
    "wait",
    "hold_on",
    "reimage",
    "probe",
    "activate",
    "fail",
    "wipe",
    "verify",
    "release",
    "give_up",
]


@dataclass(frozen=True)
class Step:
    act: Act
    message: str | None = None
    quarantine: bool = False
    """Whether something is wrong with the node, beyond this allocation."""


def next_step(seen: Seen) -> Step:
    """What the platform does now for an allocation that is on its way."""
    steps = {"requested": _requested, "provisioning": _provisioning, "releasing": _releasing}
    decide = steps.get(seen.status)
    return Step("wait") if decide is None else decide(seen)


def _requested(seen: Seen) -> Step:
    if seen.node_status == "quarantined":
        return Step("fail", TAKEN_OUT)
    if not seen.reimage:
        return Step("probe")
    if seen.reimage_from is None:
        return Step("reimage")
    if seen.generation > seen.reimage_from:
        return Step("probe")
    if seen.overdue and seen.image_awaited:
        return Step("hold_on")
    if seen.overdue:
        return Step("fail", "The node was not imaged anew in time.", quarantine=True)
    return Step("wait")


def _provisioning(seen: Seen) -> Step:
    probe = seen.tasks.get(SETUP)
    if seen.node_status == "quarantined":
        return Step("fail", TAKEN_OUT)
    if probe is None:
        return Step("probe")
    if probe.is_open:
        silent = "The node did not answer its first probe in time."
        return Step("fail", silent) if seen.overdue else Step("wait")
    if probe.status != "succeeded":
        wrong = probe.status == "failed"
        return Step("fail", f"The first probe of the node {_how(probe)}.", quarantine=wrong)
    found = residue(probe.result)
    if found is None or found:
        left = "said nothing of residue" if found is None else f"is not clean: {_named(found)}"
        return Step("fail", f"The node {left}.", quarantine=True)
    have = _gpus(probe.result)
    if have != seen.gpus:
        counts = f"{counted(have, 'GPU', 'GPUs')}, its SKU {seen.gpus}"
        return Step("fail", f"The node has {counts}.", quarantine=True)
    return Step("activate")


def _releasing(seen: Seen) -> Step:
    if seen.node_status == "quarantined":
        return Step("give_up", "The node was taken out, so nothing could be cleaned.")
    wipe = seen.tasks.get(WIPE)
    if wipe is None:
        if seen.unreachable_since is not None:
            since = seen.unreachable_since.isoformat(timespec="seconds")
            return Step("give_up", f"The node is silent since {since}: nothing could be cleaned.")
        return Step("wipe")
    if wipe.is_open:
        return _in_time(seen, "The node was not wiped in time.")
    if wipe.status != "succeeded":
        return Step("give_up", f"The wipe of the node {_how(wipe)}.")
    if left := residue(wipe.result):
        return Step("give_up", f"After the wipe the node still has {_named(left)}.")
    return _verified(seen)


def _verified(seen: Seen) -> Step:
    probe = seen.tasks.get(VERIFY)
    if probe is None:
        return Step("verify")
    if probe.is_open:
        return _in_time(seen, "The node did not answer the probe after the wipe in time.")
    if probe.status != "succeeded":
        return Step("give_up", f"The probe after the wipe {_how(probe)}.")
    left = residue(probe.result)
    if left is None:
        return Step("give_up", "The probe after the wipe said nothing of residue.")
    return Step("give_up", f"The node still has {_named(left)}.") if left else Step("release")


def _in_time(seen: Seen, sentence: str) -> Step:
    return Step("give_up", sentence) if seen.overdue else Step("wait")


def _how(task: TaskSeen) -> str:
    why = f" ({task.error_message or task.error_code})" if task.error_code else ""
    words = {"failed": "failed", "timed_out": "took too long", "cancelled": "was cancelled"}
    return f"{words.get(task.status, 'was lost')}{why}"


# What nodes say: whoever was root there may have written it


def residue(result: Mapping[str, Any] | None) -> dict[str, list[str]] | None:
    """What a probe or a wipe found left over; None where it did not say."""
    found = _object(result, "residue")
    if found is None:
        return None
    return {what: _texts(names) for what, names in found.items() if names}


def _gpus(result: Mapping[str, Any] | None) -> int:
    gpus = (_object(result, "inventory") or {}).get("gpus")
    return len(_texts(gpus)) if gpus else 0


def _object(result: Mapping[str, Any] | None, name: str) -> dict[str, Any] | None:
    said = (result or {}).get(name)
    return cast(dict[str, Any], said) if isinstance(said, dict) else None


def _texts(said: object) -> list[str]:
    return [str(each) for each in cast(list[Any], said)] if isinstance(said, list) else [str(said)]


def _named(found: Mapping[str, list[str]]) -> str:
    said = (f"{what} {', '.join(names[:3])}" for what, names in sorted(found.items()))
    return "; ".join(said)[:300]


def proof(task: TaskSeen) -> dict[str, Any]:
    """What is kept of a task with the allocation, whatever becomes of the task."""
    result = dict(task.result or {})
    size = len(json.dumps(result))
    kept = result if size <= PROOF_BYTES else {"residue": residue(result), "cut_bytes": size}
    if size > PROOF_BYTES and len(json.dumps(kept)) > PROOF_BYTES:
        kept = {"cut_bytes": size}
    return {
        "task_id": task.id,
        "status": task.status,
        "at": None if task.ended_at is None else task.ended_at.isoformat(),
        "result": kept,
        "error": task.error_message or task.error_code,
    }


# Money


@dataclass(frozen=True)
class Cost:
    """Held time at the list price. An estimate, not a bill."""

    held_seconds: int
    price_micros_per_hour: int
    amount_micros: int
    currency: str


def cost(
    held_from: datetime | None,
    held_until: datetime | None,
    *,
    price_micros: int,
    currency: str,
    now: datetime,
) -> Cost:
    """What a machine came to so far. Whole seconds, rounded up to the next millionth."""
    if held_from is None:
        return Cost(0, price_micros, 0, currency)
    seconds = max(0, int(((held_until or now) - held_from).total_seconds()))
    return Cost(seconds, price_micros, -(-seconds * price_micros // HOUR), currency)
