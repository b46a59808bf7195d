"""Every SQL statement of credentials and of hosts without agent."""

from datetime import datetime
from typing import LiteralString

from moorage_core.credentials.models import AccessCredential, OpenWork, SshHost
from moorage_core.kit.db import Db
from moorage_core.kit.pagination import PageRequest

CREDENTIAL: LiteralString = """
    id, org_id, project_id, name, username, public_key, fingerprint, secret_id, rotated_at,
    previous_secret_id, previous_until, revoked_at, version, created_at, updated_at
    """
HOST: LiteralString = """
    allocation_id, org_id, project_id, credential_id, address, port, offered_key, offered_at,
    host_key, confirmed_at, confirmed_by, problem, version, updated_at
    """
SAME_PLACE: LiteralString = "h.address = excluded.address AND h.port = excluded.port"

# Credentials


async def add(
    db: Db,
    *,
    id: str,
    org: str,
    project: str,
    name: str,
    username: str,
    public_key: str,
    fingerprint: str,
    secret: str,
    now: datetime,
) -> AccessCredential | None:
    """None where the name is taken."""
    return await db.find(
        AccessCredential,
        f"""
        INSERT INTO access_credentials (id, org_id, project_id, name, username, public_key,
            fingerprint, secret_id, created_at, updated_at)
        VALUES (%(id)s, %(org)s, %(project)s, %(name)s, %(username)s, %(public)s, %(fingerprint)s,
            %(secret)s, %(now)s, %(now)s)
        ON CONFLICT (project_id, name) WHERE revoked_at IS NULL DO NOTHING
        RETURNING {CREDENTIAL}
        """,
        {
            "id": id,
            "org": org,
            "project": project,
            "name": name,
            "username": username,
            "public": public_key,
            "fingerprint": fingerprint,
            "secret": secret,
            "now": now,
        },
    )


async def find(db: Db, id: str, *, orgs: list[str], lock: bool = False) -> AccessCredential | None:
    sql: LiteralString = (
        f"SELECT {CREDENTIAL} FROM access_credentials WHERE id = %s AND org_id = ANY (%s)"
    )
    return await db.find(AccessCredential, sql + (" FOR UPDATE" if lock else ""), (id, orgs))


async def list_page(db: Db, page: PageRequest, *, org: str, project: str) -> list[AccessCredential]:
    return await db.all(
        AccessCredential,
        f"""
        SELECT {CREDENTIAL} FROM access_credentials
        WHERE org_id = %s AND project_id = %s AND id > %s ORDER BY id LIMIT %s
        """,
        (org, project, page.after, page.fetch),
    )


async def rotate(
    db: Db,
    id: str,
    *,
    org: str,
    public_key: str,
    fingerprint: str,
    secret: str,
    previous: str | None,
    previous_until: datetime | None,
    now: datetime,
) -> AccessCredential:
    return await db.get(
        AccessCredential,
        f"""
        UPDATE access_credentials SET public_key = %s, fingerprint = %s, secret_id = %s,
            previous_secret_id = %s, previous_until = %s, rotated_at = %s, updated_at = %s,
            version = version + 1
        WHERE org_id = %s AND id = %s RETURNING {CREDENTIAL}
        """,
        (public_key, fingerprint, secret, previous, previous_until, now, now, org, id),
    )


async def revoke(db: Db, id: str, *, org: str, now: datetime) -> AccessCredential:
    return await db.get(
        AccessCredential,
        f"""
        UPDATE access_credentials SET secret_id = NULL, previous_secret_id = NULL,
            previous_until = NULL, revoked_at = %s, updated_at = %s, version = version + 1
        WHERE org_id = %s AND id = %s RETURNING {CREDENTIAL}
        """,
        (now, now, org, id),
    )


async def drop_previous(db: Db, id: str, *, org: str, now: datetime) -> str | None:
    """Forget the key before the newest, if its time has passed; the secret that it was."""
    return await db.value(
        """
        WITH before AS (
            SELECT id, previous_secret_id FROM access_credentials
            WHERE org_id = %s AND id = %s AND previous_until <= %s FOR UPDATE
        )
        UPDATE access_credentials c SET previous_secret_id = NULL, previous_until = NULL,
            version = version + 1
        FROM before WHERE c.id = before.id RETURNING before.previous_secret_id
        """,
        (org, id, now),
    )


async def list_outdated(db: Db, *, now: datetime, limit: int) -> list[tuple[str, str]]:
    """(org, id) of credentials whose old key has had its time.

    Tenant-less: a sweep, as moorage_system.
    """
    rows = await db.rows(
        """
        SELECT org_id, id FROM access_credentials WHERE previous_until <= %s
        ORDER BY previous_until LIMIT %s
        """,
        (now, limit),
    )
    return [(row["org_id"], row["id"]) for row in rows]


# Hosts


