"""Every SQL statement of webhooks."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import LiteralString

from moorage_core.kit.db import Db
from moorage_core.kit.ids import DeliveryId
from moorage_core.kit.pagination import PageRequest
from moorage_core.webhooks.models import Claim, Delivery, Match, Webhook

WEBHOOK: LiteralString = (
    "id, org_id, project_id, url, types, secret_id, previous_until, enabled, version, created_at, "
    "updated_at, deleted_at"
)
DELIVERY: LiteralString = (
    "id, org_id, project_id, webhook_id, event_seq, event_id, event_type, status, attempts, "
    "due_at, answer_status, error, version, created_at, tried_at, ended_at"
)


# Webhooks


async def add(
    db: Db,
    *,
    id: str,
    org: str,
    project: str | None,
    url: str,
    types: list[str],
    secret: str,
    enabled: bool,
    now: datetime,
) -> Webhook:
    """Add a webhook for the events that are numbered from now on."""
    return await db.get(
        Webhook,
        f"""
        INSERT INTO webhooks (id, org_id, project_id, url, types, secret_id, enabled, from_seq,
            created_at, updated_at)
        SELECT %s, %s, %s, %s, %s, %s, %s, last, %s, %s FROM streams WHERE name = 'events'
        RETURNING {WEBHOOK}
        """,
        (id, org, project, url, types, secret, enabled, now, now),
    )


async def count(db: Db, *, org: str) -> int:
    return await db.value(
        "SELECT count(*) FROM webhooks WHERE org_id = %s AND deleted_at IS NULL", (org,)
    )


async def find(db: Db, id: str, *, scope: Sequence[str], lock: bool = False) -> Webhook | None:
    """A webhook in one of the orgs of `scope`."""
    sql: LiteralString = (
        f"SELECT {WEBHOOK} FROM webhooks WHERE id = %s AND org_id = ANY (%s) AND deleted_at IS NULL"
    )
    return await db.find(Webhook, sql + (" FOR UPDATE" if lock else ""), (id, list(scope)))


async def list_webhooks(
    db: Db, page: PageRequest, *, org: str, projects: list[str] | None
) -> list[Webhook]:
    """The org's webhooks; only those of the named projects where `projects` is not None."""
    return await db.all(
        Webhook,
        f"""
        SELECT {WEBHOOK} FROM webhooks
        WHERE org_id = %s AND deleted_at IS NULL AND id > %s
            AND (%s::text[] IS NULL OR project_id = ANY (%s))
        ORDER BY id LIMIT %s
        """,
        (org, page.after, projects, projects, page.fetch),
    )


async def change(
    db: Db, id: str, *, org: str, url: str, types: list[str], enabled: bool, now: datetime
) -> Webhook:
    return await db.get(
        Webhook,
        f"""
        UPDATE webhooks SET url = %s, types = %s, enabled = %s, version = version + 1,
            updated_at = %s
        WHERE org_id = %s AND id = %s RETURNING {WEBHOOK}
        """,
        (url, types, enabled, now, org, id),
    )


async def note_rotation(
    db: Db, id: str, *, org: str, previous_until: datetime | None, now: datetime
) -> Webhook:
    return await db.get(
        Webhook,
        f"""
        UPDATE webhooks SET previous_until = %s, version = version + 1, updated_at = %s
        WHERE org_id = %s AND id = %s RETURNING {WEBHOOK}
        """,
        (previous_until, now, org, id),
    )


async def delete(db: Db, id: str, *, org: str, now: datetime) -> Webhook:
    """Its deliveries stay until retention takes them: no request waits for a million rows."""
    return await db.get(
        Webhook,
        f"""
        UPDATE webhooks SET deleted_at = %s, enabled = false, secret_id = NULL,
            previous_until = NULL, version = version + 1, updated_at = %s
        WHERE org_id = %s AND id = %s RETURNING {WEBHOOK}
        """,
        (now, now, org, id),
    )


# Deliveries


