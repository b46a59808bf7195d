"""Every SQL statement of the operations of apps: the queue of an instance, claims and reports."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from moorage_core.kit.db import Db
from moorage_core.kit.pagination import PageRequest
from moorage_core.operations.models import InstanceRef, JournalEntry, Operation, Standing, Step
from moorage_core.operations.store import OPERATION

OPEN: LiteralString = "o.status NOT IN ('succeeded', 'failed', 'cancelled', 'abandoned')"
STANDING: LiteralString = """
    o.id, o.kind, o.status, o.parent_id, o.member_id, o.member_ids, o.instance_lock, o.place,
    o.wave, o.phase, o.max_parallel, o.failure_budget, o.children_total, o.children_ended,
    o.children_failed, o.first_claimed_at IS NOT NULL AS begun
    """
STEP: LiteralString = """
    operation_id, phase, number, name, status, attempt, undo, no_return, message, result,
    started_at, finished_at
    """
CHANGES: LiteralString = """
    id text, status text, message text, fence integer, lease_expires_at timestamptz,
    deadline timestamptz, version integer, updated_at timestamptz, ended_at timestamptz,
    place bigint, phase text, direction text, progress_done integer, progress_total integer,
    error jsonb, result jsonb, residue jsonb, recovery text, attempt integer, no_return boolean,
    cancel_requested_at timestamptz, cancel_reason text, first_claimed_at timestamptz,
    due_at timestamptz, wakes_on text[], holder text, sequence integer, turn_at timestamptz
    """
"""What changes of an operation once it is there."""


# The instance


async def lock_instance(db: Db, id: str, *, org: str) -> InstanceRef | None:
    """Whoever has it decides alone what its operations do; rows may still refer to it."""
    return await db.find(
        InstanceRef,
        """
        SELECT id, org_id, project_id, app_id, app_slug, operator_id, version_id, status
        FROM instances WHERE org_id = %s AND id = %s FOR NO KEY UPDATE
        """,
        (org, id),
    )


async def lock_instances_of(db: Db, operations: list[str], *, org: str) -> None:
    """The same for the instances of some operations, always in the same order."""
    await db.run(
        """
        SELECT FROM instances WHERE org_id = %s AND id IN (
            SELECT app_instance_id FROM operations WHERE org_id = %s AND id = ANY (%s))
        ORDER BY id FOR NO KEY UPDATE
        """,
        (org, org, operations),
    )


async def take_place(db: Db, instance: str, *, org: str) -> int:
    """The next place in the instance's line."""
    return await db.value(
        """
        UPDATE instances SET next_place = next_place + 1 WHERE org_id = %s AND id = %s
        RETURNING next_place - 1
        """,
        (org, instance),
    )


# Rows


async def add(
    db: Db, instance: str, rows: Sequence[dict[str, Any]], *, org: str, project: str, now: datetime
) -> int:
    """Operations with the machines that they may touch, at the next place in the instance's line.

    That place.
    """
    return await db.value(
        """
        WITH given AS (
            SELECT r.* FROM jsonb_to_recordset(%(rows)s) AS r(id text, kind text, status text,
                reason text, requested_by_kind text, requested_by text, requested_by_name text,
                correlation_id text, traceparent text, app_slug text, app_instance_id text,
                parent_id text, member_id text, member_ids text[], app_id text, operator_id text,
                version_id text, action text, input jsonb, instance_lock text, wave integer,
                phase text, max_parallel integer, failure_budget integer, children_total integer,
                preempts boolean, patient boolean, timeout_seconds integer, wakes_on text[],
                allocations text[])
        ), next AS (
            UPDATE instances SET next_place = next_place + 1
            WHERE org_id = %(org)s AND id = %(instance)s RETURNING next_place - 1 AS place
        ), added AS (
            INSERT INTO operations (id, org_id, project_id, kind, status, reason,
                requested_by_kind, requested_by, requested_by_name, correlation_id, traceparent,
                app_slug, app_instance_id, parent_id, member_id, member_ids, app_id, operator_id,
                version_id, action, input, instance_lock, place, wave, phase, max_parallel,
                failure_budget, children_total, preempts, patient, timeout_seconds, wakes_on,
                fence, created_at, updated_at)
            SELECT id, %(org)s, %(project)s, kind, status, reason, requested_by_kind,
                requested_by, requested_by_name, correlation_id, traceparent, app_slug,
                app_instance_id, parent_id, member_id, member_ids, app_id, operator_id, version_id,
                action, input, instance_lock, place, wave, phase, max_parallel, failure_budget,
                children_total, preempts, patient, timeout_seconds, wakes_on, 0, %(now)s, %(now)s
            FROM given, next
        ), machines AS (
            INSERT INTO operation_allocations (operation_id, allocation_id, org_id, project_id)
            SELECT g.id, a, %(org)s, %(project)s FROM given g, unnest(g.allocations) a
        )
        SELECT place FROM next
        """,
        {
            "rows": Jsonb(list(rows)),
            "org": org,
            "project": project,
            "instance": instance,
            "now": now,
        },
    )


