"""Wire shapes of the protocol with agents.

What a host says of itself is cleaned rather than refused: a disk with an odd name must not keep a
machine from enrolling. What it says about its work is taken as it is, or not at all.
"""

import json
import re
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
)
from pydantic_core import PydanticCustomError

from moorage_core.kit.ids import NodeId, TaskId
from moorage_core.kit.wire import NO_CONTROL, WHOLE, Input, Moment, Output

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
SHORT, LONG = 300, 2000
FIRST_YEAR, LAST_YEAR = 1970, 9000
"""Between them every moment can be written in every zone."""
INVENTORY_BYTES = 65_536
PARTS = 32
"""Of an inventory that is too long, the first so many disks and network cards are kept."""
EVIDENCE_BYTES = 2048


def _clean(value: Any) -> Any:
    return _CONTROL.sub("", value)[:SHORT].strip() if isinstance(value, str) else value


def _clean_long(value: Any) -> Any:
    return _CONTROL.sub("", value)[:LONG].strip() if isinstance(value, str) else value


def _moment(value: Any) -> Any:
    """A host's own idea of the time; None where it is none."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
        said = found and found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return said if said and FIRST_YEAR <= said.year <= LAST_YEAR else None


def _fact(value: Any) -> Any:
    """A plain value. What is too large for a number is kept as text: nothing is lost over it."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and abs(value) >= 1 << 53:
        return str(value)[:SHORT]
    return _clean(value)


