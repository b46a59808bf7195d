"""Every SQL statement of logins, access grants and certificates. Lists of nodes: `node_store`."""

from collections.abc import Sequence
from datetime import datetime
from typing import LiteralString

from moorage_core.access.models import (
    AccessGrant,
    Certificate,
    Contact,
    Login,
    Machine,
    NewLogin,
    Person,
    Standing,
)
from moorage_core.kit.db import Db
from moorage_core.kit.ids import LoginId
from moorage_core.kit.pagination import PageRequest

LOGIN: LiteralString = "id, org_id, user_id, login, uid, version, created_at"
CARRIED_OUT: LiteralString = """(
    (g.ended_at IS NOT NULL AND coalesce(
        a.status = 'released' AND NOT 'force_released' = ANY (a.dirty), false))
    OR coalesce(n.confirmed >= g.listed_in AND NOT (g.login = ANY (n.clashes)), false))"""
GRANT: LiteralString = f"""
    g.id, g.org_id, g.project_id, g.allocation_id, g.user_id, g.login_id, g.login, g.uid,
    g.principal, g.sudo, g.forwarding, g.reason, g.granted_by, g.expires_at, g.ended_at,
    g.ended_because, g.version, g.created_at, g.updated_at, {CARRIED_OUT} AS carried_out,
    CASE WHEN NOT {CARRIED_OUT} THEN n.problem END AS problem,
    actor_name(g.user_id) AS user_name, actor_name(g.granted_by) AS granted_by_name"""
FROM: LiteralString = """FROM access_grants g
    LEFT JOIN node_access n ON n.allocation_id = g.allocation_id
    LEFT JOIN allocations a ON a.id = g.allocation_id"""

# People and machines


async def find_person(db: Db, user: str, *, org: str, project: str | None) -> Person | None:
    """Somebody with a role in the project or its org; None of everybody else."""
    return await db.find(Person, "SELECT * FROM project_person(%s, %s, %s)", (user, org, project))


async def find_machine(
    db: Db, allocation: str, *, orgs: list[str], lock: bool = False
) -> Machine | None:
    """An allocation; locked, it stays in its state until this transaction ends."""
    sql: LiteralString = """
        SELECT id, org_id, project_id, node_id, status FROM allocations
        WHERE id = %s AND org_id = ANY (%s)
        """
    return await db.find(Machine, sql + (" FOR SHARE" if lock else ""), (allocation, orgs))


async def find_contact(db: Db, *, allocation: str) -> Contact | None:
    """How the node of an active allocation is reached.

    Tenant-less: the caller was let into the allocation.
    """
    return await db.find(Contact, "SELECT * FROM node_contact(%s)", (allocation,))


# Logins


async def lock_logins(db: Db, *, org: str) -> None:
    """One at a time gives out logins and uids of an org."""
    await db.run("SELECT pg_advisory_xact_lock(hashtextextended('logins ' || %s, 0))", (org,))


async def find_login(db: Db, user: str, *, org: str) -> Login | None:
    return await db.find(
        Login, f"SELECT {LOGIN} FROM logins WHERE org_id = %s AND user_id = %s", (org, user)
    )


async def list_without_login(db: Db, *, org: str, project: str, roles: list[str]) -> list[Person]:
    """Who may be on the project's machines and has no login, first come first."""
    return await db.all(
        Person, "SELECT * FROM people_without_login(%s, %s, %s)", (org, project, roles)
    )


async def list_like(db: Db, stems: list[str], *, org: str) -> list[str]:
    """The org's logins that begin with one of these."""
    rows = await db.rows(
        """
        SELECT login FROM logins l WHERE org_id = %s
            AND EXISTS (SELECT FROM unnest(%s::text[]) AS stem WHERE starts_with(l.login, stem))
        """,
        (org, stems),
    )
    return [row["login"] for row in rows]


async def find_highest_uid(db: Db, *, org: str) -> int | None:
    return await db.value("SELECT max(uid) FROM logins WHERE org_id = %s", (org,))


