"""Every SQL statement of operations."""

from datetime import datetime
from typing import Any, LiteralString

from moorage_core.kit.db import Db
from moorage_core.kit.pagination import PageRequest
from moorage_core.operations.models import Circumstances, Grant, Machine, Operation

OPERATION: LiteralString = """
    o.id, o.org_id, o.project_id, o.kind, o.status, o.reason, o.message, o.requested_by_kind,
    o.requested_by, o.requested_by_name, o.fence, o.lease_expires_at, o.deadline, o.correlation_id,
    o.traceparent, o.app_slug, o.app_instance_id, o.version, o.created_at, o.updated_at, o.ended_at,
    o.parent_id, o.member_id, o.member_ids, o.app_id, o.operator_id, o.version_id, o.action,
    o.input, o.instance_lock, o.place, o.wave, o.phase, o.max_parallel, o.failure_budget,
    o.children_total, o.children_ended, o.children_succeeded, o.children_failed, o.direction,
    o.progress_done, o.progress_total, o.error, o.result, o.residue, o.recovery, o.attempt,
    o.no_return, o.cancel_requested_at, o.cancel_reason, o.preempts, o.patient, o.timeout_seconds,
    o.first_claimed_at, o.due_at, o.wakes_on, o.holder, o.handout, o.sequence, o.turn_at,
    (SELECT p.phase = 'children' AND p.ended_at IS NULL FROM operations p
        WHERE p.id = o.parent_id) AS parent_open,
    (SELECT coalesce(jsonb_agg(r.one ORDER BY c.id, r.at), '[]')
        FROM operations c, jsonb_array_elements(c.residue) WITH ORDINALITY AS r(one, at)
        WHERE o.phase IS NOT NULL AND c.parent_id = o.id AND c.residue <> '[]')
        AS children_residue,
    ARRAY(SELECT x.allocation_id FROM operation_allocations x WHERE x.operation_id = o.id
        ORDER BY x.allocation_id) AS allocations
    """

LEFT: LiteralString = """(
    (o.requested_by_kind = 'user' AND NOT EXISTS (
        SELECT FROM users u JOIN memberships m ON m.user_id = u.id
        WHERE u.id = o.requested_by AND u.disabled_at IS NULL AND m.org_id = o.org_id
            AND (m.project_id IS NULL OR m.project_id = o.project_id)
            AND m.role = ANY (%(roles)s)))
    OR (o.requested_by_kind = 'service_account' AND NOT EXISTS (
        SELECT FROM service_accounts a
        WHERE a.id = o.requested_by AND a.org_id = o.org_id AND a.project_id = o.project_id
            AND a.disabled_at IS NULL AND a.deleted_at IS NULL AND %(key)s = ANY (a.permissions))))
    """
"""Whoever opened it could not open it any more. `grant_principal` asks the same."""


async def find_principal(
    db: Db, *, token_hash: bytes, roles: list[str], key: str, now: datetime
) -> dict[str, Any] | None:
    """Tenant-less: before there is a principal."""
    return await db.row(
        "SELECT * FROM grant_principal(%s, %s, %s, %s)", (token_hash, now, roles, key)
    )


async def lock_machines(db: Db, ids: list[str], *, org: str, project: str) -> list[Machine]:
    """Allocations of the project, none of which changes its state meanwhile."""
    return await db.all(
        Machine,
        """
        SELECT id, name, status, node_id FROM allocations
        WHERE org_id = %s AND project_id = %s AND id = ANY (%s) ORDER BY id FOR SHARE
        """,
        (org, project, ids),
    )


async def list_names(
    db: Db, instances: list[str], members: list[str], *, orgs: list[str]
) -> dict[str, str]:
    """Names of instances and members, by id."""
    rows = await db.rows(
        """
        SELECT id, name FROM instances WHERE id = ANY (%s) AND org_id = ANY (%s)
        UNION ALL SELECT id, name FROM members WHERE id = ANY (%s) AND org_id = ANY (%s)
        """,
        (instances, orgs, members, orgs),
    )
    return {row["id"]: row["name"] for row in rows}


