"""A browser, somebody who runs the platform, and an issuer that says what a test wants."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from core.tests.callers import ActorMaker, Caller
from core.tests.oidc import scripted, visits
from core.tests.oidc.scripted import ScriptedIssuer
from moorage_core.kit.clock import ManualClock

SignIn = Callable[..., Awaitable[httpx2.Response]]


@pytest.fixture
async def browser(api: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    """A browser of its own: the callers' client keeps no cookies of a sign-in."""
    transport = httpx2.ASGITransport(app=api, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:7700") as opened:
        yield opened


@pytest.fixture
async def admin(actor: ActorMaker) -> Caller:
    return await actor("platform_admin")


@pytest.fixture
async def issuer(clock: ManualClock) -> AsyncIterator[ScriptedIssuer]:
    async with scripted.running(clock.now()) as running:
        yield running


@pytest.fixture
async def provider(admin: Caller, issuer: ScriptedIssuer) -> dict[str, Any]:
    """The scripted issuer, added as a sign-in provider."""
    return await visits.add_provider(admin, issuer.url, client_id=scripted.CLIENT_ID)


@pytest.fixture
def sign_in(provider: dict[str, Any]) -> SignIn:
    """The whole way through the scripted issuer; the platform's last answer."""

    async def whole_way(browser: httpx2.AsyncClient, *, return_to: str = "/") -> httpx2.Response:
        asked = (await visits.depart(browser, return_to=return_to)).query
        return await visits.come_back(browser, code=asked["nonce"], state=asked["state"])

    return whole_way
