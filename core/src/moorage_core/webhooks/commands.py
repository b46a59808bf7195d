"""Use cases of webhooks: those of people, and the two halves of a delivery.

`prepare` and `conclude` each run in a transaction of their own; between them, with none open, the
sweep talks to the receiver.
"""

import json
from dataclasses import dataclass
from datetime import timedelta
from secrets import token_bytes
from urllib.parse import urlsplit

from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.context import Context
from moorage_core.errors import Busy
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.http import etag
from moorage_core.kit import pagination
from moorage_core.kit.db import Db
from moorage_core.kit.ids import WebhookId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.platform import Platform
from moorage_core.secrets import commands as custody
from moorage_core.secrets.models import SealedSecret
from moorage_core.tenancy import commands as tenancy
from moorage_core.webhooks import rules, store
from moorage_core.webhooks.models import Claim, Delivery, Parcel, Unsigned, Webhook
from moorage_core.webhooks.rules import Answer, Failure, Keys, Verdict
from moorage_core.webhooks.schemas import WebhookCreate, WebhookUpdate

TOPIC = "webhooks"
"""Moves when a delivery became due."""
PURPOSE = "webhook_signing"
MEDIA_TYPE = "application/cloudevents+json; charset=utf-8"
USER_AGENT = "Moorage-Webhooks/1"


@dataclass(frozen=True)
class OpenedKeys:
    """The keys of a webhook, and the sealed secret that they were."""

    sealed: SealedSecret
    keys: Keys


async def create_webhook(ctx: Context, new: WebhookCreate) -> tuple[Webhook, str]:
    """Add a webhook. The second of the pair is its signing secret, never to be seen again."""
    place = await _authorize_place(
        ctx, Permission.EVENTS_WEBHOOK_CREATE, org=new.org, project=new.project
    )
    # Whoever has events sent somewhere must be able to read them there.
    authorize(ctx, Permission.EVENTS_EVENT_READ, place)
    url = rules.check_url(new.url, private=ctx.platform.settings.webhooks.private_addresses)
    types = rules.check_types(new.types, known=registry.TYPES)
    rules.check_room(await store.count(ctx.db, org=new.org))
    key = token_bytes(rules.KEY_BYTES)
    secret = await custody.put(
        ctx, Keys(key).packed(), purpose=PURPOSE, org=new.org, project=new.project
    )
    webhook = await store.add(
        ctx.db,
        id=WebhookId.new(),
        org=new.org,
        project=new.project,
        url=url,
        types=types,
        secret=secret,
        enabled=new.enabled,
        now=ctx.now,
    )
    _record(ctx, Permission.EVENTS_WEBHOOK_CREATE, registry.WEBHOOK_CREATED, webhook)
    return webhook, rules.spell_secret(key)


async def list_webhooks(
    ctx: Context, page: PageRequest, *, org: str, project: str | None
) -> Page[Webhook]:
    """The org's webhooks that the caller may read."""
    key = Permission.EVENTS_WEBHOOK_READ
    if project is not None:
        await _authorize_place(ctx, key, org=org, project=project)
        projects: list[str] | None = [project]
    else:
        authorize(ctx, key, Resource("org", org, org, by_any_project=True))
        whole = org in ctx.principal.orgs_with(key)
        projects = None if whole else ctx.principal.projects_with(key)
    rows = await store.list_webhooks(ctx.db, page, org=org, projects=projects)
    return pagination.page(rows, page, key=lambda webhook: webhook.id)


async def get_webhook(
    ctx: Context, id: str, *, key: str = Permission.EVENTS_WEBHOOK_READ, lock: bool = False
) -> Webhook:
    webhook = await store.find(ctx.db, id, scope=sorted(ctx.principal.scope.orgs), lock=lock)
    if webhook is None:
        raise hidden("webhook", id)
    authorize(ctx, key, _place(webhook))
    return webhook


async def update_webhook(ctx: Context, id: str, change: WebhookUpdate, *, expected: int) -> Webhook:
    """Point it elsewhere, ask for other events, switch it on or off."""
    webhook = await get_webhook(ctx, id, key=Permission.EVENTS_WEBHOOK_UPDATE, lock=True)
    authorize(ctx, Permission.EVENTS_EVENT_READ, _place(webhook))
    etag.check("webhook", id, have=webhook.version, expected=expected)
    private = ctx.platform.settings.webhooks.private_addresses
    webhook = await store.change(
        ctx.db,
        id,
        org=webhook.org_id,
        url=webhook.url if change.url is None else rules.check_url(change.url, private=private),
        types=webhook.types
        if change.types is None
        else rules.check_types(change.types, known=registry.TYPES),
        enabled=webhook.enabled if change.enabled is None else change.enabled,
        now=ctx.now,
    )
    _record(ctx, Permission.EVENTS_WEBHOOK_UPDATE, registry.WEBHOOK_UPDATED, webhook)
    return webhook


