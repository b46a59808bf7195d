"""The whole way through a real OpenID Connect provider, as a browser goes it."""

import urllib.parse
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import psycopg
import pytest

from core.tests.callers import Caller
from core.tests.oidc import visits
from tests.oidc import launch

pytestmark = pytest.mark.skipif(
    launch.why_not() is not None, reason=f"the OIDC provider cannot start: {launch.why_not()}"
)

CALLBACK = "http://127.0.0.1:7700/v1/auth/oidc/corp/callback"
CLIENT = launch.Client(id="moorage", secret=visits.SECRET, redirect_uris=[CALLBACK])
ADA = launch.Account(
    login="ada", password="engine-room", email="ada@example.org", name="Ada Lovelace 🛥 Ὑπατία"
)
EVE = launch.Account(
    login="eve", password="eavesdrop", email="eve@example.org", name="Eve", email_verified=False
)


@pytest.fixture(scope="module")
async def real_issuer() -> AsyncIterator[str]:
    async with launch.running(CLIENT, accounts=[ADA, EVE]) as url:
        yield url


@pytest.fixture
async def corp(admin: Caller, real_issuer: str) -> dict[str, Any]:
    return await visits.add_provider(admin, real_issuer, client_id=CLIENT.id)


async def log_in(url: str, account: launch.Account) -> dict[str, str]:
    """Fill in the provider's form; the query it sends the browser back with."""
    issuer = urllib.parse.urljoin(url, "/")
    async with httpx2.AsyncClient(base_url=issuer, timeout=60) as browser:
        form = {"login": account.login, "password": account.password}
        answer = await browser.post((await browser.get(url)).headers["location"], data=form)
        while not answer.headers["location"].startswith(CALLBACK):
            answer = await browser.get(answer.headers["location"])
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.headers["location"]).query))


async def test_a_person_signs_in_and_is_known(
    browser: httpx2.AsyncClient, corp: dict[str, Any]
) -> None:
    departure = await visits.depart(browser, return_to="/projects?tab=mine")
    query = await log_in(departure.url, ADA)

    answer = await visits.come_back(browser, **query)

    assert (answer.status_code, answer.headers["location"]) == (303, "/projects?tab=mine")
    me = await visits.who_am_i(browser)
    assert (me["kind"], me["name"], me["grants"]) == ("user", ADA.name, [])
    assert me["csrf_token"]
    assert "moorage_oidc" not in browser.cookies


async def test_the_profile_may_be_at_the_userinfo_endpoint_only(
    browser: httpx2.AsyncClient, admin: Caller
) -> None:
    async with launch.running(CLIENT, accounts=[ADA], id_token_claims=False) as url:
        await visits.add_provider(admin, url, client_id=CLIENT.id)
        query = await log_in((await visits.depart(browser)).url, ADA)

        answer = await visits.come_back(browser, **query)

    assert answer.status_code == 303
    assert (await visits.who_am_i(browser))["name"] == ADA.name


async def test_an_unverified_address_does_not_get_in(
    browser: httpx2.AsyncClient, corp: dict[str, Any], sql: psycopg.AsyncConnection[Any]
) -> None:
    query = await log_in((await visits.depart(browser)).url, EVE)

    answer = await visits.come_back(browser, **query)

    assert (answer.status_code, answer.json()["code"]) == (403, "no_verified_email")
    known = await sql.execute("SELECT count(*) FROM users WHERE email = %s", (EVE.email,))
    assert await known.fetchone() == (0,)


async def test_a_replayed_callback_opens_no_second_session(
    browser: httpx2.AsyncClient, corp: dict[str, Any], sql: psycopg.AsyncConnection[Any]
) -> None:
    departure = await visits.depart(browser)
    stolen = {"cookie": f"moorage_oidc={browser.cookies['moorage_oidc']}"}
    query = await log_in(departure.url, ADA)
    assert (await visits.come_back(browser, **query)).status_code == 303
    browser.cookies.clear()

    plain = await visits.come_back(browser, **query)
    path = "/v1/auth/oidc/corp/callback"
    with_cookie = await browser.get(path, params=query, headers=stolen)

    assert plain.json()["code"] == "login_not_pending"
    assert (with_cookie.status_code, with_cookie.json()["code"]) == (401, "provider_refused")
    assert "invalid_grant" in with_cookie.json()["detail"]
    opened = await sql.execute("SELECT count(*) FROM sessions")
    assert await opened.fetchone() == (1,)


async def test_a_code_of_another_sign_in_is_worth_nothing(
    browser: httpx2.AsyncClient, corp: dict[str, Any]
) -> None:
    other = await log_in((await visits.depart(browser)).url, ADA)
    mine = await visits.depart(browser)

    answer = await visits.come_back(
        browser, code=other["code"], iss=other["iss"], state=mine.query["state"]
    )

    assert (answer.status_code, answer.json()["code"]) == (401, "provider_refused")


async def test_a_wrong_client_secret_is_told_to_those_who_can_mend_it(
    browser: httpx2.AsyncClient, admin: Caller, corp: dict[str, Any]
) -> None:
    path = f"/v1/oidc-providers/{corp['id']}"
    await admin.patch(path, {"client_secret": "not-this-one"}, version=1)
    query = await log_in((await visits.depart(browser)).url, ADA)

    refused = await visits.come_back(browser, **query)
    await admin.patch(path, {"client_secret": visits.SECRET}, version=2)
    query = await log_in((await visits.depart(browser)).url, ADA)
    mended = await visits.come_back(browser, **query)

    assert (refused.status_code, refused.json()["code"]) == (502, "provider_misconfigured")
    assert "invalid_client" in refused.json()["detail"]
    assert mended.status_code == 303


async def test_a_new_address_and_new_keys_at_the_provider_open_the_same_account(
    browser: httpx2.AsyncClient, admin: Caller
) -> None:
    married = launch.Account(ADA.login, ADA.password, email="king@example.org", name="Ada King")
    async with launch.running(CLIENT, accounts=[ADA]) as url:
        await visits.add_provider(admin, url, client_id=CLIENT.id)
        await visits.come_back(browser, **await log_in((await visits.depart(browser)).url, ADA))
    first = await visits.who_am_i(browser)
    port = urllib.parse.urlsplit(url).port
    assert port is not None

    # The same issuer starts anew, with keys of which the platform has never heard.
    async with launch.running(CLIENT, accounts=[married], port=port):
        query = await log_in((await visits.depart(browser)).url, married)
        answer = await visits.come_back(browser, **query)

    assert answer.status_code == 303
    second = await visits.who_am_i(browser)
    assert (second["id"], second["name"]) == (first["id"], ADA.name)
    assert second["session_id"] != first["session_id"]
