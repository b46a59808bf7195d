"""Requests that wait: seats, callers who leave, callers who lose their rights."""

import asyncio
from collections.abc import Callable
from typing import Any

import psycopg

from core.tests.callers import ActorMaker, Caller
from core.tests.factories.tenancy import OrgRow
from moorage_core.http.waiting import WaitingRoom
from moorage_core.platform import Platform


async def asleep(platform: Platform) -> None:
    """Return once somebody sleeps on a topic."""
    async with asyncio.timeout(20):
        while platform.hub.waiting == 0:
            await asyncio.sleep(0)


async def change(admin: Caller, org: OrgRow) -> None:
    answer = await admin.post(f"/v1/orgs/{org.id}/projects", {"slug": "new", "name": "New"})
    assert answer.status_code == 201


async def test_a_caller_has_so_many_seats_and_no_more(
    actor: ActorMaker, acme: OrgRow, platform: Platform
) -> None:
    object.__setattr__(platform, "waiting", WaitingRoom(1))
    admin = await actor("tenant_admin", org=acme)
    other = await actor("tenant_admin", org=acme)
    first = asyncio.create_task(admin.get("/v1/events?after=latest&wait=30"))
    await asleep(platform)

    second = await admin.get("/v1/events?after=latest&wait=30")
    somebody_else = await other.get("/v1/events?after=latest&wait=0.01")
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)

    assert (second.status_code, second.json()["code"]) == (429, "too_many_requests")
    assert somebody_else.status_code == 200


async def test_a_seat_is_free_again_after_the_wait(
    actor: ActorMaker, acme: OrgRow, platform: Platform
) -> None:
    object.__setattr__(platform, "waiting", WaitingRoom(1))
    admin = await actor("tenant_admin", org=acme)

    answers = [await admin.get("/v1/events?after=latest&wait=0.01") for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200] * 3


async def test_who_is_disabled_while_waiting_sees_nothing_of_what_comes_after(
    actor: ActorMaker,
    acme: OrgRow,
    platform: Platform,
    sql: psycopg.AsyncConnection[Any],
    number: Callable[[], Any],
) -> None:
    admin = await actor("tenant_admin", org=acme)
    leaver = await actor("viewer", org=acme)
    waiting = asyncio.create_task(leaver.get("/v1/events?after=latest&wait=30"))
    await asleep(platform)
    await sql.execute("UPDATE users SET disabled_at = now() WHERE id = %s", (leaver.id,))
    platform.principals.hear(None)

    await change(admin, acme)
    await number()

    async with asyncio.timeout(20):
        assert (await waiting).status_code == 401


async def test_a_cursor_ahead_of_the_log_is_told_so(
    actor: ActorMaker, acme: OrgRow, number: Callable[[], Any]
) -> None:
    admin = await actor("tenant_admin", org=acme)
    await change(admin, acme)
    await number()

    answer = await admin.get("/v1/events?after=999")

    assert (answer.status_code, answer.json()["code"]) == (410, "cursor_expired")
    assert "restored from a backup" in answer.json()["detail"]