async def find_host(db: Db, allocation: str, *, org: str, lock: bool = False) -> SshHost | None:
    sql: LiteralString = f"SELECT {HOST} FROM ssh_hosts WHERE org_id = %s AND allocation_id = %s"
    return await db.find(SshHost, sql + (" FOR UPDATE" if lock else ""), (org, allocation))


async def put_host(
    db: Db,
    allocation: str,
    *,
    org: str,
    project: str,
    credential: str,
    address: str,
    port: int,
    now: datetime,
) -> SshHost:
    """Set it. What is known of the host stays, as long as it is the same place."""
    return await db.get(
        SshHost,
        f"""
        INSERT INTO ssh_hosts AS h (allocation_id, org_id, project_id, credential_id, address,
            port, updated_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s)
        ON CONFLICT (allocation_id) DO UPDATE SET credential_id = excluded.credential_id,
            address = excluded.address, port = excluded.port, problem = NULL,
            offered_key = CASE WHEN {SAME_PLACE} THEN h.offered_key END,
            offered_at = CASE WHEN {SAME_PLACE} THEN h.offered_at END,
            host_key = CASE WHEN {SAME_PLACE} THEN h.host_key END,
            confirmed_at = CASE WHEN {SAME_PLACE} THEN h.confirmed_at END,
            confirmed_by = CASE WHEN {SAME_PLACE} THEN h.confirmed_by END,
            version = h.version + 1, updated_at = excluded.updated_at
        RETURNING {HOST}
        """,
        (allocation, org, project, credential, address, port, now),
    )


async def offer_key(db: Db, allocation: str, *, org: str, key: str, now: datetime) -> SshHost:
    return await db.get(
        SshHost,
        f"""
        UPDATE ssh_hosts SET offered_key = %s, offered_at = %s, version = version + 1,
            updated_at = %s
        WHERE org_id = %s AND allocation_id = %s RETURNING {HOST}
        """,
        (key, now, now, org, allocation),
    )


async def confirm_key(
    db: Db, allocation: str, *, org: str, key: str, by: str, now: datetime
) -> SshHost:
    return await db.get(
        SshHost,
        f"""
        UPDATE ssh_hosts SET host_key = %s, confirmed_at = %s, confirmed_by = %s, problem = NULL,
            version = version + 1, updated_at = %s
        WHERE org_id = %s AND allocation_id = %s RETURNING {HOST}
        """,
        (key, now, by, now, org, allocation),
    )


async def note_problem(db: Db, allocation: str, *, org: str, problem: str | None) -> None:
    await db.run(
        """
        UPDATE ssh_hosts SET problem = %s
        WHERE org_id = %s AND allocation_id = %s AND problem IS DISTINCT FROM %s
        """,
        (problem, org, allocation, problem),
    )


# The worker


async def list_open_work(db: Db, *, limit: int) -> list[OpenWork]:
    """Nodes without agent on which there is something to do: orgs take turns, oldest tasks first.

    On one that was taken out tasks wait. What ran or is to stop there is still seen to, and
    whoever lost access loses it there too.

    Tenant-less: a sweep, as moorage_system.
    """
    return await db.all(
        OpenWork,
        """
        SELECT t.node_id, t.allocation_id, t.org_id, t.project_id
        FROM tasks t JOIN nodes n ON n.id = t.node_id
        WHERE t.reach = 'ssh' AND t.ended_at IS NULL
            AND (n.status <> 'quarantined' OR t.status = 'running'
                OR t.cancel_requested_at IS NOT NULL OR t.kind = 'access-sync')
        GROUP BY t.node_id, t.allocation_id, t.org_id, t.project_id
        ORDER BY row_number() OVER (PARTITION BY t.org_id ORDER BY min(t.id)), min(t.id) LIMIT %s
        """,
        (limit,),
    )


async def hold(db: Db, work: OpenWork, *, worker: str, now: datetime, until: datetime) -> bool:
    """Take or renew the right to do a node's tasks; False where another process has it.

    Tenant-less: `work` carries its org.
    """
    return bool(
        await db.run(
            """
            INSERT INTO ssh_workers AS w (allocation_id, org_id, project_id, worker, held_until)
            VALUES (%(allocation)s, %(org)s, %(project)s, %(worker)s, %(until)s)
            ON CONFLICT (allocation_id) DO UPDATE SET worker = excluded.worker,
                held_until = excluded.held_until
            WHERE w.worker = %(worker)s OR w.held_until < %(now)s
            """,
            {
                "allocation": work.allocation_id,
                "org": work.org_id,
                "project": work.project_id,
                "worker": worker,
                "now": now,
                "until": until,
            },
        )
    )


async def let_go(db: Db, work: OpenWork, *, worker: str) -> None:
    """Tenant-less: `work` carries its org."""
    await db.run(
        "DELETE FROM ssh_workers WHERE org_id = %s AND allocation_id = %s AND worker = %s",
        (work.org_id, work.allocation_id, worker),
    )
