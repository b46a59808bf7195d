"""Every SQL statement of runtime secrets."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString

from moorage_core.kit.db import Db
from moorage_core.kit.ids import SecretId
from moorage_core.runtime_secrets.models import Found, RuntimeSecret

SECRET: LiteralString = (
    "id, org_id, project_id, operation_id, name, purpose, secret_id, size, expires_at,"
    " version, created_at, instance_id, generation, pending"
)


async def count(db: Db, *, operation: str, instance: str | None, org: str) -> int:
    """Of an instance, or of a session that has none."""
    return await db.value(
        """
        SELECT count(*) FROM runtime_secrets WHERE org_id = %(org)s
            AND (instance_id = %(instance)s OR %(instance)s::text IS NULL
                AND operation_id = %(operation)s)
        """,
        {"org": org, "operation": operation, "instance": instance},
    )


async def find_newest(
    db: Db, instance: str, name: str, *, org: str, rotation: str | None
) -> RuntimeSecret | None:
    """What an instance has under a name: what is in force, or what a rotation has put there."""
    return await db.find(
        RuntimeSecret,
        f"""
        SELECT {SECRET} FROM runtime_secrets
        WHERE org_id = %s AND instance_id = %s AND name = %s
            AND (NOT pending OR operation_id = %s)
        ORDER BY generation DESC LIMIT 1 FOR UPDATE
        """,
        (org, instance, name, rotation),
    )


async def find_last_generation(db: Db, instance: str, name: str, *, org: str) -> int:
    """Of a name, also where it was never in force. 0: there is none."""
    return await db.value(
        """
        SELECT coalesce(max(generation), 0) FROM runtime_secrets
        WHERE org_id = %s AND instance_id = %s AND name = %s
        """,
        (org, instance, name),
    )


async def put_in_force(db: Db, operation: str, *, org: str, until: datetime) -> None:
    """What an operation rotated takes the place of what was there, which ends then."""
    await db.run(
        """
        WITH new AS (
            UPDATE runtime_secrets SET pending = false
            WHERE org_id = %(org)s AND operation_id = %(operation)s AND pending
            RETURNING instance_id, name, generation
        )
        UPDATE runtime_secrets s SET expires_at = %(until)s FROM new
        WHERE s.org_id = %(org)s AND s.instance_id = new.instance_id AND s.name = new.name
            AND s.generation < new.generation AND s.operation_id <> %(operation)s
            AND (s.expires_at IS NULL OR s.expires_at > %(until)s)
        """,
        {"org": org, "operation": operation, "until": until},
    )


async def withdraw(db: Db, operation: str, *, org: str, now: datetime) -> None:
    """What an operation rotated never comes into force."""
    await db.run(
        """
        UPDATE runtime_secrets SET expires_at = %s
        WHERE org_id = %s AND operation_id = %s AND pending
        """,
        (now, org, operation),
    )


async def take_up(db: Db, id: str, *, org: str) -> RuntimeSecret:
    """Note that one more operation uses a secret."""
    return await db.get(
        RuntimeSecret,
        f"""
        UPDATE runtime_secrets SET version = version + 1 WHERE org_id = %s AND id = %s
        RETURNING {SECRET}
        """,
        (org, id),
    )


async def end_all(db: Db, instance: str, *, org: str, now: datetime) -> None:
    """Let all secrets of an instance end now."""
    await db.run(
        """
        UPDATE runtime_secrets SET expires_at = %(now)s
        WHERE org_id = %(org)s AND instance_id = %(instance)s
            AND (expires_at IS NULL OR expires_at > %(now)s)
        """,
        {"org": org, "instance": instance, "now": now},
    )


async def add(db: Db, secret: RuntimeSecret) -> bool:
    """False where the operation, or the instance, has one of this name.

    Tenant-less: `secret` carries its org.
    """
    return bool(
        await db.run(
            f"""
            INSERT INTO runtime_secrets ({SECRET})
            VALUES (%(id)s, %(org_id)s, %(project_id)s, %(operation_id)s, %(name)s, %(purpose)s,
                %(secret_id)s, %(size)s, %(expires_at)s, %(version)s, %(created_at)s,
                %(instance_id)s, %(generation)s, %(pending)s)
            ON CONFLICT DO NOTHING
            """,
            secret.__dict__,
        )
    )


async def list_for_node(
    db: Db, *, org: str, operations: list[str], names: list[str], node: str
) -> list[Found]:
    """Secrets by operation and name (the two lists belong together), and the key of the task
    of the node that got them, fence by fence. Of an instance's the newest that is in force, or that
    the operation itself puts there."""
    return await db.all(
        Found,
        """
        SELECT w.operation AS operation_id, s.name, s.id, s.secret_id, s.size, s.expires_at,
            coalesce((
                SELECT jsonb_object_agg(d.fence::text, coalesce(t.key, d.task_id))
                FROM secret_deliveries d LEFT JOIN tasks t ON t.id = d.task_id
                WHERE d.runtime_secret_id = s.id AND d.operation_id = w.operation
                    AND d.node_id = %(node)s), '{}') AS given
        FROM (SELECT DISTINCT * FROM unnest(%(operations)s::text[], %(names)s::text[]))
                AS w(operation, name)
            JOIN operations o ON o.id = w.operation AND o.org_id = %(org)s
            JOIN runtime_secrets s ON s.org_id = %(org)s AND s.name = w.name
                AND CASE WHEN o.app_instance_id IS NULL THEN s.operation_id = o.id
                    ELSE s.instance_id = o.app_instance_id AND s.generation = (
                        SELECT max(x.generation) FROM runtime_secrets x
                        WHERE x.instance_id = o.app_instance_id AND x.name = w.name
                            AND (NOT x.pending
                                OR (x.operation_id = o.id AND o.direction = 'forward'))) END
        ORDER BY s.id FOR SHARE OF s
        """,
        {"org": org, "operations": operations, "names": names, "node": node},
    )


async def note_deliveries(
    db: Db, rows: Sequence[dict[str, Any]], *, org: str, node: str, now: datetime
) -> None:
    await db.run(
        """
        INSERT INTO secret_deliveries (runtime_secret_id, operation_id, fence, node_id, org_id,
            project_id, task_id, at)
        SELECT r.secret, r.operation, r.fence, %(node)s, %(org)s, r.project, r.task, %(now)s
        FROM unnest(%(secrets)s::text[], %(operations)s::text[], %(fences)s::integer[],
            %(projects)s::text[], %(tasks)s::text[])
            AS r(secret, operation, fence, project, task)
        ON CONFLICT DO NOTHING
        """,
        {
            "org": org,
            "node": node,
            "now": now,
            "secrets": [row["secret"] for row in rows],
            "operations": [row["operation"] for row in rows],
            "fences": [row["fence"] for row in rows],
            "projects": [row["project"] for row in rows],
            "tasks": [row["task"] for row in rows],
        },
    )


async def list_expired(db: Db, *, now: datetime, limit: int) -> list[dict[str, Any]]:
    """One of each org before the second of any.

    Tenant-less: a sweep, as moorage_system.
    """
    return await db.rows(
        """
        SELECT id, org_id FROM runtime_secrets WHERE expires_at < %s
        ORDER BY row_number() OVER (PARTITION BY org_id ORDER BY expires_at), expires_at LIMIT %s
        """,
        (now, limit),
    )


async def remove_expired(db: Db, ids: list[str], *, org: str, now: datetime) -> list[SecretId]:
    """The values that nothing refers to any more."""
    rows = await db.rows(
        """
        DELETE FROM runtime_secrets WHERE org_id = %s AND id = ANY (%s) AND expires_at < %s
        RETURNING secret_id
        """,
        (org, ids, now),
    )
    return [SecretId(row["secret_id"]) for row in rows]
