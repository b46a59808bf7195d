"""The acceptance rule: whether a task that somebody asks for under an operation is taken.

Pure. Every refusal has a code of its own, and nothing is taken where one task of a call is not.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from moorage_core.artifacts.models import Artifact
from moorage_core.authz.principals import Kind, Principal
from moorage_core.catalog.models import UsedArtifact
from moorage_core.errors import ApiError, Conflict, Fault, Forbidden
from moorage_core.operations import commands as operations
from moorage_core.operations.models import Operation
from moorage_core.tasks import kinds

OPEN_TASKS = 1000
"""Tasks of one machine that have not ended."""


class WatchChangesNothing(Forbidden):
    """A watch looks, and changes nothing on a machine."""

    code = "watch_changes_nothing"


class AllocationForeign(Conflict):
    """The machine is not one of the operation's."""

    code = "allocation_foreign"


class ComponentNotTouched(Conflict):
    """The manifest does not let this kind of operation touch that component's members."""

    code = "component_not_touched"


class TaskNotDeclared(Conflict):
    """The manifest declares no tasks of this kind, or none that run as this user."""

    code = "task_not_declared"


class AllocationInactive(Conflict):
    """The machine is not active."""

    code = "allocation_inactive"


class NodeQuarantined(Conflict):
    """The node takes no work: something is wrong with it."""

    code = "node_quarantined"


class TooManyTasks(Conflict):
    """The machine has as many tasks that have not ended as it may have."""

    code = "too_many_tasks"


class KindNotAllowed(ApiError):
    """Tasks of this kind are the platform's own."""

    status = 422
    code = "task_kind_not_allowed"


class InputInvalid(ApiError):
    """The input is not what the kind takes."""

    status = 422
    code = "task_input_invalid"


class NamedTwice(ApiError):
    """Two tasks of one call have the same key and machine."""

    status = 422
    code = "task_named_twice"


class TaskDiffers(Conflict):
    """The same key was used for another wish."""

    code = "task_differs"


class TaskStillRuns(Conflict):
    """An earlier attempt has not ended."""

    code = "task_still_runs"


class AttemptSkipped(Conflict):
    """Attempts are counted one by one."""

    code = "task_attempt_skipped"


class NotRepeatable(Conflict):
    """Nobody knows how the earlier attempt ended, and this task must not be done twice."""

    code = "task_not_repeatable"


class ArtifactMissing(Conflict):
    """The project has no usable artifact of this digest."""

    code = "artifact_missing"


ERRORS: tuple[type[ApiError], ...] = (
    operations.GrantEnded,
    WatchChangesNothing,
    AllocationForeign,
    ComponentNotTouched,
    TaskNotDeclared,
    AllocationInactive,
    NodeQuarantined,
    TooManyTasks,
    KindNotAllowed,
    InputInvalid,
    NamedTwice,
    TaskDiffers,
    TaskStillRuns,
    AttemptSkipped,
    NotRepeatable,
    ArtifactMissing,
)


@dataclass(frozen=True)
class Wish:
    """One task that is asked for."""

    key: str
    kind: str
    allocation: str
    input: dict[str, Any]
    run_as: str
    timeout: int
    output_limit: int
    attempt: int
    repeatable: bool

    @property
    def name(self) -> tuple[str, str]:
        """What a task is known by, in all its attempts."""
        return self.key, self.allocation

    @property
    def fingerprint(self) -> bytes:
        """Of the wish: another attempt at the same has the same."""
        wish = [self.kind, self.input, self.run_as, self.timeout, self.output_limit]
        text = json.dumps([*wish, self.repeatable], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).digest()


@dataclass(frozen=True)
class Machine:
    """A machine of the operation, as it is now."""

    id: str
    status: str
    node_id: str
    reach: str
    quarantined: bool
    open: int = 0
    """Its tasks that have not ended, of all operations."""


@dataclass(frozen=True)
class Standing:
    """A live member of an instance, and the machine that it stands on."""

    id: str
    component: str
    allocation_id: str


@dataclass(frozen=True)
class Bounds:
    """What an app's operation may do on machines: by its target, and by the app's manifest."""

    kind: str
    members: frozenset[str]
    components: frozenset[str]
    kinds: frozenset[str]
    run_as: frozenset[str]

    def allow(self, member: Standing) -> bool:
        return member.id in self.members or member.component in self.components


