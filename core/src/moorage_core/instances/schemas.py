"""Wire shapes of instances, their revisions and plans."""

import json
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from moorage_core.instances.models import Effect, Health, Outcome, Status
from moorage_core.kit.ids import (
    AllocationId,
    AppId,
    AppOperatorId,
    AppVersionId,
    InstanceId,
    MemberId,
    OperationId,
    OrgId,
    PlanId,
    ProjectId,
)
from moorage_core.kit.wire import (
    NO_CONTROL,
    WHOLE,
    Input,
    Moment,
    Output,
    Reason,
    Seconds,
    Slug,
    check_deadline,
)
from moorage_core.members.models import DrainPolicy

CONFIG_BYTES = 262_144
"""The most that a configuration may take, written as JSON."""


def _small(given: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(given)) > CONFIG_BYTES:
        sentence = "a configuration is {most} bytes at most, written as JSON"
        raise PydanticCustomError("config_size", sentence, {"most": CONFIG_BYTES})
    return given


Config = Annotated[dict[str, Any], AfterValidator(_small)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=NO_CONTROL)]
Why = Annotated[str, StringConstraints(max_length=500, pattern=NO_CONTROL)]
Parallel = Annotated[int, Field(ge=1, le=1000), WHOLE]
Kind = Literal[
    "instance.configure",
    "instance.upgrade",
    "instance.rollback",
    "instance.stop",
    "instance.start",
    "instance.restart",
    "instance.decommission",
]


class PlacementWrite(Input):
    """Machines for the members of one component: named ones, or so many of a SKU in a region."""

    allocations: Annotated[list[AllocationId], Field(max_length=1000)] = Field(
        default_factory=list[AllocationId]
    )
    """One member on each, in this order."""
    count: Annotated[int, Field(ge=1, le=1000), WHOLE] | None = None
    """So many, which the platform allocates for this."""
    sku: Slug | None = None
    region: Slug | None = None
    keep_allocations: bool = False
    """Machines that are allocated for this stay the project's when their member goes."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        by_count = (self.count is not None, self.sku is not None, self.region is not None)
        if bool(self.allocations) == any(by_count) or any(by_count) != all(by_count):
            raise PydanticCustomError(
                "placement", "name allocations, or give count, sku and region together"
            )
        return self


class Deployment(Input):
    """An app, deployed onto machines that the project holds or gets for it."""

    name: Slug
    app: AppId
    version: Word | None = None
    """Its number or id. Without it and without a channel, the entitlement says which."""
    channel: Word | None = None
    config: Config = Field(default_factory=dict)
    operator: AppOperatorId
    """Who acts for it: an app operator of the publisher, or of this project."""
    operating_mode: Word | None = None
    """Left out: the first that the app supports."""
    control_plane_scope: Literal["project", "tenant", "platform"] = "project"
    components: Annotated[dict[Word, PlacementWrite], Field(max_length=64)] = Field(
        default_factory=dict
    )
    """By component: where its members are to stand."""
    max_parallel: Parallel = 10


class InstanceCreate(Deployment):
    plan: PlanId | None = None
    """Deploy exactly what this plan says."""


class ConfigureWrite(Input):
    config: Config
    """The whole of it, in place of what it was."""
    plan: PlanId | None = None


class UpgradeWrite(Input):
    version: Word
    """Its number or id."""
    config: Config | None = None
    """The whole of it, where the present one does not fit the version."""
    plan: PlanId | None = None


class Override(Input):
    """Going on with what is not trusted any more. Needs the permission policy.override."""

    reason: Reason


class RollbackWrite(Input):
    to_revision: Annotated[int, Field(ge=1), WHOLE] | None = None
    """Left out: the one that ran before."""
    accept_losses: bool = False
    """What going back loses is accepted."""
    override: Override | None = None
    """Where an artifact of it was revoked."""
    policy: DrainPolicy = "wait"
    """What becomes of work that cannot go on across it: `wait` lets it end, `deadline` lets it end
    until then, `force` ends it. An app that keeps such work alive has no use for it."""
    deadline: Seconds | None = None
    """Seconds, for `deadline`."""
    plan: PlanId | None = None

    @model_validator(mode="after")
    def _timed(self) -> Self:
        check_deadline(self.policy, self.deadline)
        return self


class StopWrite(Input):
    reason: Why = ""
    preempt: bool = False
    """Ask what is under way to be cancelled, rather than wait for its end."""
    plan: PlanId | None = None


class StartWrite(Input):
    reason: Why = ""
    plan: PlanId | None = None


class RestartWrite(Input):
    reason: Why = ""
    plan: PlanId | None = None


class RepairWrite(Input):
    reason: Reason
    members: Annotated[list[MemberId], Field(max_length=1000)] = Field(
        default_factory=list[MemberId]
    )
    """Those that it is about. Empty: all that the app finds to mend."""


class RotateWrite(Input):
    reason: Reason


class DecommissionWrite(Input):
    reason: Why = ""
    preempt: bool = False
    """Ask what is under way to be cancelled, rather than wait for its end."""
    keep_allocations: bool = False
    """Machines that were allocated for it stay the project's."""
    plan: PlanId | None = None


