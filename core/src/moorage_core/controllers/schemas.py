"""Wire shapes of the protocol between the platform and controllers.

docs/reference/controller-protocol.md says what they mean.
"""

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, Field, StringConstraints
from pydantic_core import PydanticCustomError

from moorage_core.errors import Problem
from moorage_core.kit.ids import (
    InstanceId,
    MemberId,
    OperationId,
    OrgId,
    ProjectId,
    ReplicaId,
    TaskId,
    UserId,
)
from moorage_core.kit.wire import NO_CONTROL, WHOLE, Input, Moment, Output, Reason
from moorage_core.operations.report_shapes import ReportCreate

Word = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=NO_CONTROL)]
Number = Annotated[int, Field(ge=0, le=(1 << 53) - 1), WHOLE]
Line = Annotated[str, StringConstraints(min_length=1, max_length=1000, pattern=NO_CONTROL)]
Reasons = Annotated[list[Line], Field(max_length=20)]
InstanceHealth = Literal["healthy", "degraded", "unhealthy", "progressing", "unknown"]
MemberHealth = Literal["healthy", "degraded", "unhealthy", "unknown"]
MOST_HELD = 10_000
SMALL = 32 << 10


def _small(given: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(given)) > SMALL:
        raise PydanticCustomError("size", "is {most} bytes at most, as JSON", {"most": SMALL})
    return given


Small = Annotated[dict[str, Any], AfterValidator(_small)]


class Claim(Input):
    app: Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=r"^[a-z0-9_-]+$")]
    """The slug of the app whose operator you are, or its id."""
    replica: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[!-~]+$")]
    """The name of this process: the same for as long as it runs, and no other's."""
    release: Word | None = None
    """Which release of the controller it is, for people."""
    capacity: Annotated[int, Field(ge=0, le=100), WHOLE] = 10
    """How many more operations you take."""
    watch_capacity: Annotated[int, Field(ge=0, le=100_000), WHOLE] = 0
    """How many more instances you watch. An answer brings a hundred at most."""
    wait: Annotated[int, Field(ge=0, le=60), WHOLE] = 20
    """Seconds to wait for something. The answer may come earlier, with nothing in it."""
    after: Number = 0
    """`next` of the last answer that you have. What you hold beyond it is told again."""
    holds: Annotated[list[OperationId], Field(max_length=MOST_HELD)] = Field(
        default_factory=list[OperationId]
    )
    """Operations that you believe to hold. `lost` names those that you do not."""
    watching: Annotated[list[InstanceId], Field(max_length=MOST_HELD)] = Field(
        default_factory=list[InstanceId]
    )
    """Instances that you believe to watch. `lost_watches` names those that you do not."""


class MemberBrief(Output):
    """A member, as its controller knows it."""

    id: MemberId
    name: str
    component: str
    status: str
    health: str
    allocation_id: str | None = None
    node_name: str | None = None
    host_address: str | None = None
    reachable: bool = False
    inventory: dict[str, Any] | None = None
    """What the host says that it has."""
    app_version: str | None = None
    runtime_version: str | None = None
    config_hash: str | None = None
    adapter_detail: dict[str, Any] = Field(default_factory=dict[str, Any])
    replaces_id: MemberId | None = None


class ComponentBrief(Output):
    key: str
    desired: int


class PreviousBrief(Output):
    """What the instance was before the change that is under way."""

    app_version: str
    config: dict[str, Any]


class ArtifactBrief(Output):
    """Bytes that the instance's version needs."""

    name: str
    digest: str
    size: int


class InstanceBrief(Output):
    """An instance, as its controller knows it."""

    id: InstanceId
    name: str
    org_id: OrgId
    project_id: ProjectId
    app_slug: str
    app_version: str
    version_id: str
    previous: PreviousBrief | None = None
    config: dict[str, Any]
    revision: int
    status: str
    operating_mode: str
    runtime_backend: str
    endpoints: dict[str, Any] = Field(default_factory=dict[str, Any])
    artifacts: list[ArtifactBrief] = Field(default_factory=list[ArtifactBrief])
    """Of its own version, which need not be the controller's."""
    components: list[ComponentBrief] = Field(default_factory=list[ComponentBrief])
    members: list[MemberBrief] = Field(default_factory=list[MemberBrief])
    """Those that are not removed, the first thousand."""
    members_complete: bool = True


