"""`moor allocations`."""

import json
from typing import Annotated, Any, Literal, cast

import typer

from moorage.models import AllocationRead, AllocationsPlaced, EvidencePage, StepProof
from moorage.resources.allocations import Status
from moorage_cli import consent, names
from moorage_cli.connection import Session
from moorage_cli.failures import Refused
from moorage_cli.names import AllocationName, InProject, ProjectName
from moorage_cli.output import Done, Record, Rows
from moorage_cli.verbs import Limit, Yes, group, verb

app = group("Allocations: machines that a project holds.")

Kind = Annotated[
    str | None,
    typer.Option("--scheduler-type", metavar="WORD", help="A word for an integration's own use."),
]
Noted = Annotated[
    str | None,
    typer.Option(metavar="JSON", help="What an integration notes on it: a JSON object."),
]
COLUMNS = ("id", "name", "status", "sku", "region", "node_name", "dirty")


@verb(app, "list")
async def list_allocations(
    at: Session,
    project: ProjectName,
    status: Annotated[Status | None, typer.Option(help="Only those in this state.")] = None,
    live: Annotated[bool, typer.Option("--live", help="Only those that hold a node.")] = False,
    limit: Limit = None,
) -> Rows:
    """The machines of a project, those that were given back too."""
    where = await names.project_id(at.client, project)
    return Rows(at.client.allocations.list(where, status=status, live=live), COLUMNS, limit)


@verb(app, "create")
async def create_allocations(
    at: Session,
    project: ProjectName,
    sku: Annotated[str, typer.Option(help="The class of machine, by its slug.")],
    region: Annotated[str, typer.Option(help="Where, by its slug.")],
    count: Annotated[int, typer.Option(min=1, max=100, help="All of them, or none.")] = 1,
    strategy: Annotated[
        Literal["spread", "pack"],
        typer.Option(help="Over as many racks as there are, or into as few."),
    ] = "spread",
    name: Annotated[str | None, typer.Option(help="With several, numbers follow.")] = None,
    scheduler_type: Kind = None,
    metadata: Noted = None,
) -> Done:
    """Ask for machines. The platform chooses them, and says why."""
    placed = await at.client.allocations.create(
        await names.project_id(at.client, project),
        sku=sku,
        region=region,
        count=count,
        strategy=strategy,
        name=name,
        scheduler_type=scheduler_type,
        metadata=_object(metadata),
    )
    return Done(_placed(placed), placed.model_dump(mode="json"))


@verb(app, "create-on")
async def create_on_node(
    at: Session,
    node: Annotated[str, typer.Argument(metavar="NODE", help="The node's name or id.")],
    project: ProjectName,
    reason: Annotated[str, typer.Option(help="Why, in at least 8 characters. The tenant sees it.")],
    name: Annotated[str | None, typer.Option(help="What it is called there.")] = None,
    scheduler_type: Kind = None,
    metadata: Noted = None,
) -> Done:
    """Give a project one named node. For those who run the platform."""
    placed = await at.client.allocations.create_on_node(
        await names.get_node(at.client, node),
        project=await names.project_id(at.client, project),
        reason=reason,
        name=name,
        scheduler_type=scheduler_type,
        metadata=_object(metadata),
    )
    return Done(_placed(placed), placed.model_dump(mode="json"))


@verb(app, "get")
async def get_allocation(
    at: Session, allocation: AllocationName, project: InProject = None
) -> Record:
    """One machine: its state, its host, and what it came to so far."""
    id = await names.allocation_id(at.client, allocation, project=project)
    return Record(await at.client.allocations.get(id))


@verb(app, "update")
async def update_allocation(
    at: Session,
    allocation: AllocationName,
    project: InProject = None,
    name: Annotated[str | None, typer.Option(help="Another name.")] = None,
    scheduler_type: Kind = None,
    metadata: Noted = None,
) -> Record:
    """Rename an allocation, or note something else on it."""
    if name is None and scheduler_type is None and metadata is None:
        raise Refused("Say what should change: --name, --scheduler-type or --metadata.")
    id = await names.allocation_id(at.client, allocation, project=project)
    found = await at.client.allocations.get(id)
    changed = at.client.allocations.update(
        found,
        name=name,
        scheduler_type=scheduler_type,
        metadata=None if metadata is None else _object(metadata),
    )
    return Record(await changed)


