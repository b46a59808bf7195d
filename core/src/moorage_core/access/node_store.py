"""SQL of authorities and of what nodes should have. A second file of statements, by noun."""

from datetime import datetime
from typing import LiteralString

from moorage_core.access.models import Authority, Behind, Listed, Machine, NodeAccess
from moorage_core.kit.db import Db
from moorage_core.kit.ids import PLATFORM_ORG

AUTHORITY: LiteralString = (
    "id, org_id, public_key, fingerprint, secret_id, generation, created_at, retired_at"
)
CURRENT: LiteralString = (
    "(SELECT coalesce(max(greatest(generation, retired_generation)), 0) FROM ssh_authorities)"
)
TOLD: LiteralString = """(a.status IN ('active', 'release_failed')
    OR (a.status = 'released' AND 'force_released' = ANY (a.dirty)))"""
"""Whose node gets lists. Where nobody may be there any more, the list is empty: no wipe says so."""

# Authorities


async def lock_authorities(db: Db) -> None:
    """One at a time makes or retires one.

    Tenant-less: they are the platform's own.
    """
    await db.run("SELECT pg_advisory_xact_lock(hashtextextended('ssh authorities', 0))")


async def list_authorities(db: Db, *, retired: bool) -> list[Authority]:
    """The newest first.

    Tenant-less: they are the platform's own, and their public keys everybody's to know.
    """
    sql: LiteralString = f"SELECT {AUTHORITY} FROM ssh_authorities"
    where: LiteralString = "" if retired else " WHERE retired_at IS NULL"
    return await db.all(Authority, sql + where + " ORDER BY generation DESC LIMIT 200")


async def find_generation(db: Db) -> int:
    """How often an authority has come or gone.

    Tenant-less: they are the platform's own.
    """
    return await db.value(f"SELECT {CURRENT}")


async def add_authority(
    db: Db, *, id: str, public_key: str, fingerprint: str, secret: str, now: datetime
) -> Authority:
    """Tenant-less: they are the platform's own."""
    return await db.get(
        Authority,
        f"""
        INSERT INTO ssh_authorities (id, org_id, public_key, fingerprint, secret_id, generation,
            created_at)
        VALUES (%s, %s, %s, %s, %s, {CURRENT} + 1, %s) RETURNING {AUTHORITY}
        """,
        (id, PLATFORM_ORG, public_key, fingerprint, secret, now),
    )


async def retire_authorities(db: Db, ids: list[str], *, now: datetime) -> None:
    """Tenant-less: they are the platform's own."""
    await db.run(
        f"""
        UPDATE ssh_authorities SET retired_at = %s, secret_id = NULL,
            retired_generation = {CURRENT} + 1
        WHERE id = ANY (%s) AND retired_at IS NULL
        """,
        (now, ids),
    )


# What nodes should have


async def count_up(db: Db, machine: Machine) -> int:
    """Another list is wanted: its number. The row stays locked, so lists are in commit order.

    Tenant-less: `machine` carries org and project.
    """
    return await db.value(
        """
        INSERT INTO node_access (allocation_id, node_id, org_id, project_id)
        VALUES (%s, %s, %s, %s)
        ON CONFLICT (allocation_id) DO UPDATE
            SET wanted = node_access.wanted + 1, retry_at = NULL, tries = 0
        RETURNING wanted
        """,
        (machine.id, machine.node_id, machine.org_id, machine.project_id),
    )


async def count_up_many(db: Db, allocations: list[str], *, org: str) -> dict[str, int]:
    """Another list is wanted on each: their numbers. Locked in one order."""
    rows = await db.rows(
        """
        WITH held AS (SELECT allocation_id FROM node_access
            WHERE org_id = %s AND allocation_id = ANY (%s) ORDER BY allocation_id FOR UPDATE)
        UPDATE node_access n SET wanted = n.wanted + 1, retry_at = NULL, tries = 0
        FROM held WHERE n.allocation_id = held.allocation_id
        RETURNING n.allocation_id, n.wanted
        """,
        (org, allocations),
    )
    return {row["allocation_id"]: row["wanted"] for row in rows}


