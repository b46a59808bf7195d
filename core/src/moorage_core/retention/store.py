"""Every SQL statement of retention. All of it runs as moorage_system and sees ids and times only.

Each kind of row has an index on its time. A batch is found at the old end of that index and then
deleted as a range of it: what a sweep costs depends on what has expired, not on what is kept.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from moorage_core.kit.db import Db


@dataclass(frozen=True)
class Kind:
    """A kind of row that expires by the time in one of its columns."""

    name: str
    find: LiteralString
    delete: LiteralString


@dataclass(frozen=True)
class Range:
    first: datetime | None
    last: datetime | None


def _kind(table: LiteralString, column: LiteralString) -> Kind:
    return Kind(
        table,
        find=f"""
        SELECT min(at) AS first, max(at) AS last FROM (
            SELECT {column} AS at FROM {table} WHERE {column} < %s ORDER BY {column} LIMIT %s
        ) AS oldest
        """,
        delete=f"DELETE FROM {table} WHERE {column} >= %s AND {column} <= %s",
    )


# A certificate is good for minutes: its expiry is its end.
CERTIFICATES = _kind("ssh_certificates", "expires_at")
DEVICE_CODES = _kind("device_codes", "expires_at")
DELIVERIES = _kind("webhook_deliveries", "ended_at")
# One that was used goes with its expiry too.
ENROLMENTS = _kind("enrolments", "expires_at")
EVIDENCE = _kind("node_evidence", "received_at")
IDEMPOTENCY = _kind("idempotency_answers", "at")
PASSWORD_CODES = _kind("password_codes", "expires_at")
PLANS = _kind("plans", "expires_at")
PULLS = _kind("pulls", "expires_at")
REFUSALS = _kind("refusals", "at")
# A session that was ended early goes with its expiry, at most one session's length later.
SESSIONS = _kind("sessions", "expires_at")
USED_ASSERTIONS = _kind("used_assertions", "expires_at")

KINDS = (
    CERTIFICATES,
    DELIVERIES,
    DEVICE_CODES,
    ENROLMENTS,
    EVIDENCE,
    IDEMPOTENCY,
    PASSWORD_CODES,
    PLANS,
    PULLS,
    REFUSALS,
    SESSIONS,
    USED_ASSERTIONS,
)


async def delete_batch(db: Db, kind: Kind, *, before: datetime, limit: int) -> int:
    """The oldest rows of a kind; how many went.

    Tenant-less: a sweep, as moorage_system.
    """
    batch = await db.get(Range, kind.find, (before, limit))
    if batch.last is None:
        return 0
    return await db.run(kind.delete, (batch.first, batch.last))


FIND_EVENTS: LiteralString = """
    SELECT min(seq) AS first, coalesce(min(seq) FILTER (WHERE at >= %s) - 1, max(seq)) AS last
    FROM (
        SELECT seq, at FROM events
        WHERE seq > (SELECT floor FROM streams WHERE name = 'events')
            AND seq <= (SELECT last FROM streams WHERE name = 'webhooks')
        ORDER BY seq LIMIT %s
    ) AS oldest
    """
DELETE_EVENTS: LiteralString = "DELETE FROM events WHERE seq >= %s AND seq <= %s"


async def delete_events(db: Db, *, before: datetime, limit: int) -> int:
    """The oldest events, up to the first that is kept; how many went. Raises the floor with them.

    Only numbered ones that webhooks have passed. What goes is always a prefix, so one number tells
    a reader whether its cursor still leads somewhere.

    Tenant-less: a sweep, as moorage_system.
    """
    batch = await db.row(FIND_EVENTS, (before, limit))
    if batch is None or batch["first"] is None or batch["last"] < batch["first"]:
        return 0
    deleted = await db.run(DELETE_EVENTS, (batch["first"], batch["last"]))
    # Last, because the sequencer waits for this row.
    await db.run(
        "UPDATE streams SET floor = greatest(floor, %s) WHERE name = 'events'", (batch["last"],)
    )
    return deleted


async def delete_webhooks(db: Db, *, before: datetime, limit: int) -> int:
    """Webhooks that were deleted and have no delivery left; how many went.

    Tenant-less: a sweep, as moorage_system.
    """
    found = await db.rows(
        """
        SELECT id FROM webhooks w WHERE w.deleted_at < %s
            AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.webhook_id = w.id)
        ORDER BY w.deleted_at LIMIT %s
        """,
        (before, limit),
    )
    if not found:
        return 0
    return await db.run("DELETE FROM webhooks WHERE id = ANY (%s)", ([row["id"] for row in found],))


async def delete_tasks(db: Db, *, before: datetime, limit: int) -> int:
    """The oldest tasks that ended, and their output; how many went.

    Tenant-less: a sweep, as moorage_system.
    """
    found = await db.rows(
        "SELECT id FROM tasks WHERE ended_at < %s ORDER BY ended_at LIMIT %s", (before, limit)
    )
    ids = [row["id"] for row in found]
    if not ids:
        return 0
    await db.run("DELETE FROM task_outputs WHERE task_id = ANY (%s)", (ids,))
    return await db.run("DELETE FROM tasks WHERE id = ANY (%s)", (ids,))


async def delete_operations(db: Db, *, before: datetime, limit: int) -> int:
    """The oldest operations that ended and have no task, secret or child left; how many went.

    Those in which the platform made ready or cleans a machine stay until it is given back. OFFSET
    has each row asked about by itself: joined, all the tables would be read for one batch.
    Tenant-less: a sweep, as moorage_system.
    """
    found = await db.rows(
        """
        SELECT o.id FROM operations o WHERE o.ended_at < %s
            AND NOT EXISTS (SELECT FROM tasks t WHERE t.operation_id = o.id OFFSET 0)
            AND NOT EXISTS (SELECT FROM runtime_secrets s WHERE s.operation_id = o.id OFFSET 0)
            AND NOT EXISTS (SELECT FROM operations c WHERE c.parent_id = o.id OFFSET 0)
            AND NOT EXISTS (SELECT FROM operation_allocations x
                JOIN allocations a ON a.id = x.allocation_id
                WHERE x.operation_id = o.id AND a.status NOT IN ('released', 'failed')
                    AND o.id IN (a.setup_operation_id, a.release_operation_id) OFFSET 0)
        ORDER BY o.ended_at LIMIT %s
        """,
        (before, limit),
    )
    ids = [row["id"] for row in found]
    if not ids:
        return 0
    await db.run("DELETE FROM operation_grants WHERE operation_id = ANY (%s)", (ids,))
    await db.run("DELETE FROM operation_allocations WHERE operation_id = ANY (%s)", (ids,))
    await db.run("DELETE FROM operation_steps WHERE operation_id = ANY (%s)", (ids,))
    return await db.run("DELETE FROM operations WHERE id = ANY (%s)", (ids,))


async def delete_view_rows(db: Db, *, before: datetime, limit: int) -> int:
    """Rows of what apps published, where the instance was deleted long ago.

    Tenant-less: a sweep, as moorage_system.
    """
    return await db.run(
        """
        DELETE FROM view_rows WHERE (instance_id, name, key) IN (
            SELECT r.instance_id, r.name, r.key FROM view_rows r
                JOIN instances i ON i.id = r.instance_id
            WHERE i.deleted_at < %s LIMIT %s)
        """,
        (before, limit),
    )


async def delete_lists(db: Db, *, before: datetime, limit: int) -> int:
    """What nodes should have known of people, where the machine was given back long ago.

    Of one that was taken back it stays: what the node confirmed is shown nowhere else.
    Tenant-less: a sweep, as moorage_system.
    """
    found = await db.rows(
        """
        SELECT n.allocation_id FROM node_access n JOIN allocations a ON a.id = n.allocation_id
        WHERE a.status = 'released' AND a.held_until < %s AND NOT 'force_released' = ANY (a.dirty)
        LIMIT %s
        """,
        (before, limit),
    )
    ids = [row["allocation_id"] for row in found]
    if not ids:
        return 0
    return await db.run("DELETE FROM node_access WHERE allocation_id = ANY (%s)", (ids,))
