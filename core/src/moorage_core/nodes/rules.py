"""What may happen to a node, and when. Pure: everything a decision needs is an argument."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from moorage_core.errors import ApiError, Conflict, Fault
from moorage_core.fleet.models import Sku
from moorage_core.nodes.models import Node, Status

NEXT: dict[Status, frozenset[Status]] = {
    Status.ENROLLING: frozenset({Status.AVAILABLE, Status.QUARANTINED, Status.RETIRED}),
    Status.AVAILABLE: frozenset(
        {
            Status.ALLOCATED,
            Status.ENROLLING,
            Status.MAINTENANCE,
            Status.QUARANTINED,
            Status.RETIRED,
        }
    ),
    Status.ALLOCATED: frozenset({Status.AVAILABLE, Status.CLEANING, Status.QUARANTINED}),
    Status.CLEANING: frozenset({Status.ALLOCATED, Status.AVAILABLE, Status.QUARANTINED}),
    Status.MAINTENANCE: frozenset(
        {Status.AVAILABLE, Status.ENROLLING, Status.QUARANTINED, Status.RETIRED}
    ),
    Status.QUARANTINED: frozenset(
        {
            Status.ALLOCATED,
            Status.AVAILABLE,
            Status.CLEANING,
            Status.ENROLLING,
            Status.MAINTENANCE,
            Status.RETIRED,
        }
    ),
    Status.RETIRED: frozenset(),
}
"""Enrolling from elsewhere means: to be imaged anew."""

MEMORY_SHARE = 0.9
"""Firmware and kernel keep some: a host of 512 GiB shows a little less."""
EVIDENCE_PER_HOUR = 1000
"""What of a host's word is kept. Whoever is root there could say as much as it likes."""
AFTER_OUTAGE = timedelta(seconds=10)
"""Who has not looked for so long may not have listened either."""


class NameTaken(Conflict):
    """Another node has this name already."""

    code = "name_taken"


class AddressMissing(ApiError):
    """A host without agent needs an address."""

    status = 422
    code = "address_missing"


class NodeHeld(Conflict):
    """Somebody holds the node."""

    code = "node_held"


class StatusForbids(Conflict):
    """The node's status does not allow this."""

    code = "node_status"


class NotForAgents(Conflict):
    """The node has no agent."""

    code = "node_without_agent"


class AgentMissing(Conflict):
    """This platform has no agent to hand out."""

    code = "agent_missing"


@dataclass(frozen=True)
class Transition:
    before: Status
    after: Status


def transition(node: Node, after: Status) -> Transition | None:
    """The move of a node to `after`; None where there is nothing to do."""
    before = Status(node.status)
    if before is after:
        return None
    if after not in NEXT[before]:
        raise StatusForbids(f"Node {node.name} is {before.value} and cannot become {after.value}.")
    return Transition(before, after)


def check_reach(*, reach: str, address: str | None) -> None:
    if reach == "ssh" and address is None:
        raise AddressMissing(
            "A host without agent is called by the platform: give its address.",
            errors=[Fault("body.address", "needed with reach ssh")],
        )


def check_free(node: Node, holder: str | None, instance: str | None, *, verb: str) -> None:
    """Refuse what would take a machine from under somebody."""
    if holder is not None:
        carries = f", which carries members of instance {instance}" if instance else ""
        raise NodeHeld(
            f"Node {node.name} is held by allocation {holder}{carries}. Have it released first;"
            f" only then can you {verb} the node. Cordon it meanwhile, so that nobody new gets it."
        )


def check_has_agent(node: Node) -> None:
    if node.reach != "agent":
        raise NotForAgents(f"Node {node.name} is reached by SSH: no agent enrols there.")
    if node.status == Status.RETIRED:
        raise StatusForbids(f"Node {node.name} is retired. Announce a new node for the host.")


def is_imaging(node: Node, *, timeout: timedelta, now: datetime) -> bool:
    """Whether the provisioner may be at it: then it can be overwritten at any moment."""
    started = node.reimage_started_at
    return started is not None and now - started < timeout


