"""Wire shapes of members."""

from typing import Annotated, Any, Self

from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from moorage_core.kit.ids import (
    AllocationId,
    InstanceId,
    MemberId,
    OperationId,
    OrgId,
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
from moorage_core.members.models import DrainPolicy, Health, Owner, Status

MOST = 1000
"""Members that one request is about."""
ComponentKey = Annotated[str, StringConstraints(max_length=63, pattern=r"^[a-z][a-z0-9_-]*$")]
Note = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=NO_CONTROL)]
Parallel = Annotated[int, Field(ge=1, le=MOST), WHOLE]
Budget = Annotated[int, Field(ge=0, le=MOST), WHOLE]


def _one_way(named: bool, wished: list[object]) -> None:
    """Machines are named, or asked for by what they are; not both."""
    if named == any(each is not None for each in wished) or (not named and None in wished):
        sentence = "name allocations, or say how many of which sku in which region"
        raise PydanticCustomError("placement", sentence)


class MembersAdd(Input):
    """More members of a component: on machines of yours, or on some that the platform allocates."""

    component: ComponentKey
    allocations: Annotated[list[AllocationId], Field(min_length=1, max_length=MOST)] | None = None
    count: Annotated[int, Field(ge=1, le=MOST), WHOLE] | None = None
    sku: Slug | None = None
    region: Slug | None = None
    keep_allocations: bool = False
    """Machines that are allocated for this stay yours when a member could not join, or goes."""
    max_parallel: Parallel | None = None
    """How many join at the same time. Left out: as many as the app's controller takes."""
    failure_budget: Budget | None = None
    """How many may fail before no more are begun. Left out: any number."""
    reason: Note = "add members"

    @model_validator(mode="after")
    def _placed(self) -> Self:
        _one_way(self.allocations is not None, [self.count, self.sku, self.region])
        return self


class _OfMembers(Input):
    members: Annotated[list[MemberId], Field(min_length=1, max_length=MOST)]
    max_parallel: Parallel | None = None
    failure_budget: Budget | None = None
    reason: Note


class _Draining(_OfMembers):
    policy: DrainPolicy = "wait"
    """What becomes of what runs there: `wait` lets it end, `deadline` lets it end until then,
    `force` ends it."""
    deadline: Seconds | None = None
    """Seconds, for `deadline`."""

    @model_validator(mode="after")
    def _timed(self) -> Self:
        check_deadline(self.policy, self.deadline)
        return self


class MembersDrain(_Draining):
    """Let members take nothing new, and empty them."""


class MembersResume(_OfMembers):
    """Let drained members work again. Only the side that drained one may."""


class MembersRemove(_Draining):
    """Empty members, and take them out of the instance."""

    lost: bool = False
    """Their hosts are gone for good: nothing is done there any more."""
    keep_allocations: bool = False
    """Machines that the platform allocated for them stay yours."""


class Override(Input):
    """Going on with what is not trusted any more. Needs the permission policy.override."""

    reason: Reason


class MemberReplace(Input):
    """Another machine takes a member's place."""

    allocation: AllocationId | None = None
    sku: Slug | None = None
    region: Slug | None = None
    lost: bool = False
    """Its host is gone for good: nothing is done there any more."""
    policy: DrainPolicy = "wait"
    deadline: Seconds | None = None
    keep_allocations: bool = False
    override: Override | None = None
    """Where an artifact of the instance's version was revoked."""
    reason: Note

    @model_validator(mode="after")
    def _placed(self) -> Self:
        _one_way(self.allocation is not None, [self.sku, self.region])
        check_deadline(self.policy, self.deadline)
        return self


class DrainRead(Output):
    """Who drained it. Only that side lets it work again."""

    owner: Owner
    reason: str | None


class MemberRead(Output):
    id: MemberId
    org_id: OrgId
    project_id: ProjectId
    instance_id: InstanceId
    component: str
    name: str
    """The component and a number, which is not given twice."""
    status: Status
    status_reason: str | None
    health: Health
    """What the app's controller last said. It sets no state."""
    health_reasons: list[str]
    allocation_id: AllocationId | None
    node_name: str | None
    host_address: str | None
    source_project_id: ProjectId
    """The project whose machine it stands on."""
    managed: bool
    """The platform allocated the machine for it, and gives it back with it."""
    keep_allocation: bool
    """The machine stays the project's all the same."""
    app_version: str
    runtime_version: str | None
    config_hash: str | None
    adapter_detail: dict[str, Any]
    """The app's own notes. Kept and shown, never read."""
    drain: DrainRead | None
    replaces_id: MemberId | None
    last_operation_id: OperationId | None
    correlation_id: str
    version: int
    created_at: Moment
    updated_at: Moment
    removed_at: Moment | None
    """It is gone since then; this is what is kept of it."""