async def add(
    db: Db, operation: dict[str, Any], *, allocations: list[str], grant: dict[str, Any] | None
) -> None:
    """An operation, its machines and its grant.

    Tenant-less: `operation` carries its org.
    """
    await db.run(
        """
        WITH added AS (
            INSERT INTO operations (id, org_id, project_id, kind, status, reason,
                requested_by_kind, requested_by, requested_by_name, lease_expires_at, deadline,
                correlation_id, traceparent, created_at, updated_at)
            VALUES (%(id)s, %(org)s, %(project)s, 'node.session', 'running', %(reason)s, %(kind)s,
                %(by)s, %(name)s, %(lease)s, %(deadline)s, %(correlation)s, %(traceparent)s,
                %(now)s, %(now)s)
        ), granted AS (
            INSERT INTO operation_grants (id, operation_id, org_id, project_id, fence, token_hash,
                created_at)
            SELECT %(grant_id)s::text, %(id)s, %(org)s, %(project)s, 1, %(token_hash)s::bytea,
                %(now)s
            WHERE %(grant_id)s::text IS NOT NULL
        )
        INSERT INTO operation_allocations (operation_id, allocation_id, org_id, project_id)
        SELECT %(id)s, a, %(org)s, %(project)s FROM unnest(%(allocations)s::text[]) a
        """,
        {"grant_id": None, "token_hash": None}
        | operation
        | (grant or {})
        | {"allocations": allocations},
    )


async def add_allocations(
    db: Db, operation: str, allocations: list[str], *, org: str, project: str
) -> None:
    """Let an operation touch these machines too."""
    await db.run(
        """
        INSERT INTO operation_allocations (operation_id, allocation_id, org_id, project_id)
        SELECT %s, a, %s, %s FROM unnest(%s::text[]) a ON CONFLICT DO NOTHING
        """,
        (operation, org, project, allocations),
    )


async def find(db: Db, id: str, *, orgs: list[str], lock: bool = False) -> Operation | None:
    sql: LiteralString = f"""
        SELECT {OPERATION} FROM operations o WHERE o.id = %s AND o.org_id = ANY (%s)
        """
    return await db.find(Operation, sql + (" FOR UPDATE OF o" if lock else ""), (id, orgs))


async def list_by_correlation(
    db: Db, correlation: str, *, orgs: list[str], projects: list[str], limit: int
) -> list[Operation]:
    return await db.all(
        Operation,
        f"""
        SELECT {OPERATION} FROM operations o WHERE o.correlation_id = %s
            AND (o.org_id = ANY (%s) OR o.project_id = ANY (%s))
        ORDER BY o.id LIMIT %s
        """,
        (correlation, orgs, projects, limit),
    )


async def list_circumstances(
    db: Db, instances: list[str], *, orgs: list[str]
) -> list[Circumstances]:
    """How instances stand, without locking any."""
    return await db.all(
        Circumstances,
        """
        SELECT i.id AS instance_id, i.status, ARRAY(
            SELECT o.kind FROM operations o WHERE o.org_id = i.org_id AND o.app_instance_id = i.id
                AND o.parent_id IS NULL AND o.instance_lock = 'exclusive'
                AND o.status NOT IN ('succeeded', 'failed', 'cancelled', 'abandoned')
            ORDER BY o.place) AS ahead
        FROM instances i WHERE i.org_id = ANY (%s) AND i.id = ANY (%s)
        """,
        (orgs, instances),
    )


async def find_held(
    db: Db, id: str, *, orgs: list[str], grant: str
) -> tuple[Operation, Grant] | None:
    """An operation with the grant that the caller proved, neither of which changes meanwhile."""
    operation = await db.find(
        Operation,
        f"""
        SELECT {OPERATION} FROM operations o WHERE o.id = %s AND o.org_id = ANY (%s) FOR SHARE OF o
        """,
        (id, orgs),
    )
    if operation is None:
        return None
    held = await db.find(
        Grant,
        """
        SELECT id, operation_id, org_id, project_id, fence FROM operation_grants
        WHERE id = %s AND operation_id = %s AND org_id = %s
        """,
        (grant, id, operation.org_id),
    )
    return None if held is None else (operation, held)


async def list_page(
    db: Db,
    page: PageRequest,
    *,
    orgs: list[str],
    projects: list[str],
    kind: str | None,
    status: str | None,
) -> list[Operation]:
    """Newest first: of whole orgs, and of single projects."""
    return await db.all(
        Operation,
        f"""
        SELECT {OPERATION} FROM operations o
        WHERE (o.org_id = ANY (%(orgs)s) OR o.project_id = ANY (%(projects)s))
            AND (%(after)s = '' OR o.id < %(after)s)
            AND (%(kind)s::text IS NULL OR o.kind = %(kind)s)
            AND (%(status)s::text IS NULL OR o.status = %(status)s)
        ORDER BY o.id DESC LIMIT %(limit)s
        """,
        {
            "orgs": orgs,
            "projects": projects,
            "after": page.after,
            "kind": kind,
            "status": status,
            "limit": page.fetch,
        },
    )


