"""Sign-ins through an issuer that lies, stumbles or stalls: nobody gets in, and nothing leaks."""

import asyncio
import base64
import json
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
import structlog

from core.tests.callers import Caller
from core.tests.oidc import scripted, visits
from core.tests.oidc.scripted import ScriptedIssuer
from moorage_core.embedded import tls
from moorage_core.kit.clock import ManualClock
from moorage_core.oidc import fetch

SignIn = Callable[..., Awaitable[httpx2.Response]]
Sql = psycopg.AsyncConnection[Any]
LEAK = "eyJhbGciOiJub25lIn0.leaked-token-text"


async def sessions(sql: Sql) -> int:
    row = await (await sql.execute("SELECT count(*) FROM sessions")).fetchone()
    assert row is not None
    return row[0]


def unsigned(issuer: ScriptedIssuer, nonce: str) -> str:
    parts = ({"alg": "none"}, issuer.claims_for(nonce))
    return ".".join(_segment(part) for part in parts) + "."


def _segment(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "somebody-else"},
        {"aud": [scripted.CLIENT_ID, "somebody-else"]},
        {"azp": "somebody-else"},
        {"iss": "https://login.example.org"},
        {"exp": 1},
        {"iat": 99999999999},
        {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
        {"sub": "x" * 300},
    ],
    ids=str,
)
async def test_a_token_with_a_wrong_claim_signs_nobody_in(
    browser: httpx2.AsyncClient,
    issuer: ScriptedIssuer,
    sign_in: SignIn,
    sql: Sql,
    claims: dict[str, Any],
) -> None:
    issuer.claims = claims

    answer = await sign_in(browser)

    assert (answer.status_code, answer.json()["code"]) == (401, "id_token_refused")
    assert "set-cookie" not in answer.headers
    assert await sessions(sql) == 0


async def test_an_unsigned_token_signs_nobody_in(
    browser: httpx2.AsyncClient, provider: dict[str, Any], issuer: ScriptedIssuer, sql: Sql
) -> None:
    asked = (await visits.depart(browser)).query
    issuer.answers[scripted.TOKEN] = (200, {"id_token": unsigned(issuer, asked["nonce"])})

    answer = await visits.come_back(browser, code="c", state=asked["state"])

    assert answer.json()["code"] == "id_token_refused"
    assert await sessions(sql) == 0


async def test_a_token_under_an_unpublished_key_signs_nobody_in(
    browser: httpx2.AsyncClient, issuer: ScriptedIssuer, sign_in: SignIn
) -> None:
    issuer.key = scripted.new_key("first")  # the published one's name, not its substance

    answer = await sign_in(browser)

    assert answer.json()["code"] == "id_token_refused"


async def test_a_rotated_key_is_fetched_once_and_then_remembered(
    browser: httpx2.AsyncClient, issuer: ScriptedIssuer, sign_in: SignIn
) -> None:
    assert (await sign_in(browser)).status_code == 303
    issuer.key = scripted.new_key("second")
    issuer.published = [issuer.key]

    answers = [await sign_in(browser), await sign_in(browser)]

    assert [answer.status_code for answer in answers] == [303, 303]
    assert issuer.count(scripted.JWKS) == 2
    assert issuer.count(scripted.DISCOVERY) == 1


async def test_an_unverified_address_is_refused_and_links_to_nothing(
    browser: httpx2.AsyncClient, admin: Caller, issuer: ScriptedIssuer, sign_in: SignIn, sql: Sql
) -> None:
    assert admin.person is not None
    issuer.claims = {"email": admin.person.email, "email_verified": False}

    answer = await sign_in(browser)

    assert (answer.status_code, answer.json()["code"]) == (403, "no_verified_email")
    assert "Verify it there" in answer.json()["detail"]
    linked = await sql.execute("SELECT count(*) FROM oidc_identities")
    assert await linked.fetchone() == (0,)
    assert await sessions(sql) == 0


