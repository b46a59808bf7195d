"""`moor nodes`."""

from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from moorage_cli import consent, names
from moorage_cli.connection import Session
from moorage_cli.failures import Refused
from moorage_cli.output import Done, Record, Rows
from moorage_cli.verbs import Limit, Yes, group, verb

app = group("Nodes: the platform's machines, and how hosts become them.")

Node = Annotated[str, typer.Argument(metavar="NODE", help="The node's name or id.")]
Reason = Annotated[str, typer.Option(help="Why, in at least 8 characters: it is on record.")]
Status = Literal[
    "enrolling", "available", "allocated", "cleaning", "maintenance", "quarantined", "retired"
]


@verb(app, "list")
async def list_nodes(
    at: Session,
    region: Annotated[str | None, typer.Option(help="Only of this region, by its slug.")] = None,
    sku: Annotated[str | None, typer.Option(help="Only of this SKU, by its slug.")] = None,
    status: Annotated[Status | None, typer.Option(help="Only those in this state.")] = None,
    unreachable: Annotated[
        bool | None, typer.Option("--unreachable/--reachable", help="Only silent ones, or others.")
    ] = None,
    limit: Limit = None,
) -> Rows:
    """The platform's machines."""
    found = at.client.nodes.list(region=region, sku=sku, status=status, unreachable=unreachable)
    columns = ("id", "name", "region", "sku", "status", "cordoned", "reachable", "allocation_id")
    return Rows(found, columns, limit)


@verb(app, "create")
async def create_node(
    at: Session,
    name: Annotated[str, typer.Argument(help="What the machine is called.")],
    region: Annotated[str, typer.Option(help="Where it stands: the region's slug.")],
    sku: Annotated[str, typer.Option(help="Of which class it is: the SKU's slug.")],
    reach: Annotated[
        Literal["agent", "ssh"], typer.Option(help="It calls us, or we call it by SSH.")
    ] = "agent",
    address: Annotated[str | None, typer.Option(help="Where SSH reaches it.")] = None,
    ssh_port: Annotated[int | None, typer.Option(min=1, max=65535, help="And its port.")] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="A label, as rack=r12; several times for more."),
    ] = None,
) -> Record:
    """Announce a machine. `moor nodes enrol` then gives the line for its host."""
    created = at.client.nodes.create(
        name=name,
        region=region,
        sku=sku,
        reach=reach,
        address=address,
        ssh_port=ssh_port,
        labels=_labels(label or []),
    )
    return Record(await created)


@verb(app, "get")
async def get_node(at: Session, node: Node) -> Record:
    """One machine: its state, what holds it, what it is made of."""
    return Record(await names.get_node(at.client, node))


@verb(app, "update")
async def update_node(
    at: Session,
    node: Node,
    name: Annotated[str | None, typer.Option(help="Another name.")] = None,
    address: Annotated[str | None, typer.Option(help="Another address.")] = None,
    ssh_port: Annotated[int | None, typer.Option(min=1, max=65535, help="Another port.")] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Labels in place of all; several times for more."),
    ] = None,
) -> Record:
    """Rename a machine, label it, or say where SSH reaches it."""
    if not (name or address or ssh_port or label):
        raise Refused("Say what should change: --name, --address, --ssh-port or --label.")
    found = await names.get_node(at.client, node)
    labels = None if label is None else _labels(label)
    changed = at.client.nodes.update(
        found, name=name, address=address, ssh_port=ssh_port, labels=labels
    )
    return Record(await changed)


@verb(app, "cordon")
async def cordon_node(at: Session, node: Node) -> Record:
    """Keep a machine from being given to anybody new. Whoever holds it keeps it."""
    found = await names.get_node(at.client, node)
    return Record(await at.client.nodes.update(found, cordoned=True))


@verb(app, "uncordon")
async def uncordon_node(at: Session, node: Node) -> Record:
    """Let a machine be given again."""
    found = await names.get_node(at.client, node)
    return Record(await at.client.nodes.update(found, cordoned=False))


@verb(app, "enrol")
async def enrol_node(
    at: Session,
    node: Node,
    expires_in: Annotated[
        int | None, typer.Option(min=60, metavar="SECONDS", help="How long the line works.")
    ] = None,
) -> Done:
    """Print the line to paste on the machine's host. It works once, for one host."""
    found = await names.get_node(at.client, node)
    issued = await at.client.enrolments.issue(found, expires_in=expires_in)
    return Done(issued.line, issued.model_dump(mode="json"))


@verb(app, "enrolments")
async def list_enrolments(at: Session, node: Node, limit: Limit = None) -> Rows:
    """The lines that were issued for a machine, and what became of them."""
    found = at.client.enrolments.list(await names.get_node(at.client, node))
    return Rows(found, ("id", "created_by", "expires_at", "used_at", "revoked_at"), limit)


@verb(app, "revoke-enrolment")
async def revoke_enrolment(
    at: Session,
    enrolment: Annotated[str, typer.Argument(metavar="ENROLMENT", help="The line's id.")],
) -> Done:
    """Take a line back. A host that has used it stays."""
    await at.client.enrolments.revoke(enrolment)
    return Done("The line does not work any more.", {"id": enrolment, "revoked": True})


@verb(app, "maintain")
async def maintain_node(at: Session, node: Node, reason: Reason) -> Record:
    """Take a machine out that nobody holds."""
    found = await names.get_node(at.client, node)
    return Record(await at.client.nodes.maintain(found, reason=reason))


@verb(app, "quarantine")
async def quarantine_node(at: Session, node: Node, reason: Reason) -> Record:
    """Take a machine out that something is wrong with, held or not."""
    found = await names.get_node(at.client, node)
    return Record(await at.client.nodes.quarantine(found, reason=reason))


@verb(app, "resume")
async def resume_node(at: Session, node: Node) -> Record:
    """Bring a machine back from maintenance or quarantine."""
    return Record(await at.client.nodes.resume(await names.get_node(at.client, node)))


@verb(app, "reimage")
async def reimage_node(at: Session, node: Node, reason: Reason, yes: Yes = False) -> Record:
    """Have a machine imaged anew that nobody holds. What is on it is gone then."""
    found = await names.get_node(at.client, node)
    consent.ask(f"Have {found.name} imaged anew? What is on it is gone then.", yes=yes)
    return Record(await at.client.nodes.reimage(found, reason=reason))


@verb(app, "retire")
async def retire_node(at: Session, node: Node, reason: Reason, yes: Yes = False) -> Record:
    """Take a machine out for good. Its agent stops."""
    found = await names.get_node(at.client, node)
    consent.ask(f"Retire the node {found.name} for good?", yes=yes)
    return Record(await at.client.nodes.retire(found, reason=reason))


def _labels(given: Sequence[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in given]
    if not all(equals for _, equals, _ in pairs):
        raise Refused("A label is KEY=VALUE, as rack=r12.")
    return {key: value for key, _, value in pairs}
