"""Every SQL statement of tasks that those ask for who want something done, and those who read."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from moorage_core.kit.db import Db
from moorage_core.kit.pagination import PageRequest
from moorage_core.tasks.acceptance import Earlier, Machine, Standing
from moorage_core.tasks.models import Origin, Task

TASK: LiteralString = """
    id, org_id, project_id, operation_id, allocation_id, node_id, reach, kind, key, attempt, fence,
    run_as, input, timeout_seconds, output_limit, repeatable, status, cancel_requested_at, due_at,
    sent_at, sent_count, started_at, ended_at, changed, result, error_code, error_message,
    stdout_bytes, stderr_bytes, content_bytes, wakes, late, correlation_id, traceparent, version,
    created_at
    """
NAMED: LiteralString = f"""
    {TASK}, (SELECT a.node_name FROM allocations a WHERE a.id = tasks.allocation_id) AS node_name
    """
"""For who reads tasks: with the name of the machine."""
OWN: LiteralString = "(wakes IS NOT NULL OR kind IN ('access-sync', 'wipe'))"
"""Whether a task is the platform's own."""


async def lock_machines(db: Db, operation: str, ids: list[str], *, org: str) -> dict[str, Machine]:
    """Machines of the operation, none of which is given back meanwhile.

    Before the operation, where that is locked too: whoever gives a machine back does it so.
    """
    found = await db.all(
        Machine,
        """
        SELECT a.id, a.status, a.node_id, n.reach, n.quarantined, (
                SELECT count(*) FROM tasks t WHERE t.node_id = a.node_id AND t.ended_at IS NULL
            ) AS open
        FROM operation_allocations x JOIN allocations a ON a.id = x.allocation_id
                AND a.org_id = x.org_id AND a.project_id = x.project_id
            CROSS JOIN LATERAL node_for_work(a.id) n
        WHERE x.operation_id = %s AND x.org_id = %s AND a.id = ANY (%s)
        ORDER BY a.id FOR SHARE OF a
        """,
        (operation, org, ids),
    )
    return {machine.id: machine for machine in found}


async def list_standing(
    db: Db, instance: str, allocations: list[str], *, org: str
) -> list[Standing]:
    """The live members of an instance on these machines."""
    return await db.all(
        Standing,
        """
        SELECT id, component, allocation_id FROM members
        WHERE org_id = %s AND instance_id = %s AND removed_at IS NULL
            AND held_allocation_id = ANY (%s)
        """,
        (org, instance, allocations),
    )


async def touch(db: Db, operation: str, allocations: list[str], *, org: str, project: str) -> None:
    """Note that an operation works on these machines."""
    await db.run(
        """
        INSERT INTO operation_allocations (operation_id, allocation_id, org_id, project_id)
        SELECT %s, a, %s, %s FROM unnest(%s::text[]) a ON CONFLICT DO NOTHING
        """,
        (operation, org, project, allocations),
    )


async def find_origin(db: Db, operation: str, *, org: str) -> Origin:
    """Whose controller does an operation, and whether somebody answers for what it brings."""
    return await db.get(
        Origin,
        """
        SELECT o.version_id, w.kind IN ('instance.rollback', 'member.replace')
            AND w.input ->> 'override' IS NOT NULL AS overridden
        FROM operations o JOIN operations w ON w.id = coalesce(o.parent_id, o.id)
        WHERE o.org_id = %s AND o.id = %s
        """,
        (org, operation),
    )