async def start(
    db: Db, instance: str, ids: Sequence[str], *, org: str, now: datetime
) -> list[Operation]:
    """Make operations ready that wait, in this order; each with a turn, a second apart.

    The caller has locked the instance, and they are pending.
    """
    found = await db.all(
        Operation,
        f"""
        WITH turns AS (
            UPDATE instances SET turn_at = greatest(turn_at, %(now)s)
                + cardinality(%(ids)s::text[]) * interval '1 second'
            WHERE org_id = %(org)s AND id = %(instance)s
            RETURNING turn_at - cardinality(%(ids)s::text[]) * interval '1 second' AS first
        )
        UPDATE operations o SET status = 'ready', version = o.version + 1, updated_at = %(now)s,
            turn_at = t.first + (n.number - 1) * interval '1 second', due_at = NULL, holder = NULL,
            lease_expires_at = NULL
        FROM unnest(%(ids)s::text[]) WITH ORDINALITY AS n(id, number), turns t
        WHERE o.org_id = %(org)s AND o.id = n.id AND o.status = 'pending'
        RETURNING {OPERATION}
        """,
        {"ids": list(ids), "org": org, "instance": instance, "now": now},
    )
    started = {each.id: each for each in found}
    assert len(started) == len(ids), "an operation changed although its instance was locked"
    return [started[id] for id in ids]


async def lock(db: Db, ids: list[str], *, org: str) -> list[Operation]:
    """Operations in the order of their ids. The caller has locked the instance."""
    return await db.all(
        Operation,
        f"""
        SELECT {OPERATION} FROM operations o WHERE o.org_id = %s AND o.id = ANY (%s)
        ORDER BY o.id FOR UPDATE OF o
        """,
        (org, ids),
    )


async def list_open(db: Db, instance: str, *, org: str) -> list[Operation]:
    return await db.all(
        Operation,
        f"""
        SELECT {OPERATION} FROM operations o
        WHERE o.org_id = %s AND o.app_instance_id = %s AND {OPEN}
        ORDER BY o.place, o.parent_id IS NOT NULL, o.wave, o.id
        """,
        (org, instance),
    )


async def list_line(db: Db, instance: str, *, org: str) -> list[Standing]:
    """Who stands in line, and who keeps something: all but children that were never begun.

    Nobody, where nothing can come of looking: nobody waits to start, and no parent is through with
    its children. Of a thousand at work that is so nearly always.
    """
    return await db.all(
        Standing,
        f"""
        SELECT {STANDING} FROM operations o
        WHERE o.org_id = %(org)s AND o.app_instance_id = %(instance)s AND {OPEN}
            AND (o.parent_id IS NULL OR o.status <> 'pending' OR o.first_claimed_at IS NOT NULL)
            AND EXISTS (SELECT FROM operations o
                WHERE o.org_id = %(org)s AND o.app_instance_id = %(instance)s AND {OPEN}
                    AND (o.status = 'pending' OR (o.phase = 'children'
                        AND (o.children_ended >= o.children_total
                            OR o.children_failed > o.failure_budget))))
        """,
        {"org": org, "instance": instance},
    )


