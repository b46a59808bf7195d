"""What the platform tells a controller: the operations and watches that it holds."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import AwareDatetime, Field, model_validator

from moorage._model import Model

Phase = Literal["prepare", "finish"]
Direction = Literal["forward", "undo"]
StepStatus = Literal["running", "succeeded", "failed", "undoing", "undone", "undo_failed"]
Health = Literal["healthy", "degraded", "unhealthy", "unknown"]


class Member(Model):
    """One realised part of an instance, on one machine."""

    id: str
    name: str
    component: str
    status: str
    health: str = "unknown"
    allocation_id: str | None = None
    node_name: str | None = None
    host_address: str | None = None
    reachable: bool = True
    """Whether its host answers at present."""
    inventory: dict[str, Any] | None = None
    """What the host says that it has: processors, memory, GPUs."""
    app_version: str | None = None
    runtime_version: str | None = None
    config_hash: str | None = None
    adapter_detail: dict[str, Any] = Field(default_factory=dict)
    """What the controller said of it last."""
    replaces_id: str | None = None
    """The member whose place it takes."""


class Component(Model):
    """How many members of a component are wanted."""

    key: str
    desired: int


class Previous(Model):
    """What the instance was before the change that is under way."""

    app_version: str
    config: dict[str, Any]


class Artifact(Model):
    """Bytes that the version of an instance needs."""

    name: str
    digest: str
    size: int


class Instance(Model):
    """A deployed app, as it is to be."""

    id: str
    name: str
    org_id: str
    project_id: str
    app_slug: str
    app_version: str
    version_id: str | None = None
    previous: Previous | None = None
    config: dict[str, Any] = Field(default_factory=dict)
    revision: int = 1
    status: str = "running"
    operating_mode: str | None = None
    runtime_backend: str | None = None
    endpoints: dict[str, Any] = Field(default_factory=dict)
    artifacts: list[Artifact] = Field(default_factory=list[Artifact])
    """Those of its own version, which need not be the version of the controller."""
    components: list[Component] = Field(default_factory=list[Component])
    members: list[Member] = Field(default_factory=list[Member])
    """Those that are there. `members_complete` is false where there are more than are told."""
    members_complete: bool = True

    def of(self, component: str) -> list[Member]:
        """The members of one component."""
        return [member for member in self.members if member.component == component]


class Change(Model):
    """What an operation makes of its instance: the fields that become others."""

    app_version: str
    version_id: str
    config: dict[str, Any]
    revision: int
    previous: Previous
    artifacts: list[Artifact]


class Undo(Model):
    """The function that takes a step back, and with what."""

    function: str
    arguments: list[Any] = Field(default_factory=list[Any])


class StepRecord(Model):
    """A step as the journal has it."""

    phase: str = "run"
    number: int
    name: str
    status: StepStatus
    attempt: int = 1
    message: str | None = None
    result: Any = None
    undo: Undo | None = None
    no_return: bool = False


class Children(Model):
    """How the operations below a parent stand."""

    total: int = 0
    succeeded: int = 0
    failed: int = 0


class Requester(Model):
    """Who asked for the operation."""

    kind: str
    id: str | None = None
    """Of a person: the `user_id` among the principals."""
    name: str | None = None


class Brief(Model):
    """An operation that was handed over, with everything that is needed to do it."""

    id: str
    kind: str
    action: str | None = None
    phase: Phase | None = None
    """Of a parent: before its children, or after them."""
    direction: Direction = "forward"
    attempt: int = 1
    fence: int
    grant: str = Field(default="", repr=False)
    handout: int = 0
    lease_expires_at: AwareDatetime | None = None
    deadline: AwareDatetime | None = None
    input: dict[str, Any] = Field(default_factory=dict)
    reason: str | None = None
    correlation_id: str
    traceparent: str | None = None
    parent_id: str | None = None
    cancel_requested: bool = False
    no_return: bool = False
    sequence: int = 0
    requested_by: Requester | None = None
    steps: list[StepRecord] = Field(default_factory=list[StepRecord])
    instance: Instance
    member: Member | None = None
    member_ids: list[str] = Field(default_factory=list[str])
    """Of a repair: the members that it is about."""
    members: list[Member] = Field(default_factory=list[Member])
    """Those that it names and that are not among the instance's: gone, or too many to be told."""
    children: Children | None = None
    batch: list[str] = Field(default_factory=list[str])
    """Of a parent: the members that its children are about."""


class WatchBrief(Model):
    """The right to observe one instance."""

    instance: Instance
    grant: str = Field(repr=False)
    fence: int
    handout: int = 0


class Hint(Model):
    """What moved of an instance that is watched."""

    instance_id: str
    moved: list[str] = Field(default_factory=list[str])
    instance: Instance
    """As it is to be now."""


class Cancel(Model):
    """Somebody wants an operation to stop."""

    operation: str
    reason: str | None = None


class Replica(Model):
    """The process that claims, as the platform knows it."""

    id: str
    lease_expires_at: AwareDatetime | None = None
    lease_seconds: float = 30


class Claimed(Model):
    """The answer to a claim: what is new.

    Over the wire each instance comes once, and whatever is about it has its id. Here it has the
    instance itself, an operation as it is to be after it; they share what is the same.
    """

    replica: Replica
    next: int
    operations: list[Brief] = Field(default_factory=list[Brief])
    watches: list[WatchBrief] = Field(default_factory=list[WatchBrief])
    hints: list[Hint] = Field(default_factory=list[Hint])
    cancels: list[Cancel] = Field(default_factory=list[Cancel])
    lost: list[str] = Field(default_factory=list[str])
    lost_watches: list[str] = Field(default_factory=list[str])

    @model_validator(mode="before")
    @classmethod
    def _with_instances(cls, told: dict[str, Any]) -> dict[str, Any]:
        known = {each["id"]: Instance.model_validate(each) for each in told.get("instances", ())}
        parts = {
            part: [{**each, "instance": _instance(each, known)} for each in told.get(part, ())]
            for part in ("operations", "watches", "hints")
        }
        return {**told, **parts}


def _instance(about: Mapping[str, Any], known: Mapping[str, Instance]) -> Instance | None:
    instance, change = known.get(about["instance_id"]), about.get("change")
    if instance is None or change is None:
        return instance
    return instance.model_copy(update=dict(Change.model_validate(change)))
