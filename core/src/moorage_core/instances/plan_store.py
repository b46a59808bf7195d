"""Every SQL statement of plans, and of what instances and plans know of others' tables."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from moorage_core.instances.models import OperatorSeen, Plan
from moorage_core.kit.db import Db

PLAN: LiteralString = """
    p.id, p.org_id, p.project_id, p.instance_id, p.kind, p.input, p.content, p.read, p.created_by,
    p.expires_at, p.applied_operation_id, p.correlation_id, p.version, p.created_at,
    actor_name(p.created_by) AS created_by_name
    """

# Plans


async def add_plan(db: Db, new: dict[str, Any], *, org: str, project: str, now: datetime) -> Plan:
    return await db.get(
        Plan,
        f"""
        INSERT INTO plans AS p (id, org_id, project_id, instance_id, kind, input, content, read,
            created_by, expires_at, correlation_id, created_at)
        VALUES (%(id)s, %(org)s, %(project)s, %(instance_id)s, %(kind)s, %(input)s, %(content)s,
            %(read)s, %(created_by)s, %(expires_at)s, %(correlation_id)s, %(now)s)
        RETURNING {PLAN}
        """,
        {
            **new,
            **{name: Jsonb(new[name]) for name in ("input", "content", "read")},
            "org": org,
            "project": project,
            "now": now,
        },
    )


async def find_plan(db: Db, id: str, *, orgs: list[str], lock: bool = False) -> Plan | None:
    sql: LiteralString = f"SELECT {PLAN} FROM plans p WHERE p.id = %s AND p.org_id = ANY (%s)"
    return await db.find(Plan, sql + (" FOR UPDATE" if lock else ""), (id, orgs))


async def apply_plan(db: Db, id: str, *, org: str, operation: str) -> None:
    await db.run(
        """
        UPDATE plans SET applied_operation_id = %s, version = version + 1
        WHERE org_id = %s AND id = %s
        """,
        (operation, org, id),
    )


# What is known of others


async def list_operations(db: Db, ids: Sequence[str], *, orgs: list[str]) -> list[dict[str, Any]]:
    """Operations, as far as their instance shows them."""
    return await db.rows(
        """
        SELECT id, kind, status, message, created_at, ended_at FROM operations
        WHERE org_id = ANY (%s) AND id = ANY (%s)
        """,
        (orgs, list(ids)),
    )


async def list_access(db: Db, versions: Sequence[str]) -> dict[str, str]:
    """How people reach instances, by version, where it says so.

    Tenant-less: the database shows it to whoever sees an instance of the app.
    """
    rows = await db.rows(
        """
        SELECT id, manifest -> 'access' ->> 'template' AS template FROM deployed_versions(%s)
        WHERE manifest -> 'access' ->> 'template' IS NOT NULL
        """,
        (list(versions),),
    )
    return {row["id"]: row["template"] for row in rows}


async def list_versions_using(db: Db, artifact: str) -> list[str]:
    """Tenant-less: which versions use an artifact is no secret; whose instances do, is."""
    rows = await db.rows(
        "SELECT version_id FROM version_artifacts WHERE artifact_id = %s", (artifact,)
    )
    return [row["version_id"] for row in rows]


async def list_operators(db: Db, operators: Sequence[str]) -> list[OperatorSeen]:
    """Tenant-less: whoever sees an instance may know who acts for it."""
    return await db.all(OperatorSeen, "SELECT * FROM operator_seen(%s)", (sorted(set(operators)),))


async def count_repairs(db: Db, instance: str, *, org: str, since: datetime) -> int:
    """Repairs that were asked for since a moment."""
    return await db.value(
        """
        SELECT count(*) FROM operations WHERE org_id = %s AND app_instance_id = %s
            AND kind = 'instance.repair' AND created_at > %s
        """,
        (org, instance, since),
    )


async def list_prices(db: Db, instance: str, *, org: str) -> list[dict[str, Any]]:
    """What the machines of an instance cost, and which of them go with their members."""
    return await db.rows(
        """
        SELECT a.currency, a.price_micros, m.managed, count(*) AS machines FROM allocations a
        JOIN (SELECT held_allocation_id, bool_or(managed) AS managed FROM members
            WHERE org_id = %(org)s AND instance_id = %(instance)s GROUP BY 1) m
            ON m.held_allocation_id = a.id
        WHERE a.org_id = %(org)s GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
        """,
        {"org": org, "instance": instance},
    )


async def list_kinds(db: Db, allocations: Sequence[str], *, project: str) -> list[dict[str, Any]]:
    """Of which regions and SKUs some machines of a project are."""
    return await db.rows(
        "SELECT DISTINCT region, sku FROM allocations WHERE id = ANY (%s) AND project_id = %s",
        (list(allocations), project),
    )


async def list_skus(db: Db, slugs: Sequence[str]) -> list[dict[str, Any]]:
    """Tenant-less: SKUs are the platform's."""
    return await db.rows(
        "SELECT slug, price_micros, currency FROM skus WHERE slug = ANY (%s)", (list(slugs),)
    )


async def list_members(db: Db, instance: str, *, org: str) -> list[dict[str, Any]]:
    """The live members, as a plan shows and reads them."""
    return await db.rows(
        """
        SELECT id, name, component, status, version FROM members
        WHERE org_id = %s AND instance_id = %s AND removed_at IS NULL ORDER BY component, id
        """,
        (org, instance),
    )
