"""Numbering: no reader misses a late commit, and per subject the order is lock order."""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from core.tests.callers import ActorMaker, Caller, Urls
from core.tests.factories.tenancy import OrgRow
from moorage_core import unit
from moorage_core.context import EventRecord, Trace
from moorage_core.events import commands, registry, rules
from moorage_core.events.registry import Named
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.platform import Platform


async def insert_event(
    db: psycopg.AsyncConnection[Any], org: str, subject: str, version: int
) -> None:
    await db.execute(
        """
        INSERT INTO events (id, type, org_id, subject, subject_version, correlation_id, at, topics,
            data)
        VALUES (%s, 'iam.org.updated', %s, %s, %s, 'test', now(), '{}', '{}')
        """,
        (f"{subject}-{version}", org, subject, version),
    )


async def read_ids(reader: Caller, after: str) -> tuple[list[str], str]:
    answer = await reader.get(f"/v1/events?after={after}")
    return [item["id"] for item in answer.json()["items"]], answer.json()["next"]


@pytest.mark.rule("EV-4")
async def test_an_event_that_commits_late_is_read_late_and_not_missed(
    urls: Urls, actor: ActorMaker, acme: OrgRow, number: Callable[[], Any]
) -> None:
    reader = await actor("tenant_admin", org=acme)
    async with (
        await psycopg.AsyncConnection.connect(urls.super) as early,
        await psycopg.AsyncConnection.connect(urls.super) as late,
    ):
        await insert_event(early, acme.id, "inserted-first", 1)
        await insert_event(late, acme.id, "inserted-second", 1)
        await late.commit()
        await number()
        first, cursor = await read_ids(reader, "0")

        await early.commit()
        await number()
        second, _ = await read_ids(reader, cursor)

    assert first == ["inserted-second-1"]
    assert second == ["inserted-first-1"]


@pytest.mark.rule("EV-5")
async def test_two_transactions_on_one_subject_are_read_in_the_order_of_their_locks(
    urls: Urls, actor: ActorMaker, acme: OrgRow, number: Callable[[], Any]
) -> None:
    reader = await actor("tenant_admin", org=acme)
    lock = "SELECT version FROM orgs WHERE id = %s FOR UPDATE"
    async with (
        await psycopg.AsyncConnection.connect(urls.super) as began_first,
        await psycopg.AsyncConnection.connect(urls.super) as began_second,
    ):
        # The one that begins first takes a transaction id first, and the lock second.
        await began_first.execute("SELECT pg_current_xact_id()")
        await began_second.execute(lock, (acme.id,))
        await insert_event(began_second, acme.id, acme.id, 2)
        await began_second.commit()
        await began_first.execute(lock, (acme.id,))
        await insert_event(began_first, acme.id, acme.id, 3)
        await began_first.commit()

        await number()
        read, _ = await read_ids(reader, "0")

    assert read == [f"{acme.id}-2", f"{acme.id}-3"]


async def test_numbers_have_no_gaps_after_rollbacks(
    urls: Urls, sql: psycopg.AsyncConnection[Any], acme: OrgRow, number: Callable[[], Any]
) -> None:
    async with await psycopg.AsyncConnection.connect(urls.super) as other:
        for version in range(1, 6):
            await insert_event(other, acme.id, acme.id, version)
            await (other.rollback() if version % 2 else other.commit())

    await number()

    rows = await (await sql.execute("SELECT seq FROM events ORDER BY seq")).fetchall()
    assert [row[0] for row in rows] == [1, 2]


async def test_two_sequencers_at_once_number_each_event_once(
    platform: Platform,
    urls: Urls,
    sql: psycopg.AsyncConnection[Any],
    acme: OrgRow,
    number: Callable[[], Any],
) -> None:
    for version in range(1, 21):
        await insert_event(sql, acme.id, acme.id, version)
    async with await psycopg.AsyncConnection.connect(urls.system) as stale_leader:
        await stale_leader.execute("SELECT 1 FROM streams WHERE name = 'events' FOR UPDATE")
        await stale_leader.execute("UPDATE streams SET last = last + 1 WHERE name = 'events'")
        await stale_leader.execute(
            "UPDATE events SET seq = 1 WHERE pos = (SELECT min(pos) FROM events WHERE seq IS NULL)"
        )
        await stale_leader.commit()

    await number()
    await number()

    rows = await (await sql.execute("SELECT seq FROM events ORDER BY pos")).fetchall()
    assert [row[0] for row in rows] == list(range(1, 21))


@pytest.mark.rule("EV-2")
def test_an_apps_event_without_all_five_ids_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    event = registry.EventType("apps.instance.running", "", Named)
    monkeypatch.setitem(registry.TYPES, event.type, event)
    whole = EventRecord(
        type=event.type,
        subject="inst_1",
        version=1,
        org="org_1",
        project="prj_1",
        app_slug="echo",
        app_instance_id="inst_1",
        trace=Trace("c"),
        data={"id": "a", "slug": "a", "name": "a"},
    )

    rules.check(whole)
    for missing in ("project", "app_slug", "app_instance_id", "org"):
        with pytest.raises(rules.IncompleteEvent):
            rules.check(EventRecord(**{**whole.__dict__, missing: None}))


async def test_the_database_refuses_an_apps_event_without_its_instance(
    sql: psycopg.AsyncConnection[Any], acme: OrgRow
) -> None:
    with pytest.raises(psycopg.errors.CheckViolation):
        await sql.execute(
            """
            INSERT INTO events (id, type, org_id, subject, subject_version, correlation_id, at,
                topics, data)
            VALUES ('e', 'apps.instance.running', %s, 's', 1, 'c', now(), '{}', '{}')
            """,
            (acme.id,),
        )


async def test_an_event_of_an_unknown_type_cannot_be_published(platform: Platform) -> None:
    unknown = registry.EventType("iam.nothing.happened", "", Named)

    async with unit.work(platform, PLATFORM_ORG) as ctx:
        data = Named(id="a", slug="a", name="a")
        with pytest.raises(rules.IncompleteEvent):
            commands.publish(ctx, unknown, data, subject="a", version=1, org=PLATFORM_ORG)
