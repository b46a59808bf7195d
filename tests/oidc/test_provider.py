"""The OpenID Connect provider of the tests is a real one: a login by plain HTTP requests."""

import base64
import hashlib
import json
import secrets
import urllib.parse
from collections.abc import AsyncIterator

import httpx2
import pytest

from tests.oidc import launch

pytestmark = pytest.mark.skipif(
    launch.why_not() is not None, reason=f"the OIDC provider cannot start: {launch.why_not()}"
)

CALLBACK = "http://127.0.0.1:9/callback"
CLIENT = launch.Client(id="moorage", secret=secrets.token_hex(16), redirect_uris=[CALLBACK])
ADA = launch.Account(
    login="ada", password="engine-room", email="ada@example.org", name="Ada Lovelace"
)
EVE = launch.Account(
    login="eve",
    password="eavesdrop",
    email="eve@example.org",
    name="Eve",
    email_verified=False,
)


@pytest.fixture(scope="module")
async def issuer() -> AsyncIterator[str]:
    async with launch.running(CLIENT, accounts=[ADA, EVE]) as url:
        yield url


@pytest.fixture
async def browser(issuer: str) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(base_url=issuer, timeout=60) as client:
        yield client


def challenge(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


async def open_login(browser: httpx2.AsyncClient, verifier: str) -> str:
    query = {
        "client_id": CLIENT.id,
        "redirect_uri": CALLBACK,
        "response_type": "code",
        "scope": "openid email profile",
        "state": "state-1",
        "nonce": "nonce-1",
        "code_challenge": challenge(verifier),
        "code_challenge_method": "S256",
    }
    answer = await browser.get("/auth", params=query)
    return answer.headers["location"]


async def log_in(
    browser: httpx2.AsyncClient, verifier: str, account: launch.Account
) -> dict[str, str]:
    form = {"login": account.login, "password": account.password}
    answer = await browser.post(await open_login(browser, verifier), data=form)
    while not answer.headers["location"].startswith(CALLBACK):
        answer = await browser.get(answer.headers["location"])
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.headers["location"]).query))


async def redeem(browser: httpx2.AsyncClient, code: str, verifier: str) -> httpx2.Response:
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": CALLBACK,
        "code_verifier": verifier,
    }
    return await browser.post("/token", data=form, auth=(CLIENT.id, CLIENT.secret))


def payload(token: str) -> dict[str, object]:
    body = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(body + "=="))


@pytest.mark.parametrize("account", [ADA, EVE], ids=lambda account: account.login)
async def test_a_login_with_pkce_yields_the_profile(
    browser: httpx2.AsyncClient, account: launch.Account
) -> None:
    verifier = secrets.token_urlsafe(48)
    back = await log_in(browser, verifier, account)

    tokens = (await redeem(browser, back["code"], verifier)).json()

    assert back["state"] == "state-1"
    claims = payload(tokens["id_token"])
    assert claims["nonce"] == "nonce-1"
    assert (claims["sub"], claims["email"], claims["email_verified"], claims["name"]) == (
        account.login,
        account.email,
        account.email_verified,
        account.name,
    )


async def test_another_verifier_gets_no_token(browser: httpx2.AsyncClient) -> None:
    back = await log_in(browser, secrets.token_urlsafe(48), ADA)

    answer = await redeem(browser, back["code"], secrets.token_urlsafe(48))

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")


async def test_a_wrong_password_shows_the_form_again(browser: httpx2.AsyncClient) -> None:
    login = await open_login(browser, secrets.token_urlsafe(48))

    answer = await browser.post(login, data={"login": "ada", "password": "guess"})

    assert answer.status_code == 401
    assert "do not match" in answer.text


async def test_the_profile_can_be_kept_to_the_userinfo_endpoint() -> None:
    verifier = secrets.token_urlsafe(48)
    async with (
        launch.running(CLIENT, accounts=[ADA], id_token_claims=False) as url,
        httpx2.AsyncClient(base_url=url, timeout=60) as browser,
    ):
        back = await log_in(browser, verifier, ADA)
        tokens = (await redeem(browser, back["code"], verifier)).json()

        bearer = {"authorization": f"Bearer {tokens['access_token']}"}
        profile = (await browser.get("/me", headers=bearer)).json()

    assert "email" not in payload(tokens["id_token"])
    assert profile["email"] == ADA.email