async def test_the_profile_is_asked_for_where_the_token_has_none(
    browser: httpx2.AsyncClient, issuer: ScriptedIssuer, sign_in: SignIn
) -> None:
    issuer.claims = {"email": None, "email_verified": None, "name": None}
    profile = {"sub": "grace", "email": "grace@example.org", "email_verified": True, "name": "G"}
    issuer.answers[scripted.USERINFO] = (200, profile)

    answer = await sign_in(browser)

    assert answer.status_code == 303
    assert (await visits.who_am_i(browser))["name"] == "G"
    asked = [seen for seen in issuer.seen if seen.path == scripted.USERINFO]
    assert [seen.headers["authorization"] for seen in asked] == ["Bearer an-access-token"]


@pytest.mark.parametrize(
    "profile",
    [
        {"sub": "mallory", "email": "grace@example.org", "email_verified": True},
        {"email": "grace@example.org", "email_verified": True},
        [],
        b"<html>",
    ],
    ids=str,
)
async def test_a_profile_of_somebody_else_counts_for_nothing(
    browser: httpx2.AsyncClient, issuer: ScriptedIssuer, sign_in: SignIn, profile: Any
) -> None:
    issuer.claims = {"email": None}
    issuer.answers[scripted.USERINFO] = (200, profile)

    answer = await sign_in(browser)

    assert answer.json()["code"] == "no_verified_email"


@pytest.mark.parametrize(
    ("path", "reply", "status", "code"),
    [
        (scripted.DISCOVERY, (200, {"issuer": "https://evil.example"}), 502, "misconfigured"),
        (scripted.DISCOVERY, (200, {}), 502, "misconfigured"),
        (scripted.DISCOVERY, (200, b"<html>"), 502, "misconfigured"),
        (scripted.DISCOVERY, (200, []), 502, "misconfigured"),
        (scripted.DISCOVERY, (302, {}), 502, "misconfigured"),
        (scripted.DISCOVERY, (500, {}), 502, "misconfigured"),
        (scripted.DISCOVERY, (200, b" " * (fetch.MAX_BYTES + 1)), 502, "misconfigured"),
    ],
    ids=lambda part: str(part)[:40],
)
async def test_a_provider_with_a_bad_discovery_document_is_not_gone_to(
    browser: httpx2.AsyncClient,
    provider: dict[str, Any],
    issuer: ScriptedIssuer,
    path: str,
    reply: tuple[int, Any],
    status: int,
    code: str,
) -> None:
    issuer.answers[path] = reply

    answer = await browser.get("/v1/auth/oidc/corp/start")

    assert (answer.status_code, answer.json()["code"]) == (status, f"provider_{code}")
    assert issuer.count("/elsewhere") == 0


@pytest.mark.parametrize(
    ("reply", "status", "said"),
    [
        ((400, {"error": "invalid_grant", "error_description": LEAK}), 401, "invalid_grant"),
        ((401, {"error": "invalid_client", "error_description": LEAK}), 502, "client secret"),
        ((400, {"error": LEAK}), 502, "no reason"),
        ((500, LEAK.encode()), 502, "no reason"),
        ((302, {}), 502, "no reason"),
        ((200, {"access_token": LEAK}), 502, "no ID token"),
        ((200, {"id_token": 7}), 502, "no ID token"),
        ((200, b"[" * 100_000), 502, "no ID token"),
        ((200, {"id_token": LEAK}), 401, "not valid"),
    ],
    ids=lambda part: str(part)[:40],
)
async def test_a_refusing_or_broken_token_endpoint_is_told_without_its_words(
    browser: httpx2.AsyncClient,
    issuer: ScriptedIssuer,
    sign_in: SignIn,
    reply: tuple[int, Any],
    status: int,
    said: str,
) -> None:
    issuer.answers[scripted.TOKEN] = reply

    with structlog.testing.capture_logs() as logs:
        answer = await sign_in(browser)

    assert answer.status_code == status
    assert said in answer.json()["detail"]
    assert "leaked" not in answer.text
    assert "leaked" not in str(logs)
    assert [line["code"] for line in logs if line["event"] == "oidc.sign_in_refused"] == [
        answer.json()["code"]
    ]


