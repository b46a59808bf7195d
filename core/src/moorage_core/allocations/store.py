"""Every SQL statement of allocations."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from moorage_core.allocations.models import Allocation, Candidate, Host, Occupant, TaskSeen
from moorage_core.kit.db import Db
from moorage_core.kit.pagination import PageRequest
from moorage_core.tasks.models import Evidence

ALLOCATION: LiteralString = """
    a.id, a.org_id, a.project_id, a.name, a.node_id, a.node_name, a.region, a.sku, a.gpus,
    a.price_micros, a.currency, a.status, a.message, a.dirty, a.placement, a.scheduler_type,
    a.metadata, a.requested_by, a.setup_operation_id, a.release_operation_id, a.reimage,
    a.reimage_from, a.proof, a.held_from, a.held_until, a.attempt, a.due_at, a.correlation_id,
    a.version, a.created_at, a.updated_at, a.instance_id,
    (SELECT i.name FROM instances i WHERE i.id = a.instance_id) AS instance_name,
    actor_name(a.requested_by) AS requested_by_name
    """
CANDIDATE: LiteralString = """
    n.id, n.name, n.status, n.cordoned, n.reach,
    n.reach = 'ssh' OR (n.unreachable_since IS NULL AND n.last_seen_at IS NOT NULL) AS reachable,
    n.last_org_id, n.status_since, coalesce(n.labels ->> 'rack', '') AS rack,
    EXISTS (SELECT FROM allocations h WHERE h.node_id = n.id AND h.project_id = %(project)s
        AND h.status IN ('requested', 'provisioning', 'active', 'releasing', 'release_failed'))
        AS held_here
    """

# Placement


async def hold_pool(db: Db, *, region: str, sku: str) -> None:
    """Let nobody else choose among these nodes before this transaction ends.

    Rows that were merely locked would do as well, and would be skipped whenever a node's heartbeat
    is written: then the last free one would seem taken.

    Tenant-less: nodes are the platform's.
    """
    await db.run(
        "SELECT pg_advisory_xact_lock(hashtextextended('nodes of ' || %s || ' in ' || %s, 0))",
        (sku, region),
    )


async def list_candidates(db: Db, *, region: str, sku: str, project: str) -> list[Candidate]:
    """Every node of a SKU in a region that is not gone for good."""
    return await db.all(
        Candidate,
        f"""
        SELECT {CANDIDATE} FROM nodes n
        WHERE n.region_id = %(region)s AND n.sku_id = %(sku)s AND n.status <> 'retired'
        """,
        {"region": region, "sku": sku, "project": project},
    )


async def lock_candidates(db: Db, ids: list[str], *, project: str) -> list[Candidate]:
    """Some nodes as they are now. They stay so until the transaction ends."""
    return await db.all(
        Candidate,
        f"""
        SELECT {CANDIDATE} FROM nodes n WHERE n.id = ANY (%(ids)s) ORDER BY n.id FOR UPDATE OF n
        """,
        {"ids": ids, "project": project},
    )


async def find_place(db: Db, node: str) -> dict[str, Any] | None:
    """Where a node is and of which class, by id and by slug.

    Tenant-less: nodes are the platform's.
    """
    return await db.row(
        """
        SELECT r.slug AS region, s.slug AS sku FROM nodes n JOIN regions r ON r.id = n.region_id
            JOIN skus s ON s.id = n.sku_id
        WHERE n.id = %s AND n.status <> 'retired'
        """,
        (node,),
    )


# Owners, for those who run the platform


async def find_owner(db: Db, id: str) -> dict[str, Any] | None:
    """Tenant-less: says whose an allocation is to those who run the platform, and nobody else."""
    return await db.row("SELECT org_id, project_id FROM allocation_owner(%s)", (id,))


async def find_project_owner(db: Db, project: str) -> str | None:
    """The org of a project, for those who run the platform, and nobody else."""
    return await db.value("SELECT project_owner(%s)", (project,))


# Allocations


async def add(
    db: Db, rows: Sequence[dict[str, Any]], *, org: str, project: str, now: datetime
) -> list[Allocation]:
    """All of them in one statement; none where the project was deleted a moment ago."""
    return await db.all(
        Allocation,
        f"""
        INSERT INTO allocations AS a (id, org_id, project_id, name, node_id, node_name, region, sku,
            gpus, price_micros, currency, status, placement, scheduler_type, metadata, requested_by,
            reimage, held_from, due_at, correlation_id, created_at, updated_at)
        SELECT r.id, p.org_id, p.id, r.name, r.node_id, r.node_name, r.region, r.sku, r.gpus,
            r.price_micros, r.currency, r.status, r.placement, r.scheduler_type, r.metadata,
            r.requested_by, r.reimage, r.held_from, r.due_at, r.correlation_id, %(now)s, %(now)s
        FROM jsonb_to_recordset(%(rows)s::jsonb) AS r(id text, name text, node_id text,
            node_name text, region text, sku text, gpus integer, price_micros bigint,
            currency text, status text, placement jsonb, scheduler_type text, metadata jsonb,
            requested_by text, reimage boolean, held_from timestamptz, due_at timestamptz,
            correlation_id text),
            (SELECT id, org_id FROM projects WHERE org_id = %(org)s AND id = %(project)s
                AND deleted_at IS NULL FOR KEY SHARE) p
        RETURNING {ALLOCATION}
        """,
        {"rows": json.dumps(rows), "org": org, "project": project, "now": now},
    )


async def find(db: Db, id: str, *, orgs: list[str], lock: bool = False) -> Allocation | None:
    sql: LiteralString = (
        f"SELECT {ALLOCATION} FROM allocations a WHERE a.id = %s AND a.org_id = ANY (%s)"
    )
    return await db.find(Allocation, sql + (" FOR UPDATE" if lock else ""), (id, orgs))


async def list_named(db: Db, ids: list[str], *, orgs: list[str]) -> list[Allocation]:
    return await db.all(
        Allocation,
        f"""
        SELECT {ALLOCATION} FROM allocations a
        WHERE a.id = ANY (%s) AND a.org_id = ANY (%s) ORDER BY a.id
        """,
        (ids, orgs),
    )


async def list_page(
    db: Db, page: PageRequest, *, org: str, project: str, status: str | None, live: bool
) -> list[Allocation]:
    return await db.all(
        Allocation,
        f"""
        SELECT {ALLOCATION} FROM allocations a
        WHERE a.org_id = %(org)s AND a.project_id = %(project)s AND a.id > %(after)s
            AND (%(status)s::text IS NULL OR a.status = %(status)s)
            AND (NOT %(live)s OR a.status NOT IN ('released', 'failed'))
        ORDER BY a.id LIMIT %(limit)s
        """,
        {
            "org": org,
            "project": project,
            "status": status,
            "live": live,
            "after": page.after,
            "limit": page.fetch,
        },
    )


async def list_hosts(db: Db, ids: list[str]) -> list[Host]:
    """What their holders are told of nodes.

    Tenant-less: the database shows a node to whoever may see the allocation that holds it.
    """
    return await db.all(Host, "SELECT * FROM held_nodes(%s)", (ids,))


async def describe(
    db: Db, id: str, *, org: str, changes: dict[str, Any], now: datetime
) -> Allocation:
    """Change what is noted on an allocation; what is not named stays."""
    return await db.get(
        Allocation,
        f"""
        UPDATE allocations a SET name = coalesce(%(name)s, name),
            scheduler_type = nullif(coalesce(%(type)s, scheduler_type), ''),
            metadata = coalesce(%(metadata)s, metadata), version = version + 1, updated_at = %(now)s
        WHERE a.org_id = %(org)s AND a.id = %(id)s RETURNING {ALLOCATION}
        """,
        {
            "id": id,
            "org": org,
            "now": now,
            "name": changes.get("name"),
            "type": changes.get("scheduler_type"),
            "metadata": Jsonb(changes["metadata"]) if changes.get("metadata") is not None else None,
        },
    )


async def save(db: Db, row: Allocation, *, org: str, now: datetime) -> Allocation:
    """Write what the platform may change on a locked row."""
    return await db.get(
        Allocation,
        f"""
        UPDATE allocations a SET status = %(status)s, message = %(message)s, dirty = %(dirty)s,
            setup_operation_id = %(setup_operation_id)s,
            release_operation_id = %(release_operation_id)s, reimage_from = %(reimage_from)s,
            proof = %(proof)s, held_from = %(held_from)s, held_until = %(held_until)s,
            attempt = %(attempt)s, due_at = %(due_at)s, version = version + 1, updated_at = %(now)s
        WHERE a.org_id = %(org)s AND a.id = %(id)s RETURNING {ALLOCATION}
        """,
        {**vars(row), "proof": Jsonb(row.proof), "org": org, "now": now},
    )


# Those who stand on it


async def find_occupant(db: Db, id: str, *, org: str) -> Occupant | None:
    """The instance whose live members an allocation carries."""
    return await db.find(
        Occupant,
        """
        SELECT i.id AS instance_id, i.name AS instance_name,
            array_agg(m.name ORDER BY m.name) AS members
        FROM members m JOIN instances i ON i.id = m.instance_id
        WHERE m.org_id = %s AND m.held_allocation_id = %s GROUP BY i.id
        """,
        (org, id),
    )


async def lock_named(db: Db, ids: list[str], *, org: str, project: str) -> list[Allocation]:
    return await db.all(
        Allocation,
        f"""
        SELECT {ALLOCATION} FROM allocations a
        WHERE a.org_id = %s AND a.project_id = %s AND a.id = ANY (%s) ORDER BY a.id FOR UPDATE
        """,
        (org, project, ids),
    )


async def bind(db: Db, ids: list[str], *, org: str, instance: str, now: datetime) -> None:
    """Members of the instance stand on locked allocations from now on."""
    await db.run(
        """
        UPDATE allocations SET instance_id = %s, version = version + 1, updated_at = %s
        WHERE org_id = %s AND id = ANY (%s) AND instance_id IS DISTINCT FROM %s
        """,
        (instance, now, org, ids, instance),
    )


async def free_empty(db: Db, ids: list[str], *, org: str, now: datetime) -> list[Allocation]:
    """Those on which no live member stands any more; no instance's from now on."""
    return await db.all(
        Allocation,
        f"""
        UPDATE allocations a SET instance_id = NULL, version = version + 1, updated_at = %s
        WHERE a.org_id = %s AND a.id IN (
                SELECT id FROM allocations WHERE org_id = %s AND id = ANY (%s) ORDER BY id
                FOR UPDATE)
            AND NOT EXISTS (SELECT FROM members m WHERE m.held_allocation_id = a.id)
        RETURNING {ALLOCATION}
        """,
        (now, org, org, ids),
    )


