"""Browser sessions: how long they last, and that a cookie alone changes nothing."""

import asyncio
from datetime import timedelta

import pytest

from core.tests.factories.tenants import PASSWORD
from core.tests.people.signing_in import log_in, make_person, open_browser
from core.tests.site import Site, TimedSite, fresh
from moorage_core.http.authentication import SESSION_COOKIE


async def test_a_session_ends_when_nobody_uses_it(timed: TimedSite) -> None:
    _, email = await make_person(timed)
    browser = await open_browser(timed, email)
    timed.clock.move(timedelta(hours=2, minutes=2))

    answer = await browser.get("/v1/me")

    assert answer.status_code == 401


async def test_a_session_that_is_used_stays_open_until_its_end(timed: TimedSite) -> None:
    _, email = await make_person(timed)
    browser = await open_browser(timed, email)
    answers: list[int] = []
    for _ in range(8):
        timed.clock.move(timedelta(hours=1, minutes=30))
        answers.append((await browser.get("/v1/me")).status_code)

    assert answers == [200] * 7 + [401], "twelve hours at most"


async def test_a_cookie_alone_changes_nothing(site: Site) -> None:
    """Another site's page makes the browser send it."""
    _, email = await make_person(site)
    browser = await open_browser(site, email)
    path, body = "/v1/access-tokens", {"name": "evil", "expires_in": 3600}

    answers = [
        await browser.client.post(path, json=body, headers={"idempotency-key": fresh(), **extra})
        for extra in (
            {},
            {"x-csrf-token": ""},
            {"x-csrf-token": "guess"},
            {"authorization": "Basic Zm9vOmJhcg=="},
            {"authorization": "Bearer "},
        )
    ]

    assert [answer.status_code for answer in answers] == [403] * 5
    assert {answer.json()["code"] for answer in answers} == {"csrf_token_required"}
    rows = await site.rows("SELECT count(*) FROM access_tokens WHERE name = 'evil'")
    assert rows == [(0,)]


async def test_a_refusal_for_want_of_the_csrf_token_is_counted(site: Site) -> None:
    person, email = await make_person(site)
    browser = await open_browser(site, email)

    await browser.client.post("/v1/access-tokens", json={}, headers={"idempotency-key": fresh()})

    rows = await site.rows("SELECT route FROM audit_denials WHERE principal_id = %s", person.id)
    assert rows == [("POST /v1/access-tokens",)]


async def test_our_own_page_reads_the_csrf_token_and_makes_changes(site: Site) -> None:
    _, email = await make_person(site)
    browser = await open_browser(site, email)
    me = await browser.get("/v1/me")

    answer = await browser.change(
        "POST", "/v1/access-tokens", json={"name": "mine", "expires_in": 3600}
    )

    assert me.json()["csrf_token"] == browser.csrf
    assert me.json()["session_id"] == browser.session
    assert answer.status_code == 201


async def test_the_csrf_token_of_another_session_does_not_fit(site: Site) -> None:
    _, email = await make_person(site)
    mine, other = await open_browser(site, email), await open_browser(site, email)

    answer = await mine.client.post(
        "/v1/access-tokens",
        json={"name": "x", "expires_in": 3600},
        headers={"idempotency-key": fresh(), "x-csrf-token": other.csrf},
    )

    assert answer.json()["code"] == "csrf_token_required"


async def test_who_shows_the_session_as_a_bearer_token_is_no_browser(site: Site) -> None:
    """The command line does; no page of another site can."""
    _, email = await make_person(site)
    token = (await log_in(site, email)).cookies[SESSION_COOKIE]

    answer = await site.client.post(
        "/v1/access-tokens",
        json={"name": "x", "expires_in": 3600},
        headers={"idempotency-key": fresh(), "authorization": f"Bearer {token}"},
    )

    assert answer.status_code == 201


async def test_signing_out_ends_the_session_and_the_cookie(site: Site) -> None:
    _, email = await make_person(site)
    browser = await open_browser(site, email)

    answer = await browser.change("DELETE", f"/v1/sessions/{browser.session}")

    assert answer.status_code == 204
    assert f'{SESSION_COOKIE}=""' in answer.headers["set-cookie"]
    assert "Max-Age=0" in answer.headers["set-cookie"]
    cookie = f"{SESSION_COOKIE}={browser.token}"
    assert (await site.client.get("/v1/me", headers={"cookie": cookie})).status_code == 401


async def test_a_new_password_ends_the_other_sessions(site: Site) -> None:
    _, email = await make_person(site)
    mine, other = await open_browser(site, email), await open_browser(site, email)

    answer = await mine.change(
        "POST",
        "/v1/me/password",
        json={"current": PASSWORD, "password": "a password of fifteen words"},
    )

    assert answer.status_code == 204
    assert (await mine.get("/v1/me")).status_code == 200
    assert (await other.get("/v1/me")).status_code == 401


async def test_a_disabled_person_is_out_at_once(site: Site) -> None:
    root = await site.actor("platform_admin")
    person, email = await make_person(site)
    browser = await open_browser(site, email)
    read = await root.get(f"/v1/users/{person.id}")

    await root.patch(f"/v1/users/{person.id}", {"disabled": True}, version=read.json()["version"])

    assert (await browser.get("/v1/me")).status_code == 401
    assert (await person.get("/v1/me")).status_code == 401
    assert (await log_in(site, email)).status_code == 401


async def test_nobody_disables_the_account_they_use(site: Site) -> None:
    root = await site.actor("platform_admin")

    answer = await root.patch(f"/v1/users/{root.id}", {"disabled": True}, version=1)

    assert (answer.status_code, answer.json()["code"]) == (409, "own_account")


async def test_the_list_of_sessions_is_the_callers_own(site: Site) -> None:
    _, email = await make_person(site)
    _, another = await make_person(site)
    browser, other = await open_browser(site, email), await open_browser(site, another)

    answer = await browser.get("/v1/sessions")
    foreign = await browser.change("DELETE", f"/v1/sessions/{other.session}")

    assert [item["id"] for item in answer.json()["items"]] == [browser.session]
    assert foreign.status_code == 404
    assert (await other.get("/v1/me")).status_code == 200


async def test_a_session_is_kept_as_a_hash(site: Site) -> None:
    _, email = await make_person(site)
    token = (await log_in(site, email)).cookies[SESSION_COOKIE]

    rows = await site.rows("SELECT s::text FROM sessions s")

    assert all(token not in row and token.encode().hex() not in row for (row,) in rows)


@pytest.mark.parametrize("cookie", ["", "moor_ses_", "moor_pat_x", "nonsense", "moor_ses_\x7f"])
async def test_a_cookie_that_is_none_proves_nothing(site: Site, cookie: str) -> None:
    answer = await site.client.get("/v1/me", headers={"cookie": f"{SESSION_COOKIE}={cookie}"})

    assert answer.status_code == 401


async def test_many_requests_of_one_session_at_once_are_all_served(site: Site) -> None:
    _, email = await make_person(site)
    browser = await open_browser(site, email)

    answers = await asyncio.gather(*(browser.get("/v1/me") for _ in range(20)))

    assert {answer.status_code for answer in answers} == {200}