async def renew(db: Db, id: str, *, org: str, until: datetime, now: datetime) -> Operation:
    return await db.get(
        Operation,
        f"""
        UPDATE operations o SET lease_expires_at = %s, version = version + 1, updated_at = %s
        WHERE org_id = %s AND id = %s RETURNING {OPERATION}
        """,
        (until, now, org, id),
    )


async def end(
    db: Db, id: str, *, org: str, status: str, message: str | None, now: datetime
) -> Operation:
    return await db.get(
        Operation,
        f"""
        UPDATE operations o SET status = %s, message = %s, ended_at = %s, version = version + 1,
            updated_at = %s
        WHERE org_id = %s AND id = %s RETURNING {OPERATION}
        """,
        (status, message, now, now, org, id),
    )


async def stop_tasks(
    db: Db, operations: list[str], *, org: str, now: datetime
) -> list[dict[str, Any]]:
    """No task of the operations goes on: what no node has is cancelled, the rest is asked to stop.

    Here and not with the tasks, because an operation and what it opened end together.
    """
    return await db.rows(
        """
        UPDATE tasks SET cancel_requested_at = coalesce(cancel_requested_at, %(now)s),
            status = CASE WHEN status = 'queued' THEN 'cancelled' ELSE status END,
            ended_at = CASE WHEN status = 'queued' THEN %(now)s::timestamptz END,
            error_code = CASE WHEN status = 'queued' THEN 'operation_ended' END,
            error_message = CASE WHEN status = 'queued'
                THEN 'The operation ended before the node took the task.' END,
            version = version + 1
        WHERE org_id = %(org)s AND operation_id = ANY (%(operations)s) AND ended_at IS NULL
        RETURNING id, node_id, reach
        """,
        {"org": org, "operations": operations, "now": now},
    )


async def lock_running_on(
    db: Db, allocation: str, *, org: str, besides: list[str]
) -> list[Operation]:
    """The sessions that are at work on a machine, without those that are named.

    An app's operation is its members' business: a machine with members is not given back.
    """
    return await db.all(
        Operation,
        f"""
        SELECT {OPERATION} FROM operations o
        WHERE o.org_id = %s AND o.kind = 'node.session' AND o.status = 'running'
            AND o.id IN (SELECT operation_id FROM operation_allocations WHERE allocation_id = %s)
            AND NOT o.id = ANY (%s)
        ORDER BY o.id FOR UPDATE OF o
        """,
        (org, allocation, besides),
    )


async def list_expired(db: Db, *, now: datetime, limit: int) -> list[dict[str, Any]]:
    """Sessions whose lease has run out.

    Tenant-less: a sweep, as moorage_system.
    """
    return await db.rows(
        """
        SELECT id, org_id FROM operations
        WHERE status = 'running' AND kind = 'node.session' AND lease_expires_at < %s
        ORDER BY lease_expires_at LIMIT %s
        """,
        (now, limit),
    )


async def list_left(db: Db, *, roles: list[str], key: str, limit: int) -> list[dict[str, Any]]:
    """Running sessions of people and service accounts who lost what it takes to open one.

    Tenant-less: a sweep, as moorage_system.
    """
    return await db.rows(
        f"""
        SELECT o.id, o.org_id FROM operations o
        WHERE o.status = 'running' AND o.kind = 'node.session'
            AND o.requested_by_kind <> 'system' AND {LEFT}
        ORDER BY o.id LIMIT %(limit)s
        """,
        {"roles": roles, "key": key, "limit": limit},
    )


async def lock_left(db: Db, id: str, *, org: str, roles: list[str], key: str) -> Operation | None:
    """The operation, unless it has ended or its opener may open it again."""
    return await db.find(
        Operation,
        f"""
        SELECT {OPERATION} FROM operations o
        WHERE o.org_id = %(org)s AND o.id = %(id)s AND o.status = 'running'
            AND o.kind = 'node.session' AND {LEFT}
        FOR UPDATE OF o
        """,
        {"id": id, "org": org, "roles": roles, "key": key},
    )
