"""Every SQL statement of policy."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from moorage_core.kit.db import Db
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.policy.models import Level, OverlayRow, Place, Usage

OVERLAY: LiteralString = (
    "v.id, v.level, v.org_id, v.project_id, v.entitlement_id, v.document, v.version, v.updated_at"
)
IN_CHAIN: LiteralString = """
    (v.level = 'global' AND v.org_id = %(platform)s
    OR v.org_id = %(org)s AND (v.level IN ('tenant', 'org') OR v.project_id = %(project)s AND (
        v.level = 'project' OR v.entitlement_id = %(entitlement)s)))
    """


@dataclass(frozen=True)
class Chain:
    """The layers above and in one place, as they were written, and what the place is called."""

    org_id: str
    org: str
    project: str | None
    documents: dict[Level, dict[str, Any]]


async def find(db: Db, place: Place, *, lock: bool = False) -> OverlayRow | None:
    """Tenant-less: `place` has both, org and project."""
    sql: LiteralString = f"""
        SELECT {OVERLAY} FROM overlays v WHERE v.level = %s AND v.org_id = %s
            AND v.project_id IS NOT DISTINCT FROM %s AND v.entitlement_id IS NOT DISTINCT FROM %s
        """
    where = (place.level, place.org, place.project, place.entitlement)
    return await db.find(OverlayRow, sql + (" FOR UPDATE" if lock else ""), where)


async def add(
    db: Db, place: Place, *, id: str, document: dict[str, Any], now: datetime
) -> OverlayRow | None:
    """None where somebody else was quicker.

    Tenant-less: `place` has both, org and project.
    """
    return await db.find(
        OverlayRow,
        f"""
        INSERT INTO overlays AS v (id, level, org_id, project_id, entitlement_id, document,
            created_at, updated_at)
        VALUES (%(id)s, %(level)s, %(org)s, %(project)s, %(entitlement)s, %(document)s, %(now)s,
            %(now)s)
        ON CONFLICT (level, org_id, project_id, entitlement_id) DO NOTHING RETURNING {OVERLAY}
        """,
        {**vars(place), "id": id, "document": Jsonb(document), "now": now},
    )


async def update(
    db: Db, id: str, *, org: str, document: dict[str, Any], now: datetime
) -> OverlayRow:
    return await db.get(
        OverlayRow,
        f"""
        UPDATE overlays v SET document = %s, version = version + 1, updated_at = %s
        WHERE v.org_id = %s AND v.id = %s RETURNING {OVERLAY}
        """,
        (Jsonb(document), now, org, id),
    )


async def find_org(db: Db, project: str, *, orgs: list[str]) -> str | None:
    """The org of a project that is there."""
    return await db.value(
        "SELECT org_id FROM projects WHERE id = %s AND org_id = ANY (%s) AND deleted_at IS NULL",
        (project, orgs),
    )


async def get_chain(db: Db, place: Place) -> Chain:
    """Tenant-less: `place` has both, org and project."""
    return await db.get(
        Chain,
        f"""
        SELECT o.id AS org_id, o.slug AS org, p.slug AS project,
            coalesce(jsonb_object_agg(v.level, v.document) FILTER (WHERE v.id IS NOT NULL), '{{}}')
                AS documents
        FROM orgs o LEFT JOIN projects p ON p.org_id = o.id AND p.id = %(project)s
            LEFT JOIN overlays v ON {IN_CHAIN}
        WHERE o.id = %(org)s GROUP BY o.id, o.slug, p.slug
        """,
        {**vars(place), "platform": PLATFORM_ORG},
    )


async def list_chain(db: Db, place: Place) -> list[OverlayRow]:
    """The layers above and in one place that were written.

    Tenant-less: `place` has both, org and project.
    """
    return await db.all(
        OverlayRow,
        f"SELECT {OVERLAY} FROM overlays v WHERE {IN_CHAIN}",
        {**vars(place), "platform": PLATFORM_ORG},
    )


# What is in use


async def find_gpus(db: Db, *, sku: str) -> int | None:
    """How many GPUs a machine of a SKU has.

    Tenant-less: SKUs are the platform's, and everybody's to see.
    """
    return await db.value("SELECT gpus FROM skus WHERE slug = %s", (sku,))


async def hold_usage(db: Db, place: Place, *, levels: list[Level]) -> None:
    """Let nobody else use more there before this transaction ends.

    Tenant-less: `place` has both, org and project.
    """
    for level in levels:
        where = {"tenant": place.org, "org": place.org, "project": place.project}.get(level, "")
        await db.run(
            "SELECT pg_advisory_xact_lock(hashtextextended('usage of ' || %s || %s, 0))",
            (level, where),
        )


async def get_usage(db: Db, place: Place, *, levels: list[Level]) -> dict[Level, Usage]:
    """What is in use at some levels, counted over rows that the caller need not see.

    Tenant-less: `place` has both, org and project.
    """
    rows = await db.rows(
        """
        SELECT level, instances, members, allocations, gpus, concurrent_operations
        FROM usage_at(%s, %s, %s::text[])
        """,
        (place.org, place.project, levels),
    )
    return {row.pop("level"): Usage(**row) for row in rows}


# What lies below a layer


async def list_names(
    db: Db, *, org: str, apps: list[str], sources: list[str]
) -> tuple[set[str], set[str]]:
    """Those of some slugs and some names that an app or a source has which the org can use."""
    rows = await db.rows(
        """
        SELECT 'app' AS what, slug AS name FROM apps
        WHERE slug = ANY (%(apps)s) AND deleted_at IS NULL AND closed_at IS NULL
            AND (visibility = 'platform' OR org_id = %(org)s)
        UNION SELECT 'source', policy_name FROM sources
        WHERE policy_name = ANY (%(sources)s) AND deleted_at IS NULL
            AND org_id IN (%(org)s, %(platform)s)
        """,
        {"org": org, "apps": apps, "sources": sources, "platform": PLATFORM_ORG},
    )
    found = [{row["name"] for row in rows if row["what"] == what} for what in ("app", "source")]
    return found[0], found[1]


async def list_orgs(db: Db, *, after: str, limit: int) -> list[str]:
    """Tenant-less: those who run the platform see which orgs there are."""
    rows = await db.rows(
        "SELECT id FROM orgs WHERE deleted_at IS NULL AND id > %s ORDER BY id LIMIT %s",
        (after, limit),
    )
    return [row["id"] for row in rows]


async def list_below(
    db: Db, *, levels: list[Level], orgs: list[str], project: str | None, limit: int
) -> list[OverlayRow]:
    """Layers of the named levels, newest first; of deleted things none."""
    return await db.all(
        OverlayRow,
        f"""
        SELECT {OVERLAY} FROM overlays v LEFT JOIN projects p ON p.id = v.project_id
            LEFT JOIN entitlements e ON e.id = v.entitlement_id
        WHERE v.level = ANY (%(levels)s) AND v.org_id = ANY (%(orgs)s)
            AND (%(project)s::text IS NULL OR v.project_id = %(project)s)
            AND p.deleted_at IS NULL AND e.deleted_at IS NULL
        ORDER BY v.id DESC LIMIT %(limit)s
        """,
        {"levels": levels, "orgs": orgs, "project": project, "limit": limit},
    )


async def list_for(
    db: Db, *, orgs: list[str], projects: list[str], entitlements: list[str]
) -> list[OverlayRow]:
    """Every layer that some entitlements of some projects and orgs are under."""
    return await db.all(
        OverlayRow,
        f"""
        SELECT {OVERLAY} FROM overlays v
        WHERE v.level = 'global' AND v.org_id = %(platform)s
            OR v.org_id = ANY (%(orgs)s) AND (v.level IN ('tenant', 'org')
                OR v.project_id = ANY (%(projects)s)
                AND (v.level = 'project' OR v.entitlement_id = ANY (%(entitlements)s)))
        """,
        {
            "platform": PLATFORM_ORG,
            "orgs": orgs,
            "projects": projects,
            "entitlements": entitlements,
        },
    )
