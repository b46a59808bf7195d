"""Every statement about codes. They are found by a secret or by what was typed, never listed."""

from datetime import datetime

from moorage_core.device_codes.models import Asked, Waiting
from moorage_core.kit.db import Db


async def add(
    db: Db,
    *,
    id: str,
    device_hash: bytes,
    user_hash: bytes,
    client: str,
    address: str,
    lifetime: int,
    now: datetime,
    expires_at: datetime,
) -> bool:
    """False where another code reads the same.

    Tenant-less: before there is a principal.
    """
    return await db.value(
        "SELECT add_device_code(%s, %s, %s, %s, %s, %s, %s, %s)",
        (id, device_hash, user_hash, client, address, lifetime, now, expires_at),
    )


async def find_typed(db: Db, *, user_hash: bytes, now: datetime) -> Asked | None:
    """Tenant-less: a code is nobody's until somebody decides."""
    return await db.find(Asked, "SELECT * FROM device_code_by_typed(%s, %s)", (user_hash, now))


async def decide(db: Db, *, user_hash: bytes, approved: bool, now: datetime) -> bool:
    """For the transaction's own principal; false where somebody was faster.

    Tenant-less: a code is nobody's until somebody decides.
    """
    return await db.value("SELECT decide_device_code(%s, %s, %s)", (user_hash, approved, now))


async def find_waiting(db: Db, *, device_hash: bytes, now: datetime) -> Waiting | None:
    """Tenant-less: before there is a principal."""
    return await db.find(
        Waiting,
        """
        SELECT id, client, lifetime_seconds, user_id, user_name, approved
        FROM device_code_by_secret(%s, %s)
        """,
        (device_hash, now),
    )


async def use(db: Db, *, device_hash: bytes, now: datetime) -> bool:
    """For the person who approved it, whose transaction this is; false where it was used.

    Tenant-less: a code is its person's.
    """
    return await db.value("SELECT use_device_code(%s, %s)", (device_hash, now))
