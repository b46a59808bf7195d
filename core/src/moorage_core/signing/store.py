"""Every SQL statement of the signing keys. Tenant-less throughout: the keys are the platform's."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from moorage_core.kit.db import Db


@dataclass(frozen=True)
class KeyRow:
    id: str
    public_key: dict[str, Any]
    secret_id: str
    signs_from: datetime
    signs_until: datetime
    verifies_until: datetime


async def list_keys(db: Db) -> list[KeyRow]:
    """Tenant-less: the platform's own keys."""
    return await db.all(
        KeyRow,
        """
        SELECT id, public_key, secret_id, signs_from, signs_until, verifies_until
        FROM signing_keys
        """,
    )


async def add_key(db: Db, key: KeyRow, *, now: datetime) -> None:
    """Tenant-less: the platform's own keys."""
    await db.run(
        """
        INSERT INTO signing_keys
            (id, public_key, secret_id, created_at, signs_from, signs_until, verifies_until)
        VALUES (%s, %s, %s, %s, %s, %s, %s)
        """,
        (
            key.id,
            Jsonb(key.public_key),
            key.secret_id,
            now,
            key.signs_from,
            key.signs_until,
            key.verifies_until,
        ),
    )


async def remove_expired(db: Db, *, now: datetime) -> list[str]:
    """Secret ids of the keys removed.

    Tenant-less: the platform's own keys.
    """
    rows = await db.rows(
        "DELETE FROM signing_keys WHERE verifies_until < %s RETURNING secret_id", (now,)
    )
    return [row["secret_id"] for row in rows]


async def lock(db: Db) -> None:
    """One process makes keys at a time.

    Tenant-less: the platform's own keys.
    """
    await db.run("SELECT pg_advisory_xact_lock(28015, 2)")
