"""Every SQL statement of the secret store."""

from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from moorage_core.kit.db import Db


@dataclass(frozen=True)
class SealedSecret:
    id: str
    org_id: str
    key_version: int
    wrapped_key: bytes
    ciphertext: bytes


async def add(
    db: Db, sealed: SealedSecret, *, project: str | None, purpose: str, now: datetime
) -> None:
    """Keep a sealed secret, with the org that `sealed` carries."""
    await db.run(
        """
        INSERT INTO secrets (id, org_id, project_id, purpose, key_version, wrapped_key, ciphertext,
            created_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
        """,
        (
            sealed.id,
            sealed.org_id,
            project,
            purpose,
            sealed.key_version,
            sealed.wrapped_key,
            sealed.ciphertext,
            now,
        ),
    )


async def find(db: Db, *, org: str, id: str, lock: bool = False) -> SealedSecret | None:
    sql: LiteralString = """
        SELECT id, org_id, key_version, wrapped_key, ciphertext FROM secrets
        WHERE org_id = %s AND id = %s
        """
    return await db.find(SealedSecret, sql + (" FOR UPDATE" if lock else ""), (org, id))


async def replace(db: Db, sealed: SealedSecret) -> None:
    """Store the same secret under another key or with another value.

    Tenant-less: `sealed` carries its org.
    """
    await db.run(
        """
        UPDATE secrets SET key_version = %s, wrapped_key = %s, ciphertext = %s
        WHERE org_id = %s AND id = %s
        """,
        (sealed.key_version, sealed.wrapped_key, sealed.ciphertext, sealed.org_id, sealed.id),
    )


async def remove(db: Db, *, org: str, id: str) -> None:
    await db.run("DELETE FROM secrets WHERE org_id = %s AND id = %s", (org, id))


async def list_older(db: Db, *, version: int, limit: int) -> list[tuple[str, str]]:
    """(org, id) of secrets under an older master key.

    Tenant-less: a sweep, as moorage_system.
    """
    rows = await db.rows(
        "SELECT org_id, id FROM secrets WHERE key_version < %s ORDER BY id LIMIT %s",
        (version, limit),
    )
    return [(row["org_id"], row["id"]) for row in rows]