class DeployPlanWrite(Deployment):
    """What a deployment would do."""

    kind: Literal["instance.deploy"] = "instance.deploy"


class ChangePlanWrite(Input):
    """What a change would do. What a kind does not take must be left out."""

    kind: Kind
    config: Config | None = None
    version: Word | None = None
    to_revision: Annotated[int, Field(ge=1), WHOLE] | None = None
    override: Override | None = None
    preempt: bool = False
    keep_allocations: bool = False


class BreakGlass(Input):
    reason: Reason
    """The tenant sees it."""


class ComponentRead(Output):
    key: str
    desired: int
    current: int
    """Members that there are, in whichever state."""
    ready: int
    health: Health
    summary: str | None
    """What the app says of it."""


class ConditionRead(Output):
    type: str
    status: bool
    reason: str | None = None
    who_acts: str | None = None
    """Who can do something about it."""


class OperatorRead(Output):
    """Who acts for the instance."""

    id: AppOperatorId
    name: str
    serves: Literal["publisher", "project"]
    listening: bool
    last_seen_at: Moment | None


class LastOperationRead(Output):
    id: OperationId
    kind: str
    status: str
    message: str | None
    created_at: Moment
    ended_at: Moment | None


class InstanceRead(Output):
    id: InstanceId
    org_id: OrgId
    project_id: ProjectId
    app_id: AppId
    app_slug: str
    name: str
    status: Status
    status_reason: str | None
    health: Health
    health_reasons: list[str]
    conditions: list[ConditionRead]
    components: list[ComponentRead]
    version_id: AppVersionId
    app_version: str
    runtime_version: str | None
    """Of what runs underneath, as it says itself."""
    config: dict[str, Any]
    revision: int
    operating_mode: str
    control_plane_scope: str
    runtime_backend: str
    topology_mode: str | None
    """What the controller calls its shape."""
    endpoints: dict[str, Any]
    access: str | None
    """How people reach it."""
    operator: OperatorRead | None
    """Null: it was taken away."""
    last_operation: LastOperationRead | None
    observed_at: Moment | None
    requested_by: str
    correlation_id: str
    version: int
    created_at: Moment
    updated_at: Moment
    deleted_at: Moment | None


class RevisionRead(Output):
    number: int
    version_id: AppVersionId
    app_version: str
    config: dict[str, Any]
    kind: str
    operation_id: OperationId
    outcome: Outcome
    """pending: on its way, or failed and to be tried again."""
    created_by: str
    created_by_name: str | None
    created_at: Moment


class EffectRead(Output):
    field: str
    """As a JSON pointer into the configuration."""
    effect: Effect


class TouchedRead(Output):
    id: MemberId | None
    """Null: it would be made."""
    name: str
    component: str
    does: str


class PlanVerdictRead(Output):
    layer: str
    allowed: bool | None
    sentence: str
    who_can_change: str | None


class PolicyRead(Output):
    allowed: bool
    verdicts: list[PlanVerdictRead]


class PlanCostRead(Output):
    """Held time at the list price: an estimate, not a bill."""

    label: str
    currency: str
    before_micros_per_hour: int
    after_micros_per_hour: int


class PlanRead(Output):
    id: PlanId
    project_id: ProjectId
    instance_id: InstanceId | None
    kind: str
    app_version: str
    """What runs afterwards."""
    config: dict[str, Any]
    changes: list[EffectRead]
    effect: Effect
    """What all changes of the configuration together come to."""
    members: list[TouchedRead]
    """The first 1,000 of those that it touches."""
    members_total: int
    policy: PolicyRead
    cost: list[PlanCostRead]
    loses: list[str]
    """What is lost for good, and has to be accepted."""
    created_by: str
    created_by_name: str | None
    expires_at: Moment
    applied_operation_id: OperationId | None
    correlation_id: str
    version: int
    created_at: Moment