HostFact = Annotated[str | int | bool | None, BeforeValidator(_fact)]
HostMoment = Annotated[datetime | None, BeforeValidator(_moment)]
HostText = Annotated[str, BeforeValidator(_clean)]
HostKey = Annotated[str, BeforeValidator(_clean_long)]
Count = Annotated[int, Field(ge=0, le=(1 << 53) - 1), WHOLE]
Token = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[!-~]+$")]
Opaque = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[!-~]+$")]
Assertion = Annotated[str, StringConstraints(min_length=1, max_length=4000, pattern=r"^[!-~]+$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Said(BaseModel):
    """What a host says of itself. Fields that we do not know are another release's."""

    model_config = ConfigDict(extra="ignore")


class System(Said):
    id: HostText | None = None
    version: HostText | None = None
    kernel: HostText | None = None


class Cpu(Said):
    model: HostText | None = None
    sockets: Count | None = None
    cores: Count | None = None
    threads: Count | None = None


class Disk(Said):
    name: HostText
    bytes: Count | None = None
    rotational: bool | None = None
    model: HostText | None = None


class Nic(Said):
    name: HostText
    mac: HostText | None = None
    addresses: Annotated[list[HostText], Field(max_length=64)] = Field(default_factory=list)
    speed_mbps: Annotated[int, Field(ge=-1, le=10**9), WHOLE] | None = None


class Gpu(Said):
    index: Count | None = None
    vendor: HostText | None = None
    model: HostText | None = None
    uuid: HostText | None = None
    memory_bytes: Count | None = None
    driver: HostText | None = None


class Inventory(Said):
    """What a host is made of, by its own word."""

    hostname: HostText | None = None
    os: System | None = None
    arch: HostText | None = None
    virtualization: HostText | None = None
    cpu: Cpu
    memory_bytes: Count
    disks: Annotated[list[Disk], Field(max_length=1000)] = Field(default_factory=list[Disk])
    nics: Annotated[list[Nic], Field(max_length=1000)] = Field(default_factory=list[Nic])
    gpus: Annotated[list[Gpu], Field(max_length=1000)] = Field(default_factory=list[Gpu])
    gpu_source: HostText | None = None
    ssh_host_keys: Annotated[list[HostKey], Field(max_length=20)] = Field(default_factory=list)
    python: HostText | None = None
    systemd: HostText | None = None


def kept(said: Inventory) -> tuple[dict[str, Any] | None, int]:
    """What is kept of an inventory, and how long it is. None where it is too long in any case."""
    found = said.model_dump(mode="json")
    size = _size(found)
    if size > INVENTORY_BYTES:
        parts = {name: found[name] for name in ("disks", "nics")}
        cut = {name: len(each) - PARTS for name, each in parts.items() if len(each) > PARTS}
        found |= {name: each[:PARTS] for name, each in parts.items()} | {"cut": cut}
    return (found if _size(found) <= INVENTORY_BYTES else None), size


def _fitting(said: Inventory) -> Inventory:
    if kept(said)[0] is None:
        sentence = "an inventory is {most} bytes at most, written as JSON"
        raise PydanticCustomError("inventory_size", sentence, {"most": INVENTORY_BYTES})
    return said


def _short(said: dict[str, Any]) -> dict[str, Any]:
    size = _size(said)
    return said if size <= EVIDENCE_BYTES else {"cut_bytes": size}


def _size(said: dict[str, Any]) -> int:
    return len(json.dumps(said))


class PublicKeyP256(Input):
    """A P-256 public key as a JWK."""

    kty: Literal["EC"]
    crv: Literal["P-256"]
    x: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{43}$")]
    y: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{43}$")]


class AgentEnrol(Input):
    token: Token
    public_key: PublicKeyP256
    assertion: Assertion
    agent_version: HostText
    hostname: HostText
    machine_id: HostText | None = None
    boot_id: HostText | None = None
    inventory: Annotated[Inventory, AfterValidator(_fitting)]


class AgentEnrolled(Output):
    node_id: NodeId
    name: str
    nonce: str
    token: str
    expires_in: int


class AgentProve(Input):
    node_id: NodeId
    assertion: Assertion


class AgentProved(Output):
    token: str
    expires_in: int
    nonce: str
    server_time: Moment


class AgentHold(Input):
    task: TaskId
    state: Literal[
        "received", "running", "succeeded", "failed", "cancelled", "timed_out", "unknown"
    ]


HOLDS = 5000
"""Of a longer list the beginning is read, and nothing is concluded from what is not in it."""


def _cut(holds: Any) -> Any:
    return cast(list[Any], holds)[:HOLDS] if isinstance(holds, list) else holds


class AgentPoll(Input):
    wait: Annotated[int, Field(ge=0, le=15), WHOLE] = 15
    run_id: Opaque
    boot_id: HostText | None = None
    agent_version: HostText
    trust: Sha256 | None = None
    holds: Annotated[list[AgentHold], BeforeValidator(_cut)] = Field(
        default_factory=list[AgentHold]
    )
    inventory: Inventory | None = None


class AgentBinding(Output):
    allocation_id: str
    org_id: str
    project_id: str


class AgentTask(Output):
    id: TaskId
    kind: str
    key: str
    operation_id: str
    fence: int
    allocation_id: str | None
    correlation_id: str
    traceparent: str | None
    run_as: str
    timeout: int
    output_limit: int
    input: dict[str, Any]
    secrets: dict[str, str]
    """Values in base64, for this node alone."""


class AgentPolled(Output):
    server_time: Moment
    binding: AgentBinding | None
    tasks: list[AgentTask]
    cancel: list[TaskId]
    forget: list[TaskId]
    trust: str | None
    """The SHA-256 of the ca.pem to use; null: what the host trusts."""
    want_inventory: bool


class AgentError(Input):
    code: HostText
    message: HostKey


class AgentReport(Input):
    task: TaskId
    fence: Annotated[int, Field(ge=0, le=(1 << 31) - 1), WHOLE]
    state: Literal["running", "succeeded", "failed", "cancelled", "timed_out", "unknown"]
    at: HostMoment = None
    changed: bool | None = None
    result: dict[str, Any] | None = None
    error: AgentError | None = None


class AgentReports(Input):
    reports: Annotated[list[AgentReport], Field(min_length=1, max_length=500)]


class AgentOutcome(Output):
    task: TaskId
    outcome: Literal["recorded", "repeated", "late", "refused"]


class AgentOutcomes(Output):
    results: list[AgentOutcome]


class AgentOutput(Output):
    next_offset: int


class AgentEvidenceItem(Input):
    kind: Literal["ssh.login", "ssh.logout", "access.ended", "task.late"]
    at: HostMoment = None
    key: Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=NO_CONTROL)]
    """Its name on the host, by which a repeated one is known."""
    data: Annotated[dict[HostText, HostFact], Field(max_length=40), AfterValidator(_short)]


class AgentEvidence(Input):
    items: Annotated[list[AgentEvidenceItem], Field(min_length=1, max_length=500)]


class AgentTaken(Output):
    recorded: int
    """How many were new."""
    dropped: int
    """How many were new and are not kept: this hour the host has said too much. Say no more."""
