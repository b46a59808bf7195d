"""Signing in by a code: a program asks, a person decides, the program gets a token."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx2
import pytest

from core.tests.callers import Bearer
from core.tests.people.signing_in import Browser, make_person, open_browser
from core.tests.site import Site, TimedSite
from moorage_core.kit.ratelimit import Buckets

ASKED = {"client": "moor on build-7", "token_expires_in": 3600}


@pytest.fixture
async def browser(site: Site) -> Browser:
    _, email = await make_person(site)
    return await open_browser(site, email)


async def ask(site: Site, **more: Any) -> dict[str, Any]:
    answer = await site.client.post("/v1/auth/device-codes", json=ASKED | more)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def redeem(site: Site, asked: dict[str, Any], wait: float = 0) -> httpx2.Response:
    body = {"device_code": asked["device_code"], "wait": wait}
    return await site.client.post("/v1/auth/device-token", json=body)


async def decide(browser: Browser, asked: dict[str, Any], verb: str = "approve") -> httpx2.Response:
    return await browser.change("POST", f"/v1/auth/device-codes/{asked['user_code']}/{verb}")


async def me(browser: Browser) -> str:
    return (await browser.get("/v1/me")).json()["id"]


async def test_a_program_is_told_where_its_person_goes(site: Site) -> None:
    asked = await ask(site)

    page = f"{site.platform.settings.url}/login/code"
    assert asked["verification_uri"] == page
    assert asked["verification_uri_complete"] == f"{page}?code={asked['user_code']}"
    assert asked["expires_in"] == 600


async def test_who_decides_sees_what_asks(site: Site, browser: Browser) -> None:
    asked = await ask(site)

    answer = await browser.get(f"/v1/auth/device-codes/{asked['user_code'].lower()}")

    shown = answer.json()
    assert (shown["client"], shown["status"]) == ("moor on build-7", "pending")
    assert (shown["address"], shown["token_expires_in"]) == ("127.0.0.1", 3600)
    assert "device_code" not in shown


async def test_an_approved_program_acts_as_the_person(site: Site, browser: Browser) -> None:
    asked = await ask(site)
    assert (await redeem(site, asked)).json()["status"] == "pending"

    assert (await decide(browser, asked)).json()["status"] == "approved"
    got = (await redeem(site, asked)).json()

    program = Bearer(site.client, got["token"])
    assert (await program.get("/v1/me")).json()["id"] == await me(browser) == got["user_id"]
    listed = (await browser.get("/v1/access-tokens")).json()["items"]
    assert (listed[-1]["id"], listed[-1]["name"]) == (got["token_id"], "moor on build-7")


async def test_a_program_that_waits_hears_of_the_decision(site: Site, browser: Browser) -> None:
    asked = await ask(site)
    waiting = asyncio.create_task(redeem(site, asked, wait=30))
    async with asyncio.timeout(20):
        while site.platform.hub.waiting == 0:
            await asyncio.sleep(0)

    await decide(browser, asked)

    async with asyncio.timeout(20):
        assert (await waiting).json()["status"] == "approved"


async def test_the_token_is_given_once(site: Site, browser: Browser) -> None:
    asked = await ask(site)
    await decide(browser, asked)

    first, second = await asyncio.gather(redeem(site, asked), redeem(site, asked))

    assert sorted([first.status_code, second.status_code]) == [200, 401]
    again = await redeem(site, asked)
    assert (again.status_code, again.json()["code"]) == (401, "device_code_not_valid")


async def test_a_refused_program_is_told_so(site: Site, browser: Browser) -> None:
    asked = await ask(site)

    assert (await decide(browser, asked, "deny")).json()["status"] == "denied"
    answer = await redeem(site, asked)

    assert (answer.status_code, answer.json()["code"]) == (403, "sign_in_denied")
    listed = (await browser.get("/v1/access-tokens")).json()["items"]
    assert "moor on build-7" not in [each["name"] for each in listed]


async def test_what_one_person_decided_another_does_not_change(
    site: Site, browser: Browser
) -> None:
    _, email = await make_person(site)
    other = await open_browser(site, email)
    asked = await ask(site)
    await decide(browser, asked)

    again = await decide(browser, asked)
    theirs = [await decide(other, asked, verb) for verb in ("approve", "deny")]

    assert again.status_code == 200
    assert [answer.json()["code"] for answer in theirs] == ["already_decided"] * 2
    assert (await redeem(site, asked)).json()["user_id"] == await me(browser)


async def test_a_code_ends_after_ten_minutes(timed: TimedSite) -> None:
    _, email = await make_person(timed)
    browser = await open_browser(timed, email)
    asked, approved = await ask(timed), await ask(timed)
    await decide(browser, approved)

    timed.clock.move(timedelta(minutes=10))

    assert (await decide(browser, asked)).json()["code"] == "unknown_code"
    for each in (asked, approved):
        assert (await redeem(timed, each)).json()["code"] == "device_code_not_valid"


async def test_a_token_approves_nothing(site: Site) -> None:
    caller, _ = await make_person(site)
    asked = await ask(site)

    answer = await caller.post(f"/v1/auth/device-codes/{asked['user_code']}/approve")

    assert (answer.status_code, answer.json()["code"]) == (403, "needs_session")


async def test_another_site_approves_nothing(site: Site, browser: Browser) -> None:
    """The browser sends its cookie by itself; only our own pages know the CSRF token."""
    asked = await ask(site)

    answer = await browser.client.post(f"/v1/auth/device-codes/{asked['user_code']}/approve")

    assert answer.json()["code"] == "csrf_token_required"
    assert (await redeem(site, asked)).json()["status"] == "pending"


async def test_who_was_disabled_since_lets_nobody_in(site: Site, browser: Browser) -> None:
    asked = await ask(site)
    await decide(browser, asked)
    await site.rows("UPDATE users SET disabled_at = now() WHERE id = %s", await me(browser))

    answer = await redeem(site, asked)

    assert (answer.status_code, answer.json()["code"]) == (401, "device_code_not_valid")


async def test_wrong_codes_are_few(site: Site, browser: Browser) -> None:
    asked = await ask(site)
    strict = replace(site.platform, by_guess=Buckets(0.001, 3, monotonic=lambda: 0.0))
    site.api.state.platform = strict
    try:
        path = "/v1/auth/device-codes/"
        wrong = [await browser.get(f"{path}ZZZZ-ZZZZ") for _ in range(4)]
        right = await browser.get(path + asked["user_code"])
    finally:
        site.api.state.platform = site.platform

    assert [answer.status_code for answer in wrong] == [404, 404, 404, 429]
    assert right.status_code == 429


async def test_a_token_lives_no_longer_than_this_platform_allows(site: Site) -> None:
    body = ASKED | {"token_expires_in": 10 * 365 * 86400}

    answer = await site.client.post("/v1/auth/device-codes", json=body)

    assert (answer.status_code, answer.json()["code"]) == (422, "token_lifetime")


async def test_neither_code_is_stored(site: Site, browser: Browser) -> None:
    asked = await ask(site)
    await decide(browser, asked)

    rows = await site.rows("SELECT d::text FROM device_codes d")
    said = await site.rows(
        "SELECT details::text FROM audit_entries UNION SELECT data::text FROM events"
    )

    kept = str(rows) + str(said)
    assert asked["user_code"] not in kept
    assert asked["device_code"] not in kept


async def test_both_sides_are_audited_as_the_persons(site: Site, browser: Browser) -> None:
    asked = await ask(site)
    await decide(browser, asked)
    got = (await redeem(site, asked)).json()

    rows = await site.rows(
        "SELECT action, target FROM audit_entries WHERE actor_id = %s ORDER BY pos DESC LIMIT 2",
        await me(browser),
    )

    actions = [action for action, _ in rows]
    assert actions == ["iam.access_token.created", "iam.device_code.approved"]
    assert rows[0][1] == got["token_id"]
