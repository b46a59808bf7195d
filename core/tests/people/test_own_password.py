"""Changing one's own password: what it costs, and what comes in between."""

import asyncio
import time

import argon2

from core.tests.factories.tenants import PASSWORD, Bearer
from core.tests.people.signing_in import make_person
from core.tests.site import Site
from moorage_core.kit.ids import UserId

NEW = "a password of fifteen words"
OLDEST = """
SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::float
FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND state = 'idle in transaction'
"""


async def give_slow_password(site: Site, user: UserId | str) -> None:
    """One that takes a while to check."""
    slow = argon2.PasswordHasher(time_cost=16).hash(PASSWORD)
    await site.sql.execute("UPDATE users SET password_hash = %s WHERE id = %s", (slow, user))


async def test_no_transaction_is_open_while_a_password_is_hashed(site: Site) -> None:
    person, _ = await make_person(site)
    await give_slow_password(site, person.id)
    began = time.monotonic()

    request = asyncio.create_task(
        person.post("/v1/me/password", {"current": PASSWORD, "password": NEW})
    )
    oldest = 0.0
    while not request.done():
        oldest = max(oldest, (await site.rows(OLDEST))[0][0])

    assert (await request).status_code == 204
    assert oldest < (time.monotonic() - began) / 2


async def test_a_password_that_changed_in_between_is_no_longer_the_current_one(
    site: Site,
) -> None:
    person, _ = await make_person(site)
    await give_slow_password(site, person.id)
    changes = [{"current": PASSWORD, "password": f"{NEW} {n}"} for n in range(2)]

    answers = await asyncio.gather(*(person.post("/v1/me/password", c) for c in changes))

    assert sorted(answer.status_code for answer in answers) == [204, 401]
    rows = await site.rows("SELECT wrong_passwords FROM users WHERE id = %s", person.id)
    assert rows == [(0,)]


async def test_a_change_that_is_refused_anyway_hashes_nothing(site: Site) -> None:
    person, _ = await make_person(site)

    too_short = await person.post("/v1/me/password", {"current": PASSWORD, "password": "short"})
    no_json = await person.call("POST", "/v1/me/password", content=b"\xff")

    assert (too_short.status_code, no_json.status_code) == (422, 422)


async def test_a_new_password_ends_the_other_tokens_of_the_person(site: Site) -> None:
    person, _ = await make_person(site)
    issued = await person.post("/v1/access-tokens", {"name": "other", "expires_in": 3600})
    other = Bearer(site.client, issued.json()["token"])
    assert (await other.get("/v1/me")).status_code == 200

    await person.post("/v1/me/password", {"current": PASSWORD, "password": NEW})

    assert (await other.get("/v1/me")).status_code == 401
    assert (await person.get("/v1/me")).status_code == 200


async def test_a_password_set_by_code_ends_every_token_of_the_person(site: Site) -> None:
    root = await site.actor("platform_admin")
    person, _ = await make_person(site)
    assert (await person.get("/v1/me")).status_code == 200
    issued = await root.post(f"/v1/users/{person.id}/password-codes", {})

    given = {"code": issued.json()["code"], "password": NEW}
    answer = await site.client.post("/v1/auth/password", json=given)

    assert answer.status_code == 204
    assert (await person.get("/v1/me")).status_code == 401
