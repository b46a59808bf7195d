"""Every SQL statement of pulls."""

from typing import LiteralString

from moorage_core.kit.db import Db
from moorage_core.pulls.models import Pull

PULL: LiteralString = """
    id, org_id, project_id, entitlement_id, app_id, version_id, artifact_id, artifact_name, channel,
    holder, created_at, expires_at
"""


async def add(db: Db, pull: Pull, *, secret_hash: bytes) -> None:
    """Tenant-less: `pull` has org and project."""
    await db.run(
        f"""
        INSERT INTO pulls ({PULL}, secret_hash)
        VALUES (%(id)s, %(org_id)s, %(project_id)s, %(entitlement_id)s, %(app_id)s, %(version_id)s,
            %(artifact_id)s, %(artifact_name)s, %(channel)s, %(holder)s, %(created_at)s,
            %(expires_at)s, %(secret_hash)s)
        """,
        {**pull.__dict__, "secret_hash": secret_hash},
    )


async def find(db: Db, id: str, *, orgs: list[str], holder: str) -> Pull | None:
    """A pull that was issued to this holder."""
    return await db.find(
        Pull,
        f"""
        SELECT {PULL} FROM pulls p
        WHERE id = %s AND org_id = ANY (%s) AND holder = %s AND EXISTS (
            SELECT FROM projects j WHERE j.id = p.project_id AND j.deleted_at IS NULL)
        """,
        (id, orgs, holder),
    )


async def get_secret_hash(db: Db, id: str, *, org: str) -> bytes:
    return await db.value("SELECT secret_hash FROM pulls WHERE org_id = %s AND id = %s", (org, id))