def resumed(node: Node, holder: str | None, *, imaging: bool) -> Status:
    """What a node is when nothing is held against it any more."""
    if node.status not in (Status.MAINTENANCE, Status.QUARANTINED):
        raise StatusForbids(f"Node {node.name} is {node.status}: there is nothing to resume.")
    if holder is not None:
        return Status.ALLOCATED
    if imaging or (node.reach == "agent" and node.enrolled_at is None):
        return Status.ENROLLING
    return Status.AVAILABLE


def misfit(inventory: Mapping[str, Any], sku: Sku) -> str | None:
    """Why a host is not of the class that it was announced as; None where it is."""
    found = _number(_fields(inventory.get("cpu")).get("threads"))
    if found < sku.cpus:
        return f"It shows {found} CPU threads; SKU {sku.slug} has {sku.cpus}."
    memory = _number(inventory.get("memory_bytes"))
    if memory < sku.memory_bytes * MEMORY_SHARE:
        return f"It shows {memory} bytes of memory; SKU {sku.slug} has {sku.memory_bytes}."
    return _gpu_misfit(inventory.get("gpus"), sku)


def _gpu_misfit(given: Any, sku: Sku) -> str | None:
    gpus = cast("list[Any]", given) if isinstance(given, list) else []
    if len(gpus) != sku.gpus:
        return f"It shows {len(gpus)} GPUs; SKU {sku.slug} has {sku.gpus}."
    wanted = (sku.gpu_model or "").lower()
    shown = [cast("dict[str, Any]", gpu) for gpu in gpus if isinstance(gpu, dict)]
    models = [str(gpu.get("model") or "") for gpu in shown]
    other = sorted({model for model in models if wanted not in model.lower()})
    if other or len(models) != len(gpus):
        return f"It shows GPUs {', '.join(other) or 'of no model'}; SKU {sku.slug} has {wanted}."
    return None


@dataclass(frozen=True)
class Hardware:
    os: str | None
    cpu_model: str | None
    threads: int | None
    memory_bytes: int | None
    gpus: list[str]


def hardware(inventory: Mapping[str, Any]) -> Hardware:
    """What a host says that it is made of, as far as it is of the form that we know."""
    os, cpu = (_fields(inventory.get(name)) for name in ("os", "cpu"))
    gpus: Any = inventory.get("gpus")
    found = cast("list[Any]", gpus) if isinstance(gpus, list) else []
    return Hardware(
        os=" ".join(str(os[name]) for name in ("id", "version") if os.get(name)) or None,
        cpu_model=str(cpu["model"]) if cpu.get("model") else None,
        threads=_number(cpu.get("threads")) or None,
        memory_bytes=_number(inventory.get("memory_bytes")) or None,
        gpus=[str(_fields(gpu).get("model") or "unknown") for gpu in found],
    )


def _fields(said: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", said) if isinstance(said, dict) else {}


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def after_enrolment(
    node: Node, sku: Sku, inventory: Mapping[str, Any]
) -> tuple[Status, str | None]:
    """What a node is once its host has enrolled, and why where something is wrong."""
    wrong = misfit(inventory, sku)
    if wrong is not None:
        return Status.QUARANTINED, wrong
    if node.status == Status.ENROLLING:
        return Status.AVAILABLE, None
    return Status(node.status), node.status_reason


def silent_before(
    *, now: datetime, silent_after: timedelta, listening_since: datetime
) -> datetime | None:
    """Who was last heard of before this is silent. None where nobody can be told to be yet.

    Nodes cannot be heard of while the platform itself is away: each gets one full term after that.
    """
    if now - listening_since < silent_after:
        return None
    return now - silent_after


def listening_since(
    before: datetime | None, *, last_look: datetime | None, now: datetime
) -> datetime:
    """Since when there was no gap in our own looking."""
    if before is None or last_look is None or now - last_look > AFTER_OUTAGE:
        return now
    return before
