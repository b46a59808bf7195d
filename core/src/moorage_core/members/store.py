"""Every SQL statement of members."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from moorage_core.kit.db import Db
from moorage_core.kit.pagination import PageRequest
from moorage_core.members.models import Count, Member, Wanted

MEMBER: LiteralString = """
    m.id, m.org_id, m.project_id, m.instance_id, m.component, m.name, m.status, m.settled,
    m.status_reason, m.health, m.health_reasons, m.allocation_id, m.node_name, m.host_address,
    m.source_project_id, m.managed, m.keep_allocation, m.version_id, m.app_version,
    m.runtime_version, m.config_hash, m.adapter_detail, m.drain_owner, m.drain_reason,
    m.replaces_id, m.last_operation_id, m.correlation_id, m.version, m.created_at, m.updated_at,
    m.removed_at, (SELECT i.app_id FROM instances i WHERE i.id = m.instance_id) AS app_id,
    (SELECT i.app_slug FROM instances i WHERE i.id = m.instance_id) AS app_slug
    """
ENDED: LiteralString = "('succeeded', 'failed', 'cancelled', 'abandoned')"

# Making


async def take_numbers(
    db: Db, more: Mapping[str, int], *, org: str, instance: str
) -> dict[str, int]:
    """The first of so many numbers of each component, which nobody gets again."""
    rows = await db.rows(
        """
        UPDATE instance_components c SET next_number = c.next_number + w.more
        FROM jsonb_to_recordset(%s::jsonb) AS w(key text, more integer)
        WHERE c.org_id = %s AND c.instance_id = %s AND c.key = w.key
        RETURNING c.key, c.next_number - w.more AS first
        """,
        (json.dumps([{"key": key, "more": n} for key, n in more.items()]), org, instance),
    )
    return {row["key"]: row["first"] for row in rows}


async def add(
    db: Db, rows: Sequence[dict[str, Any]], *, org: str, project: str, now: datetime
) -> list[Member]:
    """All of them in one statement, in the order of their ids."""
    return await db.all(
        Member,
        f"""
        WITH m AS (
            INSERT INTO members (id, org_id, project_id, instance_id, component, name, status,
                settled, allocation_id, node_name, host_address, source_project_id, managed,
                keep_allocation, version_id, app_version, replaces_id, correlation_id, created_at,
                updated_at)
            SELECT r.id, %(org)s, %(project)s, r.instance_id, r.component, r.name, 'requested',
                'requested', r.allocation_id, r.node_name, r.host_address, %(project)s, r.managed,
                r.keep_allocation, r.version_id, r.app_version, r.replaces_id, r.correlation_id,
                %(now)s, %(now)s
            FROM jsonb_to_recordset(%(rows)s::jsonb) AS r(id text, instance_id text,
                component text, name text, allocation_id text, node_name text, host_address text,
                managed boolean, keep_allocation boolean, version_id text, app_version text,
                replaces_id text, correlation_id text)
            RETURNING *)
        SELECT {MEMBER} FROM m ORDER BY m.id
        """,
        {"rows": json.dumps(rows), "org": org, "project": project, "now": now},
    )


# Looking


async def find(db: Db, id: str, *, orgs: list[str]) -> Member | None:
    return await db.find(
        Member,
        f"SELECT {MEMBER} FROM members m WHERE m.id = %s AND m.org_id = ANY (%s)",
        (id, orgs),
    )


async def list_named(db: Db, ids: list[str], *, org: str) -> list[Member]:
    return await db.all(
        Member,
        f"SELECT {MEMBER} FROM members m WHERE m.org_id = %s AND m.id = ANY (%s) ORDER BY m.id",
        (org, ids),
    )


async def list_page(
    db: Db, page: PageRequest, wanted: Wanted, *, org: str, instance: str
) -> list[Member]:
    return await db.all(
        Member,
        f"""
        SELECT {MEMBER} FROM members m
        WHERE m.org_id = %(org)s AND m.instance_id = %(instance)s AND m.id > %(after)s
            AND (%(component)s::text IS NULL OR m.component = %(component)s)
            AND (%(status)s::text IS NULL OR m.status = %(status)s)
            AND (%(removed)s OR m.removed_at IS NULL)
            AND (%(since)s::timestamptz IS NULL OR m.updated_at >= %(since)s)
        ORDER BY m.id LIMIT %(limit)s
        """,
        {
            "org": org,
            "instance": instance,
            "component": wanted.component,
            "status": wanted.status,
            "removed": wanted.removed or wanted.status == "removed",
            "since": wanted.changed_since,
            "after": page.after,
            "limit": page.fetch,
        },
    )


async def list_live(db: Db, instances: list[str], *, org: str, limit: int) -> list[Member]:
    """The live members of some instances, at most so many of each."""
    return await db.all(
        Member,
        f"""
        SELECT {MEMBER} FROM unnest(%s::text[]) AS i(id) CROSS JOIN LATERAL (
            SELECT * FROM members x WHERE x.org_id = %s AND x.instance_id = i.id
                AND x.removed_at IS NULL ORDER BY x.id LIMIT %s) m
        ORDER BY m.instance_id, m.id
        """,
        (instances, org, limit),
    )


async def lock(db: Db, ids: list[str], *, org: str) -> list[Member]:
    return await db.all(
        Member,
        f"""
        SELECT {MEMBER} FROM members m WHERE m.org_id = %s AND m.id = ANY (%s)
        ORDER BY m.id FOR UPDATE
        """,
        (org, ids),
    )


async def lock_live(db: Db, instance: str, *, org: str) -> list[Member]:
    return await db.all(
        Member,
        f"""
        SELECT {MEMBER} FROM members m
        WHERE m.org_id = %s AND m.instance_id = %s AND m.removed_at IS NULL
        ORDER BY m.id FOR UPDATE
        """,
        (org, instance),
    )


async def lock_on(db: Db, allocation: str, *, org: str) -> list[Member]:
    """The live members on a machine."""
    return await db.all(
        Member,
        f"""
        SELECT {MEMBER} FROM members m WHERE m.org_id = %s AND m.held_allocation_id = %s
        ORDER BY m.id FOR UPDATE
        """,
        (org, allocation),
    )


async def list_components_on(db: Db, allocations: list[str], *, org: str) -> dict[str, list[str]]:
    """The components of live members by the machine that they stand on."""
    rows = await db.rows(
        """
        SELECT held_allocation_id AS id, array_agg(component) AS components FROM members
        WHERE org_id = %s AND held_allocation_id = ANY (%s) GROUP BY 1
        """,
        (org, allocations),
    )
    return {row["id"]: row["components"] for row in rows}


async def list_ahead(db: Db, instance: str, *, org: str) -> list[str]:
    """The kinds of operations that keep an instance to themselves and have not ended, in order."""
    rows = await db.rows(
        f"""
        SELECT kind FROM operations WHERE org_id = %s AND app_instance_id = %s
            AND parent_id IS NULL AND instance_lock = 'exclusive' AND status NOT IN {ENDED}
        ORDER BY place
        """,
        (org, instance),
    )
    return [row["kind"] for row in rows]


async def list_leaving(db: Db, ids: list[str], *, org: str) -> set[str]:
    """Those of some members for whose removal an operation is open."""
    rows = await db.rows(
        f"""
        SELECT member_id FROM operations WHERE org_id = %s AND member_id = ANY (%s)
            AND kind = 'member.remove' AND status NOT IN {ENDED}
        """,
        (org, ids),
    )
    return {row["member_id"] for row in rows}


async def count_live(db: Db, instance: str, *, org: str) -> dict[str, Count]:
    """Live members by component."""
    rows = await db.all(
        Count,
        f"""
        SELECT m.component, count(*) AS live, count(*) FILTER (WHERE NOT EXISTS (
            SELECT FROM operations o WHERE o.member_id = m.id AND o.kind = 'member.remove'
                AND o.app_instance_id = m.instance_id AND o.status NOT IN {ENDED})) AS staying
        FROM members m
        WHERE m.org_id = %s AND m.instance_id = %s AND m.removed_at IS NULL GROUP BY m.component
        """,
        (org, instance),
    )
    return {row.component: row for row in rows}


# Changing


async def set_desired(db: Db, desired: Mapping[str, int], *, org: str, instance: str) -> None:
    await db.run(
        """
        UPDATE instance_components c SET desired = w.desired
        FROM jsonb_to_recordset(%s::jsonb) AS w(key text, desired integer)
        WHERE c.org_id = %s AND c.instance_id = %s AND c.key = w.key
        """,
        (json.dumps([{"key": k, "desired": n} for k, n in desired.items()]), org, instance),
    )


async def add_desired(db: Db, more: Mapping[tuple[str, str], int], *, org: str) -> None:
    """By instance and component."""
    rows = [{"instance": i, "key": key, "more": n} for (i, key), n in more.items()]
    await db.run(
        """
        UPDATE instance_components c SET desired = greatest(c.desired + w.more, 0)
        FROM jsonb_to_recordset(%s::jsonb) AS w(instance text, key text, more integer)
        WHERE c.org_id = %s AND c.instance_id = w.instance AND c.key = w.key
        """,
        (json.dumps(rows), org),
    )


async def save(db: Db, members: Sequence[Member], *, org: str, now: datetime) -> list[Member]:
    """Write what the platform may change on locked rows, in one statement."""
    if not members:
        return []
    rows = [
        {
            "id": m.id,
            "status": m.status,
            "settled": m.settled,
            "status_reason": m.status_reason,
            "node_name": m.node_name,
            "host_address": m.host_address,
            "keep_allocation": m.keep_allocation,
            "drain_owner": m.drain_owner,
            "drain_reason": m.drain_reason,
            "last_operation_id": m.last_operation_id,
            "removed": m.status == "removed",
        }
        for m in members
    ]
    return await db.all(
        Member,
        f"""
        UPDATE members m SET status = r.status, settled = r.settled,
            status_reason = r.status_reason, node_name = r.node_name,
            host_address = r.host_address, keep_allocation = r.keep_allocation,
            drain_owner = r.drain_owner, drain_reason = r.drain_reason,
            last_operation_id = r.last_operation_id,
            health = CASE WHEN r.removed THEN 'unknown' ELSE m.health END,
            removed_at = CASE WHEN r.removed THEN coalesce(m.removed_at, %(now)s) END,
            version = m.version + 1, updated_at = %(now)s
        FROM jsonb_to_recordset(%(rows)s::jsonb) AS r(id text, status text, settled text,
            status_reason text, node_name text, host_address text, keep_allocation boolean,
            drain_owner text, drain_reason text, last_operation_id text, removed boolean)
        WHERE m.org_id = %(org)s AND m.id = r.id RETURNING {MEMBER}
        """,
        {"rows": json.dumps(rows), "org": org, "now": now},
    )


async def keep_allocations(db: Db, ids: list[str], *, org: str, now: datetime) -> None:
    """Machines of these stay the project's when they are gone."""
    await db.run(
        """
        UPDATE members SET keep_allocation = true, version = version + 1, updated_at = %s
        WHERE org_id = %s AND id = ANY (%s) AND NOT keep_allocation
        """,
        (now, org, ids),
    )


