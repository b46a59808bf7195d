"""A stolen personal token cannot be turned into a better one."""

import asyncio
from typing import Any

import psycopg

from core.tests.callers import ActorMaker, Caller, Urls
from core.tests.factories.tenancy import OrgRow, Person, ProjectRow


async def token_of(owner: Caller, **fields: object) -> Caller:
    """Somebody who holds a new token of this person."""
    answer = await owner.post("/v1/access-tokens", {"name": "t", "expires_in": 3600, **fields})
    assert answer.status_code == 201, answer.text
    assert owner.person is not None
    person = Person(owner.person.id, owner.person.email, answer.json()["token"])
    return Caller(owner.client, person)


async def test_a_token_for_one_project_cannot_make_tokens_at_all(
    actor: ActorMaker, acme: OrgRow, alpha: ProjectRow
) -> None:
    admin = await actor("tenant_admin", org=acme)
    thief = await token_of(admin, project=alpha.id)

    answer = await thief.post("/v1/access-tokens", {"name": "wider", "expires_in": 3600})

    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


async def test_a_token_for_some_permissions_cannot_ask_for_the_right_to_make_tokens(
    actor: ActorMaker, acme: OrgRow
) -> None:
    admin = await actor("tenant_admin", org=acme)

    answer = await admin.post(
        "/v1/access-tokens",
        {"name": "sly", "expires_in": 3600, "permissions": ["iam.self.manage"]},
    )

    assert (answer.status_code, answer.json()["code"]) == (403, "beyond_own_rights")


async def test_a_token_made_with_a_token_does_not_outlive_it(
    actor: ActorMaker, acme: OrgRow
) -> None:
    admin = await actor("tenant_admin", org=acme)
    short = await token_of(admin, expires_in=600)

    longer = await short.post("/v1/access-tokens", {"name": "longer", "expires_in": 86400})
    shorter = await short.post("/v1/access-tokens", {"name": "shorter", "expires_in": 300})

    assert (longer.status_code, longer.json()["code"]) == (422, "token_lifetime")
    assert shorter.status_code == 201


async def test_a_revoked_token_takes_those_made_with_it_along(actor: ActorMaker) -> None:
    owner = await actor()
    stolen = await token_of(owner)
    child = await token_of(stolen)
    grandchild = await token_of(child)
    mine = await token_of(owner)
    listed = (await owner.get("/v1/access-tokens")).json()["items"]
    first = next(item["id"] for item in listed if item["name"] == "t")

    answer = await owner.delete(f"/v1/access-tokens/{first}")

    assert answer.status_code == 204
    dead = [(await who.get("/v1/me")).status_code for who in (stolen, child, grandchild)]
    assert dead == [401, 401, 401]
    assert (await mine.get("/v1/me")).status_code == 200


async def test_every_revoked_token_is_told_of(
    actor: ActorMaker, sql: psycopg.AsyncConnection[Any]
) -> None:
    owner = await actor()
    stolen = await token_of(owner)
    await token_of(await token_of(stolen))
    listed = (await owner.get("/v1/access-tokens")).json()["items"]
    first = next(item["id"] for item in listed if item["name"] == "t")

    await owner.delete(f"/v1/access-tokens/{first}")

    cursor = await sql.execute(
        "SELECT subject, subject_version FROM events WHERE type = 'iam.access_token.revoked'"
    )
    told = await cursor.fetchall()
    assert {(item["id"], 2) for item in listed if item["name"] == "t"} == set(told)


async def test_a_token_that_is_being_revoked_makes_none(
    actor: ActorMaker, sql: psycopg.AsyncConnection[Any], urls: Urls
) -> None:
    owner = await actor()
    thief = await token_of(owner)
    assert (await thief.get("/v1/me")).status_code == 200
    async with await psycopg.AsyncConnection.connect(urls.super) as other:
        await other.execute("SELECT FROM users WHERE id = %s FOR UPDATE", (owner.id,))
        await other.execute("UPDATE access_tokens SET revoked_at = now()")
        request = asyncio.create_task(
            thief.post("/v1/access-tokens", {"name": "late", "expires_in": 60})
        )
        await until_it_waits(sql)
        await other.commit()

    answer = await request

    assert answer.status_code == 401


async def until_it_waits(sql: psycopg.AsyncConnection[Any]) -> None:
    query = """
        SELECT count(*) FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND datname = current_database()
    """
    async with asyncio.timeout(30):
        while (await (await sql.execute(query)).fetchone()) == (0,):
            await asyncio.sleep(0.01)
