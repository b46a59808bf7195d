"""`moor webhooks`."""

from typing import Annotated

import typer

from moorage.resources.webhooks import DeliveryStatus
from moorage_cli import consent, names, shown_once
from moorage_cli.connection import Session
from moorage_cli.failures import Refused
from moorage_cli.names import InProject, OrgName
from moorage_cli.output import Done, Record, Rows
from moorage_cli.shown_once import SecretFile, ShowSecret
from moorage_cli.verbs import Limit, Yes, group, verb

app = group("Webhooks: events pushed to a URL.")
deliveries = group("Deliveries: what was or is to be sent to a webhook.")
app.add_typer(deliveries, name="deliveries")

Webhook = Annotated[str, typer.Argument(metavar="WEBHOOK", help="The webhook's id.")]
Delivery = Annotated[str, typer.Argument(metavar="DELIVERY", help="The delivery's id.")]
TYPE_HELP = "An event type, a family such as `iam.*`, or `*`; several times for more."


@verb(app, "list")
async def list_webhooks(
    at: Session, org: OrgName, project: InProject = None, limit: Limit = None
) -> Rows:
    """The webhooks of an org, or of one of its projects."""
    where = await names.org_id(at.client, org)
    inside = await names.project_id(at.client, project) if project else None
    webhooks = at.client.webhooks.list(where, project=inside)
    return Rows(webhooks, ("id", "url", "types", "enabled", "project_id"), limit)


@verb(app, "create")
async def create_webhook(
    at: Session,
    org: OrgName,
    url: Annotated[str, typer.Argument(help="Where to send the events: https.")],
    type: Annotated[list[str], typer.Option(help=TYPE_HELP)],
    project: InProject = None,
    show_secret: ShowSecret = False,
    secret_file: SecretFile = None,
) -> Record:
    """Have events pushed to a URL, signed with a secret."""
    with shown_once.place(show_secret, secret_file) as place:
        where = await names.org_id(at.client, org)
        inside = await names.project_id(at.client, project) if project else None
        issued = await at.client.webhooks.create(where, url=url, types=type, project=inside)
        return place.keep(issued, "secret")


@verb(app, "get")
async def get_webhook(at: Session, webhook: Webhook) -> Record:
    """One webhook, without its secret."""
    return Record(await at.client.webhooks.get(webhook))


@verb(app, "update")
async def update_webhook(
    at: Session,
    webhook: Webhook,
    url: Annotated[str | None, typer.Option(help="Another address.")] = None,
    type: Annotated[list[str] | None, typer.Option(help=TYPE_HELP)] = None,
    enabled: Annotated[
        bool | None, typer.Option("--enable/--disable", help="Send, or keep quiet.")
    ] = None,
) -> Record:
    """Point a webhook elsewhere, ask for other events, disable or enable it."""
    if url is None and not type and enabled is None:
        raise Refused("Say what should change: --url, --type, --enable or --disable.")
    found = await at.client.webhooks.get(webhook)
    changed = at.client.webhooks.update(found, url=url, types=type or None, enabled=enabled)
    return Record(await changed)


@verb(app, "rotate-secret")
async def rotate_secret(
    at: Session,
    webhook: Webhook,
    overlap_hours: Annotated[
        int, typer.Option(min=0, help="For so long the old secret signs too. 0 if it has leaked.")
    ] = 24,
    show_secret: ShowSecret = False,
    secret_file: SecretFile = None,
) -> Record:
    """Make a new signing secret."""
    with shown_once.place(show_secret, secret_file) as place:
        issued = await at.client.webhooks.rotate_secret(webhook, overlap_hours=overlap_hours)
        return place.keep(issued, "secret")


@verb(app, "delete")
async def delete_webhook(at: Session, webhook: Webhook, yes: Yes = False) -> Done:
    """Delete a webhook. What waits to be delivered to it is not sent any more."""
    found = await at.client.webhooks.get(webhook)
    consent.ask(f"Delete the webhook to {found.url}?", yes=yes)
    await at.client.webhooks.delete(found)
    return Done(f"The webhook to {found.url} is deleted.", {"id": found.id, "deleted": True})


@verb(deliveries, "list")
async def list_deliveries(
    at: Session,
    webhook: Webhook,
    status: Annotated[
        DeliveryStatus | None, typer.Option(help="Only these; `dead` is the dead-letter list.")
    ] = None,
    limit: Limit = None,
) -> Rows:
    """Deliveries of a webhook, newest event first."""
    found = at.client.webhooks.list_deliveries(webhook, status=status)
    columns = ("id", "event_type", "status", "attempts", "answer_status", "error", "due_at")
    return Rows(found, columns, limit)


@verb(deliveries, "get")
async def get_delivery(at: Session, webhook: Webhook, delivery: Delivery) -> Record:
    """One delivery."""
    return Record(await at.client.webhooks.get_delivery(webhook, delivery))


@verb(deliveries, "redeliver")
async def redeliver(at: Session, webhook: Webhook, delivery: Delivery) -> Record:
    """Send an ended delivery once more."""
    return Record(await at.client.webhooks.redeliver(webhook, delivery))
