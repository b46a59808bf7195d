"""Every SQL statement of the event log and of the numbering of streams."""

from collections.abc import Sequence
from typing import LiteralString

from moorage_core.authz.principals import Place
from moorage_core.events.models import Event, Stream, Wanted
from moorage_core.kit.db import Db

EVENT: LiteralString = (
    "seq, id, type, org_id, project_id, subject, subject_version, app_slug, app_instance_id, "
    "correlation_id, traceparent, at, data"
)


async def get_stream(db: Db, name: str) -> Stream:
    """Tenant-less: numbers only."""
    return await db.get(Stream, "SELECT last, floor FROM streams WHERE name = %s", (name,))


async def list_between(
    db: Db, wanted: Wanted, *, scope: Sequence[Place], beyond: int, before: int
) -> list[Event]:
    """Events with numbers between these two, of the places that `scope` names, in order.

    Each place is read by itself, through the index that has its numbers in order, so a page costs
    the same in a log of any length. An instance has an index of its own.
    """
    order: LiteralString = "seq DESC" if wanted.newest_first else "seq"
    instance: LiteralString = "AND app_instance_id = %(instance)s" if wanted.instance else ""
    some: LiteralString = f"""
        seq > %(beyond)s AND seq < %(before)s {instance}
        AND (%(types)s::text[] = '{{}}' OR type LIKE ANY (%(types)s))
        ORDER BY {order} LIMIT %(limit)s
    """
    return await db.all(
        Event,
        f"""
        SELECT {EVENT} FROM (
            SELECT e.* FROM unnest(%(orgs)s::text[]) AS o(org) CROSS JOIN LATERAL (
                SELECT {EVENT} FROM events WHERE org_id = o.org AND {some}) e
            UNION ALL
            SELECT e.* FROM unnest(%(in_orgs)s::text[], %(projects)s::text[]) AS p(org, project)
            CROSS JOIN LATERAL (
                SELECT {EVENT} FROM events
                WHERE org_id = p.org AND project_id = p.project AND {some}) e
        ) found ORDER BY {order} LIMIT %(limit)s
        """,
        {
            "orgs": [place.org for place in scope if place.project is None],
            "in_orgs": [place.org for place in scope if place.project is not None],
            "projects": [place.project for place in scope if place.project is not None],
            "beyond": beyond,
            "before": before,
            "types": wanted.patterns,
            "instance": wanted.instance,
            "limit": wanted.limit,
        },
    )


async def find_by_seq(db: Db, seq: int, *, org: str) -> Event | None:
    return await db.find(
        Event, f"SELECT {EVENT} FROM events WHERE org_id = %s AND seq = %s", (org, seq)
    )


async def lock_streams(db: Db) -> None:
    """One sequencer at a time, even where two believe they lead.

    Tenant-less: numbers only.
    """
    await db.run("SELECT 1 FROM streams WHERE name IN ('events', 'audit') ORDER BY name FOR UPDATE")


async def number_events(db: Db, *, limit: int) -> list[list[str]]:
    """Give committed events their numbers; the topics of each.

    Tenant-less: as moorage_system.
    By `pos`, which is drawn while the subject's row is locked: so per subject the order is lock
    order.
    """
    rows = await db.rows(
        """
        WITH batch AS (
            SELECT pos, row_number() OVER (ORDER BY pos) AS n
            FROM (SELECT pos FROM events WHERE seq IS NULL ORDER BY pos LIMIT %(limit)s) unnumbered
        ), counter AS (
            UPDATE streams SET last = last + (SELECT count(*) FROM batch) WHERE name = 'events'
            RETURNING last - (SELECT count(*) FROM batch) AS base
        )
        UPDATE events e SET seq = counter.base + batch.n FROM batch, counter
        WHERE e.pos = batch.pos RETURNING e.topics
        """,
        {"limit": limit},
    )
    return [row["topics"] for row in rows]


async def number_audit(db: Db, *, limit: int) -> int:
    """Give committed audit entries their numbers.

    Tenant-less: as moorage_system.
    """
    return await db.run(
        """
        WITH batch AS (
            SELECT pos, row_number() OVER (ORDER BY pos) AS n
            FROM (
                SELECT pos FROM audit_entries WHERE seq IS NULL ORDER BY pos LIMIT %(limit)s
            ) unnumbered
        ), counter AS (
            UPDATE streams SET last = last + (SELECT count(*) FROM batch) WHERE name = 'audit'
            RETURNING last - (SELECT count(*) FROM batch) AS base
        )
        UPDATE audit_entries e SET seq = counter.base + batch.n FROM batch, counter
        WHERE e.pos = batch.pos
        """,
        {"limit": limit},
    )


async def list_topics(db: Db, *, after: int) -> tuple[int, list[str]]:
    """The newest number and the topics that moved since `after`.

    Tenant-less: as moorage_system.
    """
    row = await db.row(
        """
        SELECT (SELECT last FROM streams WHERE name = 'events') AS last,
            ARRAY(SELECT DISTINCT unnest(topics) FROM events WHERE seq > %s) AS topics
        """,
        (after,),
    )
    assert row is not None, "an aggregate always returns a row"
    return row["last"], row["topics"]