class ChangeBrief(Output):
    """What an operation makes of its instance. For the operation, each field of it is in the place
    of the instance's own."""

    app_version: str
    version_id: str
    config: dict[str, Any]
    revision: int
    previous: PreviousBrief
    artifacts: list[ArtifactBrief]


class StepBrief(Output):
    """An entry of an operation's journal."""

    phase: Literal["run", "prepare", "finish"]
    number: int
    name: str
    status: str
    attempt: int
    undo: dict[str, Any] | None
    no_return: bool
    message: str | None
    result: Any


class RequesterBrief(Output):
    kind: str
    id: str
    """Of a person: the `user_id` among the principals of the instance."""
    name: str


class ChildrenBrief(Output):
    total: int
    succeeded: int = 0
    failed: int


class OperationBrief(Output):
    """An operation that is yours, and everything that you need to do it."""

    id: OperationId
    kind: str
    action: str | None
    phase: Literal["prepare", "finish"] | None
    """Of a parent: what is to be done now."""
    direction: Literal["forward", "undo"]
    attempt: int
    fence: int
    grant: str
    """The token with which you act for it. It opens nothing else."""
    handout: int
    lease_expires_at: Moment
    deadline: Moment | None
    input: dict[str, Any]
    reason: str
    correlation_id: str
    traceparent: str | None
    parent_id: OperationId | None
    cancel_requested: bool
    no_return: bool
    sequence: int
    """Of the last report that was taken. Yours is the next."""
    requested_by: RequesterBrief
    steps: list[StepBrief]
    instance_id: InstanceId
    """One of the answer's `instances`."""
    change: ChangeBrief | None
    member: MemberBrief | None
    member_ids: list[MemberId]
    """Those that a repair keeps to itself; at the end of a request for members, those that it was
    about."""
    members: list[MemberBrief]
    """Those of `member_ids` that are not among the instance's: they are gone, or beyond the first
    thousand."""
    children: ChildrenBrief | None
    batch: list[MemberId] = Field(default_factory=list[MemberId])
    """Of a parent: the members of its children."""


class WatchBrief(Output):
    """An instance that is yours to look after."""

    instance_id: InstanceId
    grant: str
    """The token with which you say what you see. It opens nothing else."""
    fence: int
    handout: int


class HintBrief(Output):
    """Something moved of an instance that you watch."""

    instance_id: InstanceId
    moved: list[str]
    """Of `members`, `config`, `status`, `principals`."""


class CancelBrief(Output):
    """An operation that you hold, and are asked to take back."""

    operation: OperationId
    reason: str | None


class ReplicaBrief(Output):
    id: ReplicaId
    lease_expires_at: Moment
    """Claim again before then: your watches go to others afterwards."""
    lease_seconds: int


class Claimed(Output):
    replica: ReplicaBrief
    next: int
    """Send it as `after` with the next claim."""
    instances: list[InstanceBrief]
    """Those that something in this answer is about, each once, as they are now."""
    operations: list[OperationBrief]
    watches: list[WatchBrief]
    hints: list[HintBrief]
    cancels: list[CancelBrief]
    lost: list[OperationId]
    lost_watches: list[InstanceId]


class ReportEntry(ReportCreate):
    """One report of several."""

    operation: OperationId
    grant: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[!-~]+$")]
    """The token with which you act for it."""


class Reports(Input):
    reports: Annotated[list[ReportEntry], Field(min_length=1, max_length=200)]


