"""Wire shapes of nodes and enrolments."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from moorage_core.kit.ids import AllocationId, EnrolmentId, NodeId, OrgId
from moorage_core.kit.wire import NO_CONTROL, WHOLE, Input, Moment, Output, Reason, Slug

NodeName = Annotated[
    str, StringConstraints(max_length=63, pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$")
]
"""As hosts are called: `gpu-07.rack-2`."""
Address = Annotated[
    str, StringConstraints(max_length=253, pattern=r"^[A-Za-z0-9]([A-Za-z0-9.:-]*)$")
]
Port = Annotated[int, Field(ge=1, le=65535), WHOLE]
LabelKey = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9._/-]{0,62}$")]
LabelValue = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=NO_CONTROL)]
Labels = Annotated[
    dict[LabelKey, LabelValue],
    # The contract then says that other keys are refused, as they are.
    Field(max_length=64, json_schema_extra={"additionalProperties": False}),
]
"""`rack` is known to placement: machines of one project are spread over racks, or packed."""
Seconds = Annotated[int, Field(ge=60, le=7 * 86400), WHOLE]
StatusName = Literal[
    "enrolling", "available", "allocated", "cleaning", "maintenance", "quarantined", "retired"
]


class NodeCreate(Input):
    name: NodeName
    region: Slug
    """The region's slug."""
    sku: Slug
    """The SKU's slug. A host that is not of this class is quarantined when it enrols."""
    reach: Literal["agent", "ssh"] = "agent"
    """agent: it calls the platform. ssh: the platform calls it, with its holder's credential."""
    address: Address | None = None
    """Where people and the platform reach it by SSH. Needed with reach ssh."""
    ssh_port: Port | None = None
    labels: Labels = Field(default_factory=dict)


class NodeUpdate(Input):
    name: NodeName | None = None
    address: Address | None = None
    ssh_port: Port | None = None
    labels: Labels | None = None
    cordoned: bool | None = None
    """Cordoned: whoever holds it keeps it, nobody new gets it."""


class NodeAct(Input):
    """Why, for the record."""

    reason: Reason


class HolderRead(Output):
    """Whose it is for now. What they do with it is theirs."""

    allocation_id: AllocationId
    org_id: OrgId
    org_name: str


class HardwareRead(Output):
    """What its agent says that it is made of, in short."""

    os: str | None
    cpu_model: str | None
    threads: int | None
    memory_bytes: int | None
    gpus: list[str]
    """The model of each."""


class NodeRead(Output):
    id: NodeId
    name: str
    region: str
    sku: str
    reach: str
    address: str | None
    ssh_port: int | None
    status: StatusName
    status_reason: str | None
    status_since: Moment
    cordoned: bool
    allocation_id: AllocationId | None
    """What holds it."""
    holder: HolderRead | None
    last_org_id: OrgId | None
    """The last org that was root on it since it was imaged. Another one gets it imaged anew."""
    generation: int
    """How many times it was imaged."""
    reimage_requested_at: Moment | None
    enrolled_at: Moment | None
    reachable: bool | None
    """Whether its agent is heard of. Null where there is none to hear of."""
    unreachable_since: Moment | None
    last_seen_at: Moment | None
    hostname: str | None
    agent_version: str | None
    hardware: HardwareRead | None
    """Null until its agent has said so."""
    inventory: dict[str, Any] | None
    """All that its agent says of it. Null in lists: read the node."""
    inventory_at: Moment | None
    labels: dict[str, str]
    version: int
    created_at: Moment
    updated_at: Moment


class EnrolmentCreate(Input):
    expires_in: Seconds | None = None
    """Seconds for which the line works. Left out: as the platform is set."""


class EnrolmentRead(Output):
    id: EnrolmentId
    node_id: NodeId
    created_by: str
    created_by_name: str | None
    created_at: Moment
    expires_at: Moment
    used_at: Moment | None
    revoked_at: Moment | None


class EnrolmentIssued(EnrolmentRead):
    token: str
    """Works once, for one host. Shown once."""
    line: str
    """Paste it on the host, as root or as somebody who may use sudo."""


class NodeBatchCreate(Input):
    nodes: Annotated[list[NodeCreate], Field(min_length=1, max_length=1000)]
    """All are announced, or none."""
    expires_in: Seconds | None = None
    """Seconds for which the lines work. Left out: as the platform is set."""


class NodeAnnounced(Output):
    node: NodeRead
    enrolment: EnrolmentIssued | None
    """Null for hosts without agent."""


class NodeBatchRead(Output):
    items: list[NodeAnnounced]
    """In the order in which they were asked for."""