async def open_keys(platform: Platform, principal: Principal, id: str) -> OpenedKeys | None:
    """The present keys of a webhook, for a rotation that is to keep them. None: it has none.

    Before the rotation's transaction, which may not wait for a store. That asks for permission.
    """
    async with platform.database.transaction(principal.scope, read_only=True) as db:
        webhook = await store.find(db, id, scope=sorted(principal.scope.orgs))
        if webhook is None or webhook.secret_id is None:
            return None
        sealed = await custody.find(db, webhook.secret_id, org=webhook.org_id)
    return OpenedKeys(sealed, rules.unpack(await custody.reveal(platform, sealed)))


async def rotate_secret(
    ctx: Context, id: str, *, overlap: timedelta, opened: OpenedKeys | None
) -> tuple[Webhook, str]:
    """A new signing secret. For the overlap both sign: receivers change when they can."""
    webhook = await get_webhook(ctx, id, key=Permission.EVENTS_WEBHOOK_UPDATE, lock=True)
    assert webhook.secret_id is not None, "only a deleted webhook has no secret"
    org = webhook.org_id
    key = token_bytes(rules.KEY_BYTES)
    keys, until = Keys(key), None
    if overlap:
        # Without an overlap the old key is not touched: one that does not open can be replaced.
        sealed = await custody.find(ctx.db, webhook.secret_id, org=org)
        if (
            opened is None
            or sealed.entry != opened.sealed.entry
            or (sealed.wrapped_key != opened.sealed.wrapped_key)
        ):
            raise Busy("The webhook's secret was changed at the same moment. Try again.")
        keys, until = opened.keys.rotated(key), ctx.now + overlap
    await custody.change(ctx, webhook.secret_id, keys.packed(), org=org)
    webhook = await store.note_rotation(ctx.db, id, org=org, previous_until=until, now=ctx.now)
    _record(ctx, Permission.EVENTS_WEBHOOK_UPDATE, registry.WEBHOOK_UPDATED, webhook)
    return webhook, rules.spell_secret(key)


async def delete_webhook(ctx: Context, id: str, *, expected: int | None) -> None:
    """Remove it with its secret. What waits to be delivered is not sent any more."""
    webhook = await get_webhook(ctx, id, key=Permission.EVENTS_WEBHOOK_DELETE, lock=True)
    assert webhook.secret_id is not None, "only a deleted webhook has no secret"
    etag.check("webhook", id, have=webhook.version, expected=expected)
    gone = await store.delete(ctx.db, id, org=webhook.org_id, now=ctx.now)
    await custody.remove(ctx, webhook.secret_id, org=webhook.org_id)
    _record(ctx, Permission.EVENTS_WEBHOOK_DELETE, registry.WEBHOOK_DELETED, gone)


async def list_deliveries(
    ctx: Context, id: str, page: PageRequest, *, status: str | None
) -> Page[Delivery]:
    """Newest first. With status `dead`: the dead-letter list."""
    webhook = await get_webhook(ctx, id)
    rows = await store.list_deliveries(
        ctx.db,
        page,
        org=webhook.org_id,
        webhook=id,
        status=status,
        below=rules.position(page.after),
    )
    return pagination.page(rows, page, key=lambda delivery: str(delivery.event_seq))


async def get_delivery(ctx: Context, webhook: str, id: str) -> Delivery:
    found = await get_webhook(ctx, webhook)
    delivery = await store.find_delivery(ctx.db, id, org=found.org_id, webhook=webhook)
    if delivery is None:
        raise hidden("delivery", id)
    return delivery


async def redeliver(ctx: Context, webhook: str, id: str) -> Delivery:
    """Queue an ended delivery once more, with all its tries before it."""
    found = await get_webhook(ctx, webhook, key=Permission.EVENTS_WEBHOOK_REDELIVER)
    org = found.org_id
    delivery = await store.find_delivery(ctx.db, id, org=org, webhook=webhook, lock=True)
    if delivery is None:
        raise hidden("delivery", id)
    event = await events.find_wire(ctx.platform, ctx.db, delivery.event_seq, org=org)
    rules.check_can_redeliver(
        delivery.status, delivery=id, enabled=found.enabled, event_kept=event is not None
    )
    delivery = await store.requeue(ctx.db, id, org=org, now=ctx.now)
    ctx.topics.add(TOPIC)
    _record_redelivery(ctx, delivery)
    return delivery


# The two halves of a delivery


