"""Whose account a sign-in opens: the first time, the next time, and when two claim the same."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, LiteralString

import httpx2
import psycopg
import pytest
from fastapi import FastAPI

from core.tests.callers import ActorMaker, Caller
from core.tests.oidc import visits
from core.tests.oidc.scripted import ScriptedIssuer
from moorage_core.kit.clock import ManualClock

SignIn = Callable[..., Awaitable[httpx2.Response]]
Sql = psycopg.AsyncConnection[Any]


async def rows(sql: Sql, statement: LiteralString, *values: Any) -> list[tuple[Any, ...]]:
    return await (await sql.execute(statement, values)).fetchall()


async def test_a_first_sign_in_makes_the_account_and_says_so(
    browser: httpx2.AsyncClient,
    issuer: ScriptedIssuer,
    sign_in: SignIn,
    provider: dict[str, Any],
    sql: Sql,
) -> None:
    issuer.claims = {"name": "葛麗絲 Hopper"}

    answer = await sign_in(browser)

    assert answer.status_code == 303
    me = await visits.who_am_i(browser)
    assert me["name"] == "葛麗絲 Hopper"
    audited = await rows(
        sql,
        "SELECT action, target, credential FROM audit_entries WHERE actor_id = %s ORDER BY pos",
        me["id"],
    )
    assert audited == [
        ("iam.user.create", me["id"], provider["id"]),
        ("iam.oidc_identity.linked", me["id"], provider["id"]),
        ("iam.session.started", me["session_id"], provider["id"]),
    ]
    published = await rows(
        sql, "SELECT type, subject_version FROM events WHERE subject = %s ORDER BY pos", me["id"]
    )
    assert published == [("iam.user.created", 1), ("iam.oidc_identity.linked", 2)]


async def test_a_next_sign_in_opens_the_same_account_and_only_a_session(
    browser: httpx2.AsyncClient, sign_in: SignIn, sql: Sql
) -> None:
    await sign_in(browser)
    first = await visits.who_am_i(browser)
    before = await rows(sql, "SELECT count(*) FROM audit_entries")

    await sign_in(browser)

    assert (await visits.who_am_i(browser))["id"] == first["id"]
    assert await rows(sql, "SELECT count(*) FROM audit_entries") == [(before[0][0] + 1,)]


async def test_a_changed_address_opens_the_same_account(
    browser: httpx2.AsyncClient, issuer: ScriptedIssuer, sign_in: SignIn
) -> None:
    await sign_in(browser)
    first = await visits.who_am_i(browser)
    issuer.claims = {"email": "hopper@example.org", "email_verified": False}

    answer = await sign_in(browser)

    assert answer.status_code == 303
    assert (await visits.who_am_i(browser))["id"] == first["id"]


async def test_a_verified_address_opens_the_account_that_was_invited(
    browser: httpx2.AsyncClient, actor: ActorMaker, acme: Any, sign_in: SignIn
) -> None:
    invited = await actor("tenant_admin", org=acme, email="Grace@Example.org")

    await sign_in(browser)

    me = await visits.who_am_i(browser)
    assert me["id"] == invited.id
    assert [grant["org_slug"] for grant in me["grants"]] == ["acme"]


async def test_an_address_that_passed_to_somebody_else_does_not_open_the_old_account(
    browser: httpx2.AsyncClient,
    admin: Caller,
    provider: dict[str, Any],
    issuer: ScriptedIssuer,
    sign_in: SignIn,
) -> None:
    await sign_in(browser)
    before = await visits.who_am_i(browser)
    issuer.claims = {"sub": "another-grace"}

    refused = await sign_in(browser)
    path = f"/v1/oidc-providers/{provider['id']}/identities/{before['id']}"
    unlinked = await admin.delete(path)
    again = await sign_in(browser)

    assert (refused.status_code, refused.json()["code"]) == (409, "linked_to_another")
    assert (unlinked.status_code, again.status_code) == (204, 303)
    assert (await visits.who_am_i(browser))["id"] == before["id"]


async def test_unlinking_is_audited_published_and_done_once(
    browser: httpx2.AsyncClient,
    admin: Caller,
    provider: dict[str, Any],
    sign_in: SignIn,
    sql: Sql,
) -> None:
    await sign_in(browser)
    me = (await visits.who_am_i(browser))["id"]
    path = f"/v1/oidc-providers/{provider['id']}/identities/{me}"

    answers = [await admin.delete(path), await admin.delete(path)]

    assert [answer.status_code for answer in answers] == [204, 404]
    audited = await rows(
        sql,
        "SELECT action, details FROM audit_entries WHERE actor_id = %s AND target = %s",
        admin.id,
        me,
    )
    assert audited == [("iam.oidc_provider.update", {"provider": "corp"})]
    published = await rows(
        sql, "SELECT subject_version FROM events WHERE type = 'iam.oidc_identity.unlinked'"
    )
    assert published == [(3,)]


@pytest.mark.parametrize("linked_before", [True, False], ids=["linked", "found by address"])
async def test_a_disabled_account_is_not_opened_and_the_refusal_counted(
    browser: httpx2.AsyncClient,
    actor: ActorMaker,
    sign_in: SignIn,
    sql: Sql,
    linked_before: bool,
) -> None:
    grace = await actor(email="grace@example.org")
    if linked_before:
        await sign_in(browser)
    await sql.execute("UPDATE users SET disabled_at = now() WHERE id = %s", (grace.id,))
    sessions = await rows(sql, "SELECT count(*) FROM sessions")

    answer = await sign_in(browser)

    assert (answer.status_code, answer.json()["code"]) == (403, "account_disabled")
    assert await rows(sql, "SELECT count(*) FROM sessions") == sessions
    denied = await rows(sql, "SELECT principal_id, route, count FROM audit_denials")
    assert denied == [(grace.id, "GET /v1/auth/oidc/{provider}/callback", 1)]
    linked = await rows(sql, "SELECT count(*) FROM oidc_identities")
    assert linked == [(int(linked_before),)]


async def test_first_sign_ins_in_several_tabs_make_one_account(
    api: FastAPI, sign_in: SignIn, sql: Sql
) -> None:
    transport = httpx2.ASGITransport(app=api, raise_app_exceptions=False)

    async def visit() -> httpx2.Response:
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:7700") as tab:
            return await sign_in(tab)

    answers = await asyncio.gather(*(visit() for _ in range(4)))

    assert [answer.status_code for answer in answers] == [303] * 4
    assert await rows(sql, "SELECT count(*) FROM users WHERE email = 'grace@example.org'") == [(1,)]
    assert await rows(sql, "SELECT count(*) FROM sessions") == [(4,)]
    created = "SELECT count(*) FROM events WHERE type = 'iam.user.created'"
    assert await rows(sql, created) == [(1,)]


async def test_the_browser_is_sent_to_the_page_it_came_for(
    browser: httpx2.AsyncClient, sign_in: SignIn
) -> None:
    answer = await sign_in(browser, return_to="/projects/größe?tab=jobs#top")

    assert answer.headers["location"] == "/projects/gr%C3%B6%C3%9Fe?tab=jobs#top"


async def test_the_pending_cookie_is_kept_from_scripts_and_other_sites(
    browser: httpx2.AsyncClient, provider: dict[str, Any]
) -> None:
    answer = await browser.get("/v1/auth/oidc/corp/start")

    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith("moorage_oidc=1.")
    attributes = {part.strip() for part in cookie.split(";")[1:]}
    assert attributes == {"httponly", "samesite=lax", "max-age=600", "path=/v1/auth/oidc"}
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "no-referrer"


async def test_the_question_carries_pkce_state_and_nonce(
    browser: httpx2.AsyncClient, issuer: ScriptedIssuer, provider: dict[str, Any]
) -> None:
    departure = await visits.depart(browser)

    assert departure.url.startswith(f"{issuer.url}/authorize?")
    query = departure.query
    assert (query["response_type"], query["code_challenge_method"]) == ("code", "S256")
    assert query["redirect_uri"] == provider["callback_url"]
    assert query["scope"] == "openid email profile"
    assert min(len(query[name]) for name in ("state", "nonce", "code_challenge")) >= 43


async def test_a_wrong_state_is_refused_before_anybody_is_asked(
    browser: httpx2.AsyncClient, issuer: ScriptedIssuer, provider: dict[str, Any]
) -> None:
    await visits.depart(browser)

    answers = [
        await visits.come_back(browser, code="c", state="another"),
        await visits.come_back(browser, code="c"),
        await visits.come_back(browser, error="access_denied"),
    ]

    assert [answer.json()["code"] for answer in answers] == ["login_not_pending"] * 3
    assert issuer.count("/token") == 0


async def test_a_callback_without_its_cookie_is_refused(
    browser: httpx2.AsyncClient, issuer: ScriptedIssuer, provider: dict[str, Any]
) -> None:
    departure = await visits.depart(browser)
    browser.cookies.clear()

    answer = await visits.come_back(browser, code="c", state=departure.query["state"])

    assert (answer.status_code, answer.json()["code"]) == (401, "login_not_pending")
    assert issuer.count("/token") == 0


async def test_a_tampered_cookie_is_refused(
    browser: httpx2.AsyncClient, issuer: ScriptedIssuer, provider: dict[str, Any]
) -> None:
    departure = await visits.depart(browser)
    sealed = browser.cookies["moorage_oidc"]
    browser.cookies.clear()
    flipped = "A" if sealed[20] != "A" else "B"
    cookie = {"cookie": f"moorage_oidc={sealed[:20]}{flipped}{sealed[21:]}"}

    answer = await browser.get(
        "/v1/auth/oidc/corp/callback",
        params={"code": "c", "state": departure.query["state"]},
        headers=cookie,
    )

    assert answer.json()["code"] == "login_not_pending"


async def test_a_sign_in_of_one_provider_does_not_finish_at_another(
    browser: httpx2.AsyncClient, admin: Caller, issuer: ScriptedIssuer, provider: dict[str, Any]
) -> None:
    await visits.add_provider(admin, issuer.url, client_id="other", slug="other")
    departure = await visits.depart(browser)

    answer = await visits.come_back(browser, slug="other", code="c", state=departure.query["state"])

    assert answer.json()["code"] == "login_not_pending"


async def test_a_sign_in_that_took_too_long_is_over(
    browser: httpx2.AsyncClient, clock: ManualClock, provider: dict[str, Any]
) -> None:
    departure = await visits.depart(browser)
    clock.move(timedelta(minutes=10))

    answer = await visits.come_back(browser, code="c", state=departure.query["state"])

    assert answer.json()["code"] == "login_not_pending"


async def test_a_no_of_the_provider_is_told(
    browser: httpx2.AsyncClient, provider: dict[str, Any]
) -> None:
    departure = await visits.depart(browser)

    answer = await visits.come_back(
        browser,
        state=departure.query["state"],
        error="access_denied",
        error_description="<script>alert(1)</script>",
    )

    assert (answer.status_code, answer.json()["code"]) == (401, "provider_refused")
    assert "Corp Login answered access_denied" in answer.json()["detail"]
    assert "script" not in answer.text


async def test_an_answer_of_another_issuer_is_refused(
    browser: httpx2.AsyncClient, issuer: ScriptedIssuer, provider: dict[str, Any]
) -> None:
    departure = await visits.depart(browser)

    answer = await visits.come_back(
        browser, code="c", state=departure.query["state"], iss="https://evil.example"
    )

    assert answer.json()["code"] == "id_token_refused"
    assert issuer.count("/token") == 0


async def test_a_finished_sign_in_is_not_finished_again(
    browser: httpx2.AsyncClient, sign_in: SignIn, issuer: ScriptedIssuer
) -> None:
    answer = await sign_in(browser)
    browser.cookies.delete("moorage_session")

    again = await visits.come_back(browser, code="a-code", state="anything")

    assert answer.status_code == 303
    assert again.json()["code"] == "login_not_pending"
