"""Every SQL statement of the catalog."""

from datetime import datetime
from typing import Any, LiteralString

from psycopg.types.json import Json, Jsonb

from moorage_core.catalog.models import (
    App,
    Channel,
    Counts,
    FullVersion,
    Promotion,
    Sight,
    UsedArtifact,
    Version,
)
from moorage_core.kit.db import Db
from moorage_core.kit.pagination import PageRequest
from moorage_core.sources.models import STORE

NEWEST = 500
"""Versions of an app that a decision looks at."""

APP: LiteralString = """id, org_id, project_id, slug, name, summary, visibility, version,
    created_at, updated_at, publisher_name(org_id) AS publisher_name"""
VERSION: LiteralString = """v.id, v.app_id, v.org_id, v.project_id, v.number, v.status,
    v.manifest_digest, v.declaration_digest, v.note, v.version, v.created_at,
    v.updated_at, v.published_at, v.deprecated_at, v.retired_at"""
FULL: LiteralString = f"{VERSION}, v.declaration, v.manifest_text, v.manifest, v.runbook"
PROMOTION: LiteralString = """id, app_id, channel, sequence, version_id, number, manifest_digest,
    previous_version_id, actor_kind, actor_id, actor_name, correlation_id, reason, at"""
OFFERED: LiteralString = """(visibility = 'platform' AND %(everywhere)s
    OR visibility = 'org' AND org_id = ANY (%(orgs)s)
    OR org_id = ANY (%(whole)s) OR project_id = ANY (%(projects)s))"""
OPEN: LiteralString = "deleted_at IS NULL AND closed_at IS NULL"
OWN: LiteralString = "(org_id = ANY (%(whole)s) OR project_id = ANY (%(projects)s))"


# Apps


async def add_app(
    db: Db,
    *,
    id: str,
    org: str,
    project: str,
    slug: str,
    name: str,
    summary: str,
    visibility: str,
    now: datetime,
) -> App:
    return await db.get(
        App,
        f"""
        INSERT INTO apps
            (id, org_id, project_id, slug, name, summary, visibility, created_at, updated_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
        RETURNING {APP}
        """,
        (id, org, project, slug, name, summary, visibility, now, now),
    )


async def count_apps(db: Db, *, org: str, project: str) -> int:
    return await db.value(
        """
        SELECT count(*) FROM apps WHERE org_id = %s AND project_id = %s AND deleted_at IS NULL
        """,
        (org, project),
    )


async def is_slug_taken(db: Db, slug: str) -> bool:
    """Whether any app has it.

    Tenant-less: slugs are unique on the whole platform.
    """
    return await db.value("SELECT app_slug_taken(%s)", (slug,))


async def find_app(db: Db, id: str, *, scope: Sight) -> App | None:
    return await db.find(
        App,
        f"SELECT {APP} FROM apps WHERE id = %(id)s AND {OPEN} AND {OFFERED}",
        {"id": id, **scope.params},
    )


async def is_closed(db: Db, id: str) -> bool:
    """Whether the app of an entitlement was closed with its publisher's project.

    Tenant-less: told to those alone who are entitled to it.
    """
    return await db.value("SELECT app_closed(%s)", (id,))


async def lock_app(db: Db, id: str, *, scope: Sight) -> App | None:
    """An app of a place where the caller holds something, to change it or what belongs to it."""
    return await db.find(
        App,
        f"""
        SELECT {APP} FROM apps WHERE id = %(id)s AND {OPEN} AND {OWN} FOR UPDATE
        """,
        {"id": id, **scope.params},
    )


async def list_apps(
    db: Db,
    page: PageRequest,
    *,
    scope: Sight,
    slug: str | None,
    org: str | None,
    project: str | None,
) -> list[App]:
    return await db.all(
        App,
        f"""
        SELECT {APP} FROM apps
        WHERE {OPEN} AND id > %(after)s AND {OFFERED}
            AND (%(slug)s::text IS NULL OR slug = %(slug)s)
            AND (%(org)s::text IS NULL OR org_id = %(org)s)
            AND (%(project)s::text IS NULL OR project_id = %(project)s)
        ORDER BY id LIMIT %(limit)s
        """,
        {
            **scope.params,
            "after": page.after,
            "limit": page.fetch,
            "slug": slug,
            "org": org,
            "project": project,
        },
    )