async def list_deliveries(
    db: Db, page: PageRequest, *, org: str, webhook: str, status: str | None, below: int
) -> list[Delivery]:
    """Newest first."""
    where: LiteralString = "org_id = %s AND webhook_id = %s AND event_seq < %s"
    # Spelt out for each status, so that the planner can use the index of that status alone.
    of_status: dict[str | None, LiteralString] = {
        None: "",
        "pending": " AND status = 'pending'",
        "delivered": " AND status = 'delivered'",
        "dead": " AND status = 'dead'",
    }
    return await db.all(
        Delivery,
        f"SELECT {DELIVERY} FROM webhook_deliveries WHERE {where}{of_status[status]} "
        "ORDER BY event_seq DESC LIMIT %s",
        (org, webhook, below, page.fetch),
    )


async def find_delivery(
    db: Db, id: str, *, org: str, webhook: str, lock: bool = False
) -> Delivery | None:
    where: LiteralString = "org_id = %s AND webhook_id = %s AND id = %s"
    sql: LiteralString = f"SELECT {DELIVERY} FROM webhook_deliveries WHERE {where}"
    return await db.find(Delivery, sql + (" FOR UPDATE" if lock else ""), (org, webhook, id))


async def requeue(db: Db, id: str, *, org: str, now: datetime) -> Delivery:
    return await db.get(
        Delivery,
        f"""
        UPDATE webhook_deliveries SET status = 'pending', attempts = 0, due_at = %s,
            held_until = NULL, ended_at = NULL, version = version + 1
        WHERE org_id = %s AND id = %s RETURNING {DELIVERY}
        """,
        (now, org, id),
    )


async def find_held(db: Db, claim: Claim, *, org: str) -> Delivery | None:
    """The delivery, locked, where it is still to be delivered under this claim."""
    return await db.find(
        Delivery,
        f"""
        SELECT {DELIVERY} FROM webhook_deliveries
        WHERE org_id = %s AND id = %s AND status = 'pending' AND held_until = %s FOR UPDATE
        """,
        (org, claim.id, claim.held_until),
    )


async def note_try(
    db: Db,
    id: str,
    *,
    org: str,
    status: str,
    due_at: datetime | None,
    answer_status: int | None,
    error: str | None,
    now: datetime,
) -> None:
    """What came of one try. A delivery that ended in the meantime stays as it is."""
    await db.run(
        """
        UPDATE webhook_deliveries SET status = %(status)s, due_at = %(due_at)s, held_until = NULL,
            attempts = attempts + 1, answer_status = %(answer_status)s, error = %(error)s,
            tried_at = %(now)s, version = version + 1,
            ended_at = CASE WHEN %(status)s = 'pending' THEN NULL ELSE %(now)s::timestamptz END
        WHERE org_id = %(org)s AND id = %(id)s AND status = 'pending'
        """,
        {
            "id": id,
            "org": org,
            "status": status,
            "due_at": due_at,
            "answer_status": answer_status,
            "error": error,
            "now": now,
        },
    )


# As moorage_system: fan-out and claims


async def lock_cursor(db: Db) -> int:
    """The last event that was fanned out.

    Tenant-less: a sweep, as moorage_system.
    """
    return await db.value("SELECT last FROM streams WHERE name = 'webhooks' FOR UPDATE")


async def find_batch_end(db: Db, *, after: int, limit: int) -> int | None:
    """The number of the last of the next events.

    Tenant-less: a sweep, as moorage_system.
    """
    return await db.value(
        """
        SELECT max(seq) FROM (SELECT seq FROM events WHERE seq > %s ORDER BY seq LIMIT %s) AS batch
        """,
        (after, limit),
    )


async def list_matches(db: Db, *, after: int, upto: int) -> list[Match]:
    """Who asked for the events of a batch.

    Tenant-less: a sweep, as moorage_system.
    """
    return await db.all(
        Match,
        """
        SELECT w.id AS webhook_id, e.org_id, w.project_id, e.seq AS event_seq, e.id AS event_id,
            e.type AS event_type
        FROM events e JOIN webhooks w ON w.org_id = e.org_id AND w.enabled AND w.from_seq < e.seq
            AND (w.project_id IS NULL OR w.project_id = e.project_id)
        WHERE e.seq > %s AND e.seq <= %s AND w.deleted_at IS NULL AND EXISTS (
            SELECT FROM unnest(w.types) AS pattern WHERE pattern = e.type
                OR (right(pattern, 1) = '*' AND starts_with(e.type, left(pattern, -1))))
        ORDER BY e.seq
        """,
        (after, upto),
    )


