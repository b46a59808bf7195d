"""Every SQL statement of triage. It reads what other slices own, and writes nothing.

Of each kind of row the latest are read, and told in the order in which they came.
"""

from collections.abc import Sequence

from moorage_core.authz.principals import Principal
from moorage_core.kit.db import Db
from moorage_core.triage.models import Entry, Event, Refusal, Step, Task

ROWS = 2000
TAIL = 2048
"""Bytes of what a task wrote last, of each stream."""


async def list_steps(db: Db, operations: Sequence[str], *, orgs: list[str]) -> list[Step]:
    found = await db.all(
        Step,
        """
        SELECT operation_id, phase, number, name, status, attempt, message, started_at, finished_at
        FROM operation_steps WHERE operation_id = ANY (%s) AND org_id = ANY (%s)
        ORDER BY started_at DESC, number DESC LIMIT %s
        """,
        (list(operations), orgs, ROWS),
    )
    return found[::-1]


async def list_tasks(
    db: Db,
    operations: Sequence[str],
    *,
    orgs: list[str],
    logs: tuple[list[str], list[str]],
) -> list[Task]:
    """With the last of what they wrote, where they did not succeed and the caller may read it.

    `logs` are the whole orgs, and the single projects, in which that is so.
    """
    return await db.all(
        Task,
        """
        SELECT t.id, t.operation_id, t.allocation_id, t.kind, t.key, t.attempt, t.status,
            (t.result ->> 'exit_code')::integer AS exit_code, t.error_code, t.error_message,
            t.created_at, t.started_at, t.ended_at, coalesce(o.tail, '') AS tail
        FROM (SELECT * FROM tasks
            WHERE operation_id = ANY (%(operations)s) AND org_id = ANY (%(orgs)s)
            ORDER BY created_at DESC, id DESC LIMIT %(rows)s) t
        LEFT JOIN LATERAL (
            SELECT string_agg(x.content, ''::bytea ORDER BY x.stream DESC) AS tail
            FROM (SELECT DISTINCT ON (stream) stream,
                    substring(content FROM greatest(octet_length(content) - %(tail)s + 1, 1))
                        AS content
                FROM task_outputs
                WHERE task_id = t.id AND stream IN ('stdout', 'stderr')
                ORDER BY stream, at_offset DESC) x
        ) o ON t.status IN ('failed', 'timed_out', 'unknown')
            AND (t.org_id = ANY (%(log_orgs)s) OR t.project_id = ANY (%(log_projects)s))
        ORDER BY t.created_at, t.id
        """,
        {
            "operations": list(operations),
            "orgs": orgs,
            "rows": ROWS,
            "tail": TAIL,
            "log_orgs": logs[0],
            "log_projects": logs[1],
        },
    )


async def list_events(
    db: Db, correlation: str, *, orgs: list[str], projects: list[str]
) -> list[Event]:
    found = await db.all(
        Event,
        """
        SELECT type, subject, subject_version, at, data FROM events
        WHERE correlation_id = %s AND seq IS NOT NULL
            AND (org_id = ANY (%s) OR project_id = ANY (%s))
        ORDER BY seq DESC LIMIT %s
        """,
        (correlation, orgs, projects, ROWS),
    )
    return found[::-1]


async def list_entries(
    db: Db, correlation: str, *, orgs: list[str], projects: list[str]
) -> list[Entry]:
    found = await db.all(
        Entry,
        """
        SELECT id, at, actor_kind, actor_id, actor_name, action, target, outcome, count,
            break_glass, reason, details FROM audit_entries
        WHERE correlation_id = %s AND seq IS NOT NULL
            AND (org_id = ANY (%s) OR project_id = ANY (%s))
        ORDER BY seq DESC LIMIT %s
        """,
        (correlation, orgs, projects, ROWS),
    )
    return found[::-1]


async def list_refusals(db: Db, correlation: str, *, principal: Principal) -> list[Refusal]:
    """What this very caller was told. A token that holds less than its owner sees its own alone.

    Tenant-less: it is of who was refused, wherever that was.
    """
    found = await db.all(
        Refusal,
        """
        SELECT at, route, permission, status, code, title, detail, errors FROM refusals
        WHERE principal = %(principal)s AND correlation_id = %(correlation)s
            AND (%(token)s::text IS NULL OR restricted_by = %(token)s)
        ORDER BY at DESC LIMIT %(rows)s
        """,
        {
            "principal": principal.id,
            "correlation": correlation,
            "token": principal.restricted_by,
            "rows": ROWS,
        },
    )
    return found[::-1]