# Evidence


async def list_evidence(db: Db, page: PageRequest, *, org: str, allocation: str) -> list[Evidence]:
    return await db.all(
        Evidence,
        """
        SELECT id, org_id, project_id, node_id, allocation_id, kind, key, said_at, received_at, data
        FROM node_evidence WHERE org_id = %s AND allocation_id = %s AND id > %s
        ORDER BY id LIMIT %s
        """,
        (org, allocation, page.after, page.fetch),
    )


# What is on its way


async def list_moving(db: Db, *, now: datetime, limit: int) -> list[dict[str, Any]]:
    """Allocations on their way for which there may be something to do now.

    Tenant-less: a sweep looks for work everywhere.
    """
    return await db.rows(
        """
        SELECT a.id, a.org_id FROM allocations a JOIN nodes n ON n.id = a.node_id
        WHERE a.due_at IS NOT NULL AND (a.due_at <= %(now)s
            OR n.status = 'quarantined'
            OR a.reimage_from < n.generation
            OR EXISTS (SELECT FROM tasks t WHERE t.ended_at IS NOT NULL AND t.operation_id =
                    CASE a.status WHEN 'releasing' THEN a.release_operation_id
                        ELSE a.setup_operation_id END)
                AND NOT EXISTS (SELECT FROM tasks t WHERE t.ended_at IS NULL AND t.operation_id =
                    CASE a.status WHEN 'releasing' THEN a.release_operation_id
                        ELSE a.setup_operation_id END))
        ORDER BY a.due_at, a.id LIMIT %(limit)s
        """,
        {"now": now, "limit": limit},
    )


async def list_tasks(db: Db, operation: str, *, org: str) -> list[TaskSeen]:
    """How the platform's own tasks of an operation went."""
    return await db.all(
        TaskSeen,
        """
        SELECT id, key, status, result, error_code, error_message, ended_at FROM tasks
        WHERE org_id = %s AND operation_id = %s ORDER BY attempt
        """,
        (org, operation),
    )
