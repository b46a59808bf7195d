"""Every SQL statement of sources."""

from datetime import datetime
from typing import LiteralString

from moorage_core.kit.db import Db
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.kit.pagination import PageRequest
from moorage_core.sources.models import Source

SOURCE: LiteralString = (
    "id, org_id, slug, name, kind, url, token_url, secret_id, enabled, version, created_at,"
    " updated_at, policy_name"
)


async def add(
    db: Db,
    *,
    id: str,
    org: str,
    slug: str,
    name: str,
    kind: str,
    url: str,
    token_url: str | None,
    secret: str | None,
    enabled: bool,
    now: datetime,
) -> Source | None:
    """None where the slug is taken."""
    return await db.find(
        Source,
        f"""
        INSERT INTO sources (id, org_id, slug, name, kind, url, token_url, secret_id, enabled,
            created_at, updated_at, policy_name)
        SELECT %(id)s, o.id, %(slug)s, %(name)s, %(kind)s, %(url)s, %(token_url)s, %(secret)s,
            %(enabled)s, %(now)s, %(now)s,
            CASE o.id WHEN %(platform)s THEN %(slug)s ELSE o.slug || '/' || %(slug)s END
        FROM orgs o WHERE o.id = %(org)s
        ON CONFLICT (org_id, slug) WHERE deleted_at IS NULL DO NOTHING RETURNING {SOURCE}
        """,
        {
            "id": id,
            "org": org,
            "slug": slug,
            "name": name,
            "kind": kind,
            "url": url,
            "token_url": token_url,
            "secret": secret,
            "enabled": enabled,
            "now": now,
            "platform": PLATFORM_ORG,
        },
    )


async def find_foreign_name(db: Db, slug: str, *, org: str) -> str | None:
    """What policy would call the source, where it called one of another org so before."""
    return await db.value("SELECT foreign_source_name(%s, %s)", (org, slug))


async def find(db: Db, id: str, *, orgs: list[str], lock: bool = False) -> Source | None:
    """One of these orgs', or one that the platform shares."""
    sql: LiteralString = f"""
        SELECT {SOURCE} FROM sources
        WHERE id = %s AND org_id = ANY (%s) AND deleted_at IS NULL
        """
    return await db.find(Source, sql + (" FOR UPDATE" if lock else ""), (id, [*orgs, PLATFORM_ORG]))


async def list_sources(db: Db, page: PageRequest, *, orgs: list[str]) -> list[Source]:
    """Those of these orgs, and those that the platform shares."""
    return await db.all(
        Source,
        f"""
        SELECT {SOURCE} FROM sources
        WHERE org_id = ANY (%s) AND deleted_at IS NULL AND id > %s ORDER BY id LIMIT %s
        """,
        ([*orgs, PLATFORM_ORG], page.after, page.fetch),
    )


async def change(
    db: Db,
    id: str,
    *,
    org: str,
    name: str,
    url: str,
    token_url: str | None,
    secret: str | None,
    enabled: bool,
    now: datetime,
) -> Source:
    return await db.get(
        Source,
        f"""
        UPDATE sources SET name = %s, url = %s, token_url = %s, secret_id = %s, enabled = %s,
            version = version + 1, updated_at = %s
        WHERE org_id = %s AND id = %s RETURNING {SOURCE}
        """,
        (name, url, token_url, secret, enabled, now, org, id),
    )


async def delete(db: Db, id: str, *, org: str, now: datetime) -> Source:
    return await db.get(
        Source,
        f"""
        UPDATE sources SET deleted_at = %s, updated_at = %s, secret_id = NULL,
            version = version + 1
        WHERE org_id = %s AND id = %s RETURNING {SOURCE}
        """,
        (now, now, org, id),
    )


async def count_uses(db: Db, id: str) -> int:
    """How many artifacts name it, whoever's they are: for those who may remove it.

    Tenant-less: a shared source is used by all.
    """
    return await db.value("SELECT source_uses(%s)", (id,))
