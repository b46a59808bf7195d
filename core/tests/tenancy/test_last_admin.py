"""Somebody can always run the platform."""

import asyncio
from typing import Any

import psycopg

from core.tests.callers import ActorMaker
from core.tests.factories.tenancy import OrgRow
from moorage_core.kit import tokens
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.people import commands as people
from moorage_core.platform import Platform


async def test_two_platform_admins_who_disable_each_other_leave_one(
    actor: ActorMaker, sql: psycopg.AsyncConnection[Any]
) -> None:
    one, two = await actor("platform_admin"), await actor("platform_admin")
    for each in (one, two):
        assert (await each.get("/v1/me")).status_code == 200

    answers = await asyncio.gather(
        one.patch(f"/v1/users/{two.id}", {"disabled": True}, version=1),
        two.patch(f"/v1/users/{one.id}", {"disabled": True}, version=1),
    )

    cursor = await sql.execute("SELECT count(*) FROM users WHERE disabled_at IS NULL")
    assert await cursor.fetchone() == (1,)
    assert 200 in [answer.status_code for answer in answers]


async def test_removing_one_admin_while_disabling_the_other_leaves_one(
    actor: ActorMaker, sql: psycopg.AsyncConnection[Any]
) -> None:
    one, two = await actor("platform_admin"), await actor("platform_admin")
    listed = (await one.get(f"/v1/orgs/{PLATFORM_ORG}/memberships")).json()["items"]
    of_one = next(membership["id"] for membership in listed if membership["user_id"] == one.id)
    assert (await two.get("/v1/me")).status_code == 200

    await asyncio.gather(
        one.patch(f"/v1/users/{two.id}", {"disabled": True}, version=1),
        two.delete(f"/v1/memberships/{of_one}"),
    )

    cursor = await sql.execute(
        """
        SELECT count(*) FROM memberships m JOIN users u ON u.id = m.user_id
        WHERE u.disabled_at IS NULL AND m.role = 'platform_admin'
        """
    )
    assert await cursor.fetchone() == (1,)


async def test_a_platform_admin_who_was_disabled_does_not_count(
    actor: ActorMaker, platform: Platform, sql: psycopg.AsyncConnection[Any]
) -> None:
    """Here the other one was disabled a moment ago, and this process has not heard of it."""
    one, two = await actor("platform_admin"), await actor("platform_admin")
    person = two.person
    assert person is not None
    known = await people.find_access_token_principal(platform, person.token)
    assert known is not None
    await sql.execute("UPDATE users SET disabled_at = now() WHERE id = %s", (two.id,))
    platform.principals.keep(tokens.digest(person.token), known)

    answer = await two.patch(f"/v1/users/{one.id}", {"disabled": True}, version=1)

    assert (answer.status_code, answer.json()["code"]) == (409, "last_admin")


async def test_the_last_admin_of_a_tenant_may_be_disabled(actor: ActorMaker, acme: OrgRow) -> None:
    root, boss = await actor("platform_admin"), await actor("tenant_admin", org=acme)

    answer = await root.patch(f"/v1/users/{boss.id}", {"disabled": True}, version=1)

    assert answer.status_code == 200