async def list_unbegun(
    db: Db, parents: list[str], limits: list[int | None], *, org: str
) -> list[Standing]:
    """The first children of each parent that were never begun; the two lists belong together."""
    return await db.all(
        Standing,
        f"""
        SELECT {STANDING}
        FROM unnest(%s::text[], %s::integer[]) AS p(id, most) CROSS JOIN LATERAL (
            SELECT * FROM operations c
            WHERE c.parent_id = p.id AND c.status = 'pending' AND c.first_claimed_at IS NULL
            ORDER BY c.wave, c.id LIMIT p.most) o
        WHERE o.org_id = %s
        """,
        (parents, limits, org),
    )


async def list_children(
    db: Db, parent: str, *, org: str, statuses: list[str], untouched: bool = False
) -> list[Operation]:
    """Children in these states; of those that no controller ever had, where that is asked."""
    return await db.all(
        Operation,
        f"""
        SELECT {OPERATION} FROM operations o
        WHERE o.org_id = %(org)s AND o.parent_id = %(parent)s AND o.status = ANY (%(statuses)s)
            AND (NOT %(untouched)s OR (o.first_claimed_at IS NULL AND o.attempt = 1))
        ORDER BY o.id FOR UPDATE OF o
        """,
        {"org": org, "parent": parent, "statuses": statuses, "untouched": untouched},
    )


async def list_batches(db: Db, parents: list[str], *, org: str) -> dict[str, list[str]]:
    """By parent: the members of its children."""
    if not parents:
        return {}
    rows = await db.rows(
        """
        SELECT parent_id, array_agg(member_id ORDER BY wave, id) AS members FROM operations
        WHERE org_id = %s AND parent_id = ANY (%s) AND member_id IS NOT NULL GROUP BY parent_id
        """,
        (org, parents),
    )
    return {row["parent_id"]: row["members"] for row in rows}


async def list_waiting(db: Db, instance: str, *, org: str, topics: list[str]) -> list[Operation]:
    """Those that wait for one of these, locked."""
    return await db.all(
        Operation,
        f"""
        SELECT {OPERATION} FROM operations o
        WHERE o.org_id = %s AND o.app_instance_id = %s AND o.status = 'waiting'
            AND o.wakes_on && %s::text[]
        ORDER BY o.id FOR UPDATE OF o
        """,
        (org, instance, topics),
    )


async def save(db: Db, operations: Sequence[Operation], *, org: str) -> None:
    """Write what changes of operations that the caller has locked.

    Of a wish to stop whoever holds it has not heard: the number 0 says so, until the next claim.
    """
    rows = [_changes(operation) for operation in operations]
    done = await db.run(
        f"""
        UPDATE operations o SET status = r.status, message = r.message, fence = r.fence,
            lease_expires_at = r.lease_expires_at, deadline = r.deadline, version = r.version,
            updated_at = r.updated_at, ended_at = r.ended_at, place = r.place, phase = r.phase,
            direction = r.direction, progress_done = r.progress_done,
            progress_total = r.progress_total, error = r.error, result = r.result,
            residue = r.residue, recovery = r.recovery, attempt = r.attempt,
            no_return = r.no_return, cancel_requested_at = r.cancel_requested_at,
            cancel_reason = r.cancel_reason, first_claimed_at = r.first_claimed_at,
            due_at = r.due_at, wakes_on = r.wakes_on, holder = r.holder, sequence = r.sequence,
            turn_at = r.turn_at, handout = CASE WHEN o.cancel_requested_at IS NULL
                AND r.cancel_requested_at IS NOT NULL THEN 0 ELSE o.handout END
        FROM jsonb_to_recordset(%s) AS r({CHANGES})
        WHERE o.org_id = %s AND o.id = r.id AND o.version = r.version - 1
        """,
        (Jsonb(rows), org),
    )
    assert done == len(rows), "an operation changed although it was locked"


def _changes(operation: Operation) -> dict[str, Any]:
    names = [column.split()[0] for column in CHANGES.replace("\n", " ").split(",")]
    values = {name: getattr(operation, name) for name in names}
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in values.items()
    }


