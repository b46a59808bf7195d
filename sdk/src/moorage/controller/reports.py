"""What a controller tells the platform: reports on operations, and what it sees of instances."""

from typing import Any, Literal

from pydantic import AwareDatetime, Field

from moorage._model import Model
from moorage.controller.briefs import Direction, Health, StepRecord
from moorage.controller.outcomes import Recovery

State = Literal["running", "undoing", "waiting", "blocked", "succeeded", "failed", "cancelled"]
InstanceHealth = Literal["healthy", "degraded", "unhealthy", "progressing", "unknown"]


class Progress(Model):
    done: int
    total: int


class MemberReport(Model):
    """What is known of the operation's member."""

    health: Health | None = None
    reasons: list[str] | None = None
    runtime_version: str | None = None
    config_hash: str | None = None
    adapter_detail: dict[str, Any] | None = None


class InstanceReport(Model):
    """What is known of the instance."""

    endpoints: dict[str, Any] | None = None
    topology_mode: str | None = None
    runtime_version: str | None = None


class Pause(Model):
    """When to look again, and what wakes the operation earlier."""

    seconds: float
    hints: list[str] = Field(default_factory=list[str])
    retry: bool = False


class Residue(Model):
    """Something that could not be taken back."""

    what: str
    where: str
    why: str


class ErrorReport(Model):
    code: str
    message: str
    log: list[str] = Field(default_factory=list[str])


class Report(Model):
    """What is so with an operation. What is left out stays as it was."""

    state: State
    steps: list[StepRecord] = Field(default_factory=list[StepRecord])
    message: str | None = None
    progress: Progress | None = None
    member: MemberReport | None = None
    instance: InstanceReport | None = None
    wait: Pause | None = None
    result: dict[str, Any] | None = None
    residue: list[Residue] = Field(default_factory=list[Residue])
    error: ErrorReport | None = None
    recovery: Recovery | None = None


class ReportAnswer(Model):
    """What the platform makes of a report."""

    status: str
    direction: Direction = "forward"
    fence: int = 1
    sequence: int = 0
    lease_expires_at: AwareDatetime | None = None
    cancel_requested: bool = False
    cancel_reason: str | None = None


class Condition(Model):
    """Something about an instance that is so or is not."""

    type: str
    status: bool
    reason: str | None = None
    message: str | None = None


class ComponentSeen(Model):
    health: InstanceHealth
    summary: str | None = None


class MemberSeen(Model):
    health: Health
    reasons: list[str] = Field(default_factory=list[str])
    runtime_version: str | None = None
    adapter_detail: dict[str, Any] | None = None


class Observed(Model):
    """What a look at an instance has shown. It sets health and conditions, never a state.

    Attributes:
        members: What was seen of each member, by its id.
        fresh_for: Seconds for which this counts; afterwards the health is unknown.
    """

    health: InstanceHealth
    reasons: list[str] = Field(default_factory=list[str])
    conditions: list[Condition] = Field(default_factory=list[Condition])
    endpoints: dict[str, Any] | None = None
    topology_mode: str | None = None
    runtime_version: str | None = None
    components: dict[str, ComponentSeen] = Field(default_factory=dict[str, ComponentSeen])
    members: dict[str, MemberSeen] = Field(default_factory=dict[str, MemberSeen])
    fresh_for: int | None = None


class Usage(Model):
    """Something that the app counted. Said twice with the same key, it counts once."""

    meter: str
    key: str
    quantity: float
    from_at: AwareDatetime
    until_at: AwareDatetime
    project: str | None = None
    """Who used it, where that is not the instance's project."""