async def update_app(
    db: Db,
    id: str,
    *,
    org: str,
    name: str | None,
    summary: str | None,
    visibility: str | None,
    now: datetime,
) -> App:
    return await db.get(
        App,
        f"""
        UPDATE apps SET name = coalesce(%s, name), summary = coalesce(%s, summary),
            visibility = coalesce(%s, visibility), version = version + 1, updated_at = %s
        WHERE org_id = %s AND id = %s RETURNING {APP}
        """,
        (name, summary, visibility, now, org, id),
    )


async def delete_app(db: Db, id: str, *, org: str, now: datetime) -> App:
    """Remove an app and its drafts. The slug is free again."""
    return await db.get(
        App,
        f"""
        WITH drafts AS (
            DELETE FROM app_versions WHERE org_id = %(org)s AND app_id = %(id)s)
        UPDATE apps SET deleted_at = %(now)s, updated_at = %(now)s, version = version + 1
        WHERE org_id = %(org)s AND id = %(id)s RETURNING {APP}
        """,
        {"org": org, "id": id, "now": now},
    )


async def count_published(db: Db, app: str, *, org: str) -> int:
    """Versions that were ever published."""
    return await db.value(
        """
        SELECT count(*) FROM app_versions
        WHERE org_id = %s AND app_id = %s AND status <> 'draft'
        """,
        (org, app),
    )


async def count_versions(db: Db, app: str, *, org: str) -> Counts:
    return await db.get(
        Counts,
        """
        SELECT count(*) FILTER (WHERE status = 'draft') AS drafts, count(*) AS versions
        FROM app_versions WHERE org_id = %s AND app_id = %s
        """,
        (org, app),
    )


async def count_entitled_beyond(db: Db, app: str, *, org: str, visibility: str) -> int:
    """Projects that are entitled to the app and would not see it with this visibility."""
    return await db.value(
        "SELECT entitled_beyond(id, %s) FROM apps WHERE org_id = %s AND id = %s",
        (visibility, org, app),
    )


# Versions


async def add_version(
    db: Db,
    *,
    id: str,
    app: App,
    number: str,
    texts: dict[str, Any],
    now: datetime,
) -> FullVersion | None:
    """None where the number is taken, with this build or another.

    Tenant-less: `app` has both, org and project.
    """
    return await db.find(
        FullVersion,
        f"""
        INSERT INTO app_versions AS v (id, app_id, org_id, project_id, number, status,
            manifest_text, manifest_digest, manifest, declaration, declaration_digest, runbook,
            created_at, updated_at)
        VALUES (%(id)s, %(app)s, %(org)s, %(project)s, %(number)s, 'draft', %(manifest_text)s,
            %(manifest_digest)s, %(manifest)s, %(declaration)s, %(declaration_digest)s,
            %(runbook)s, %(now)s, %(now)s)
        ON CONFLICT (app_id, split_part(number, '+', 1)) DO NOTHING RETURNING {FULL}
        """,
        {
            "id": id,
            "app": app.id,
            "org": app.org_id,
            "project": app.project_id,
            "number": number,
            "now": now,
            **_texts(texts),
        },
    )


async def find_version_by_number(db: Db, number: str, *, org: str, app: str) -> Version | None:
    """The one of this number, whatever its build."""
    return await db.find(
        Version,
        f"""
        SELECT {VERSION} FROM app_versions v
        WHERE v.org_id = %s AND v.app_id = %s
            AND split_part(v.number, '+', 1) = split_part(%s, '+', 1)
        """,
        (org, app, number),
    )


async def find_version(db: Db, id: str, *, scope: Sight) -> FullVersion | None:
    """A version that the caller may see: a draft in the publisher's project alone."""
    return await db.find(
        FullVersion,
        f"""
        SELECT {FULL} FROM app_versions v WHERE v.id = %(id)s
            AND (v.status <> 'draft' OR {OWN})
            AND EXISTS (SELECT FROM apps a WHERE a.id = v.app_id AND {OPEN} AND {OFFERED})
        """,
        {"id": id, **scope.params},
    )


