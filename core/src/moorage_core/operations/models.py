"""Rows of operations, and what other slices say of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Lock = Literal["none", "shared", "exclusive"]
Recovery = Literal["retryable", "reconcilable", "repairable", "operator", "terminal"]


@dataclass(frozen=True)
class Operation:
    id: str
    org_id: str
    project_id: str
    kind: str
    status: str
    reason: str
    message: str | None
    requested_by_kind: str
    requested_by: str
    requested_by_name: str
    fence: int
    lease_expires_at: datetime | None
    deadline: datetime | None
    correlation_id: str
    traceparent: str | None
    app_slug: str | None
    app_instance_id: str | None
    version: int
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None
    allocations: list[str]
    """The machines that it may touch."""
    parent_id: str | None = None
    member_id: str | None = None
    member_ids: list[str] = field(default_factory=list[str])
    app_id: str | None = None
    operator_id: str | None = None
    version_id: str | None = None
    action: str | None = None
    input: dict[str, Any] = field(default_factory=dict[str, Any])
    instance_lock: Lock = "none"
    place: int = 0
    wave: int = 0
    phase: Literal["prepare", "children", "finish"] | None = None
    max_parallel: int | None = None
    failure_budget: int | None = None
    children_total: int = 0
    children_ended: int = 0
    children_succeeded: int = 0
    children_failed: int = 0
    direction: Literal["forward", "undo"] = "forward"
    progress_done: int | None = None
    progress_total: int | None = None
    error: dict[str, Any] | None = None
    result: Any = None
    residue: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    recovery: Recovery | None = None
    attempt: int = 1
    no_return: bool = False
    cancel_requested_at: datetime | None = None
    cancel_reason: str | None = None
    preempts: bool = False
    patient: bool = False
    timeout_seconds: int | None = None
    first_claimed_at: datetime | None = None
    due_at: datetime | None = None
    wakes_on: list[str] = field(default_factory=list[str])
    holder: str | None = None
    handout: int = 0
    sequence: int = 0
    turn_at: datetime | None = None
    parent_open: bool | None = None
    """Of a child: whether its parent is at its children still."""
    children_residue: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Of a parent: what its children left behind."""
    instance_name: str | None = None
    member_name: str | None = None
    """Both as they are called now; told to who reads, and not stored with it."""
    is_barred: bool = False
    """Its instance, or its member, is in no state in which it could be opened again."""
    is_withheld: bool = False
    """What it was given and answered is not for whoever looks at it."""

    @property
    def instance_id(self) -> str:
        """Of an app's operation: every one of them has an instance."""
        assert self.app_instance_id is not None, "a session has no instance"
        return self.app_instance_id

    @property
    def is_parent(self) -> bool:
        return self.phase is not None


@dataclass(frozen=True)
class Standing:
    """An operation that has not ended, as far as the order of its instance's goes by it."""

    id: str
    kind: str
    status: str
    parent_id: str | None
    member_id: str | None
    member_ids: list[str]
    instance_lock: Lock
    place: int
    wave: int
    phase: Literal["prepare", "children", "finish"] | None
    max_parallel: int | None
    failure_budget: int | None
    children_total: int
    children_ended: int
    children_failed: int
    begun: bool
    """It was claimed before."""

    @property
    def is_parent(self) -> bool:
        return self.phase is not None


@dataclass(frozen=True)
class InstanceRef:
    """An instance as operations see it. Its row is locked by whoever has this."""

    id: str
    org_id: str
    project_id: str
    app_id: str
    app_slug: str
    operator_id: str
    version_id: str
    status: str


@dataclass(frozen=True)
class Circumstances:
    """An instance, as far as it decides what can be done once more there."""

    instance_id: str
    status: str
    ahead: list[str]
    """The kinds of operations that keep it to themselves and have not ended, in order."""


@dataclass(frozen=True)
class NewChild:
    """One part of a larger wish: one member's."""

    kind: str
    member: str
    input: dict[str, Any] = field(default_factory=dict[str, Any])
    wave: int = 0
    allocations: tuple[str, ...] = ()
    """The machines that it may touch."""
    timeout: int = 3600
    patient: bool = False
    waits_for: tuple[str, ...] = ()
    """Topics, one of which must move before it can start: it is `waiting` from the beginning."""


@dataclass(frozen=True)
class NewOperation:
    """A wish of somebody who was found to be allowed it."""

    kind: str
    instance: InstanceRef
    lock: Lock
    timeout: int
    """Seconds from the first claim after which it is asked to stop."""
    input: dict[str, Any] = field(default_factory=dict[str, Any])
    member: str | None = None
    """Its target. A parent has none: its children keep their members."""
    members: tuple[str, ...] = ()
    """Members that it keeps to itself besides: a repair's."""
    allocations: tuple[str, ...] = ()
    """The machines that it may touch. Those of components that its manifest lets it touch come
    by themselves."""
    action: str | None = None
    version_id: str | None = None
    """The version whose controller does it, where that is not the instance's own."""
    preempts: bool = False
    patient: bool = False
    """It waits for others by its own policy: that time does not count against it."""
    parent: bool = False
    """It has phases: prepare, its children, finish. Also where it has no children."""
    max_parallel: int | None = None
    failure_budget: int | None = None
    """Children that may fail before no more are started. None: all are started, whatever fails."""
    children: tuple[NewChild, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Move:
    """A change of an operation's state, told in the transaction in which it happens."""

    operation: Operation
    """As it is now."""
    before: str
    """The state that it had."""

    @property
    def reopens(self) -> bool:
        """Whether it is to be done once more, after it failed or was blocked."""
        goes_on = self.before == "blocked" and self.operation.direction == "forward"
        return self.operation.status == "pending" and (self.before == "failed" or goes_on)


@dataclass(frozen=True)
class Said:
    """What a controller's report says of an operation's target."""

    operation: Operation
    member: Mapping[str, Any] | None = None
    """health, reasons, runtime_version, config_hash, adapter_detail: as far as it was said."""
    instance: Mapping[str, Any] | None = None
    """endpoints, topology_mode, runtime_version: as far as it was said."""


@dataclass(frozen=True)
class Step:
    """An entry of the journal: what was done, and how to take it back."""

    operation_id: str
    phase: str
    number: int
    name: str
    status: str
    attempt: int
    undo: dict[str, Any] | None
    no_return: bool
    message: str | None
    result: Any
    started_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True)
class JournalEntry:
    """An entry of the journal, as far as it decides what can be written there."""

    operation_id: str
    phase: str
    number: int
    name: str
    status: str
    size: int
    """Bytes of its result."""


@dataclass(frozen=True)
class Grant:
    """The right to act for an operation: of one fence, in whoever's hands the token is."""

    id: str
    operation_id: str
    org_id: str
    project_id: str
    fence: int


@dataclass(frozen=True)
class Machine:
    """An allocation as operations see it."""

    id: str
    name: str
    status: str
    node_id: str