@dataclass(frozen=True)
class Earlier:
    """An earlier attempt at a task."""

    id: str
    key: str
    allocation_id: str
    attempt: int
    kind: str
    status: str
    ended: bool
    fingerprint: bytes


class Known:
    """What is there already of the tasks that are asked for."""

    def __init__(self, found: Iterable[Earlier]) -> None:
        self._ids: dict[tuple[str, str, int], str] = {}
        self._last: dict[tuple[str, str], Earlier] = {}
        for each in sorted(found, key=lambda each: each.attempt):
            self._ids[each.key, each.allocation_id, each.attempt] = each.id
            self._last[each.key, each.allocation_id] = each

    def last(self, wish: Wish) -> Earlier | None:
        """The last attempt at it."""
        return self._last.get(wish.name)

    def id(self, wish: Wish) -> str:
        """The very attempt that is asked for."""
        return self._ids[*wish.name, wish.attempt]


def check_not_watch(who: Principal) -> None:
    if who.kind is Kind.WATCH:
        raise WatchChangesNothing(
            "The token of a watch runs declared probes and nothing else. To mend something, ask for"
            " a repair; you will be handed it as an operation.",
            org=who.home_org,
        )


def check_wish(wish: Wish, at: str, machines: Mapping[str, Machine], *, internal: bool) -> None:
    """Machine, kind and input. `at` says where the wish stands in the request."""
    machine = machines.get(wish.allocation)
    if machine is None:
        raise AllocationForeign(
            f"Allocation {wish.allocation} is not one of this operation's.",
            errors=[Fault(f"{at}.allocation", "not one of the operation's")],
        )
    if machine.status != "active" and not internal:
        raise AllocationInactive(
            f"Allocation {wish.allocation} is {machine.status}, not active.",
            errors=[Fault(f"{at}.allocation", f"is {machine.status}")],
        )
    if machine.quarantined and not internal:
        raise NodeQuarantined(
            f"The node of allocation {wish.allocation} takes no work. Those who run the platform "
            "can say why.",
            errors=[Fault(f"{at}.allocation", "its node is quarantined")],
        )
    if wish.kind in kinds.PLATFORMS_OWN and not internal:
        raise KindNotAllowed(
            f"Tasks of kind {wish.kind} are the platform's own.",
            errors=[Fault(f"{at}.kind", "not allowed here")],
        )
    check_input(wish, at)


def bounds_of(operation: Operation, manifest: Mapping[str, Any]) -> Bounds:
    """Of an app's operation, by the manifest of the version whose controller does it."""
    tasks: Mapping[str, list[str]] = manifest.get("tasks") or {}
    touches: Mapping[str, list[str]] = manifest.get("touches") or {}
    target = [operation.member_id] if operation.member_id else []
    return Bounds(
        kind=operation.kind,
        members=frozenset([*target, *operation.member_ids]),
        components=frozenset(touches.get(operation.kind, ())),
        kinds=frozenset(tasks.get("kinds", ())),
        run_as=frozenset(tasks.get("run_as", ())),
    )


def touched(bounds: Bounds, standing: Iterable[Standing]) -> set[str]:
    """The machines of an instance that the operation may touch. Any member there will do."""
    return {member.allocation_id for member in standing if bounds.allow(member)}


def check_bounds(
    wish: Wish, at: str, bounds: Bounds, standing: Iterable[Standing], *, touched: set[str]
) -> None:
    """The member that stands there, the kind and the user."""
    there = sorted(m.component for m in standing if m.allocation_id == wish.allocation)
    if there and wish.allocation not in touched:
        raise ComponentNotTouched(
            f"On allocation {wish.allocation} stands a member of {' and '.join(there)}, which is "
            f"not the target of this operation. The manifest's touches of {bounds.kind} do not "
            "name it.",
            errors=[Fault(f"{at}.allocation", "not the operation's to touch")],
        )
    if wish.kind not in bounds.kinds or wish.run_as not in bounds.run_as:
        raise TaskNotDeclared(
            f"The manifest declares tasks of the kinds {', '.join(sorted(bounds.kinds)) or 'none'},"
            f" as {', '.join(sorted(bounds.run_as)) or 'nobody'}. {wish.key} is {wish.kind} as "
            f"{wish.run_as}.",
            errors=[Fault(at, "not declared in the manifest")],
        )