async def add_logins(db: Db, new: Sequence[NewLogin], *, org: str, now: datetime) -> list[Login]:
    """Those of them that nobody has taken."""
    return await db.all(
        Login,
        f"""
        INSERT INTO logins (id, org_id, user_id, login, uid, created_at)
        SELECT r.id, %s, r.user_id, r.login, r.uid, %s
        FROM unnest(%s::text[], %s::text[], %s::text[], %s::integer[])
            AS r(id, user_id, login, uid)
        ON CONFLICT (org_id, login) DO NOTHING RETURNING {LOGIN}
        """,
        (
            org,
            now,
            [LoginId.new() for _ in new],
            [each.user_id for each in new],
            [each.login for each in new],
            [each.uid for each in new],
        ),
    )


async def list_logins(db: Db, page: PageRequest, *, org: str) -> list[Login]:
    return await db.all(
        Login,
        f"SELECT {LOGIN} FROM logins WHERE org_id = %s AND id > %s ORDER BY id LIMIT %s",
        (org, page.after, page.fetch),
    )


# Grants


async def add_grant(
    db: Db,
    machine: Machine,
    login: Login,
    *,
    id: str,
    principal: str,
    sudo: bool,
    forwarding: bool,
    reason: str | None,
    granted_by: str,
    expires_at: datetime,
    listed_in: int,
    now: datetime,
) -> bool:
    """False where the person may enter the machine already.

    Tenant-less: `machine` carries org and project.
    """
    added = await db.run(
        """
        INSERT INTO access_grants (id, org_id, project_id, allocation_id, user_id, login_id, login,
            uid, principal, sudo, forwarding, reason, granted_by, expires_at, listed_in,
            created_at, updated_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        ON CONFLICT (allocation_id, user_id) WHERE ended_at IS NULL DO NOTHING
        """,
        (
            id,
            machine.org_id,
            machine.project_id,
            machine.id,
            login.user_id,
            login.id,
            login.login,
            login.uid,
            principal,
            sudo,
            forwarding,
            reason,
            granted_by,
            expires_at,
            listed_in,
            now,
            now,
        ),
    )
    return added == 1


async def find_grant(db: Db, id: str, *, orgs: list[str], lock: bool = False) -> AccessGrant | None:
    sql: LiteralString = f"SELECT {GRANT} {FROM} WHERE g.id = %s AND g.org_id = ANY (%s)"
    return await db.find(AccessGrant, sql + (" FOR UPDATE OF g" if lock else ""), (id, orgs))


async def find_live(db: Db, *, org: str, allocation: str, user: str) -> str | None:
    """The person's live grant."""
    return await db.value(
        """
        SELECT id FROM access_grants
        WHERE org_id = %s AND allocation_id = %s AND user_id = %s AND ended_at IS NULL
        """,
        (org, allocation, user),
    )


async def list_grants(
    db: Db, page: PageRequest, *, org: str, allocation: str, user: str | None, live: bool | None
) -> list[AccessGrant]:
    return await db.all(
        AccessGrant,
        f"""
        SELECT {GRANT} {FROM}
        WHERE g.org_id = %(org)s AND g.allocation_id = %(allocation)s AND g.id > %(after)s
            AND (%(user)s::text IS NULL OR g.user_id = %(user)s)
            AND (%(live)s::boolean IS NULL OR (g.ended_at IS NULL) = %(live)s)
        ORDER BY g.id LIMIT %(fetch)s
        """,
        {
            "org": org,
            "allocation": allocation,
            "after": page.after,
            "user": user,
            "live": live,
            "fetch": page.fetch,
        },
    )


