"""Every SQL statement that is run for a node: few, because polls and reports are most of the work.

All take the node's id, which is what a node sees by: its own rows and no others.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from moorage_core.kit.db import Db
from moorage_core.tasks.models import Task
from moorage_core.tasks.rules import GRACE, Change, Reported
from moorage_core.tasks.store import OWN, TASK

# Not one that is still requested: the old image may be another org's until it is imaged anew.
LOOK_AT = 200
"""Open tasks that a poll looks at, beside those that the node holds."""
HELD: LiteralString = "('provisioning', 'active', 'releasing', 'release_failed')"


async def look(
    db: Db, node: str, *, holds: list[str], reach: str, token_hash: bytes | None = None
) -> list[dict[str, Any]]:
    """The node, who holds it, and how its open tasks and those that it holds stand: one statement.

    Of tasks that wait, no more than can be of use. One row at least; without tasks, its `id` is
    null. None at all where the node is called with a token that is not its own any more.

    Tenant-less: a node sees its own rows.
    """
    return await db.rows(
        f"""
        WITH mine AS (
            (SELECT id, kind, {OWN} AS own, status, ended_at, cancel_requested_at, cancel_sent_at,
                due_at
            FROM tasks WHERE node_id = %(node)s AND reach = %(reach)s AND ended_at IS NULL
            ORDER BY id = ANY (%(holds)s) DESC, status = 'queued', own DESC, id LIMIT %(most)s)
            UNION ALL
            SELECT id, kind, {OWN}, status, ended_at, cancel_requested_at, cancel_sent_at, due_at
            FROM tasks WHERE node_id = %(node)s AND ended_at IS NOT NULL AND id = ANY (%(holds)s)
        ), bound AS (
            SELECT id AS allocation_id, org_id, project_id FROM allocations
            WHERE node_id = %(node)s AND status IN {HELD}
        )
        SELECT m.id, m.kind, m.own, m.status, m.ended_at IS NOT NULL AS ended,
            m.cancel_requested_at IS NOT NULL AS cancelling, m.cancel_sent_at AS told_at, m.due_at,
            b.allocation_id, b.org_id, b.project_id, n.status AS node_status, n.inventory_at,
            n.run_id, n.boot_id, n.agent_version, n.trust
        FROM nodes n LEFT JOIN bound b ON true LEFT JOIN mine m ON true
        WHERE n.id = %(node)s
            AND (%(token_hash)s::bytea IS NULL OR n.token_hash = %(token_hash)s)
        ORDER BY m.id
        """,
        {
            "node": node,
            "holds": holds,
            "reach": reach,
            "most": len(holds) + LOOK_AT,
            "token_hash": token_hash,
        },
    )


async def tell(
    db: Db,
    node: str,
    *,
    send: list[str],
    again: list[str],
    cancel: list[str],
    drop: list[str],
    lost: list[str],
    keep: list[str],
    now: datetime,
) -> list[Task]:
    """Note what a node is told, and what follows from what it holds; the tasks that changed.

    Tenant-less: a node's own rows. What changed since the look is left as it is.
    """
    return await db.all(
        Task,
        f"""
        UPDATE tasks SET
            status = CASE WHEN id = ANY (%(send)s) THEN 'sent' WHEN id = ANY (%(drop)s)
                THEN 'cancelled' WHEN id = ANY (%(lost)s) THEN 'unknown' ELSE status END,
            sent_at = CASE WHEN id = ANY (%(send)s) THEN %(now)s ELSE sent_at END,
            sent_count = sent_count + (id = ANY (%(send)s))::integer,
            due_at = CASE WHEN id = ANY (%(send)s) AND status = 'queued' OR id = ANY (%(keep)s)
                THEN %(now)s + make_interval(secs => timeout_seconds + %(grace)s) ELSE due_at END,
            cancel_sent_at = CASE WHEN id = ANY (%(cancel)s) THEN %(now)s ELSE cancel_sent_at END,
            ended_at = CASE WHEN id = ANY (%(drop)s) OR id = ANY (%(lost)s)
                THEN %(now)s ELSE ended_at END,
            error_code = CASE WHEN id = ANY (%(lost)s) THEN 'lost_on_node' ELSE error_code END,
            error_message = CASE WHEN id = ANY (%(lost)s)
                THEN 'The node was doing it and does not know of it any more.'
                ELSE error_message END,
            version = version + (NOT id = ANY (%(cancel)s || %(keep)s))::integer
        WHERE node_id = %(node)s AND (id = ANY (%(cancel)s) OR ended_at IS NULL AND (
            id = ANY (%(send)s) AND cancel_requested_at IS NULL
                AND (status = 'queued' OR status = 'sent' AND id = ANY (%(again)s))
            OR id = ANY (%(keep)s) AND status = 'sent'
            OR id = ANY (%(drop)s) AND status IN ('queued', 'sent')
            OR id = ANY (%(lost)s) AND status = 'running'))
        RETURNING {TASK}
        """,
        {
            "node": node,
            "send": send + again,
            "again": again,
            "cancel": cancel,
            "drop": drop,
            "lost": lost,
            "keep": keep,
            "now": now,
            "grace": GRACE.total_seconds(),
        },
    )


async def put_back(db: Db, node: str, waiting: Sequence[tuple[str, datetime]]) -> None:
    """Tasks that did not go with the answer that they were chosen for, and when they were due.

    Tenant-less: a node's own rows. One that was sent before may have come there: it stays sent.
    """
    await db.run(
        """
        UPDATE tasks SET status = 'queued', sent_at = NULL, sent_count = 0, due_at = w.due,
            version = version + 1
        FROM unnest(%(ids)s::text[], %(dues)s::timestamptz[]) AS w(task, due)
        WHERE node_id = %(node)s AND id = w.task AND status = 'sent' AND sent_count = 1
        """,
        {
            "node": node,
            "ids": [id for id, _ in waiting],
            "dues": [due for _, due in waiting],
        },
    )


async def fail_unsent(
    db: Db, node: str, failed: Sequence[tuple[str, str, str]], *, now: datetime
) -> list[Task]:
    """End tasks that cannot be handed over: (id, code, message).

    Tenant-less: a node's own rows.
    """
    return await db.all(
        Task,
        f"""
        UPDATE tasks SET status = 'failed', ended_at = %(now)s, error_code = f.code,
            error_message = f.message, version = version + 1
        FROM unnest(%(ids)s::text[], %(codes)s::text[], %(messages)s::text[])
            AS f(task, code, message)
        WHERE node_id = %(node)s AND id = f.task AND ended_at IS NULL RETURNING {TASK}
        """,
        {
            "node": node,
            "now": now,
            "ids": [id for id, _, _ in failed],
            "codes": [code for _, code, _ in failed],
            "messages": [message for _, _, message in failed],
        },
    )


async def lock_reported(db: Db, node: str, ids: list[str]) -> dict[str, Reported]:
    """Tenant-less: a node's own rows."""
    found = await db.all(
        Reported,
        """
        SELECT id, fence, status, late IS NOT NULL AS late, EXISTS (
                SELECT FROM tasks q
                WHERE q.node_id = %(node)s AND q.ended_at IS NULL AND q.status = 'queued'
            ) AS others_wait
        FROM tasks WHERE node_id = %(node)s AND id = ANY (%(ids)s) ORDER BY id FOR UPDATE
        """,
        {"node": node, "ids": ids},
    )
    return {task.id: task for task in found}