async def find_app_of(db: Db, version: str, *, scope: Sight) -> str | None:
    """The app of a version in a place where the caller holds something."""
    return await db.value(
        f"""
        SELECT app_id FROM app_versions WHERE id = %(id)s AND {OWN}
            AND EXISTS (SELECT FROM apps a WHERE a.id = app_id AND {OPEN})
        """,
        {"id": version, **scope.params},
    )


async def find_publisher(
    db: Db, *, app: str | None, version: str | None, scope: Sight
) -> str | None:
    """The org of an app, or of a version's, in a place where the caller holds something."""
    return await db.value(
        f"""
        SELECT org_id FROM apps WHERE {OPEN} AND {OWN} AND id = coalesce(%(app)s,
            (SELECT app_id FROM app_versions WHERE id = %(version)s))
        """,
        {"app": app, "version": version, **scope.params},
    )


async def lock_version(db: Db, id: str, *, org: str) -> FullVersion | None:
    """After the app, whose row is locked first."""
    return await db.find(
        FullVersion,
        f"SELECT {FULL} FROM app_versions v WHERE v.org_id = %s AND v.id = %s FOR UPDATE",
        (org, id),
    )


async def list_versions(
    db: Db, page: PageRequest, *, app: str, scope: Sight, status: str | None, number: str | None
) -> list[Version]:
    """Newest first."""
    return await db.all(
        Version,
        f"""
        SELECT {VERSION} FROM app_versions v
        WHERE v.app_id = %(app)s AND (%(after)s::text = '' OR v.id < %(after)s)
            AND (%(status)s::text IS NULL OR v.status = %(status)s)
            AND (%(number)s::text IS NULL OR v.number = %(number)s)
            AND (v.status <> 'draft' OR {OWN})
        ORDER BY v.id DESC LIMIT %(limit)s
        """,
        {
            "app": app,
            "status": status,
            "number": number,
            "after": page.after,
            "limit": page.fetch,
            **scope.params,
        },
    )


async def versions_of(db: Db, app: str, *, named: list[str]) -> list[Version]:
    """The newest that were published, those that a channel points to, and those that are named.

    Tenant-less: the caller has found the app and may see it.
    """
    return await db.all(
        Version,
        f"""
        SELECT {VERSION} FROM app_versions v WHERE v.id IN (
            (SELECT id FROM app_versions WHERE app_id = %(app)s AND status <> 'draft'
                ORDER BY id DESC LIMIT %(limit)s)
            UNION SELECT version_id FROM app_channels WHERE app_id = %(app)s
            UNION SELECT id FROM app_versions WHERE app_id = %(app)s AND status <> 'draft'
                AND (id = ANY (%(named)s) OR number = ANY (%(named)s)))
        ORDER BY v.id DESC
        """,
        {"app": app, "limit": NEWEST, "named": named},
    )


async def declarations_of(db: Db, *versions: str) -> dict[str, dict[str, Any]]:
    """What published versions ask for, by the digest of it.

    Tenant-less: the caller has found the versions and may see them.
    """
    rows = await db.rows(
        """
        SELECT DISTINCT ON (declaration_digest) declaration_digest, declaration FROM app_versions
        WHERE id = ANY (%s) AND status <> 'draft' ORDER BY declaration_digest
        """,
        (list(versions),),
    )
    return {row["declaration_digest"]: row["declaration"] for row in rows}


async def list_declarations(db: Db, versions: list[str]) -> list[tuple[str, str, dict[str, Any]]]:
    """What published versions ask for: the version, the digest of it, and it.

    Tenant-less: whoever asks has found the versions.
    """
    rows = await db.rows(
        """
        SELECT id, declaration_digest, declaration FROM app_versions
        WHERE id = ANY (%s) AND status <> 'draft'
        """,
        (versions,),
    )
    return [(row["id"], row["declaration_digest"], row["declaration"]) for row in rows]


