"""Letting somebody in again from the platform's own machine."""

from typing import Any

import psycopg
import pytest

from core.tests.callers import ActorMaker, Caller
from core.tests.factories.tenancy import OrgRow
from moorage_core.operate import recover
from moorage_core.people.recovery import REASON
from moorage_core.settings import Settings

Sql = psycopg.AsyncConnection[Any]
NEW = "a password of fifteen words"


async def set_password(caller: Caller, code: str) -> int:
    answer = await caller.client.post("/v1/auth/password", json={"code": code, "password": NEW})
    return answer.status_code


async def log_in(caller: Caller) -> int:
    assert caller.person is not None
    body = {"email": caller.person.email, "password": NEW}
    answer = await caller.client.post("/v1/auth/login", json=body)
    caller.client.cookies.clear()
    return answer.status_code


def email_of(caller: Caller) -> str:
    assert caller.person is not None
    return caller.person.email


async def test_a_disabled_and_locked_account_is_let_in_again(
    settings: Settings, actor: ActorMaker, sql: Sql
) -> None:
    root = await actor("platform_admin")
    await sql.execute(
        """
        UPDATE users SET disabled_at = now(), wrong_passwords = 9,
            locked_until = now() + interval '1 hour'
        """
    )

    recovered = await recover.let_in(settings, email_of(root), admin=False)

    assert await set_password(root, recovered.code) == 204
    assert await log_in(root) == 200


async def test_the_log_says_that_the_system_did_it(
    settings: Settings, actor: ActorMaker, sql: Sql
) -> None:
    root = await actor("platform_admin")

    await recover.let_in(settings, email_of(root), admin=False)

    cursor = await sql.execute("SELECT actor_kind, action, target FROM audit_entries")
    assert await cursor.fetchall() == [("system", "iam.user.reset_password", root.id)]
    cursor = await sql.execute("SELECT type, subject FROM events")
    assert await cursor.fetchall() == [("iam.user.password_reset", root.id)]


async def test_orgs_of_the_person_hear_of_it(
    settings: Settings, actor: ActorMaker, acme: OrgRow, sql: Sql
) -> None:
    boss = await actor("tenant_admin", org=acme)
    await sql.execute("UPDATE users SET password_hash = 'x'")

    await recover.let_in(settings, email_of(boss), admin=False)

    cursor = await sql.execute(
        "SELECT data ->> 'reason' FROM events WHERE type = 'iam.break_glass.used' AND org_id = %s",
        (acme.id,),
    )
    assert await cursor.fetchall() == [(REASON,)]


async def test_a_platform_without_admins_gets_one(
    settings: Settings, actor: ActorMaker, sql: Sql
) -> None:
    gone, viewer = await actor("platform_admin"), await actor("viewer")
    await sql.execute("UPDATE users SET disabled_at = now() WHERE id = %s", (gone.id,))

    await recover.let_in(settings, email_of(viewer), admin=True)

    assert (await viewer.get("/v1/users")).status_code == 200


async def test_nobody_is_made_admin_while_another_can_do_it(
    settings: Settings, actor: ActorMaker, sql: Sql
) -> None:
    await actor("platform_admin")
    viewer = await actor("viewer")

    with pytest.raises(recover.NotRecovered, match="1 admins whose accounts are enabled"):
        await recover.let_in(settings, email_of(viewer), admin=True)

    cursor = await sql.execute("SELECT count(*) FROM password_codes")
    assert await cursor.fetchone() == (0,)


async def test_an_address_without_an_account_is_refused(settings: Settings) -> None:
    with pytest.raises(recover.NotRecovered, match=r"no account for nobody@example.org"):
        await recover.let_in(settings, "nobody@example.org", admin=False)