async def add_deliveries(db: Db, matches: Sequence[Match], *, now: datetime) -> int:
    """Queue what was matched.

    Tenant-less: a sweep, as moorage_system; rows carry their org.
    """
    return await db.run(
        """
        INSERT INTO webhook_deliveries (id, org_id, project_id, webhook_id, event_seq, event_id,
            event_type, status, due_at, created_at)
        SELECT id, org_id, project_id, webhook_id, event_seq, event_id, event_type, 'pending', %s,
            %s
        FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::bigint[], %s::text[],
            %s::text[]) AS new (id, org_id, project_id, webhook_id, event_seq, event_id, event_type)
        ON CONFLICT (webhook_id, event_seq) DO NOTHING
        """,
        (
            now,
            now,
            [DeliveryId.new() for _ in matches],
            [match.org_id for match in matches],
            [match.project_id for match in matches],
            [match.webhook_id for match in matches],
            [match.event_seq for match in matches],
            [match.event_id for match in matches],
            [match.event_type for match in matches],
        ),
    )


async def advance_cursor(db: Db, *, upto: int) -> None:
    """Note how far fan-out came.

    Tenant-less: a sweep, as moorage_system.
    """
    await db.run("UPDATE streams SET last = %s WHERE name = 'webhooks'", (upto,))


async def claim(
    db: Db,
    *,
    after: str,
    limit: int,
    lane: int,
    share: int,
    busy: Mapping[str, int],
    now: datetime,
    lease: timedelta,
) -> list[Claim]:
    """Take due deliveries, lane by lane.

    Tenant-less: a sweep, as moorage_system.

    `lanes` hops from one webhook with something pending to the next, beginning after `after`, and
    stops as soon as `limit` is reached. Of each it takes the first `lane` due ones less those that
    are under way, so that a receiver with a long queue has no more hands than any other. An org
    gets `share` hands less those that `busy` says it has; one that has them all is passed over.

    What is due goes by the platform's clock, as it was written. Leases go by the database's: all
    processes see that one, so none takes what another holds because its own clock runs ahead.
    """
    return await db.all(
        Claim,
        """
        WITH RECURSIVE lanes AS (
            (SELECT webhook_id FROM webhook_deliveries
            WHERE status = 'pending' AND webhook_id > %(after)s AND EXISTS (
                SELECT FROM webhook_deliveries
                WHERE status = 'pending'
                    AND greatest(due_at, held_until) <= greatest(now(), %(now)s))
            ORDER BY webhook_id LIMIT 1)
            UNION ALL
            SELECT (SELECT d.webhook_id FROM webhook_deliveries d
                WHERE d.status = 'pending' AND d.webhook_id > lanes.webhook_id
                ORDER BY d.webhook_id LIMIT 1)
            FROM lanes WHERE lanes.webhook_id IS NOT NULL
        ), due AS (
            SELECT head.* FROM lanes CROSS JOIN LATERAL (
                SELECT d.id, d.held_until, d.due_at,
                    %(share)s - coalesce((%(busy)s::jsonb ->> d.org_id)::int, 0) AS room,
                    d.org_id
                FROM webhook_deliveries d
                WHERE d.webhook_id = lanes.webhook_id AND d.status = 'pending'
                    AND d.due_at <= %(now)s
                ORDER BY d.due_at, d.event_seq LIMIT %(lane)s
            ) AS head
            WHERE head.room > 0 AND (head.held_until IS NULL OR head.held_until <= now())
            LIMIT %(limit)s
        ), fair AS (
            SELECT id, room, row_number() OVER (PARTITION BY org_id ORDER BY due_at, id) AS place
            FROM due
        ), free AS (
            SELECT id FROM webhook_deliveries
            WHERE id IN (SELECT id FROM fair WHERE place <= room) AND status = 'pending'
                AND (held_until IS NULL OR held_until <= now()) FOR UPDATE SKIP LOCKED
        )
        UPDATE webhook_deliveries d SET held_until = now() + %(lease)s FROM free
        WHERE d.id = free.id
        RETURNING d.id, d.org_id, d.webhook_id, d.held_until
        """,
        {
            "after": after,
            "limit": limit,
            "lane": lane,
            "share": share,
            "busy": json.dumps(busy),
            "now": now,
            "lease": lease,
        },
    )
