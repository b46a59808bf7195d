"""Every SQL statement of triage. It reads what other slices own, and writes nothing."""

from collections.abc import Sequence

from moorage_core.kit.db import Db
from moorage_core.triage.models import Entry, Event, Step, Task

ROWS = 2000


async def list_steps(db: Db, operations: Sequence[str], *, orgs: list[str]) -> list[Step]:
    return await db.all(
        Step,
        """
        SELECT operation_id, phase, number, name, status, attempt, message, started_at, finished_at
        FROM operation_steps WHERE operation_id = ANY (%s) AND org_id = ANY (%s)
        ORDER BY started_at, number LIMIT %s
        """,
        (list(operations), orgs, ROWS),
    )


async def list_tasks(db: Db, operations: Sequence[str], *, orgs: list[str]) -> list[Task]:
    """With the last lines of what they wrote, where they did not succeed."""
    return await db.all(
        Task,
        """
        SELECT t.id, t.operation_id, t.allocation_id, t.kind, t.key, t.attempt, t.status,
            (t.result ->> 'exit_code')::integer AS exit_code, t.error_code, t.error_message,
            t.created_at, t.started_at, t.ended_at, coalesce(o.tail, '') AS tail
        FROM tasks t LEFT JOIN LATERAL (
            SELECT string_agg(x.content, ''::bytea ORDER BY x.stream DESC, x.at_offset) AS tail
            FROM (SELECT stream, at_offset, content FROM task_outputs
                WHERE task_id = t.id AND stream IN ('stdout', 'stderr')
                ORDER BY at_offset DESC LIMIT 4) x
        ) o ON t.status IN ('failed', 'timed_out', 'unknown')
        WHERE t.operation_id = ANY (%(operations)s) AND t.org_id = ANY (%(orgs)s)
        ORDER BY t.created_at, t.id LIMIT %(rows)s
        """,
        {"operations": list(operations), "orgs": orgs, "rows": ROWS},
    )


async def list_events(
    db: Db, correlation: str, *, orgs: list[str], projects: list[str]
) -> list[Event]:
    return await db.all(
        Event,
        """
        SELECT type, subject, subject_version, at, data FROM events
        WHERE correlation_id = %s AND seq IS NOT NULL
            AND (org_id = ANY (%s) OR project_id = ANY (%s))
        ORDER BY seq LIMIT %s
        """,
        (correlation, orgs, projects, ROWS),
    )


async def list_entries(
    db: Db, correlation: str, *, orgs: list[str], projects: list[str]
) -> list[Entry]:
    return await db.all(
        Entry,
        """
        SELECT id, at, actor_kind, actor_id, actor_name, action, target, outcome, count,
            break_glass, reason, details FROM audit_entries
        WHERE correlation_id = %s AND seq IS NOT NULL
            AND (org_id = ANY (%s) OR project_id = ANY (%s))
        ORDER BY seq LIMIT %s
        """,
        (correlation, orgs, projects, ROWS),
    )
