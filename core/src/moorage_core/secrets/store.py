"""Every SQL statement of the secret store."""

from datetime import datetime
from typing import LiteralString

from moorage_core.kit.db import Db
from moorage_core.secrets.models import Leftover, SealedSecret, StoreName

_COLUMNS: LiteralString = "id, org_id, store, key_version, wrapped_key, ciphertext, entry"


async def add(
    db: Db, sealed: SealedSecret, *, project: str | None, purpose: str, now: datetime
) -> None:
    """Keep a sealed secret, with the org that `sealed` carries."""
    await db.run(
        """
        INSERT INTO secrets (id, org_id, project_id, purpose, store, key_version, wrapped_key,
            ciphertext, entry, created_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        """,
        (
            sealed.id,
            sealed.org_id,
            project,
            purpose,
            sealed.store,
            sealed.key_version,
            sealed.wrapped_key,
            sealed.ciphertext,
            sealed.entry,
            now,
        ),
    )


async def find(db: Db, *, org: str, id: str) -> SealedSecret | None:
    sql: LiteralString = f"SELECT {_COLUMNS} FROM secrets WHERE org_id = %s AND id = %s"
    return await db.find(SealedSecret, sql, (org, id))


async def find_many(db: Db, ids: list[str], *, org: str) -> list[SealedSecret]:
    sql: LiteralString = f"SELECT {_COLUMNS} FROM secrets WHERE org_id = %s AND id = ANY (%s)"
    return await db.all(SealedSecret, sql, (org, ids))


async def replace(db: Db, sealed: SealedSecret, *, due: datetime) -> None:
    """Store the same secret with another value; an entry outside is left for destruction.

    Tenant-less: `sealed` carries its org.
    """
    await db.run(
        """
        WITH before AS (
            SELECT id, org_id, entry FROM secrets WHERE org_id = %(org)s AND id = %(id)s FOR UPDATE
        ), left_over AS (
            INSERT INTO secret_leftovers (entry, org_id, due_at)
            SELECT org_id || '/' || id || '/' || entry, org_id, %(due)s FROM before
            WHERE entry IS NOT NULL
            ON CONFLICT (entry) DO NOTHING
        )
        UPDATE secrets s SET store = %(store)s, key_version = %(version)s,
            wrapped_key = %(wrapped)s, ciphertext = %(ciphertext)s, entry = %(entry)s
        FROM before WHERE s.id = before.id
        """,
        {
            "org": sealed.org_id,
            "id": sealed.id,
            "store": sealed.store,
            "version": sealed.key_version,
            "wrapped": sealed.wrapped_key,
            "ciphertext": sealed.ciphertext,
            "entry": sealed.entry,
            "due": due,
        },
    )


async def rewrap(db: Db, before: SealedSecret, after: SealedSecret) -> int:
    """Put another wrapping around the key, if it is still the same key; how many it were.

    Tenant-less: both carry their org.
    """
    return await db.run(
        """
        UPDATE secrets SET key_version = %s, wrapped_key = %s
        WHERE org_id = %s AND id = %s AND wrapped_key = %s
        """,
        (after.key_version, after.wrapped_key, before.org_id, before.id, before.wrapped_key),
    )


async def put_anew(db: Db, before: SealedSecret, after: SealedSecret) -> int:
    """Bring a secret into another store, if nobody has changed it meanwhile; how many it were.

    Tenant-less: both carry their org.
    """
    return await db.run(
        """
        UPDATE secrets SET store = %s, key_version = %s, wrapped_key = %s, ciphertext = %s,
            entry = %s
        WHERE org_id = %s AND id = %s AND wrapped_key = %s AND entry IS NOT DISTINCT FROM %s
        """,
        (
            after.store,
            after.key_version,
            after.wrapped_key,
            after.ciphertext,
            after.entry,
            before.org_id,
            before.id,
            before.wrapped_key,
            before.entry,
        ),
    )


async def empty(db: Db, placed: SealedSecret) -> int:
    """Drop the sealed value from its row: it lies outside now.

    Tenant-less: `placed` carries its org.
    """
    return await db.run(
        """
        UPDATE secrets SET ciphertext = NULL
        WHERE org_id = %s AND id = %s AND entry = %s
        """,
        (placed.org_id, placed.id, placed.entry),
    )


async def remove(db: Db, *, org: str, id: str, due: datetime) -> None:
    """Delete the row; an entry outside is left for destruction."""
    await db.run(
        """
        WITH gone AS (
            DELETE FROM secrets WHERE org_id = %s AND id = %s RETURNING id, org_id, entry
        )
        INSERT INTO secret_leftovers (entry, org_id, due_at)
        SELECT org_id || '/' || id || '/' || entry, org_id, %s FROM gone WHERE entry IS NOT NULL
        ON CONFLICT (entry) DO NOTHING
        """,
        (org, id, due),
    )


async def add_leftover(db: Db, place: str, *, org: str, due: datetime) -> None:
    await db.run(
        """
        INSERT INTO secret_leftovers (entry, org_id, due_at) VALUES (%s, %s, %s)
        ON CONFLICT (entry) DO NOTHING
        """,
        (place, org, due),
    )


# What sweeps look for


async def list_older(
    db: Db, *, store: StoreName, version: int, after: str, limit: int
) -> list[tuple[str, str]]:
    """(org, id) of secrets under an older key of this store.

    Tenant-less: a sweep, as moorage_system.
    """
    rows = await db.rows(
        """
        SELECT org_id, id FROM secrets WHERE store = %s AND key_version < %s AND id > %s
        ORDER BY id LIMIT %s
        """,
        (store, version, after, limit),
    )
    return [(row["org_id"], row["id"]) for row in rows]


async def list_elsewhere(
    db: Db, *, store: StoreName, after: str, limit: int
) -> list[tuple[str, str]]:
    """(org, id) of secrets that are not in this store.

    Tenant-less: a sweep, as moorage_system.
    """
    rows = await db.rows(
        "SELECT org_id, id FROM secrets WHERE store <> %s AND id > %s ORDER BY id LIMIT %s",
        (store, after, limit),
    )
    return [(row["org_id"], row["id"]) for row in rows]


async def list_unplaced(db: Db, *, after: str, limit: int) -> list[tuple[str, str]]:
    """(org, id) of secrets whose sealed value is to go outside.

    Tenant-less: a sweep, as moorage_system.
    """
    rows = await db.rows(
        """
        SELECT org_id, id FROM secrets WHERE store = 'openbao' AND NOT placed AND id > %s
        ORDER BY id LIMIT %s
        """,
        (after, limit),
    )
    return [(row["org_id"], row["id"]) for row in rows]


async def list_leftovers(db: Db, *, now: datetime, limit: int) -> list[Leftover]:
    """Tenant-less: a sweep, as moorage_system."""
    return await db.all(
        Leftover,
        "SELECT entry, org_id FROM secret_leftovers WHERE due_at <= %s ORDER BY entry LIMIT %s",
        (now, limit),
    )


async def forget_leftover(db: Db, entry: str) -> None:
    """Tenant-less: a sweep, as moorage_system."""
    await db.run("DELETE FROM secret_leftovers WHERE entry = %s", (entry,))
