"""A test's world: what there is before, and what there is after. `run` leads from one to the other.

A world is what the platform would know: an instance, its members on hosts, and the operations that
somebody asked for. What the platform could not produce is refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from moorage.controller.briefs import Children, Requester, StepRecord
from moorage.controller.reports import Observed, Residue
from moorage.testing.hosts import Host, Played
from moorage_manifest import Manifest

ENDED = frozenset({"succeeded", "failed", "cancelled", "abandoned"})
MEMBER_STATES = ("requested", "joining", "ready", "draining", "drained", "removing", "failed")


class ImpossibleWorld(ValueError):
    """The platform could not produce this."""


@dataclass
class Member:
    """A member of the instance, on a host."""

    name: str
    component: str
    host: str | None = None
    status: str = "ready"
    health: str = "unknown"
    reasons: list[str] = field(default_factory=list[str])
    runtime_version: str | None = None
    config_hash: str | None = None
    adapter_detail: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def id(self) -> str:
        return f"mem_{self.name}"


@dataclass
class Operation:
    """Something that was asked for, and how it stands."""

    kind: str
    member: str | None = None
    members: Sequence[str] = ()
    """Of a request for many: those that it is about."""
    input: dict[str, Any] = field(default_factory=dict[str, Any])
    action: str | None = None
    reason: str | None = None
    requested_by: Requester | None = None
    max_failures: int | None = None
    """The failure budget: with more failed members than this, no other one is begun."""
    patient: bool = False
    """Its deadline does not pass while it waits."""
    id: str = ""
    parent: str | None = None
    wave: int = 0
    """Children of a later wave begin when those of the earlier ones have ended."""
    status: str = "pending"
    phase: str | None = None
    direction: str = "forward"
    attempt: int = 1
    automatic: int = 0
    """How often it was tried again by itself."""
    fence: int = 0
    steps: list[StepRecord] = field(default_factory=list[StepRecord])
    message: str | None = None
    progress: tuple[int, int] | None = None
    result: dict[str, Any] | None = None
    residue: list[Residue] = field(default_factory=list[Residue])
    error: str | None = None
    error_message: str | None = None
    error_log: list[str] = field(default_factory=list[str])
    recovery: str | None = None
    cancel_requested: bool = False
    due_at: float | None = None
    deadline: float | None = None
    children: Children | None = None
    secrets: set[str] = field(default_factory=set[str])
    """Secrets that it has put into custody. It rotates each once."""
    before: str | None = None
    """What its target was before it began."""

    @property
    def is_parent(self) -> bool:
        return self.children is not None

    @property
    def ended(self) -> bool:
        return self.status in ENDED

    def step(self, name: str) -> StepRecord:
        """A step by its name."""
        for step in self.steps:
            if step.name == name:
                return step
        raise KeyError(
            f"{self.kind} has taken no step {name!r}, but {[s.name for s in self.steps]}"
        )


@dataclass
class World:
    """An instance and everything around it.

    Attributes:
        now: Seconds since the beginning of the test.
        secrets: What the platform keeps, with the generation of each.
        views: The rows of each view by key, once something was published.
        repairs: Reasons for which a repair was asked for.
    """

    members: list[Member] = field(default_factory=list[Member])
    hosts: list[Host] = field(default_factory=list[Host])
    operations: list[Operation] = field(default_factory=list[Operation])
    config: dict[str, Any] = field(default_factory=dict[str, Any])
    name: str = "test"
    status: str = "running"
    version: str | None = None
    """The version that runs; left out, that of the manifest."""
    previous: tuple[str, dict[str, Any]] | None = None
    """The version and the config from before, for a rollback."""
    releases: dict[str, Manifest] = field(default_factory=dict[str, Manifest])
    """The manifests of other versions than the app's, by their number."""
    revision: int = 1
    runtime_version: str | None = None
    topology_mode: str | None = None
    endpoints: dict[str, Any] = field(default_factory=dict[str, Any])
    secrets: dict[str, int] = field(default_factory=dict[str, int])
    principals: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    observed: Observed | None = None
    views: dict[str, dict[str, dict[str, Any]]] = field(
        default_factory=dict[str, dict[str, dict[str, Any]]]
    )
    usage: dict[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])
    repairs: list[str] = field(default_factory=list[str])
    now: float = 0.0
    tasks: dict[tuple[str, str, str, int], Played] = field(
        default_factory=dict[tuple[str, str, str, int], Played]
    )
    """Everything that was done on hosts, by operation, key, allocation and attempt."""
    crashes: list[str] = field(default_factory=list[str])
    cancels: list[str] = field(default_factory=list[str])

    # What is to happen

    def crash_after(self, step: str) -> Self:
        """The replica dies when it has done this step, before anybody hears of that."""
        self.crashes.append(step)
        return self

    def cancel_in(self, step: str) -> Self:
        """Somebody wants the operation to stop while this step is taken."""
        self.cancels.append(step)
        return self

    def cancel(self, about: str | None = None) -> Self:
        """Somebody wants an operation to stop that is not being worked on."""
        self.operation(about).cancel_requested = True
        return self

    def reopen(self, about: str | None = None) -> Self:
        """Somebody resumes a blocked operation, or retries a failed one."""
        operation = self.operation(about)
        if operation.status not in {"blocked", "failed"}:
            raise ImpossibleWorld(f"{operation.kind} is {operation.status}: there is no way on")
        operation.attempt += 1
        operation.status, operation.automatic = "pending", 0
        operation.error = operation.recovery = None
        return self

    # What there is

    def host(self, name: str) -> Host:
        return _named(self.hosts, name, "host")

    def member(self, name: str) -> Member:
        return _named(self.members, name, "member")

    def host_of(self, member: str) -> Host:
        found = self.member(member).host
        if found is None:
            raise KeyError(f"{member} stands on no host.")
        return self.host(found)

    def operation(self, about: str | None = None) -> Operation:
        """The last operation, or the last one of a kind, an action or a member."""
        for operation in reversed(self.operations):
            if about in (None, operation.kind, operation.action, operation.member):
                return operation
        raise KeyError(f"There was no operation about {about}.")


