"""HTTP in, one command, HTTP out: webhooks and their deliveries."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any

from fastapi import Query, Response
from pydantic import ValidationError

from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.errors import NotFound
from moorage_core.http import etag
from moorage_core.http.etag import ExpectedVersion, OptionalVersion
from moorage_core.http.routing import Ctx, Routes
from moorage_core.kit.ids import DeliveryId, OrgId, ProjectId, WebhookId
from moorage_core.kit.pagination import Page, PageRead, Paging
from moorage_core.platform import Platform
from moorage_core.webhooks import commands, rules
from moorage_core.webhooks.models import Delivery, Webhook
from moorage_core.webhooks.schemas import (
    DeliveryRead,
    SecretRotation,
    StatusName,
    WebhookCreate,
    WebhookIssued,
    WebhookRead,
    WebhookUpdate,
)

routes = Routes(tag="webhooks")

ROTATE = "POST /v1/webhooks/{webhook}/secret-rotations with a new Idempotency-Key."


@routes.mutation(
    "POST",
    "/v1/webhooks",
    key=Permission.EVENTS_WEBHOOK_CREATE,
    status_code=201,
    response_model=WebhookIssued,
    answers=(NotFound, rules.UrlNotAllowed, rules.UnknownEventType, rules.TooManyWebhooks),
    rotate=ROTATE,
)
async def create_webhook(new: WebhookCreate, ctx: Ctx, response: Response) -> dict[str, Any]:
    """Have events of an org or a project pushed to a URL. The signing secret is shown once."""
    webhook, secret = await commands.create_webhook(ctx, new)
    return _issued(response, webhook, secret)


@routes.read(
    "/v1/webhooks",
    key=Permission.EVENTS_WEBHOOK_READ,
    response_model=PageRead[WebhookRead],
    answers=(NotFound,),
)
async def list_webhooks(
    org: OrgId, ctx: Ctx, page: Paging, project: ProjectId | None = None
) -> Page[Webhook]:
    """The webhooks of an org, or of one of its projects, that you may see."""
    return await commands.list_webhooks(ctx, page, org=org, project=project)


@routes.read(
    "/v1/webhooks/{webhook}",
    key=Permission.EVENTS_WEBHOOK_READ,
    response_model=WebhookRead,
    answers=(NotFound,),
)
async def get_webhook(webhook: WebhookId, ctx: Ctx, response: Response) -> Webhook:
    """One webhook, without its secret."""
    found = await commands.get_webhook(ctx, webhook)
    etag.put(response, found.version)
    return found


@routes.mutation(
    "PATCH",
    "/v1/webhooks/{webhook}",
    key=Permission.EVENTS_WEBHOOK_UPDATE,
    response_model=WebhookRead,
    answers=(NotFound, *etag.ERRORS, rules.UrlNotAllowed, rules.UnknownEventType),
)
async def update_webhook(
    webhook: WebhookId,
    change: WebhookUpdate,
    expected: ExpectedVersion,
    ctx: Ctx,
    response: Response,
) -> Webhook:
    """Point a webhook elsewhere, ask for other events, disable or enable it."""
    changed = await commands.update_webhook(ctx, webhook, change, expected=expected)
    etag.put(response, changed.version)
    return changed


@routes.mutation(
    "DELETE",
    "/v1/webhooks/{webhook}",
    key=Permission.EVENTS_WEBHOOK_DELETE,
    status_code=204,
    answers=(NotFound, etag.Stale),
)
async def delete_webhook(webhook: WebhookId, expected: OptionalVersion, ctx: Ctx) -> None:
    """Delete a webhook. What waits to be delivered to it is not sent any more."""
    await commands.delete_webhook(ctx, webhook, expected=expected)


async def _open_keys(
    platform: Platform, principal: Principal, body: bytes, path: Mapping[str, str]
) -> commands.OpenedKeys | None:
    """The old keys, where they are to sign on; what is malformed is for the handler to refuse."""
    try:
        rotation = SecretRotation.model_validate_json(body)
    except ValidationError:
        return None
    if not rotation.overlap_hours:
        return None
    return await commands.open_keys(platform, principal, path["webhook"])


@routes.mutation(
    "POST",
    "/v1/webhooks/{webhook}/secret-rotations",
    key=Permission.EVENTS_WEBHOOK_UPDATE,
    status_code=201,
    response_model=WebhookIssued,
    answers=(NotFound,),
    rotate=ROTATE,
    before=_open_keys,
)
async def rotate_webhook_secret(
    webhook: WebhookId, rotation: SecretRotation, ctx: Ctx, response: Response
) -> dict[str, Any]:
    """Make a new signing secret, shown once. For `overlap_hours` the old one signs too."""
    overlap = timedelta(hours=rotation.overlap_hours)
    changed, secret = await commands.rotate_secret(
        ctx, webhook, overlap=overlap, opened=ctx.prepared
    )
    return _issued(response, changed, secret)


@routes.read(
    "/v1/webhooks/{webhook}/deliveries",
    key=Permission.EVENTS_WEBHOOK_READ,
    response_model=PageRead[DeliveryRead],
    answers=(NotFound,),
)
async def list_deliveries(
    webhook: WebhookId,
    ctx: Ctx,
    page: Paging,
    status: Annotated[
        StatusName | None, Query(description="`dead` is the dead-letter list.")
    ] = None,
) -> Page[Delivery]:
    """What was or is to be sent to a webhook, newest event first."""
    return await commands.list_deliveries(ctx, webhook, page, status=status)


@routes.read(
    "/v1/webhooks/{webhook}/deliveries/{delivery}",
    key=Permission.EVENTS_WEBHOOK_READ,
    response_model=DeliveryRead,
    answers=(NotFound,),
)
async def get_delivery(webhook: WebhookId, delivery: DeliveryId, ctx: Ctx) -> Delivery:
    """One delivery."""
    return await commands.get_delivery(ctx, webhook, delivery)


@routes.mutation(
    "POST",
    "/v1/webhooks/{webhook}/deliveries/{delivery}/redeliveries",
    key=Permission.EVENTS_WEBHOOK_REDELIVER,
    status_code=202,
    response_model=DeliveryRead,
    answers=(NotFound, rules.StillTrying, rules.WebhookDisabled, rules.EventExpired),
)
async def redeliver(webhook: WebhookId, delivery: DeliveryId, ctx: Ctx) -> Delivery:
    """Send an ended delivery once more. Returns at once; watch `status`."""
    return await commands.redeliver(ctx, webhook, delivery)


def _issued(response: Response, webhook: Webhook, secret: str) -> dict[str, Any]:
    etag.put(response, webhook.version)
    return {**webhook.__dict__, "secret": secret}
