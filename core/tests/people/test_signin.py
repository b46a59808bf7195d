"""Signing in with a password: who gets in, who is locked out, and what is left behind."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx2
import psycopg
import pytest
from argon2 import PasswordHasher
from starlette.responses import Response

from core.tests.factories.tenants import PASSWORD
from core.tests.people.signing_in import log_in, make_person, open_browser
from core.tests.site import Site, TimedSite, fresh
from moorage_core.http import session_cookie
from moorage_core.http.authentication import SESSION_COOKIE
from moorage_core.people import passwords
from moorage_core.settings import ServerSettings, Settings

NEW = "a password of fifteen words"


def shown(answer: httpx2.Response) -> dict[str, Any]:
    """What an answer shows, without its correlation id."""
    return answer.json() | {"correlation_id": None, "status": answer.status_code}


async def until_it_waits(site: Site) -> None:
    query = """
        SELECT count(*) FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND datname = current_database()
    """
    async with asyncio.timeout(30):
        while (await site.rows(query))[0][0] == 0:
            await asyncio.sleep(0.01)


async def wrong(site: Site, email: str, *, times: int) -> None:
    for _ in range(times):
        assert (await log_in(site, email, "not this one")).status_code == 401


async def test_the_right_password_opens_a_session(site: Site) -> None:
    _, email = await make_person(site)

    answer = await log_in(site, email)

    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{SESSION_COOKIE}=moor_ses_")
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/" in cookie
    assert "Max-Age=43200" in cookie
    assert answer.cookies[SESSION_COOKIE] not in answer.text
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(("tls", "secure"), [("own", True), ("off", False)])
def test_the_cookie_is_for_tls_alone_where_there_is_tls(tls: Any, secure: bool) -> None:
    response = Response()

    session_cookie.put(response, "moor_ses_x", Settings(server=ServerSettings(tls=tls)))

    assert ("Secure" in response.headers["set-cookie"]) == secure


async def test_an_address_is_the_same_in_capitals(site: Site) -> None:
    _, email = await make_person(site)

    assert (await log_in(site, email.upper())).status_code == 200


async def test_every_way_to_be_wrong_looks_the_same(site: Site) -> None:
    _, known = await make_person(site)
    disabled, of_disabled = await make_person(site)
    await site.sql.execute("UPDATE users SET disabled_at = now() WHERE id = %s", (disabled.id,))
    invited = await site.actor()
    assert invited.person is not None
    locked, of_locked = await make_person(site)
    await site.sql.execute(
        "UPDATE users SET locked_until = now() + interval '1 hour' WHERE id = %s", (locked.id,)
    )

    answers = [
        await log_in(site, known, "not this one"),
        await log_in(site, f"stranger-{fresh()}@example.org"),
        await log_in(site, of_disabled),
        await log_in(site, invited.person.email),
        await log_in(site, of_locked),
    ]

    assert {answer.status_code for answer in answers} == {401}
    assert all(shown(answer) == shown(answers[0]) for answer in answers)
    assert all("set-cookie" not in answer.headers for answer in answers)


async def test_wrong_passwords_lock_the_account_for_a_while(timed: TimedSite) -> None:
    _, email = await make_person(timed)
    await wrong(timed, email, times=5)

    while_locked = await log_in(timed, email)
    timed.clock.move(timedelta(minutes=5, seconds=1))
    afterwards = await log_in(timed, email)

    assert (while_locked.status_code, afterwards.status_code) == (401, 200)


async def test_a_wrong_password_after_a_lock_locks_twice_as_long(timed: TimedSite) -> None:
    _, email = await make_person(timed)
    await wrong(timed, email, times=5)
    timed.clock.move(timedelta(minutes=5, seconds=1))
    await wrong(timed, email, times=1)
    timed.clock.move(timedelta(minutes=9, seconds=59))

    too_early = await log_in(timed, email)
    timed.clock.move(timedelta(seconds=2))
    in_time = await log_in(timed, email)

    assert (too_early.status_code, in_time.status_code) == (401, 200)


async def test_guesses_at_a_locked_account_do_not_lengthen_the_lock(timed: TimedSite) -> None:
    person, email = await make_person(timed)
    guess = {"current": "not this one", "password": NEW}
    await wrong(timed, email, times=5)
    timed.clock.move(timedelta(minutes=4))
    await wrong(timed, email, times=20)
    assert (await person.post("/v1/me/password", guess)).status_code == 401
    timed.clock.move(timedelta(minutes=1, seconds=1))

    answer = await log_in(timed, email)

    assert answer.status_code == 200


async def test_a_right_guess_comes_too_late_once_the_account_is_locked(site: Site) -> None:
    """The account is locked while the password is being checked."""
    person, email = await make_person(site)
    lock = "UPDATE users SET locked_until = now() + interval '1 hour' WHERE id = %s"
    async with await psycopg.AsyncConnection.connect(site.urls.super) as other:
        await other.execute("SELECT FROM users WHERE id = %s FOR UPDATE", (person.id,))
        request = asyncio.create_task(log_in(site, email))
        await until_it_waits(site)
        await other.execute(lock, (person.id,))
        await other.commit()

    answer = await request

    assert (answer.status_code, answer.json()["code"]) == (401, "wrong_password")
    rows = await site.rows("SELECT count(*) FROM sessions WHERE user_id = %s", person.id)
    assert rows == [(0,)]


async def test_of_many_guesses_at_once_few_are_tried(site: Site) -> None:
    _, email = await make_person(site)

    await asyncio.gather(*(log_in(site, email, f"guess {n}") for n in range(8)))

    assert (await log_in(site, email)).status_code == 401


async def test_the_right_password_forgets_the_wrong_ones(timed: TimedSite) -> None:
    _, email = await make_person(timed)
    await wrong(timed, email, times=4)
    assert (await log_in(timed, email)).status_code == 200
    await wrong(timed, email, times=4)

    assert (await log_in(timed, email)).status_code == 200


async def test_guessing_the_current_password_locks_the_account_too(timed: TimedSite) -> None:
    person, email = await make_person(timed)
    guess = {"current": "not this one", "password": NEW}
    for _ in range(5):
        assert (await person.post("/v1/me/password", guess)).status_code == 401

    right = await person.post("/v1/me/password", {"current": PASSWORD, "password": NEW})
    sign_in = await log_in(timed, email)

    assert (right.status_code, sign_in.status_code) == (401, 401)


async def test_signing_in_is_noted(site: Site) -> None:
    person, email = await make_person(site)

    answer = await log_in(site, email)

    rows = await site.rows(
        "SELECT actor_kind, action, target FROM audit_entries WHERE actor_id = %s", person.id
    )
    assert rows == [("user", "iam.session.started", answer.json()["session_id"])]
    events = await site.rows(
        "SELECT type FROM events WHERE subject = %s", answer.json()["session_id"]
    )
    assert events == [("iam.session.started",)]


async def test_a_wrong_password_is_counted_as_a_refusal(site: Site) -> None:
    person, email = await make_person(site)

    await wrong(site, email, times=2)

    rows = await site.rows(
        "SELECT route, sum(count)::int FROM audit_denials WHERE principal_id = %s GROUP BY 1",
        person.id,
    )
    assert rows == [("POST /v1/auth/login", 2)]


async def test_a_password_is_kept_as_a_slow_hash(site: Site) -> None:
    person, _ = await make_person(site)
    changed = await person.post("/v1/me/password", {"current": PASSWORD, "password": NEW})

    rows = await site.rows("SELECT password_hash FROM users WHERE id = %s", person.id)

    assert changed.status_code == 204
    assert rows[0][0].startswith("$argon2id$")


async def test_a_one_time_code_sets_a_password_once(site: Site) -> None:
    root = await site.actor("platform_admin")
    invited = await site.actor()
    assert invited.person is not None
    issued = await root.post(f"/v1/users/{invited.id}/password-codes", {})
    given = {"code": issued.json()["code"], "password": NEW}

    first = await site.client.post("/v1/auth/password", json=given)
    second = await site.client.post("/v1/auth/password", json=given)

    assert (first.status_code, second.status_code) == (204, 401)
    assert second.json()["code"] == "code_not_valid"
    assert (await log_in(site, invited.person.email, NEW)).status_code == 200


async def test_a_new_code_replaces_the_one_before(site: Site) -> None:
    root = await site.actor("platform_admin")
    invited = await site.actor()
    first = await root.post(f"/v1/users/{invited.id}/password-codes", {})
    second = await root.post(f"/v1/users/{invited.id}/password-codes", {})

    answers = [
        await site.client.post(
            "/v1/auth/password", json={"code": issued.json()["code"], "password": NEW}
        )
        for issued in (first, second)
    ]

    assert [answer.status_code for answer in answers] == [401, 204]


async def test_a_code_expires(timed: TimedSite) -> None:
    root = await timed.actor("platform_admin", expires_in=timedelta(days=9))
    invited = await timed.actor()
    issued = await root.post(f"/v1/users/{invited.id}/password-codes", {})
    timed.clock.move(timedelta(hours=24, seconds=1))

    answer = await timed.client.post(
        "/v1/auth/password", json={"code": issued.json()["code"], "password": NEW}
    )

    assert answer.status_code == 401


async def test_a_code_unlocks_the_account_and_ends_its_sessions(site: Site) -> None:
    root = await site.actor("platform_admin")
    person, email = await make_person(site)
    browser = await open_browser(site, email)
    await wrong(site, email, times=5)
    issued = await root.post(f"/v1/users/{person.id}/password-codes", {})

    await site.client.post(
        "/v1/auth/password", json={"code": issued.json()["code"], "password": NEW}
    )

    assert (await browser.get("/v1/me")).status_code == 401
    assert (await log_in(site, email, NEW)).status_code == 200


def test_a_password_of_nobody_takes_as_long_to_check_as_one_of_somebody() -> None:
    assert not PasswordHasher().check_needs_rehash(passwords.NOBODY)