async def manifest_of(db: Db, version: str) -> dict[str, Any] | None:
    """Of a version that is no draft; also of one whose publisher is gone, where it is deployed.

    Tenant-less: whoever asks has found the app, or an instance of it.
    """
    return await db.value(
        """
        SELECT coalesce(
            (SELECT manifest FROM app_versions WHERE id = %(id)s AND status <> 'draft'),
            (SELECT manifest FROM deployed_versions(ARRAY[%(id)s])))
        """,
        {"id": version},
    )


async def update_draft(
    db: Db, id: str, *, org: str, texts: dict[str, Any], now: datetime
) -> FullVersion:
    return await db.get(
        FullVersion,
        f"""
        UPDATE app_versions v SET manifest_text = %(manifest_text)s,
            manifest_digest = %(manifest_digest)s, manifest = %(manifest)s,
            declaration = %(declaration)s, declaration_digest = %(declaration_digest)s,
            runbook = %(runbook)s, version = version + 1, updated_at = %(now)s
        WHERE v.org_id = %(org)s AND v.id = %(id)s RETURNING {FULL}
        """,
        {"id": id, "org": org, "now": now, **_texts(texts)},
    )


async def set_status(
    db: Db, id: str, *, org: str, status: str, note: str | None, now: datetime
) -> FullVersion:
    """Move a version on. The moment of each state is kept, the note is that of the last."""
    return await db.get(
        FullVersion,
        f"""
        UPDATE app_versions v SET status = %(status)s, note = %(note)s,
            published_at = coalesce(published_at, %(now)s),
            deprecated_at = CASE %(status)s WHEN 'deprecated' THEN %(now)s
                WHEN 'published' THEN NULL ELSE deprecated_at END,
            retired_at = CASE WHEN %(status)s = 'retired' THEN %(now)s END,
            version = version + 1, updated_at = %(now)s
        WHERE v.org_id = %(org)s AND v.id = %(id)s RETURNING {FULL}
        """,
        {"id": id, "org": org, "status": status, "note": note, "now": now},
    )


async def delete_draft(db: Db, id: str, *, org: str) -> None:
    await db.run(
        "DELETE FROM app_versions WHERE org_id = %s AND id = %s AND status = 'draft'", (org, id)
    )


async def use_artifacts(
    db: Db, version: str, *, org: str, project: str, used: dict[str, str]
) -> None:
    """Tie the artifacts, by their names in the manifest, to a draft that is being published."""
    await db.run(
        """
        INSERT INTO version_artifacts (version_id, name, artifact_id, org_id, project_id)
        SELECT %s, name, artifact, %s, %s FROM unnest(%s::text[], %s::text[]) AS u(name, artifact)
        """,
        (version, org, project, list(used), list(used.values())),
    )


async def artifacts_of(db: Db, *versions: str) -> list[UsedArtifact]:
    """What published versions use.

    Tenant-less: the caller has found the versions and may see them.
    """
    return await db.all(
        UsedArtifact,
        """
        SELECT u.version_id, u.name, u.artifact_id, a.org_id, a.project_id, a.kind, a.digest,
            a.size, a.media_type, a.lifecycle, a.source_id,
            CASE WHEN r.digest IS NULL THEN a.trust ELSE 'revoked' END AS trust,
            coalesce(r.reason, a.trust_reason) AS trust_reason,
            CASE WHEN a.source_id IS NULL THEN %(store)s ELSE coalesce(s.policy_name, a.source_id)
                END AS source,
            a.source_id IS NULL OR coalesce(s.enabled AND s.deleted_at IS NULL, false)
                AS source_enabled
        FROM version_artifacts u JOIN artifacts a ON a.id = u.artifact_id
            LEFT JOIN sources s ON s.id = a.source_id
            LEFT JOIN revoked_digests r ON r.digest = a.digest
        WHERE u.version_id = ANY (%(versions)s) ORDER BY u.version_id, u.name
        """,
        {"versions": list(versions), "store": STORE},
    )


# Many apps at a time


async def list_open(db: Db, apps: list[str]) -> list[App]:
    """Tenant-less: the caller asks for those that entitlements name, which it has found."""
    return await db.all(App, f"SELECT {APP} FROM apps WHERE id = ANY (%s) AND {OPEN}", (apps,))