async def count_children(db: Db, changes: Sequence[tuple[str, int, int, int]], *, org: str) -> None:
    """Note on parents that so many more children have ended, succeeded and failed."""
    await db.run(
        """
        UPDATE operations o SET children_ended = children_ended + r.ended,
            children_succeeded = children_succeeded + r.succeeded,
            children_failed = children_failed + r.failed
        FROM unnest(%s::text[], %s::integer[], %s::integer[], %s::integer[])
            AS r(id, ended, succeeded, failed)
        WHERE o.org_id = %s AND o.id = r.id
        """,
        (*([change[at] for change in changes] for at in range(4)), org),
    )


async def move_line(db: Db, root: str, *, org: str, place: int) -> None:
    """Put an operation and its children at another place in line."""
    await db.run(
        "UPDATE operations SET place = %s WHERE org_id = %s AND (id = %s OR parent_id = %s)",
        (place, org, root, root),
    )


async def renew(
    db: Db, reports: Sequence[tuple[str, int, int, str]], *, org: str, until: datetime
) -> list[Operation]:
    """Those of which a report (id, fence, sequence, state) says nothing but that it goes on.

    Not a parent that is to stop while it prepares: its children stop with its next report.
    Locked by id, as everywhere: two who take rows in another order wait for each other.
    """
    ids, fences, sequences, states = zip(*reports, strict=True) if reports else ((),) * 4
    return await db.all(
        Operation,
        f"""
        WITH locked AS MATERIALIZED (
            SELECT o.id, r.sequence FROM operations o
                JOIN unnest(%s::text[], %s::integer[], %s::integer[], %s::text[])
                    AS r(id, fence, sequence, state) ON r.id = o.id
            WHERE o.org_id = %s AND o.fence = r.fence AND o.sequence = r.sequence - 1
                AND o.status = r.state AND o.holder IS NOT NULL
                AND (o.phase IS DISTINCT FROM 'prepare' OR o.cancel_requested_at IS NULL
                    OR o.children_ended >= o.children_total)
            ORDER BY o.id FOR UPDATE OF o
        )
        UPDATE operations o SET lease_expires_at = %s, sequence = l.sequence
        FROM locked l WHERE o.org_id = %s AND o.id = l.id
        RETURNING {OPERATION}
        """,
        (list(ids), list(fences), list(sequences), list(states), org, until, org),
    )