async def apply(
    db: Db, node: str, changes: Sequence[Change], *, running: list[str], now: datetime
) -> list[Task]:
    """Write what was reported, one change per task; `running` began meanwhile.

    Tenant-less: a node's own rows, locked.
    """
    return await db.all(
        Task,
        f"""
        UPDATE tasks SET
            status = CASE WHEN c.said_late THEN status ELSE c.said END,
            started_at = CASE WHEN id = ANY (%(running)s) THEN coalesce(started_at, %(now)s)
                ELSE started_at END,
            due_at = CASE WHEN c.said = 'running'
                THEN %(now)s + make_interval(secs => timeout_seconds + %(grace)s) ELSE due_at END,
            ended_at = CASE WHEN c.ends THEN %(now)s ELSE ended_at END,
            changed = CASE WHEN c.ends THEN c.said_changed ELSE changed END,
            result = CASE WHEN c.ends THEN c.said_result ELSE result END,
            error_code = CASE WHEN c.ends THEN c.said_code ELSE error_code END,
            error_message = CASE WHEN c.ends THEN c.said_message ELSE error_message END,
            late = CASE WHEN c.said_late THEN jsonb_build_object('state', c.said,
                'received_at', %(now)s::timestamptz, 'result', c.said_result, 'error_code',
                c.said_code, 'error_message', c.said_message) ELSE late END,
            version = version + 1
        FROM jsonb_to_recordset(%(changes)s) AS c(task text, said text, said_late boolean,
            ends boolean, said_changed boolean, said_result jsonb, said_code text,
            said_message text)
        WHERE node_id = %(node)s AND id = c.task RETURNING {TASK}
        """,
        {
            "node": node,
            "running": running,
            "now": now,
            "grace": GRACE.total_seconds(),
            "changes": Jsonb(
                [
                    {
                        "task": change.id,
                        "said": change.status,
                        "said_late": change.late,
                        "ends": change.ends,
                        "said_changed": change.changed,
                        "said_result": change.result,
                        "said_code": change.error_code,
                        "said_message": change.error_message,
                    }
                    for change in changes
                ]
            ),
        },
    )


_SIZE: dict[str, LiteralString] = {
    "stdout": "stdout_bytes",
    "stderr": "stderr_bytes",
    "content": "content_bytes",
}


async def append(db: Db, node: str, task: str, stream: str, *, offset: int, content: bytes) -> bool:
    """Append to a stream where it ends, within the task's limit; False where it does not fit.

    Tenant-less: a node's own rows.
    """
    size = _SIZE[stream]
    return bool(
        await db.run(
            f"""
            WITH grown AS (
                UPDATE tasks SET {size} = {size} + length(%(content)s::bytea)
                WHERE id = %(task)s AND node_id = %(node)s AND {size} = %(offset)s
                    AND {size} + length(%(content)s::bytea) <= output_limit
                    AND status IN ('sent', 'running', 'unknown')
                RETURNING org_id, project_id
            )
            INSERT INTO task_outputs (task_id, stream, at_offset, org_id, project_id, node_id,
                content)
            SELECT %(task)s, %(stream)s, %(offset)s, org_id, project_id, %(node)s, %(content)s
            FROM grown
            """,
            {"node": node, "task": task, "stream": stream, "offset": offset, "content": content},
        )
    )


async def find(db: Db, node: str, task: str) -> Task | None:
    """Tenant-less: a node's own rows."""
    return await db.find(
        Task, f"SELECT {TASK} FROM tasks WHERE id = %s AND node_id = %s", (task, node)
    )