def check_distinct(wishes: Sequence[Wish]) -> None:
    seen: set[tuple[str, str]] = set()
    for wish in wishes:
        if wish.name in seen:
            raise NamedTwice(f"{wish.key} on {wish.allocation} is asked for twice.")
        seen.add(wish.name)


def check_room(new: Sequence[Wish], machines: Mapping[str, Machine]) -> None:
    """No machine gets more tasks than it could do in a reasonable time."""
    for id, more in Counter(wish.allocation for wish in new).items():
        if machines[id].open + more > OPEN_TASKS:
            raise TooManyTasks(
                f"Allocation {id} has {machines[id].open} tasks that have not ended, of "
                f"{OPEN_TASKS} at most; {more} more are too many. Wait until some have ended."
            )


def check_input(wish: Wish, at: str) -> None:
    """Never repeats a value: it may be a secret that does not belong there."""
    try:
        kinds.KINDS[wish.kind].model_validate(wish.input)
    except ValidationError as err:
        faults = [
            Fault(".".join([f"{at}.input", *map(str, fault["loc"])]), fault["msg"])
            for fault in err.errors(include_input=False, include_context=False, include_url=False)
        ]
        raise InputInvalid(
            f"The input of {wish.key} is not what {wish.kind} takes. `errors` says where.",
            errors=faults,
        ) from err


def is_new(wish: Wish, earlier: Earlier | None) -> bool:
    """Whether the wish is a task that is not there yet. False: it is, and the same."""
    if earlier is None:
        if wish.attempt != 1:
            raise AttemptSkipped(f"{wish.key} has no attempt yet. Begin with 1.")
        return True
    if wish.fingerprint != earlier.fingerprint:
        raise TaskDiffers(
            f"The key {wish.key} on {wish.allocation} names task {earlier.id}, which has another "
            "kind, input, user, time limit, output limit or repeatable. Use another key."
        )
    if wish.attempt <= earlier.attempt:
        return False
    if not earlier.ended:
        raise TaskStillRuns(f"Task {earlier.id} is {earlier.status}. Wait until it has ended.")
    if wish.attempt != earlier.attempt + 1:
        raise AttemptSkipped(f"The next attempt of {wish.key} is {earlier.attempt + 1}.")
    if earlier.status == "unknown" and not (wish.repeatable or wish.kind in kinds.ENSURING):
        raise NotRepeatable(
            f"Nobody knows how task {earlier.id} ended. Look at the machine, and use another key."
        )
    return True


def details(wishes: Sequence[Wish], *, new: int) -> dict[str, Any]:
    """For the audit log: what was asked for, and never with what."""
    by_kind: dict[str, int] = {}
    for wish in wishes:
        by_kind[wish.kind] = by_kind.get(wish.kind, 0) + 1
    keys = sorted({wish.key for wish in wishes})
    return {
        "tasks": len(wishes),
        "new": new,
        "kinds": by_kind,
        "keys": keys[:20],
        "allocations": len({wish.allocation for wish in wishes}),
    }


def verified(digest: str, used: Iterable[UsedArtifact], *, overridden: bool) -> str | None:
    """The id of the artifact that the operation's version uses; None where it is not one of its.

    Nothing of a version goes to machines that was not proven, or was found out; unless somebody
    answers for what was revoked.
    """
    for each in used:
        if each.digest != digest:
            continue
        trusted = each.trust == "verified" or (overridden and each.trust == "revoked")
        if not trusted or not each.source_enabled:
            raise ArtifactMissing(
                f"The artifact {each.name} of this version is {each.trust}: "
                f"{each.trust_reason or 'it was not verified'}."
            )
        return each.artifact_id
    return None


def usable(digest: str, artifact: Artifact | None, *, overridden: bool = False) -> Artifact:
    """An artifact whose bytes may go to machines of the project."""
    if artifact is None or artifact.lifecycle == "uploading":
        raise ArtifactMissing(f"The project has no artifact {digest}. Upload it first.")
    if artifact.trust == "failed" or (artifact.trust == "revoked" and not overridden):
        raise ArtifactMissing(
            f"The artifact {digest} is {artifact.trust}: {artifact.trust_reason or 'no reason'}."
        )
    return artifact