async def test_no_keys_no_sign_in(
    browser: httpx2.AsyncClient, issuer: ScriptedIssuer, sign_in: SignIn
) -> None:
    issuer.published = []

    answer = await sign_in(browser)

    assert answer.json()["code"] == "id_token_refused"


async def test_a_silent_provider_is_waited_for_only_so_long(
    browser: httpx2.AsyncClient,
    provider: dict[str, Any],
    issuer: ScriptedIssuer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fetch, "SECONDS", 0.2)
    issuer.hang = True

    async with asyncio.timeout(30):
        answer = await browser.get("/v1/auth/oidc/corp/start")

    assert (answer.status_code, answer.json()["code"]) == (503, "provider_unreachable")
    assert answer.headers["retry-after"] == "5"


async def test_a_provider_that_is_gone_is_told_by_its_host(
    browser: httpx2.AsyncClient, admin: Caller
) -> None:
    await visits.add_provider(admin, "http://127.0.0.1:9", client_id="x")

    answer = await browser.get("/v1/auth/oidc/corp/start")

    assert (answer.status_code, answer.json()["code"]) == (503, "provider_unreachable")
    assert "127.0.0.1:9" in answer.json()["detail"]


async def test_a_certificate_that_nobody_vouches_for_ends_the_talk(
    browser: httpx2.AsyncClient, admin: Caller, tmp_path: Path, clock: ManualClock
) -> None:
    certificate = tls.own(tmp_path, names=["127.0.0.1"], now=clock.now())
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate.chain, certificate.key)
    async with scripted.running(clock.now(), tls=context) as impostor:
        await visits.add_provider(admin, impostor.url, client_id=scripted.CLIENT_ID)

        with structlog.testing.capture_logs() as logs:
            answer = await browser.get("/v1/auth/oidc/corp/start")

    assert answer.json()["code"] == "provider_unreachable"
    assert impostor.seen == []
    [line] = [line for line in logs if line["event"] == "oidc.sign_in_refused"]
    assert "certificate verify failed" in line["cause"].lower()


async def test_the_client_proves_itself_as_the_provider_wants_it(
    browser: httpx2.AsyncClient, admin: Caller, issuer: ScriptedIssuer, sign_in: SignIn
) -> None:
    document = issuer.discovery()
    methods = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    issuer.answers[scripted.DISCOVERY] = (200, document | methods)

    answer = await sign_in(browser)

    assert answer.status_code == 303
    redeemed = next(seen for seen in issuer.seen if seen.path == scripted.TOKEN)
    assert redeemed.form["client_secret"] == visits.SECRET
    assert "authorization" not in redeemed.headers


async def test_odd_letters_in_a_secret_reach_the_provider_whole(
    browser: httpx2.AsyncClient, admin: Caller, issuer: ScriptedIssuer
) -> None:
    await visits.add_provider(admin, issuer.url, client_id=scripted.CLIENT_ID, secret="a:b%c d+é/")
    asked = (await visits.depart(browser)).query

    await visits.come_back(browser, code="c", state=asked["state"])

    redeemed = next(seen for seen in issuer.seen if seen.path == scripted.TOKEN)
    basic = base64.b64decode(redeemed.headers["authorization"].removeprefix("Basic ")).decode()
    assert basic == "moorage-test:a%3Ab%25c%20d%2B%C3%A9%2F"


async def test_nothing_secret_of_a_sign_in_is_logged(
    browser: httpx2.AsyncClient, issuer: ScriptedIssuer, sign_in: SignIn
) -> None:
    with structlog.testing.capture_logs() as logs:
        await sign_in(browser)
        issuer.claims = {"nonce": "another"}
        await sign_in(browser)

    redeemed = [seen for seen in issuer.seen if seen.path == scripted.TOKEN]
    secrets = {visits.SECRET, scripted.ACCESS_TOKEN, *issuer.issued}
    secrets |= {seen.form[name] for seen in redeemed for name in ("code", "code_verifier")}
    secrets |= {seen.headers["authorization"] for seen in redeemed}
    assert len(secrets) == 9
    assert not [secret for secret in secrets if secret in str(logs)]
