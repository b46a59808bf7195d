"""Every SQL statement of entitlements.

An entitlement of a deleted project is gone with it: each statement that finds one looks.
"""

from datetime import datetime
from typing import LiteralString

from psycopg.types.json import Jsonb

from moorage_core.entitlements.models import Entitlement
from moorage_core.kit.db import Db
from moorage_core.kit.pagination import PageRequest

# Admissions are the platform's to give and to take: asked afresh whenever a row is read.
ENTITLEMENT: LiteralString = """
    e.id, e.org_id, e.project_id, e.app_id, e.app_slug, e.channel, e.versions, e.enabled,
    e.accepted, e.accepted_digest, e.accepted_version_id, e.accepted_by, e.accepted_at, e.version,
    e.created_at, e.updated_at,
    ARRAY(SELECT DISTINCT unnest(f.keys) FROM family_admissions f WHERE f.app_id = e.app_id
        AND f.withdrawn_at IS NULL) AS admitted,
    (SELECT p.name FROM apps p WHERE p.id = e.app_id) AS app_name,
    actor_name(e.accepted_by) AS accepted_by_name
    """
LIVE: LiteralString = """
    e.deleted_at IS NULL AND EXISTS (
        SELECT FROM projects p WHERE p.id = e.project_id AND p.deleted_at IS NULL)
    """


async def add(db: Db, new: Entitlement) -> Entitlement | None:
    """None where the project has one for the app, or was deleted a moment ago.

    Tenant-less: `new` has org and project.
    """
    return await db.find(
        Entitlement,
        f"""
        INSERT INTO entitlements AS e (id, org_id, project_id, app_id, app_slug, channel, versions,
            enabled, accepted, accepted_digest, accepted_version_id, accepted_by, accepted_at,
            created_at, updated_at)
        SELECT %(id)s, p.org_id, p.id, %(app)s, %(slug)s, %(channel)s, %(versions)s, true,
            %(accepted)s, %(digest)s, %(version)s, %(by)s, %(now)s, %(now)s, %(now)s
        FROM (SELECT org_id, id FROM projects WHERE org_id = %(org)s AND id = %(project)s
            AND deleted_at IS NULL FOR KEY SHARE) p
        ON CONFLICT (project_id, app_id) WHERE deleted_at IS NULL DO NOTHING
        RETURNING {ENTITLEMENT}
        """,
        {
            "id": new.id,
            "org": new.org_id,
            "project": new.project_id,
            "app": new.app_id,
            "slug": new.app_slug,
            "channel": new.channel,
            "versions": new.versions,
            "accepted": Jsonb(new.accepted),
            "digest": new.accepted_digest,
            "version": new.accepted_version_id,
            "by": new.accepted_by,
            "now": new.accepted_at,
        },
    )


async def find(db: Db, id: str, *, orgs: list[str], lock: bool = False) -> Entitlement | None:
    sql: LiteralString = f"""
        SELECT {ENTITLEMENT} FROM entitlements e
        WHERE e.id = %s AND e.org_id = ANY (%s) AND {LIVE}
        """
    return await db.find(Entitlement, sql + (" FOR UPDATE OF e" if lock else ""), (id, orgs))


async def find_for(db: Db, *, project: str, app: str) -> Entitlement | None:
    return await db.find(
        Entitlement,
        f"""
        SELECT {ENTITLEMENT} FROM entitlements e
        WHERE e.project_id = %s AND e.app_id = %s AND {LIVE}
        """,
        (project, app),
    )


async def list_page(
    db: Db, page: PageRequest, *, project: str, app: str | None
) -> list[Entitlement]:
    return await db.all(
        Entitlement,
        f"""
        SELECT {ENTITLEMENT} FROM entitlements e
        WHERE e.project_id = %s AND (%s::text IS NULL OR e.app_id = %s) AND {LIVE} AND e.id > %s
        ORDER BY e.id LIMIT %s
        """,
        (project, app, app, page.after, page.fetch),
    )


async def list_enabled(
    db: Db,
    *,
    orgs: list[str],
    project: str | None,
    id: str | None,
    slugs: list[str] | None,
    limit: int,
) -> list[Entitlement]:
    """To the apps with the named slugs, where any are named; newest first."""
    return await db.all(
        Entitlement,
        f"""
        SELECT {ENTITLEMENT} FROM entitlements e
        WHERE e.org_id = ANY (%(orgs)s) AND e.enabled AND {LIVE}
            AND (%(project)s::text IS NULL OR e.project_id = %(project)s)
            AND (%(id)s::text IS NULL OR e.id = %(id)s)
            AND (%(slugs)s::text[] IS NULL OR e.app_slug = ANY (%(slugs)s))
        ORDER BY e.id DESC LIMIT %(limit)s
        """,
        {"orgs": orgs, "project": project, "id": id, "slugs": slugs, "limit": limit},
    )


async def list_with_keys(
    db: Db, keys: list[str], *, orgs: list[str], projects: list[str], limit: int
) -> list[Entitlement]:
    """Those of whole orgs or of single projects whose accepted declaration has one of the keys."""
    return await db.all(
        Entitlement,
        f"""
        SELECT {ENTITLEMENT} FROM entitlements e
        WHERE (e.org_id = ANY (%(orgs)s) OR e.project_id = ANY (%(projects)s))
            AND (e.accepted -> 'keys' ?| %(keys)s OR e.accepted -> 'family_keys' ?| %(keys)s
                OR e.accepted -> 'family_grants' ?| %(keys)s)
            AND {LIVE}
        ORDER BY e.id LIMIT %(limit)s
        """,
        {"orgs": orgs, "projects": projects, "keys": keys, "limit": limit},
    )


async def write(db: Db, changed: Entitlement, *, now: datetime) -> Entitlement:
    """Keep what can change of an entitlement.

    Tenant-less: `changed` has its org.
    """
    return await db.get(
        Entitlement,
        f"""
        UPDATE entitlements e SET channel = %s, versions = %s, enabled = %s, accepted = %s,
            accepted_digest = %s, accepted_version_id = %s, accepted_by = %s, accepted_at = %s,
            version = version + 1, updated_at = %s
        WHERE e.org_id = %s AND e.id = %s RETURNING {ENTITLEMENT}
        """,
        (
            changed.channel,
            changed.versions,
            changed.enabled,
            Jsonb(changed.accepted),
            changed.accepted_digest,
            changed.accepted_version_id,
            changed.accepted_by,
            changed.accepted_at,
            now,
            changed.org_id,
            changed.id,
        ),
    )


async def delete(db: Db, id: str, *, org: str, now: datetime) -> Entitlement:
    return await db.get(
        Entitlement,
        f"""
        UPDATE entitlements e SET deleted_at = %s, updated_at = %s, version = version + 1
        WHERE e.org_id = %s AND e.id = %s RETURNING {ENTITLEMENT}
        """,
        (now, now, org, id),
    )