async def hold_residents(db: Db, *, org: str, project: str | None) -> str | None:
    """Nobody settles anywhere in the org meanwhile. A project whose people are residents, if any.

    Of the one, or of the org's where none is named.
    """
    return await db.value("SELECT hold_residents(%s, %s)", (org, project))


async def hold_person(db: Db, person: str) -> None:
    """The same in every org where the person has a role.

    Tenant-less: the function looks whether the caller is the platform.
    """
    await db.run("SELECT hold_person(%s)", (person,))


async def hold_settling(db: Db, *, org: str) -> None:
    """Who the residents are does not change meanwhile."""
    await db.run("SELECT pg_advisory_xact_lock(hashtextextended('residents ' || %s, 0))", (org,))


async def settle(db: Db, allocations: list[str], *, org: str) -> int:
    """The project's people are residents of these from now on. Where that is new, how many."""
    return await db.run(
        """
        INSERT INTO node_access (allocation_id, node_id, org_id, project_id, residents)
        SELECT id, node_id, org_id, project_id, true FROM allocations
        WHERE org_id = %s AND id = ANY (%s) ORDER BY id
        ON CONFLICT (allocation_id) DO UPDATE
            SET residents = true, wanted = node_access.wanted + 1, retry_at = NULL, tries = 0
            WHERE NOT node_access.residents
        """,
        (org, allocations),
    )


async def unsettle(db: Db, allocations: list[str], *, org: str) -> int:
    """From now on nobody is there without a grant. Where that is new, how many."""
    return await db.run(
        """
        WITH held AS (SELECT allocation_id FROM node_access
            WHERE org_id = %s AND allocation_id = ANY (%s) AND residents
            ORDER BY allocation_id FOR UPDATE)
        UPDATE node_access n
        SET residents = false, wanted = n.wanted + 1, retry_at = NULL, tries = 0
        FROM held WHERE n.allocation_id = held.allocation_id
        """,
        (org, allocations),
    )


async def count_up_residents(db: Db, *, org: str, project: str | None) -> int:
    """Another list is wanted wherever people of the project, or of the whole org, are residents."""
    return await db.run(
        """
        WITH held AS (SELECT allocation_id FROM node_access
            WHERE org_id = %(org)s AND residents
                AND (%(project)s::text IS NULL OR project_id = %(project)s)
            ORDER BY allocation_id FOR UPDATE)
        UPDATE node_access n SET wanted = n.wanted + 1, retry_at = NULL, tries = 0
        FROM held WHERE n.allocation_id = held.allocation_id
        """,
        {"org": org, "project": project},
    )


async def count_up_person(db: Db, person: str) -> int:
    """The same wherever this person may be one.

    Tenant-less: the function looks whether the caller is the platform.
    """
    return await db.value("SELECT count_up_person(%s)", (person,))


async def list_behind(db: Db, *, now: datetime, limit: int) -> list[Behind]:
    """Allocations whose node has an older list, with no task under way for it.

    One that was taken back counts for as long as its node is out: after that it may be another's.
    Tenant-less: a sweep, as moorage_system.
    """
    return await db.all(
        Behind,
        f"""
        SELECT n.org_id, n.project_id, n.allocation_id, n.residents
        FROM node_access n JOIN allocations a ON a.id = n.allocation_id AND {TOLD}
            LEFT JOIN tasks t ON t.id = n.task_id
        WHERE (n.confirmed < n.wanted OR (a.status = 'active' AND (
                n.confirmed_generation < {CURRENT} OR cardinality(n.clashes) > 0)))
            AND (a.status <> 'released' OR EXISTS (SELECT FROM nodes m
                WHERE m.id = a.node_id AND m.status = 'quarantined' AND m.reach = 'agent'))
            AND (n.retry_at IS NULL OR n.retry_at <= %s)
            AND (t.id IS NULL OR t.ended_at IS NOT NULL)
        ORDER BY n.allocation_id LIMIT %s
        """,
        (now, limit),
    )