async def end_grants(
    db: Db, ending: Sequence[tuple[str, str, int]], *, org: str, now: datetime
) -> list[AccessGrant]:
    """End grants: (id, why, the list in which they are missing first) each."""
    ids, reasons, numbers = [list(column) for column in zip(*ending, strict=True)] or ([], [], [])
    return await db.all(
        AccessGrant,
        f"""
        WITH over AS (SELECT * FROM unnest(%s::text[], %s::text[], %s::integer[])
            AS over (id, because, number))
        UPDATE access_grants g SET ended_at = %s, ended_because = over.because,
            listed_in = over.number, version = g.version + 1, updated_at = %s
        FROM over LEFT JOIN node_access n ON false LEFT JOIN allocations a ON false
        WHERE g.org_id = %s AND g.id = over.id AND g.ended_at IS NULL
        RETURNING {GRANT}
        """,
        (ids, reasons, numbers, now, now, org),
    )


async def count_up(db: Db, id: str, *, org: str, now: datetime) -> int:
    """The grant's next version: something was made with it."""
    return await db.value(
        """
        UPDATE access_grants SET version = version + 1, updated_at = %s
        WHERE org_id = %s AND id = %s RETURNING version
        """,
        (now, org, id),
    )


async def list_over(
    db: Db, *, roles: list[str], now: datetime, limit: int
) -> list[tuple[str, str, str]]:
    """(org, allocation, grant) of live grants that something has ended, one of each org first.

    Tenant-less: a sweep, as moorage_system.
    """
    rows = await db.rows(
        """
        SELECT g.org_id, g.allocation_id, g.id FROM access_grants g
        WHERE g.ended_at IS NULL AND (
            g.expires_at <= %s
            OR EXISTS (SELECT FROM users u WHERE u.id = g.user_id AND u.disabled_at IS NOT NULL)
            OR NOT EXISTS (SELECT FROM allocations a
                WHERE a.id = g.allocation_id AND a.status = 'active')
            OR NOT EXISTS (SELECT FROM memberships m
                WHERE m.user_id = g.user_id AND m.org_id = g.org_id AND m.role = ANY (%s)
                    AND (m.project_id IS NULL OR m.project_id = g.project_id)))
        ORDER BY row_number() OVER (PARTITION BY g.org_id ORDER BY g.id), g.id LIMIT %s
        """,
        (now, roles, limit),
    )
    return [(row["org_id"], row["allocation_id"], row["id"]) for row in rows]


async def lock_standing(db: Db, ids: list[str], *, org: str) -> list[Standing]:
    """Live grants of the org with what may have ended them. They are locked, in one order."""
    return await db.all(
        Standing,
        """
        SELECT g.id, g.project_id, g.allocation_id, g.expires_at, a.status AS allocation_status,
            coalesce(u.disabled_at IS NOT NULL, true) AS disabled,
            ARRAY (SELECT m.role FROM memberships m
                WHERE m.user_id = g.user_id AND m.org_id = g.org_id
                    AND (m.project_id IS NULL OR m.project_id = g.project_id)) AS roles
        FROM access_grants g JOIN allocations a ON a.id = g.allocation_id
            LEFT JOIN users u ON u.id = g.user_id
        WHERE g.org_id = %s AND g.id = ANY (%s) AND g.ended_at IS NULL
        ORDER BY g.allocation_id, g.id FOR UPDATE OF g
        """,
        (org, ids),
    )


# Certificates


async def add_certificate(
    db: Db,
    grant: AccessGrant,
    *,
    key_id: str,
    fingerprint: str,
    correlation_id: str,
    now: datetime,
    expires_at: datetime,
) -> Certificate:
    """Tenant-less: `grant` carries org and project."""
    return await db.get(
        Certificate,
        """
        INSERT INTO ssh_certificates (org_id, project_id, grant_id, key_id, fingerprint,
            correlation_id, issued_at, expires_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
        RETURNING serial, org_id, project_id, grant_id, key_id, fingerprint, correlation_id,
            issued_at, expires_at
        """,
        (
            grant.org_id,
            grant.project_id,
            grant.id,
            key_id,
            fingerprint,
            correlation_id,
            now,
            expires_at,
        ),
    )
