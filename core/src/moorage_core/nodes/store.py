"""Every SQL statement of nodes and enrolments."""

from datetime import datetime
from typing import Any

from moorage_core.kit.db import Db


async def find_principal(db: Db, *, token_hash: bytes, now: datetime) -> dict[str, Any] | None:
    """Tenant-less: before there is a principal."""
    return await db.row("SELECT * FROM node_principal(%s, %s)", (token_hash, now))