class EntryTaken(Output):
    """How an operation stands after your report of it."""

    operation: OperationId
    problem: Problem | None = None
    """Why the report was not taken. The rest is null then."""
    status: str | None = None
    direction: Literal["forward", "undo"] | None = None
    fence: int | None = None
    sequence: int | None = None
    lease_expires_at: Moment | None = None
    cancel_requested: bool | None = None
    cancel_reason: str | None = None


class ReportsTaken(Output):
    """In the order of the request."""

    reports: list[EntryTaken]


# What a controller sees of an instance


class ConditionSaid(Input):
    """Something about an instance that is so or is not."""

    type: Word
    status: bool
    reason: Annotated[str, StringConstraints(max_length=200)] | None = None
    message: Line | None = None


class ComponentSeen(Input):
    health: InstanceHealth
    summary: Line | None = None


class MemberSeen(Input):
    health: MemberHealth
    reasons: Reasons = Field(default_factory=list[str])
    runtime_version: Word | None = None
    adapter_detail: Small | None = None


class Observed(Input):
    """What a look at an instance has shown. It sets health and conditions, never a state."""

    fence: Number
    health: InstanceHealth
    reasons: Reasons = Field(default_factory=list[str])
    conditions: Annotated[list[ConditionSaid], Field(max_length=50)] = Field(
        default_factory=list[ConditionSaid]
    )
    endpoints: Small | None = None
    topology_mode: Word | None = None
    runtime_version: Word | None = None
    components: Annotated[dict[Word, ComponentSeen], Field(max_length=64)] = Field(
        default_factory=dict[str, ComponentSeen]
    )
    """By key."""
    members: Annotated[dict[MemberId, MemberSeen], Field(max_length=1000)] = Field(
        default_factory=dict[MemberId, MemberSeen]
    )
    """By id."""
    fresh_for: Annotated[int, Field(ge=10, le=86_400), WHOLE] | None = None
    """Seconds for which this counts; the health is unknown afterwards. Left out: 90."""


class ObservedTaken(Output):
    """What stands now."""

    instance_id: InstanceId
    health: str
    observed_until: Moment | None


class ProbeWish(Input):
    name: Annotated[str, StringConstraints(max_length=120, pattern=r"^[a-z][a-z0-9_.]*$")]
    """As the manifest declares it."""
    member: MemberId


class ProbesCreate(Input):
    fence: Number
    probes: Annotated[list[ProbeWish], Field(min_length=1, max_length=200)]


class ProbeTask(Output):
    """A probe that a machine is to run."""

    id: TaskId
    status: str
    key: str
    allocation_id: str


class ProbesTaken(Output):
    tasks: list[ProbeTask]


class RepairTaken(Output):
    """The repair that was asked for. It comes to you by a claim."""

    id: OperationId
    kind: str
    status: str


class RepairRequest(Input):
    fence: Number
    reason: Reason
    members: Annotated[list[MemberId], Field(max_length=1000)] = Field(
        default_factory=list[MemberId]
    )
    """Those that it is about. Empty: all that the app finds to mend."""


class PrincipalRead(Output):
    """Somebody who may be on the machines of an instance."""

    login: str
    uid: int
    user_id: UserId
    name: str
    roles: list[str]
    projects: list[ProjectId]


class Principals(Output):
    items: list[PrincipalRead]


class UsageSaid(Input):
    """Something that the app counted."""

    meter: Annotated[str, StringConstraints(max_length=120, pattern=r"^[a-z][a-z0-9_.]*$")]
    key: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=NO_CONTROL)]
    """Your own name of the record: said twice, it counts once."""
    quantity: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    from_at: Annotated[AwareDatetime, Field(strict=False)]
    until_at: Annotated[AwareDatetime, Field(strict=False)]
    project: ProjectId | None = None
    """Who used it. Left out: the instance's own project."""


class UsageReport(Input):
    fence: Number
    records: Annotated[list[UsageSaid], Field(min_length=1, max_length=1000)]


class UsageTaken(Output):
    recorded: int
    """How many were new."""
    repeated: int
