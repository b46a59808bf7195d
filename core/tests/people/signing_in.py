"""People with passwords, and browsers that keep the session cookie."""

from dataclasses import dataclass

import httpx2

from core.tests.callers import Caller
from core.tests.factories.tenants import PASSWORD, give_password
from core.tests.site import BASE_URL, Site, fresh
from moorage_core.http.authentication import SESSION_COOKIE


@dataclass(frozen=True)
class Browser:
    """A browser after signing in: sends its cookie by itself."""

    client: httpx2.AsyncClient
    token: str
    session: str
    csrf: str

    async def get(self, path: str) -> httpx2.Response:
        return await self.client.get(path)

    async def change(self, method: str, path: str, **options: object) -> httpx2.Response:
        """A change made by our own page, which knows the CSRF token."""
        headers = {"x-csrf-token": self.csrf, "idempotency-key": fresh()}
        return await self.client.request(method, path, headers=headers, **options)  # type: ignore[arg-type]


async def make_person(site: Site, role: str | None = None) -> tuple[Caller, str]:
    """Somebody with a password, and their address."""
    caller = await site.actor(role)
    await give_password(site, caller)
    assert caller.person is not None
    return caller, caller.person.email


async def log_in(site: Site, email: str, password: str = PASSWORD) -> httpx2.Response:
    answer = await site.client.post("/v1/auth/login", json={"email": email, "password": password})
    # The client is everybody's: it must not go on as this person.
    site.client.cookies.clear()
    return answer


async def open_browser(site: Site, email: str, password: str = PASSWORD) -> Browser:
    answer = await log_in(site, email, password)
    assert answer.status_code == 200, answer.text
    token = answer.cookies[SESSION_COOKIE]
    transport = httpx2.ASGITransport(app=site.api, raise_app_exceptions=False)
    client = httpx2.AsyncClient(
        transport=transport, base_url=BASE_URL, cookies={SESSION_COOKIE: token}
    )
    return Browser(client, token, answer.json()["session_id"], answer.json()["csrf_token"])