async def set_version(
    db: Db, instance: str, *, org: str, version_id: str, number: str, now: datetime
) -> list[str]:
    """The allocations on which those members stand whose version it is now."""
    rows = await db.rows(
        """
        UPDATE members SET version_id = %s, app_version = %s, version = version + 1, updated_at = %s
        WHERE org_id = %s AND instance_id = %s AND removed_at IS NULL
        RETURNING held_allocation_id AS id
        """,
        (version_id, number, now, org, instance),
    )
    return sorted({row["id"] for row in rows} - {None})


async def list_open_on(db: Db, members: list[str], *, org: str) -> list[dict[str, Any]]:
    """Operations of members that have not ended, each member's in their order."""
    return await db.rows(
        f"""
        SELECT id, kind, member_id FROM operations
        WHERE org_id = %s AND member_id = ANY (%s) AND status NOT IN {ENDED} ORDER BY place, id
        """,
        (org, members),
    )


async def note(
    db: Db, said: Mapping[str, Mapping[str, Any]], *, org: str, now: datetime
) -> list[Member]:
    """What a controller says of live members, by id; what is not said stays."""
    return await db.all(
        Member,
        f"""
        UPDATE members m SET health = coalesce(s.health, m.health),
            health_reasons = coalesce(s.reasons, m.health_reasons),
            runtime_version = coalesce(s.runtime_version, m.runtime_version),
            config_hash = coalesce(s.config_hash, m.config_hash),
            adapter_detail = coalesce(s.adapter_detail, m.adapter_detail),
            version = m.version + 1, updated_at = %(now)s
        FROM jsonb_to_recordset(%(said)s) AS s(member text, health text, reasons jsonb,
            runtime_version text, config_hash text, adapter_detail jsonb)
        WHERE m.org_id = %(org)s AND m.id = s.member AND m.removed_at IS NULL RETURNING {MEMBER}
        """,
        {
            "org": org,
            "now": now,
            "said": Jsonb([{**given, "member": id} for id, given in said.items()]),
        },
    )