async def list_earlier(
    db: Db,
    operation: str,
    *,
    org: str,
    keys: list[str],
    allocations: list[str],
    attempts: list[int],
) -> list[Earlier]:
    """The named attempt at each of the named tasks, and the last; the lists belong together."""
    return await db.all(
        Earlier,
        """
        SELECT DISTINCT t.id, t.key, t.allocation_id, t.attempt, t.kind, t.status,
            t.ended_at IS NOT NULL AS ended, t.fingerprint
        FROM unnest(%(keys)s::text[], %(allocations)s::text[], %(attempts)s::integer[])
                AS w(key, allocation, attempt)
            CROSS JOIN LATERAL (
                SELECT max(x.attempt) AS attempt FROM tasks x WHERE x.operation_id = %(operation)s
                    AND x.key = w.key AND x.allocation_id = w.allocation) last
            JOIN tasks t ON t.operation_id = %(operation)s AND t.key = w.key
                AND t.allocation_id = w.allocation AND t.attempt IN (w.attempt, last.attempt)
        WHERE t.org_id = %(org)s
        """,
        {
            "operation": operation,
            "org": org,
            "keys": keys,
            "allocations": allocations,
            "attempts": attempts,
        },
    )


async def add(db: Db, rows: Sequence[dict[str, Any]], *, org: str, project: str) -> list[Task]:
    """Many tasks in one statement."""
    return await db.all(
        Task,
        f"""
        INSERT INTO tasks (id, org_id, project_id, operation_id, allocation_id, node_id, reach,
            kind, key, attempt, fence, run_as, input, fingerprint, timeout_seconds, output_limit,
            repeatable, status, due_at, wakes, correlation_id, traceparent, created_at)
        SELECT r.id, %(org)s, %(project)s, r.operation_id, r.allocation_id, r.node_id, r.reach,
            r.kind, r.key, r.attempt, r.fence, r.run_as, r.input, decode(r.fingerprint, 'hex'),
            r.timeout_seconds, r.output_limit, r.repeatable, 'queued', r.due_at, r.wakes,
            r.correlation_id, r.traceparent, r.created_at
        FROM jsonb_to_recordset(%(rows)s) AS r(id text, operation_id text, allocation_id text,
            node_id text, reach text, kind text, key text, attempt integer, fence integer,
            run_as text, input jsonb, fingerprint text, timeout_seconds integer,
            output_limit integer, repeatable boolean, due_at timestamptz, wakes text,
            correlation_id text, traceparent text, created_at timestamptz)
        RETURNING {NAMED}
        """,
        {"org": org, "project": project, "rows": Jsonb(list(rows))},
    )


async def find(db: Db, id: str, *, orgs: list[str], lock: bool = False) -> Task | None:
    sql: LiteralString = f"SELECT {NAMED} FROM tasks WHERE id = %s AND org_id = ANY (%s)"
    return await db.find(Task, sql + (" FOR UPDATE" if lock else ""), (id, orgs))


async def list_named(db: Db, operation: str, *, org: str, ids: list[str]) -> dict[str, Task]:
    found = await db.all(
        Task,
        f"SELECT {NAMED} FROM tasks WHERE org_id = %s AND operation_id = %s AND id = ANY (%s)",
        (org, operation, ids),
    )
    return {task.id: task for task in found}


async def list_page(
    db: Db, page: PageRequest, *, org: str, operation: str, status: str | None
) -> list[Task]:
    return await db.all(
        Task,
        f"""
        SELECT {NAMED} FROM tasks WHERE org_id = %s AND operation_id = %s AND id > %s
            AND (%s::text IS NULL OR status = %s)
        ORDER BY id LIMIT %s
        """,
        (org, operation, page.after, status, status, page.fetch),
    )


async def count_open(db: Db, operation: str, *, org: str) -> int:
    return await db.value(
        """
        SELECT count(*) FROM tasks
        WHERE org_id = %s AND operation_id = %s AND ended_at IS NULL
        """,
        (org, operation),
    )


async def cancel(db: Db, id: str, *, org: str, now: datetime) -> Task:
    """What no node has is cancelled at once; the rest is asked to stop."""
    return await db.get(
        Task,
        f"""
        UPDATE tasks SET cancel_requested_at = coalesce(cancel_requested_at, %(now)s),
            status = CASE WHEN status = 'queued' THEN 'cancelled' ELSE status END,
            ended_at = CASE WHEN status = 'queued' THEN %(now)s::timestamptz END,
            version = version + 1
        WHERE org_id = %(org)s AND id = %(id)s RETURNING {NAMED}
        """,
        {"org": org, "id": id, "now": now},
    )


