"""Webhooks and their deliveries."""

from collections.abc import Sequence
from typing import Literal

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of, version_of, words
from moorage._operation import Arguments
from moorage.models import (
    DeliveryRead,
    OrgRead,
    ProjectRead,
    SecretRotation,
    WebhookCreate,
    WebhookIssued,
    WebhookRead,
    WebhookUpdate,
)

Webhook = WebhookRead | WebhookIssued | str
DeliveryStatus = Literal["pending", "delivered", "dead"]


class Webhooks(Group):
    """Webhooks: events pushed to a URL."""

    @listing(operations.LIST_WEBHOOKS, WebhookRead)
    def list(
        self,
        org: OrgRead | str,
        *,
        project: ProjectRead | str | None = None,
        page_size: int | None = None,
    ) -> Arguments:
        """The webhooks of an org, or of one of its projects."""
        within = None if project is None else id_of(project)
        return Arguments(query={"org": id_of(org), "project": within, "limit": page_size})

    @call(operations.CREATE_WEBHOOK, WebhookIssued)
    def create(
        self,
        org: OrgRead | str,
        *,
        url: str,
        types: Sequence[str],
        project: ProjectRead | str | None = None,
        enabled: bool = True,
    ) -> Arguments:
        """Have events pushed to a URL. The signing secret is in `secret`, this once."""
        within = None if project is None else id_of(project)
        body = WebhookCreate(
            org=id_of(org), project=within, url=url, types=[*types], enabled=enabled
        )
        return Arguments(body=body)

    @call(operations.GET_WEBHOOK, WebhookRead)
    def get(self, webhook: Webhook) -> Arguments:
        """One webhook, without its secret."""
        return Arguments(path={"webhook": id_of(webhook)})

    @call(operations.UPDATE_WEBHOOK, WebhookRead)
    def update(
        self,
        webhook: Webhook,
        *,
        url: str | None = None,
        types: Sequence[str] | None = None,
        enabled: bool | None = None,
        version: int | None = None,
    ) -> Arguments:
        """Point it elsewhere, ask for other events, disable or enable it."""
        return Arguments(
            path={"webhook": id_of(webhook)},
            body=WebhookUpdate(url=url, types=words(types), enabled=enabled),
            version=version_of(webhook, version),
        )

    @call(operations.DELETE_WEBHOOK, None)
    def delete(self, webhook: Webhook, *, version: int | None = None) -> Arguments:
        """Delete a webhook. What waits to be delivered to it is not sent any more."""
        return Arguments(path={"webhook": id_of(webhook)}, version=version_of(webhook, version))

    @call(operations.ROTATE_WEBHOOK_SECRET, WebhookIssued)
    def rotate_secret(self, webhook: Webhook, *, overlap_hours: int = 24) -> Arguments:
        """Make a new signing secret, in `secret` this once. For so long the old one signs too."""
        return Arguments(
            path={"webhook": id_of(webhook)}, body=SecretRotation(overlap_hours=overlap_hours)
        )

    @listing(operations.LIST_DELIVERIES, DeliveryRead)
    def list_deliveries(
        self,
        webhook: Webhook,
        *,
        status: DeliveryStatus | None = None,
        page_size: int | None = None,
    ) -> Arguments:
        """What was or is to be sent, newest event first. `dead` is the dead-letter list."""
        return Arguments(
            path={"webhook": id_of(webhook)}, query={"status": status, "limit": page_size}
        )

    @call(operations.GET_DELIVERY, DeliveryRead)
    def get_delivery(self, webhook: Webhook, delivery: DeliveryRead | str) -> Arguments:
        """One delivery."""
        return Arguments(path={"webhook": id_of(webhook), "delivery": id_of(delivery)})

    @call(operations.REDELIVER, DeliveryRead)
    def redeliver(self, webhook: Webhook, delivery: DeliveryRead | str) -> Arguments:
        """Send an ended delivery once more. Returns at once; watch `status`."""
        return Arguments(path={"webhook": id_of(webhook), "delivery": id_of(delivery)})
