"""What a browser does to sign in, as plain requests."""

import urllib.parse
from dataclasses import dataclass
from typing import Any

import httpx2

from core.tests.callers import Caller

CORP = "corp"
SECRET = "a-client-secret-that-nobody-may-see"


@dataclass(frozen=True)
class Departure:
    """Where the platform sent the browser."""

    url: str
    query: dict[str, str]


async def add_provider(
    admin: Caller,
    issuer: str,
    *,
    client_id: str,
    slug: str = CORP,
    secret: str = SECRET,
    domains: tuple[str, ...] = ("example.org",),
) -> dict[str, Any]:
    new = {
        "slug": slug,
        "name": "Corp Login",
        "issuer": issuer,
        "client_id": client_id,
        "client_secret": secret,
        "domains": domains,
    }
    answer = await admin.post("/v1/oidc-providers", new)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def depart(
    browser: httpx2.AsyncClient, *, return_to: str = "/", slug: str = CORP
) -> Departure:
    """Press the button on the login page."""
    answer = await browser.get(f"/v1/auth/oidc/{slug}/start", params={"return_to": return_to})
    assert answer.status_code == 302, answer.text
    url = answer.headers["location"]
    return Departure(url, dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query)))


async def come_back(
    browser: httpx2.AsyncClient, *, slug: str = CORP, **query: str
) -> httpx2.Response:
    """Follow the provider's redirect to the platform."""
    return await browser.get(f"/v1/auth/oidc/{slug}/callback", params=query)


async def who_am_i(browser: httpx2.AsyncClient) -> dict[str, Any]:
    answer = await browser.get("/v1/me")
    assert answer.status_code == 200, answer.text
    return answer.json()
