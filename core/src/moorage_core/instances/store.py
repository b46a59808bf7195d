"""Every SQL statement of instances, their revisions and components."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from moorage_core.instances.models import Component, Instance, Revision
from moorage_core.kit.db import Db
from moorage_core.kit.pagination import PageRequest

INSTANCE: LiteralString = """
    i.id, i.org_id, i.project_id, i.app_id, i.app_slug, i.name, i.status, i.settled,
    i.status_reason, i.operator_id, i.operating_mode, i.control_plane_scope, i.runtime_backend,
    i.topology_mode, i.version_id, i.app_version, i.config, i.revision, i.runtime_version,
    i.endpoints, i.health, i.health_reasons, i.conditions, i.observed_at, i.observed_until,
    i.last_operation_id, i.requested_by, i.correlation_id, i.version, i.created_at, i.updated_at,
    i.deleted_at, EXISTS (SELECT FROM instance_revisions r WHERE r.instance_id = i.id
        AND r.outcome = 'applied') AS deployed
    """
REVISION: LiteralString = """
    r.instance_id, r.number, r.version_id, r.app_version, r.config, r.kind, r.operation_id,
    r.outcome, r.created_by, r.created_at, actor_name(r.created_by) AS created_by_name
    """

# Instances


async def add(db: Db, new: dict[str, Any], *, org: str, project: str, now: datetime) -> None:
    """Where the project was deleted a moment ago, nothing is added and the caller finds nothing."""
    await db.run(
        """
        INSERT INTO instances (id, org_id, project_id, app_id, app_slug, name, status, settled,
            operator_id, operating_mode, control_plane_scope, runtime_backend, version_id,
            app_version, config, requested_by, correlation_id, turn_at, created_at, updated_at)
        SELECT %(id)s, p.org_id, p.id, %(app_id)s, %(app_slug)s, %(name)s, 'requested', 'requested',
            %(operator_id)s, %(operating_mode)s, 'project', %(runtime_backend)s, %(version_id)s,
            %(app_version)s, %(config)s, %(requested_by)s, %(correlation_id)s, %(now)s, %(now)s,
            %(now)s
        FROM projects p
        WHERE p.org_id = %(org)s AND p.id = %(project)s AND p.deleted_at IS NULL FOR KEY SHARE
        """,
        {**new, "config": Jsonb(new["config"]), "org": org, "project": project, "now": now},
    )


async def find(db: Db, id: str, *, orgs: list[str], lock: bool = False) -> Instance | None:
    sql: LiteralString = (
        f"SELECT {INSTANCE} FROM instances i WHERE i.id = %s AND i.org_id = ANY (%s)"
    )
    return await db.find(Instance, sql + (" FOR UPDATE OF i" if lock else ""), (id, orgs))


async def find_owner(db: Db, id: str) -> dict[str, Any] | None:
    """Tenant-less: says whose an instance is to those who run the platform, and nobody else."""
    return await db.row("SELECT org_id, project_id FROM instance_owner(%s)", (id,))


async def list_named(db: Db, ids: Sequence[str], *, org: str) -> list[Instance]:
    return await db.all(
        Instance,
        f"SELECT {INSTANCE} FROM instances i WHERE i.id = ANY (%s) AND i.org_id = %s",
        (list(ids), org),
    )


async def list_briefs(db: Db, ids: Sequence[str], *, org: str) -> list[dict[str, Any]]:
    """What controllers are told of instances: as they are, and what ran before."""
    return await db.rows(
        """
        SELECT i.id, i.name, i.org_id, i.project_id, i.app_slug, i.status, i.operating_mode,
            i.runtime_backend, i.endpoints, i.app_version, i.version_id, i.config, i.revision,
            (SELECT jsonb_build_object('app_version', r.app_version, 'config', r.config)
                FROM instance_revisions r WHERE r.org_id = i.org_id AND r.instance_id = i.id
                    AND r.outcome = 'applied' AND r.number < i.revision
                ORDER BY r.number DESC LIMIT 1) AS previous,
            (SELECT coalesce(jsonb_agg(
                    jsonb_build_object('key', c.key, 'desired', c.desired) ORDER BY c.place), '[]')
                FROM instance_components c WHERE c.org_id = i.org_id AND c.instance_id = i.id)
                AS components
        FROM instances i WHERE i.id = ANY (%s) AND i.org_id = %s
        """,
        (list(ids), org),
    )


async def list_page(
    db: Db,
    page: PageRequest,
    *,
    orgs: list[str],
    projects: list[str],
    apps: Sequence[tuple[str, str]],
    app: str | None,
    number: str | None,
    status: str | None,
    deleted: bool,
) -> list[Instance]:
    """Of whole orgs, of single projects, and of single apps in a project."""
    # Left out where there are none, as they nearly always are: indexes serve the rest.
    of_apps: LiteralString = """ OR (i.project_id, i.app_id) IN (
        SELECT * FROM unnest(%(app_projects)s::text[], %(apps)s::text[]))"""
    return await db.all(
        Instance,
        f"""
        SELECT {INSTANCE} FROM instances i
        WHERE (i.org_id = ANY (%(orgs)s) OR i.project_id = ANY (%(projects)s)
                {of_apps if apps else ""})
            AND i.id > %(after)s
            AND (%(app)s::text IS NULL OR i.app_slug = %(app)s OR i.app_id = %(app)s)
            AND (%(number)s::text IS NULL OR i.app_version = %(number)s)
            AND (%(status)s::text IS NULL OR i.status = %(status)s)
            AND (%(deleted)s OR i.deleted_at IS NULL OR %(status)s::text = 'deleted')
        ORDER BY i.id LIMIT %(limit)s
        """,
        {
            "orgs": orgs,
            "projects": projects,
            "app_projects": [project for project, _ in apps],
            "apps": [app for _, app in apps],
            "app": app,
            "number": number,
            "status": status,
            "deleted": deleted,
            "after": page.after,
            "limit": page.fetch,
        },
    )


async def list_using(
    db: Db, page: PageRequest, *, versions: list[str], orgs: list[str], projects: list[str]
) -> list[Instance]:
    """Those that are to be one of some versions."""
    return await db.all(
        Instance,
        f"""
        SELECT {INSTANCE} FROM instances i
        WHERE i.version_id = ANY (%s) AND i.deleted_at IS NULL AND i.id > %s
            AND (i.org_id = ANY (%s) OR i.project_id = ANY (%s))
        ORDER BY i.id LIMIT %s
        """,
        (versions, page.after, orgs, projects, page.fetch),
    )


async def set_status(
    db: Db,
    id: str,
    *,
    org: str,
    status: str,
    settled: str,
    reason: str | None,
    operation: str | None,
    now: datetime,
) -> None:
    await db.run(
        """
        UPDATE instances SET status = %(status)s, settled = %(settled)s,
            status_reason = %(reason)s, last_operation_id = %(operation)s,
            deleted_at = CASE WHEN %(status)s = 'deleted' THEN %(now)s::timestamptz END,
            version = version + 1, updated_at = %(now)s
        WHERE org_id = %(org)s AND id = %(id)s
        """,
        {
            "id": id,
            "org": org,
            "status": status,
            "settled": settled,
            "reason": reason,
            "operation": operation,
            "now": now,
        },
    )


async def note_operation(db: Db, id: str, *, org: str, operation: str) -> None:
    """Which operation was asked for last. No version: the operation has its own."""
    await db.run(
        "UPDATE instances SET last_operation_id = %s WHERE org_id = %s AND id = %s",
        (operation, org, id),
    )


async def become(db: Db, id: str, *, org: str, number: int, now: datetime) -> None:
    """A revision was applied: the instance is that from now on."""
    await db.run(
        """
        UPDATE instances i SET version_id = r.version_id, app_version = r.app_version,
            config = r.config, revision = r.number, version = version + 1, updated_at = %(now)s
        FROM instance_revisions r
        WHERE i.org_id = %(org)s AND i.id = %(id)s AND r.instance_id = i.id
            AND r.number = %(number)s
        """,
        {"id": id, "org": org, "number": number, "now": now},
    )


async def save_observed(
    db: Db, id: str, *, org: str, seen: Mapping[str, Any], changed: bool, now: datetime
) -> None:
    """What is not in `seen` stays as it was. It counts as a change where `changed` says so."""
    await db.run(
        """
        UPDATE instances SET health = coalesce(%(health)s, health),
            health_reasons = coalesce(%(reasons)s, health_reasons),
            conditions = coalesce(%(conditions)s, conditions),
            endpoints = coalesce(%(endpoints)s, endpoints),
            topology_mode = coalesce(%(topology_mode)s, topology_mode),
            runtime_version = coalesce(%(runtime_version)s, runtime_version),
            observed_at = coalesce(%(observed_at)s, observed_at),
            observed_until = coalesce(%(observed_until)s, observed_until),
            version = version + %(changed)s::boolean::integer, updated_at = %(now)s
        WHERE org_id = %(org)s AND id = %(id)s AND deleted_at IS NULL
        """,
        {
            "id": id,
            "org": org,
            "now": now,
            "changed": changed,
            "health": seen.get("health"),
            "topology_mode": seen.get("topology_mode"),
            "runtime_version": seen.get("runtime_version"),
            "observed_at": seen.get("observed_at"),
            "observed_until": seen.get("observed_until"),
            **{name: _json(seen.get(name)) for name in ("reasons", "conditions", "endpoints")},
        },
    )


async def list_stale(db: Db, *, now: datetime, limit: int) -> list[dict[str, Any]]:
    """Tenant-less: a sweep looks for work everywhere."""
    return await db.rows(
        """
        SELECT id, org_id FROM instances
        WHERE observed_until <= %s AND deleted_at IS NULL ORDER BY observed_until LIMIT %s
        """,
        (now, limit),
    )


async def forget_observed(
    db: Db, ids: Sequence[str], *, org: str, reasons: list[str], now: datetime
) -> list[str]:
    """Nothing was seen of these for too long: how they are is not known."""
    rows = await db.rows(
        """
        WITH stale AS (
            UPDATE instances SET health = 'unknown', health_reasons = %(reasons)s,
                observed_until = NULL, version = version + 1, updated_at = %(now)s
            WHERE org_id = %(org)s AND id = ANY (%(ids)s) AND observed_until <= %(now)s
                AND deleted_at IS NULL
            RETURNING id
        ), parts AS (
            UPDATE instance_components c SET health = 'unknown' FROM stale s
            WHERE c.instance_id = s.id
        )
        SELECT id FROM stale
        """,
        {"ids": list(ids), "org": org, "reasons": Jsonb(reasons), "now": now},
    )
    return [row["id"] for row in rows]


# Components


async def add_components(
    db: Db, instance: str, keys: Sequence[str], *, org: str, project: str
) -> None:
    """In the order of the manifest. Those that are there stay as they are."""
    await db.run(
        """
        INSERT INTO instance_components (instance_id, key, org_id, project_id, place)
        SELECT %s, k.key, %s, %s, k.place
        FROM unnest(%s::text[]) WITH ORDINALITY AS k(key, place)
        ON CONFLICT (instance_id, key) DO UPDATE SET place = excluded.place
        """,
        (instance, org, project, list(keys)),
    )


async def list_components(db: Db, instances: Sequence[str], *, orgs: list[str]) -> list[Component]:
    """With the members that there are, counted."""
    return await db.all(
        Component,
        """
        SELECT c.instance_id, c.key, c.place, c.desired, coalesce(m.current, 0) AS current,
            coalesce(m.ready, 0) AS ready, c.health, c.summary
        FROM instance_components c LEFT JOIN (
            SELECT instance_id, component, count(*) AS current,
                count(*) FILTER (WHERE status = 'ready') AS ready
            FROM members WHERE org_id = ANY (%(orgs)s) AND instance_id = ANY (%(ids)s)
                AND removed_at IS NULL
            GROUP BY instance_id, component) m
            ON m.instance_id = c.instance_id AND m.component = c.key
        WHERE c.org_id = ANY (%(orgs)s) AND c.instance_id = ANY (%(ids)s)
        ORDER BY c.instance_id, c.place
        """,
        {"orgs": orgs, "ids": list(instances)},
    )


async def save_components(
    db: Db, instance: str, said: Mapping[str, Mapping[str, Any]], *, org: str
) -> None:
    """What was seen of components; those that the instance lacks are left out."""
    rows = [
        {"key": key, "health": part.get("health"), "summary": part.get("summary")}
        for key, part in said.items()
    ]
    await db.run(
        """
        UPDATE instance_components c SET health = coalesce(r.health, c.health),
            summary = coalesce(r.summary, c.summary)
        FROM jsonb_to_recordset(%s::jsonb) AS r(key text, health text, summary text)
        WHERE c.org_id = %s AND c.instance_id = %s AND c.key = r.key
        """,
        (json.dumps(rows), org, instance),
    )


# Revisions


async def add_revision(
    db: Db, new: dict[str, Any], *, instance: str, org: str, project: str, now: datetime
) -> None:
    """The next number of the instance. Its row is locked."""
    await db.run(
        """
        INSERT INTO instance_revisions (instance_id, number, org_id, project_id, version_id,
            app_version, config, kind, operation_id, created_by, created_at)
        SELECT %(instance)s, 1 + coalesce(max(number), 0), %(org)s, %(project)s, %(version_id)s,
            %(app_version)s, %(config)s, %(kind)s, %(operation_id)s, %(created_by)s, %(now)s
        FROM instance_revisions WHERE instance_id = %(instance)s
        """,
        {
            **new,
            "config": Jsonb(new["config"]),
            "instance": instance,
            "org": org,
            "project": project,
            "now": now,
        },
    )


async def list_revisions(
    db: Db, instance: str, *, org: str, before: int | None = None, limit: int = 100
) -> list[Revision]:
    """Newest first."""
    return await db.all(
        Revision,
        f"""
        SELECT {REVISION} FROM instance_revisions r
        WHERE r.org_id = %(org)s AND r.instance_id = %(instance)s
            AND (%(before)s::integer IS NULL OR r.number < %(before)s)
        ORDER BY r.number DESC LIMIT %(limit)s
        """,
        {"org": org, "instance": instance, "before": before, "limit": limit},
    )


async def find_revision(db: Db, instance: str, number: int, *, org: str) -> Revision | None:
    return await db.find(
        Revision,
        f"""
        SELECT {REVISION} FROM instance_revisions r
        WHERE r.org_id = %s AND r.instance_id = %s AND r.number = %s
        """,
        (org, instance, number),
    )


async def find_before(db: Db, instance: str, number: int, *, org: str) -> Revision | None:
    """The newest revision before a number that came to run."""
    return await db.find(
        Revision,
        f"""
        SELECT {REVISION} FROM instance_revisions r
        WHERE r.org_id = %s AND r.instance_id = %s AND r.number < %s AND r.outcome = 'applied'
        ORDER BY r.number DESC LIMIT 1
        """,
        (org, instance, number),
    )


async def list_made_by(db: Db, operations: Sequence[str], *, org: str) -> list[Revision]:
    """The revisions that some operations bring."""
    return await db.all(
        Revision,
        f"""
        SELECT {REVISION} FROM instance_revisions r
        JOIN operations o ON o.id = r.operation_id AND o.app_instance_id = r.instance_id
        WHERE r.org_id = %s AND o.id = ANY (%s)
        """,
        (org, list(operations)),
    )


async def find_on_its_way(db: Db, instance: str, *, org: str) -> Revision | None:
    """The revision whose operation has not ended."""
    return await db.find(
        Revision,
        f"""
        SELECT {REVISION} FROM instance_revisions r JOIN operations o ON o.id = r.operation_id
        WHERE r.org_id = %s AND r.instance_id = %s AND r.outcome = 'pending' AND o.ended_at IS NULL
        LIMIT 1
        """,
        (org, instance),
    )


async def discard_left(db: Db, instance: str, *, org: str) -> None:
    """Changes that failed, and that nobody is at: another one takes their place."""
    await db.run(
        """
        UPDATE instance_revisions r SET outcome = 'discarded' FROM operations o
        WHERE r.org_id = %s AND r.instance_id = %s AND r.outcome = 'pending'
            AND o.id = r.operation_id AND o.ended_at IS NOT NULL
        """,
        (org, instance),
    )


async def end_revision(db: Db, instance: str, number: int, *, org: str, outcome: str) -> None:
    await db.run(
        """
        UPDATE instance_revisions SET outcome = %s
        WHERE org_id = %s AND instance_id = %s AND number = %s
        """,
        (outcome, org, instance, number),
    )


def _json(value: Any) -> Jsonb | None:
    return None if value is None else Jsonb(value)