async def list_page(
    db: Db,
    page: PageRequest,
    *,
    orgs: list[str],
    projects: list[str],
    wanted: dict[str, str | None],
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
            AND (%(instance)s::text IS NULL OR o.app_instance_id = %(instance)s)
            AND (%(member)s::text IS NULL OR o.member_id = %(member)s)
            AND (%(parent)s::text IS NULL OR o.parent_id = %(parent)s)
        ORDER BY o.id DESC LIMIT %(limit)s
        """,
        {
            "kind": None,
            "status": None,
            "instance": None,
            "member": None,
            "parent": None,
            **wanted,
            "orgs": orgs,
            "projects": projects,
            "after": page.after,
            "limit": page.fetch,
        },
    )


# Steps


async def make_terminal(db: Db, members: list[str], *, org: str) -> None:
    """Nothing that failed for these members can be tried again."""
    await db.run(
        """
        UPDATE operations SET recovery = 'terminal'
        WHERE org_id = %s AND member_id = ANY (%s) AND status = 'failed'
        """,
        (org, members),
    )


async def make_all_terminal(db: Db, instance: str, *, org: str) -> None:
    """Nothing that failed for the instance can be tried again."""
    await db.run(
        """
        UPDATE operations SET recovery = 'terminal'
        WHERE org_id = %s AND app_instance_id = %s AND status = 'failed'
        """,
        (org, instance),
    )


async def list_steps(db: Db, operations: list[str], *, org: str) -> list[Step]:
    return await db.all(
        Step,
        f"""
        SELECT {STEP} FROM operation_steps WHERE org_id = %s AND operation_id = ANY (%s)
        ORDER BY operation_id, started_at, phase DESC, number
        """,
        (org, operations),
    )


async def has_steps(db: Db, operation: str, *, org: str) -> bool:
    return await db.value(
        "SELECT EXISTS (SELECT FROM operation_steps WHERE org_id = %s AND operation_id = %s)",
        (org, operation),
    )


async def list_journal(db: Db, operations: list[str], *, org: str) -> list[JournalEntry]:
    """What the journals of some operations have, without what it holds."""
    return await db.all(
        JournalEntry,
        """
        SELECT operation_id, phase, number, name, status,
            coalesce(octet_length(result::text), 0) AS size
        FROM operation_steps WHERE org_id = %s AND operation_id = ANY (%s)
        """,
        (org, operations),
    )


async def put_steps(
    db: Db, steps: Sequence[dict[str, Any]], *, org: str, project: str, now: datetime
) -> None:
    """Write entries of journals, each of the operation that it names.

    What has succeeded changes only by being taken back.
    """
    await db.run(
        """
        INSERT INTO operation_steps (operation_id, phase, number, org_id, project_id, name, status,
            attempt, undo, no_return, message, result, started_at, finished_at)
        SELECT r.operation_id, r.phase, r.number, %(org)s, %(project)s, r.name, r.status,
            r.attempt, r.undo, r.no_return, r.message, r.result, %(now)s,
            CASE WHEN r.status NOT IN ('running', 'undoing') THEN %(now)s::timestamptz END
        FROM jsonb_to_recordset(%(steps)s) AS r(operation_id text, phase text, number integer,
            name text, status text, attempt integer, undo jsonb, no_return boolean, message text,
            result jsonb)
        ON CONFLICT (operation_id, phase, number) DO UPDATE SET status = excluded.status,
            attempt = excluded.attempt, message = excluded.message,
            undo = coalesce(excluded.undo, operation_steps.undo),
            result = coalesce(excluded.result, operation_steps.result),
            no_return = operation_steps.no_return OR excluded.no_return,
            started_at = CASE WHEN excluded.attempt > operation_steps.attempt
                THEN excluded.started_at ELSE operation_steps.started_at END,
            finished_at = excluded.finished_at
        """,
        {"org": org, "project": project, "steps": Jsonb(list(steps)), "now": now},
    )


# Claims


async def reserve(
    db: Db,
    *,
    operator: str,
    replica: str,
    first: int,
    limit: int,
    lease: datetime,
    now: datetime,
) -> list[dict[str, Any]]:
    """Give ready operations to a replica, in the order of their turns, numbered from `first` on.

    Tenant-less: across the tenants that an operator serves, as moorage_system.
    """
    return await db.rows(
        """
        WITH picked AS (
            SELECT id, turn_at FROM operations
            WHERE operator_id = %(operator)s AND status = 'ready'
            ORDER BY turn_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED
        ), numbered AS (
            SELECT id, row_number() OVER (ORDER BY turn_at, id) - 1 AS number FROM picked
        )
        UPDATE operations o
        SET status = CASE o.direction WHEN 'undo' THEN 'undoing' ELSE 'running' END,
            holder = %(replica)s, fence = o.fence + 1, sequence = 0,
            handout = %(first)s + n.number, lease_expires_at = %(lease)s,
            first_claimed_at = coalesce(o.first_claimed_at, %(now)s),
            deadline = coalesce(o.deadline, %(now)s + o.timeout_seconds * interval '1 second'),
            version = o.version + 1, updated_at = %(now)s
        FROM numbered n WHERE o.id = n.id
        RETURNING o.id, o.org_id, o.handout
        """,
        {
            "operator": operator,
            "replica": replica,
            "first": first,
            "limit": limit,
            "lease": lease,
            "now": now,
        },
    )


async def list_holdings(db: Db, *, replica: str) -> list[dict[str, Any]]:
    """Everything that a replica holds, by org and instance.

    Tenant-less: across the tenants that an operator serves, as moorage_system.
    """
    return await db.rows(
        """
        SELECT id, org_id, app_instance_id AS instance FROM operations
        WHERE holder = %s AND status IN ('running', 'undoing') ORDER BY org_id, app_instance_id, id
        """,
        (replica,),
    )


async def add_grants(
    db: Db, grants: Sequence[dict[str, Any]], *, org: str, now: datetime
) -> dict[str, bool]:
    """The operations whose grants are new: the others were handed over before.

    Of each, whether it is the first since it was asked for: a claim that was never handed over
    left none.
    """
    rows = await db.rows(
        """
        INSERT INTO operation_grants (id, operation_id, org_id, project_id, fence, token_hash,
            created_at)
        SELECT r.id, r.operation, %(org)s, r.project, r.fence, decode(r.hash, 'hex'), %(now)s
        FROM jsonb_to_recordset(%(grants)s) AS r(id text, operation text, project text,
            fence integer, hash text)
        ON CONFLICT (token_hash) DO NOTHING
        RETURNING operation_id, NOT EXISTS (
            SELECT FROM operation_grants g JOIN operations o ON o.id = g.operation_id
            WHERE g.operation_id = operation_grants.operation_id AND o.org_id = %(org)s
                AND g.created_at >= o.first_claimed_at) AS first
        """,
        {"grants": Jsonb(list(grants)), "org": org, "now": now},
    )
    return {row["operation_id"]: row["first"] for row in rows}


async def prove(
    db: Db, hashes: list[bytes], *, roles: list[str], key: str, now: datetime
) -> list[dict[str, Any]]:
    """Tenant-less: before there is a principal, for many grants at once."""
    return await db.rows(
        """
        SELECT h.hash, g.* FROM unnest(%s::bytea[]) AS h(hash)
            CROSS JOIN LATERAL grant_principal(h.hash, %s, %s, %s) g
        """,
        (hashes, now, roles, key),
    )


# Sweeps


async def list_silent(db: Db, *, now: datetime, limit: int) -> list[dict[str, Any]]:
    """Operations of apps whose lease has run out.

    Tenant-less: a sweep, as moorage_system.
    """
    return await db.rows(
        """
        SELECT id, org_id, app_instance_id AS instance FROM operations
        WHERE status IN ('running', 'undoing') AND kind <> 'node.session' AND lease_expires_at < %s
        ORDER BY lease_expires_at LIMIT %s
        """,
        (now, limit),
    )


async def list_due(db: Db, *, now: datetime, limit: int) -> list[dict[str, Any]]:
    """Operations that have waited long enough.

    Tenant-less: a sweep, as moorage_system.
    """
    return await db.rows(
        """
        SELECT id, org_id, app_instance_id AS instance FROM operations
        WHERE due_at < %s AND status = 'waiting' ORDER BY due_at LIMIT %s
        """,
        (now, limit),
    )


async def list_late(db: Db, *, now: datetime, limit: int) -> list[dict[str, Any]]:
    """Operations of apps whose time is over. It does not pass while they wait by their own policy.

    One that stands in line and cannot be asked to stop is left in peace until it is begun.
    Tenant-less: a sweep, as moorage_system.
    """
    return await db.rows(
        """
        SELECT id, org_id, app_instance_id AS instance FROM operations
        WHERE deadline < %s AND kind <> 'node.session'
            AND status IN ('ready', 'running', 'undoing', 'waiting', 'pending')
            AND NOT (status = 'pending' AND (cancel_requested_at IS NOT NULL OR no_return))
            AND NOT (status = 'waiting' AND (patient OR coalesce(phase = 'children', false)))
        ORDER BY deadline LIMIT %s
        """,
        (now, limit),
    )


async def beat(db: Db, *, now: datetime, every: timedelta) -> datetime:
    """When the control plane was last at work; from now on: now. One beat of `every` is written.

    Tenant-less: a sweep, as moorage_system.
    """
    last = await db.value("SELECT at FROM pulse")
    if last is None or last <= now - every:
        await db.run(
            """
            INSERT INTO pulse (at) VALUES (%s)
            ON CONFLICT (one) DO UPDATE SET at = greatest(pulse.at, excluded.at)
            """,
            (now,),
        )
    return last or now


async def extend_leases(db: Db, *, since: datetime, until: datetime) -> int:
    """Leases that were live when the control plane went silent last until then.

    Tenant-less: a sweep, as moorage_system.
    """
    replicas = await db.run(
        """
        UPDATE controller_replicas SET lease_expires_at = %(until)s
        WHERE lease_expires_at BETWEEN %(since)s AND %(until)s
        """,
        {"since": since, "until": until},
    )
    held = await db.run(
        """
        UPDATE operations SET lease_expires_at = %(until)s
        WHERE status IN ('running', 'undoing') AND kind <> 'node.session'
            AND lease_expires_at BETWEEN %(since)s AND %(until)s
        """,
        {"since": since, "until": until},
    )
    return replicas + held