def _named(things: Sequence[Any], name: str, what: str) -> Any:
    for thing in things:
        if thing.name == name:
            return thing
    raise KeyError(f"The world has no {what} {name}, but {[thing.name for thing in things]}.")


# What can be asked for


def deploy() -> Operation:
    """Bring the instance up. Its members are those of the world that are `requested`."""
    return Operation("instance.deploy")


def configure(config: Mapping[str, Any]) -> Operation:
    return Operation("instance.configure", input={"config": dict(config)})


def upgrade() -> Operation:
    """To the version of the app's manifest, from the one that the world says."""
    return Operation("instance.upgrade")


def rollback() -> Operation:
    """To what the world says was before."""
    return Operation("instance.rollback")


def stop() -> Operation:
    return Operation("instance.stop")


def start() -> Operation:
    return Operation("instance.start")


def restart() -> Operation:
    return Operation("instance.restart")


def repair(reason: str = "a test asks for it") -> Operation:
    return Operation("instance.repair", reason=reason)


def rotate() -> Operation:
    return Operation("credential.rotate")


def decommission() -> Operation:
    return Operation("instance.decommission")


def add(*members: str, max_failures: int | None = None) -> Operation:
    """Bring members in that the world has as `requested`."""
    return Operation("member.add", members=members, max_failures=max_failures)


def drain(*members: str, policy: str = "wait", reason: str = "a test") -> Operation:
    return Operation(
        "member.drain",
        members=members,
        input={"policy": policy, "reason": reason},
        patient=policy == "wait",
    )


def resume(*members: str) -> Operation:
    return Operation("member.resume", members=members)


def remove(*members: str, policy: str = "wait") -> Operation:
    return Operation("member.remove", members=members, input={"policy": policy})


def replace(old: str, by: str, *, lost: bool = False, old_first: bool = False) -> Operation:
    """Let a member that the world has as `requested` take the place of another.

    Args:
        lost: The old one's host is dead, so it goes first.
        old_first: The component has no room for both, so the old one goes first.
    """
    order = "old_first" if old_first or lost else "new_first"
    named = {"old": f"mem_{old}", "new": f"mem_{by}"}
    given = {**named, "lost": lost, "order": order, "replaced_by": f"mem_{by}"}
    return Operation("member.replace", members=(by, old), input=given, max_failures=0)


def act(
    action: str, given: Mapping[str, Any] | None = None, *, member: str | None = None
) -> Operation:
    """Ask for an action of the app's own."""
    return Operation("action", action=action, member=member, input=dict(given or {}))