@verb(app, "release")
async def release_allocation(
    at: Session,
    allocation: AllocationName,
    project: InProject = None,
    reason: Annotated[str | None, typer.Option(help="For the record.")] = None,
    yes: Yes = False,
) -> Done:
    """Give a machine back, or try again where that failed. All that is on it is wiped."""
    id = await names.allocation_id(at.client, allocation, project=project)
    found = await at.client.allocations.get(id)
    consent.ask(f"Release {found.name}? Everything on it is wiped.", yes=yes)
    left = await at.client.allocations.release(found, reason=reason)
    return Done(_left(left), left.model_dump(mode="json"))


@verb(app, "force-release")
async def force_release_allocation(
    at: Session,
    allocation: Annotated[str, typer.Argument(metavar="ALLOCATION", help="Its id.")],
    reason: Annotated[str, typer.Option(help="Why, in at least 8 characters. The tenant sees it.")],
    yes: Yes = False,
) -> Done:
    """Break-glass: take a machine from a tenant without cleaning it."""
    question = f"Take {allocation} from its holder? It is not cleaned, and its node is quarantined."
    consent.ask(question, yes=yes)
    left = await at.client.allocations.force_release(allocation, reason=reason)
    return Done(_left(left), left.model_dump(mode="json"))


@verb(app, "evidence")
async def show_evidence(at: Session, allocation: AllocationName, project: InProject = None) -> Done:
    """What the host said: how it was made ready and cleaned, and who came in by SSH."""
    id = await names.allocation_id(at.client, allocation, project=project)
    page = await at.client.allocations.evidence(id)
    items = [*page.items]
    after = page.next
    while after is not None:
        more = await at.client.allocations.evidence(id, after=after)
        items, after = [*items, *more.items], more.next
    whole = page.model_copy(update={"items": items, "next": None})
    return Done(_evidence(whole), whole.model_dump(mode="json"))


def _object(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        given = json.loads(text)
    except ValueError as err:
        raise Refused(f"--metadata is not JSON: {err}.") from err
    if not isinstance(given, dict):
        raise Refused('--metadata is a JSON object, such as \'{"key": "value"}\'.')
    return cast(dict[str, Any], given)


def _placed(placed: AllocationsPlaced) -> str:
    lines = [
        f"{each.name} ({each.id}) on {each.node_name}: {each.status}; {each.placement.why}."
        for each in placed.allocations
    ]
    how = placed.placement
    busy = ", ".join(f"{count} {reason}" for reason, count in sorted(how.not_free.items()))
    lines.append(f"{how.free} of {how.considered} nodes were free{': ' + busy if busy else ''}.")
    return "\n".join(lines)


def _left(left: AllocationRead) -> str:
    why = f" {left.message}" if left.message else ""
    return f"{left.name} is {left.status}.{why} {_cost(left)}"


def _cost(left: AllocationRead) -> str:
    amount = left.cost.amount_micros / 1_000_000
    return f"Held for {left.cost.held_seconds} s: {amount:.2f} {left.cost.currency} (estimate)."


def _evidence(page: EvidencePage) -> str:
    steps = (
        ("made ready (probe)", page.setup),
        ("wiped", page.wipe),
        ("probed after the wipe", page.probe),
    )
    lines = [f"{what}: {_step(step)}" for what, step in steps if step is not None]
    lines += [
        f"{item.received_at:%Y-%m-%d %H:%M:%S} {item.kind} {json.dumps(item.data)}"
        for item in page.items
    ]
    return "\n".join(lines) or "The host has said nothing yet."


def _step(step: StepProof) -> str:
    residue = step.result.get("residue")
    left = "" if residue is None else f"; residue: {_found(residue)}"
    error = f"; {step.error}" if step.error else ""
    return f"{step.status}{left}{error}"


def _found(residue: Any) -> str:
    if not isinstance(residue, dict):
        return json.dumps(residue)
    found = {what: names for what, names in cast(dict[str, Any], residue).items() if names}
    return json.dumps(found) if found else "none"