async def list_output(
    db: Db, task: str, stream: str, *, org: str, offset: int, limit: int
) -> list[dict[str, Any]]:
    """Pieces of a stream from the one that holds `offset` on, up to about `limit` bytes."""
    return await db.rows(
        """
        SELECT at_offset, content FROM task_outputs
        WHERE org_id = %(org)s AND task_id = %(task)s AND stream = %(stream)s
            AND at_offset >= coalesce((
                SELECT max(at_offset) FROM task_outputs
                WHERE task_id = %(task)s AND stream = %(stream)s AND at_offset <= %(offset)s), 0)
            AND at_offset < %(offset)s + %(limit)s
        ORDER BY at_offset
        """,
        {"org": org, "task": task, "stream": stream, "offset": offset, "limit": limit},
    )


async def list_due(db: Db, *, now: datetime, limit: int) -> list[dict[str, Any]]:
    """Tasks whose time has passed, in which orgs. One of each org before the second of any.

    Tenant-less: a sweep, as moorage_system.
    """
    return await db.rows(
        """
        SELECT id, org_id FROM tasks WHERE ended_at IS NULL AND due_at < %s
        ORDER BY row_number() OVER (PARTITION BY org_id ORDER BY due_at), due_at LIMIT %s
        """,
        (now, limit),
    )


async def let_wait(
    db: Db,
    ids: list[str],
    *,
    org: str,
    at_once: dict[str, int],
    since: datetime,
    until: datetime,
) -> None:
    """Let tasks wait on that are due, and whose node is busy: with as many tasks as it has at once,
    with one of a kind that goes one by one, or with one that it took `since`."""
    await db.run(
        f"""
        WITH waiting AS (
            SELECT id, node_id, reach, kind FROM tasks
            WHERE org_id = %(org)s AND id = ANY (%(ids)s) AND status = 'queued'
                AND cancel_requested_at IS NULL AND NOT {OWN}
        ), busy AS (
            SELECT node_id, count(*) AS tasks, max(sent_at) AS last_at, array_agg(kind) AS kinds
            FROM tasks WHERE org_id = %(org)s AND ended_at IS NULL AND status <> 'queued'
                AND node_id IN (SELECT node_id FROM waiting)
            GROUP BY node_id
        )
        UPDATE tasks t SET due_at = %(until)s FROM waiting w JOIN busy b USING (node_id)
        WHERE t.id = w.id AND t.status = 'queued' AND t.due_at < %(until)s
            AND (b.last_at > %(since)s OR b.tasks >= (%(at_once)s::jsonb ->> w.reach)::integer
                OR w.kind = 'packages' AND w.kind = ANY (b.kinds))
        """,
        {
            "org": org,
            "ids": ids,
            "at_once": Jsonb(at_once),
            "since": since,
            "until": until,
        },
    )


async def give_up(db: Db, ids: list[str], *, org: str, now: datetime) -> list[Task]:
    """Give up tasks whose time has passed: those that no node took, and those nobody heard of."""
    return await db.all(
        Task,
        f"""
        UPDATE tasks SET ended_at = %(now)s, version = version + 1,
            status = CASE WHEN status <> 'queued' THEN 'unknown'
                WHEN cancel_requested_at IS NULL THEN 'timed_out' ELSE 'cancelled' END,
            error_code = CASE WHEN status = 'queued' THEN 'never_taken' ELSE 'not_heard_of' END,
            error_message = CASE WHEN status = 'queued' THEN 'The node never took it.'
                ELSE 'The node took it, and its time limit passed without a word of its end.' END
        WHERE org_id = %(org)s AND id = ANY (%(ids)s) AND ended_at IS NULL AND due_at < %(now)s
        RETURNING {TASK}
        """,
        {"org": org, "ids": ids, "now": now},
    )