async def newest_of(db: Db, apps: list[str], *, limit: int, named: list[str]) -> list[Version]:
    """The newest that were published of each app, those that channels point to, those named.

    Tenant-less: the caller has found the apps.
    """
    return await db.all(
        Version,
        f"""
        SELECT {VERSION} FROM app_versions v WHERE v.status <> 'draft' AND v.id IN (
            SELECT n.id FROM unnest(%(apps)s::text[]) a (id) CROSS JOIN LATERAL (
                SELECT w.id FROM app_versions w WHERE w.app_id = a.id AND w.status <> 'draft'
                ORDER BY w.id DESC LIMIT %(limit)s) n
            UNION SELECT version_id FROM app_channels WHERE app_id = ANY (%(apps)s)
            UNION SELECT unnest(%(named)s::text[]))
        ORDER BY v.id DESC
        """,
        {"apps": apps, "limit": limit, "named": named},
    )


async def channels_of_each(db: Db, apps: list[str]) -> list[dict[str, Any]]:
    """Tenant-less: the caller has found the apps."""
    return await db.rows(
        "SELECT app_id, channel, version_id FROM app_channels WHERE app_id = ANY (%s)", (apps,)
    )


# Channels


async def list_channels(db: Db, *, app: str) -> list[Channel]:
    """Tenant-less: the caller has found the app and may see it."""
    return await db.all(
        Channel,
        """
        SELECT c.app_id, c.channel, c.version_id, v.number, v.status, v.manifest_digest, c.version,
            c.updated_at
        FROM app_channels c JOIN app_versions v ON v.id = c.version_id
        WHERE c.app_id = %s ORDER BY c.channel
        """,
        (app,),
    )


async def set_channel(
    db: Db, channel: str, *, org: str, project: str, app: str, version: str, now: datetime
) -> None:
    """Point a channel to a version."""
    await db.run(
        """
        INSERT INTO app_channels AS c (app_id, channel, org_id, project_id, version_id, updated_at)
        VALUES (%s, %s, %s, %s, %s, %s)
        ON CONFLICT (app_id, channel) DO UPDATE SET version_id = excluded.version_id,
            version = c.version + 1, updated_at = excluded.updated_at
        """,
        (app, channel, org, project, version, now),
    )


async def clear_channel(db: Db, channel: str, *, org: str, app: str) -> None:
    await db.run(
        "DELETE FROM app_channels WHERE org_id = %s AND app_id = %s AND channel = %s",
        (org, app, channel),
    )


async def add_promotion(db: Db, new: dict[str, Any], *, org: str, project: str) -> Promotion:
    """Keep a promotion as the app's next. The app's row is locked by this transaction."""
    return await db.get(
        Promotion,
        f"""
        INSERT INTO promotions (org_id, project_id, {PROMOTION})
        SELECT %(org)s, %(project)s, %(id)s, %(app)s, %(channel)s,
            coalesce(max(sequence), 0) + 1, %(version)s, %(number)s, %(manifest_digest)s,
            %(previous)s, %(actor_kind)s, %(actor_id)s, %(actor_name)s, %(correlation_id)s,
            %(reason)s, %(now)s
        FROM promotions WHERE app_id = %(app)s RETURNING {PROMOTION}
        """,
        {**new, "org": org, "project": project},
    )


async def list_promotions(
    db: Db, *, app: str, channel: str | None, before: int | None, limit: int
) -> list[Promotion]:
    """Newest first.

    Tenant-less: the caller has found the app and may see it.
    """
    return await db.all(
        Promotion,
        f"""
        SELECT {PROMOTION} FROM promotions
        WHERE app_id = %(app)s AND (%(before)s::bigint IS NULL OR sequence < %(before)s)
            AND (%(channel)s::text IS NULL OR channel = %(channel)s)
        ORDER BY sequence DESC LIMIT %(limit)s
        """,
        {"app": app, "channel": channel, "before": before, "limit": limit},
    )


def _texts(texts: dict[str, Any]) -> dict[str, Any]:
    return {
        **texts,
        "manifest": Json(texts["manifest"]),
        "declaration": Jsonb(texts["declaration"]),
    }
