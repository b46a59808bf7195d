"""Webhooks that point at a real receiver, and the sweeps that serve them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any

import pytest

from core.tests.callers import ActorMaker, Caller
from core.tests.factories.tenancy import OrgRow
from core.tests.webhooks import receiver as receivers
from core.tests.webhooks.receiver import Receiver
from moorage_core.events.sweeps import NumberRecords
from moorage_core.platform import Platform
from moorage_core.settings import Settings, WebhookSettings
from moorage_core.webhooks.sweeps import DeliverWebhooks, FanOutEvents

Settle = Callable[[], Coroutine[Any, Any, dict[str, Any]]]
WebhookMaker = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def webhook_settings() -> WebhookSettings:
    """Few hands and few tries, so that a test reaches both ends soon."""
    return WebhookSettings(private_addresses=True, attempts=3, parallel=8)


@pytest.fixture
def settings(settings: Settings, webhook_settings: WebhookSettings) -> Settings:
    return settings.model_copy(update={"webhooks": webhook_settings})


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receivers.listening() as running:
        yield running


@pytest.fixture
async def admin(actor: ActorMaker, acme: OrgRow) -> Caller:
    return await actor("tenant_admin", org=acme)


@pytest.fixture
def webhook(admin: Caller, acme: OrgRow, receiver: Receiver) -> WebhookMaker:
    """`await webhook(types=["iam.*"])`: a webhook of the org, at the receiver."""

    async def make(**fields: Any) -> dict[str, Any]:
        body = {"org": acme.id, "url": receiver.url, "types": ["iam.*"], **fields}
        made = await admin.post("/v1/webhooks", body)
        assert made.status_code == 201, made.text
        return made.json()

    return make


@pytest.fixture
def happen(admin: Caller, acme: OrgRow) -> Callable[[str], Awaitable[str]]:
    """`await happen("p1")`: something worth an event; a project is made."""

    async def make(slug: str) -> str:
        made = await admin.post(f"/v1/orgs/{acme.id}/projects", {"slug": slug, "name": slug})
        assert made.status_code == 201, made.text
        return made.json()["id"]

    return make


@pytest.fixture
def queue(platform: Platform) -> Settle:
    """Number what happened and queue it."""

    async def run() -> dict[str, Any]:
        await NumberRecords(platform).activate()
        return await FanOutEvents(platform).activate()

    return run


@pytest.fixture
def deliver(platform: Platform) -> Settle:
    """One activation of one process that delivers."""
    return DeliverWebhooks(platform).activate