async def lock_node(db: Db, allocation: str, *, org: str) -> NodeAccess | None:
    return await db.find(
        NodeAccess,
        f"""
        SELECT n.allocation_id, n.node_id, n.org_id, n.project_id, n.wanted, n.sent,
            n.sent_generation, n.confirmed, n.confirmed_generation, n.operation_id, n.task_id,
            n.tries, n.retry_at, a.status AS allocation_status, {TOLD} AS told,
            t.status AS task_status, t.ended_at AS task_ended_at, t.result AS task_result,
            t.error_code AS task_error_code, t.error_message AS task_error_message
        FROM node_access n JOIN allocations a ON a.id = n.allocation_id
            LEFT JOIN tasks t ON t.id = n.task_id
        WHERE n.org_id = %s AND n.allocation_id = %s FOR UPDATE OF n
        """,
        (org, allocation),
    )


async def note_sending(db: Db, allocation: str, *, org: str, operation: str, task: str) -> None:
    await db.run(
        """
        UPDATE node_access SET operation_id = %s, task_id = %s, retry_at = NULL
        WHERE org_id = %s AND allocation_id = %s
        """,
        (operation, task, org, allocation),
    )


async def note_confirmed(
    db: Db,
    allocation: str,
    *,
    org: str,
    clashes: list[str],
    problem: str | None,
    retry_at: datetime | None,
    now: datetime,
) -> None:
    """The node has carried out the list that it was sent. With clashes it is asked again later."""
    await db.run(
        """
        UPDATE node_access SET confirmed = greatest(confirmed, sent),
            confirmed_generation = sent_generation, confirmed_at = %s, clashes = %s, problem = %s,
            task_id = NULL, retry_at = %s,
            tries = CASE WHEN %s::timestamptz IS NULL THEN 0 ELSE tries + 1 END
        WHERE org_id = %s AND allocation_id = %s
        """,
        (now, clashes, problem, retry_at, retry_at, org, allocation),
    )


async def note_failed(
    db: Db, allocation: str, *, org: str, problem: str, retry_at: datetime
) -> None:
    await db.run(
        """
        UPDATE node_access SET problem = %s, task_id = NULL, tries = tries + 1, retry_at = %s
        WHERE org_id = %s AND allocation_id = %s
        """,
        (problem[:2000], retry_at, org, allocation),
    )


async def hand_out(db: Db, allocation: str, *, org: str) -> None:
    """Note that the newest list is the one that goes out now. Waits for changes under way."""
    await db.run(
        f"""
        UPDATE node_access SET sent = wanted, sent_generation = {CURRENT}
        WHERE org_id = %s AND allocation_id = %s
        """,
        (org, allocation),
    )


async def list_people(
    db: Db, allocation: str, *, org: str, roles: list[str], now: datetime
) -> list[Listed]:
    """Who may be on the node now: looked at afresh, whether a sweep has noticed or not.

    Its residents are the people that the app is told of.
    """
    return await db.all(
        Listed,
        """
        WITH entering AS (
            SELECT g.user_id, g.login, g.uid, u.name, g.sudo, g.forwarding, g.principal
            FROM access_grants g JOIN users u ON u.id = g.user_id AND u.disabled_at IS NULL
                JOIN allocations a ON a.id = g.allocation_id AND a.status = 'active'
            WHERE g.org_id = %(org)s AND g.allocation_id = %(allocation)s AND g.ended_at IS NULL
                AND g.expires_at > %(now)s
                AND EXISTS (SELECT FROM memberships m
                    WHERE m.user_id = g.user_id AND m.org_id = g.org_id AND m.role = ANY (%(roles)s)
                        AND (m.project_id IS NULL OR m.project_id = g.project_id)))
        SELECT login, uid, name, sudo, forwarding, principal FROM entering
        UNION ALL
        SELECT p.login, p.uid, p.name, false, false, NULL
        FROM node_access n JOIN allocations a ON a.id = n.allocation_id AND a.status = 'active'
            CROSS JOIN LATERAL project_people(n.org_id, n.project_id, %(roles)s) p
        WHERE n.org_id = %(org)s AND n.allocation_id = %(allocation)s AND n.residents
            AND p.user_id NOT IN (SELECT user_id FROM entering)
        ORDER BY login
        """,
        {"org": org, "allocation": allocation, "now": now, "roles": roles},
    )


async def find_confirmed_generation(db: Db, allocation: str, *, org: str) -> int:
    """Of the authorities that the node has said it trusts."""
    found = await db.value(
        "SELECT confirmed_generation FROM node_access WHERE org_id = %s AND allocation_id = %s",
        (org, allocation),
    )
    return found or 0
