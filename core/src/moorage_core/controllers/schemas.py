"""Wire shapes of the protocol between the platform and controllers.

docs/reference/controller-protocol.md says what they mean.
"""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from moorage_core.kit.ids import (
    InstanceId,
    MemberId,
    OperationId,
    OrgId,
    ProjectId,
    ReplicaId,
)
from moorage_core.kit.wire import NO_CONTROL, WHOLE, Input, Moment, Output

Word = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=NO_CONTROL)]
Number = Annotated[int, Field(ge=0, le=(1 << 53) - 1), WHOLE]
MOST_HELD = 10_000


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
    wait: Annotated[float, Field(ge=0, le=60)] = 20
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
    inventory: dict[str, Any] = Field(default_factory=dict[str, Any])
    app_version: str | None = None
    runtime_version: str | None = None
    config_hash: str | None = None
    adapter_detail: dict[str, Any] = Field(default_factory=dict[str, Any])


class ComponentBrief(Output):
    key: str
    desired: int


class PreviousBrief(Output):
    """What the instance was before the change that is under way."""

    app_version: str
    config: dict[str, Any]


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
    components: list[ComponentBrief] = Field(default_factory=list[ComponentBrief])
    members: list[MemberBrief] = Field(default_factory=list[MemberBrief])
    """Those that are not removed, the first thousand."""
    members_complete: bool = True


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
    name: str


class ChildrenBrief(Output):
    total: int
    succeeded: int
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
    instance: InstanceBrief
    member: MemberBrief | None
    members: list[MemberBrief] = Field(default_factory=list[MemberBrief])
    """Those that a repair keeps to itself."""
    children: ChildrenBrief | None
    batch: list[MemberId] = Field(default_factory=list[MemberId])
    """Of a parent: the members of its children."""


class WatchBrief(Output):
    """An instance that is yours to look after."""

    instance: InstanceBrief
    grant: str
    """The token with which you say what you see. It opens nothing else."""
    fence: int
    handout: int


class HintBrief(Output):
    """Something moved of an instance that you watch."""

    instance_id: InstanceId
    moved: list[str]
    """Of `members`, `config`, `status`, `principals`."""
    instance: InstanceBrief


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
    operations: list[OperationBrief]
    watches: list[WatchBrief]
    hints: list[HintBrief]
    cancels: list[CancelBrief]
    lost: list[OperationId]
    lost_watches: list[InstanceId]
