"""Wire shapes of allocations."""

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from moorage_core.allocations.models import Status, Strategy
from moorage_core.kit.ids import (
    AllocationId,
    EvidenceId,
    InstanceId,
    OperationId,
    OrgId,
    ProjectId,
    TaskId,
)
from moorage_core.kit.wire import NO_CONTROL, WHOLE, Input, Moment, Output, Reason, Slug

METADATA_BYTES = 16_384
"""The most that an integration may note on an allocation."""


def _small(given: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(given)) > METADATA_BYTES:
        sentence = "metadata is {most} bytes at most, written as JSON"
        raise PydanticCustomError("metadata_size", sentence, {"most": METADATA_BYTES})
    return given


Metadata = Annotated[dict[str, Any], AfterValidator(_small)]
"""Yours: kept and shown, never read."""
SchedulerType = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=NO_CONTROL)]
"""A word of an integration's own. Kept and shown; nothing here depends on it."""
Note = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=NO_CONTROL)]


class AllocationRequest(Input):
    """Machines of one SKU in one region: all of them, or none."""

    sku: Slug
    region: Slug
    count: Annotated[int, Field(ge=1, le=100), WHOLE] = 1
    strategy: Strategy = "spread"
    """spread: over as many racks as there are. pack: into as few."""
    name: Slug | None = None
    """What it is called in the project; with several, numbers follow. Left out: made up."""
    scheduler_type: SchedulerType | None = None
    metadata: Metadata = Field(default_factory=dict)


class NodeAllocationRequest(Input):
    """One named node for a project, by those who run the platform."""

    project: ProjectId
    reason: Reason
    """The tenant sees it in its audit log."""
    name: Slug | None = None
    scheduler_type: SchedulerType | None = None
    metadata: Metadata = Field(default_factory=dict)


class AllocationUpdate(Input):
    """What is left out stays as it is."""

    name: Slug | None = None
    scheduler_type: SchedulerType | Literal[""] | None = None
    """Empty takes it away."""
    metadata: Metadata | None = None
    """The whole of it, in place of what was noted before."""


class AllocationRelease(Input):
    reason: Note | None = None


class ForcedRelease(Input):
    reason: Reason
    """The tenant sees it."""


class CpuRead(Output):
    model: str | None
    threads: int | None


class GpuRead(Output):
    model: str | None
    memory_bytes: int | None


class HostRead(Output):
    """The node, as long as it is held. What its agent says is the host's own word."""

    reach: str
    reachable: bool | None
    """Null: a host without agent, which is not heard of."""
    unreachable_since: Moment | None
    last_seen_at: Moment | None
    addresses: list[str]
    ssh_port: int
    os: str | None
    cpu: CpuRead
    memory_bytes: int | None
    gpus: list[GpuRead]
    quarantined: bool
    """Taken out by those who run the platform, or by itself: nothing new is done there."""


class CostRead(Output):
    """Held time at the list price: an estimate, not a bill."""

    label: str
    held_seconds: int
    price_micros_per_hour: int
    """Millionths of the currency's unit."""
    amount_micros: int
    currency: str


class PlacementRead(Output):
    """Why this node."""

    strategy: str
    why: str
    considered: int
    """Nodes of the SKU in the region."""
    free: int


class AllocationRead(Output):
    id: AllocationId
    org_id: OrgId
    project_id: ProjectId
    name: str
    status: Status
    message: str | None
    """What is wrong, or waited for."""
    dirty: list[str]
    """Why it can only be released. Empty: it is clean."""
    region: str
    sku: str
    gpus: int
    node_name: str
    node: HostRead | None
    placement: PlacementRead
    scheduler_type: str | None
    metadata: dict[str, Any]
    requested_by: str
    requested_by_name: str | None
    """Null where nobody is called so any more."""
    instance_id: InstanceId | None
    """The instance whose members stand on it: it is released when they are gone."""
    instance_name: str | None
    setup_operation_id: OperationId | None
    release_operation_id: OperationId | None
    held_from: Moment | None
    held_until: Moment | None
    cost: CostRead
    correlation_id: str
    version: int
    created_at: Moment
    updated_at: Moment


class PlacedRead(Output):
    """How nodes were chosen."""

    strategy: str
    considered: int
    free: int
    not_free: dict[str, int]
    """Nodes that nobody could get, by why."""


class AllocationsPlaced(Output):
    allocations: list[AllocationRead]
    placement: PlacedRead


class StepProof(Output):
    """What a node said of one of the platform's own tasks. Evidence, not proof against its root."""

    task_id: TaskId
    status: str
    at: Moment | None
    result: dict[str, Any]
    error: str | None


class EvidenceRead(Output):
    """Something that a host said, and when we heard it."""

    id: EvidenceId
    kind: str
    said_at: Moment | None
    received_at: Moment
    data: dict[str, Any]


class EvidencePage(Output):
    """What is known of a held host: how it was made ready, how it was cleaned, who came in.

    Ask again with `after` = `next` until `next` is null.
    """

    setup: StepProof | None
    """The probe before it was handed over."""
    wipe: StepProof | None
    probe: StepProof | None
    """The probe after the wipe."""
    items: list[EvidenceRead]
    next: str | None