async def prepare(platform: Platform, db: Db, claim: Claim) -> Unsigned | Failure:
    """What to send, and what signs it; or why there is nothing to send."""
    org = claim.org_id
    webhook = await store.find(db, claim.webhook_id, scope=[org])
    delivery = await store.find_delivery(db, claim.id, org=org, webhook=claim.webhook_id)
    if webhook is None or webhook.secret_id is None or not webhook.enabled or delivery is None:
        return Failure.WEBHOOK_DISABLED
    event = await events.find_wire(platform, db, delivery.event_seq, org=org)
    if event is None:
        return Failure.EVENT_EXPIRED
    body = json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()
    sealed = await custody.find(db, webhook.secret_id, org=org)
    return Unsigned(webhook, delivery.event_id, body, sealed)


async def sign(platform: Platform, unsigned: Unsigned) -> Parcel:
    """Sign it with the keys in force. Between the two transactions of a delivery."""
    keys = rules.unpack(await custody.reveal(platform, unsigned.keys))
    now = platform.clock.now()
    signed = rules.signature_headers(
        unsigned.body,
        keys=keys.in_force(previous_until=unsigned.webhook.previous_until, now=now),
        message_id=unsigned.event_id,
        at=now,
    )
    headers = {"content-type": MEDIA_TYPE, "user-agent": USER_AGENT, **signed}
    return Parcel(unsigned.webhook.url, headers, unsigned.body)


async def conclude(ctx: Context, claim: Claim, answer: Answer) -> Verdict | None:
    """Note what came of a try. One whose lease ran out counts only if it delivered."""
    delivery = await store.find_held(ctx.db, claim, org=claim.org_id)
    if delivery is None and answer.failure is not None:
        return None
    attempts = delivery.attempts + 1 if delivery else 0
    limit = ctx.platform.settings.webhooks.attempts
    verdict = rules.judge(answer, delivery=claim.id, attempts=attempts, limit=limit, now=ctx.now)
    await store.note_try(
        ctx.db,
        claim.id,
        org=claim.org_id,
        status=verdict.status,
        due_at=verdict.due_at,
        answer_status=answer.status,
        error=answer.failure,
        now=ctx.now,
    )
    if answer.failure is Failure.GONE:
        await _disable(ctx, claim)
    return verdict


async def _disable(ctx: Context, claim: Claim) -> None:
    """The receiver said that it is gone for good, so nothing more is sent to it."""
    webhook = await store.find(ctx.db, claim.webhook_id, scope=[claim.org_id], lock=True)
    if webhook is None or not webhook.enabled:
        return
    webhook = await store.change(
        ctx.db,
        webhook.id,
        org=webhook.org_id,
        url=webhook.url,
        types=webhook.types,
        enabled=False,
        now=ctx.now,
    )
    _record(ctx, Permission.EVENTS_WEBHOOK_UPDATE, registry.WEBHOOK_UPDATED, webhook)


async def _authorize_place(ctx: Context, key: str, *, org: str, project: str | None) -> Resource:
    """The org, or the project of that org, on which the caller holds the key."""
    if project is None:
        place = Resource("org", org, org)
        authorize(ctx, key, place)
        return place
    found = await tenancy.get_project(ctx, project, key=key)
    if found.org_id != org:
        raise hidden("project", project)
    return Resource("project", project, org, project)


def _place(webhook: Webhook) -> Resource:
    return Resource("webhook", webhook.id, webhook.org_id, webhook.project_id)


def _record(ctx: Context, action: str, event: registry.EventType, webhook: Webhook) -> None:
    # The host alone: the rest of a URL may well be a password of its own.
    details = {
        "host": urlsplit(webhook.url).hostname,
        "types": webhook.types,
        "enabled": webhook.enabled,
    }
    org, project = webhook.org_id, webhook.project_id
    audit.record(ctx, action, webhook.id, org=org, project=project, details=details)
    events.publish(
        ctx,
        event,
        registry.Webhook(id=webhook.id, types=webhook.types, enabled=webhook.enabled),
        subject=webhook.id,
        version=webhook.version,
        org=org,
        project=project,
    )


def _record_redelivery(ctx: Context, delivery: Delivery) -> None:
    org, project = delivery.org_id, delivery.project_id
    details = {"webhook": delivery.webhook_id, "event": delivery.event_id}
    action = Permission.EVENTS_WEBHOOK_REDELIVER
    audit.record(ctx, action, delivery.id, org=org, project=project, details=details)
    events.publish(
        ctx,
        registry.DELIVERY_REQUEUED,
        registry.Delivery(id=delivery.id, webhook_id=delivery.webhook_id),
        subject=delivery.id,
        version=delivery.version,
        org=org,
        project=project,
    )
