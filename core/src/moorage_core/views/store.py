"""Every SQL statement of views."""

from collections.abc import Sequence
from datetime import datetime
from typing import LiteralString

from psycopg.types.json import Jsonb

from moorage_core.kit.db import Db
from moorage_core.views.models import NewRow, Row, View

VIEW: LiteralString = """
    instance_id, name, generation, row_count, total, truncated, observed_at, version
    """


async def lock(db: Db, instance: str, name: str, *, org: str, project: str, now: datetime) -> View:
    """The view, made where there is none yet. Whoever publishes to it next waits."""
    await db.run(
        """
        INSERT INTO views (instance_id, name, org_id, project_id, observed_at)
        VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING
        """,
        (instance, name, org, project, now),
    )
    return await db.get(
        View,
        f"""
        SELECT {VIEW} FROM views WHERE instance_id = %s AND name = %s AND org_id = %s FOR UPDATE
        """,
        (instance, name, org),
    )


async def put_rows(
    db: Db,
    view: View,
    rows: Sequence[NewRow],
    *,
    org: str,
    project: str,
    generation: int,
) -> None:
    await db.run(
        """
        INSERT INTO view_rows (instance_id, name, key, org_id, project_id, row_project_id, data,
            generation)
        SELECT %(instance)s, %(name)s, r.key, %(org)s, %(project)s, r.project, r.data,
            %(generation)s
        FROM jsonb_to_recordset(%(rows)s) AS r(key text, project text, data jsonb)
        ON CONFLICT (instance_id, name, key) DO UPDATE SET data = excluded.data,
            generation = excluded.generation, row_project_id = excluded.row_project_id
        """,
        {
            "instance": view.instance_id,
            "name": view.name,
            "org": org,
            "project": project,
            "generation": generation,
            # Of rows that are sent twice the last counts.
            "rows": Jsonb(list({row.key: row.__dict__ for row in rows}.values())),
        },
    )


async def delete_rows(db: Db, view: View, keys: Sequence[str], *, org: str) -> None:
    await db.run(
        """
        DELETE FROM view_rows
        WHERE instance_id = %s AND name = %s AND org_id = %s AND key = ANY (%s)
        """,
        (view.instance_id, view.name, org, list(keys)),
    )


async def delete_earlier(db: Db, view: View, *, org: str, generation: int) -> None:
    await db.run(
        """
        DELETE FROM view_rows
        WHERE instance_id = %s AND name = %s AND org_id = %s AND generation < %s
        """,
        (view.instance_id, view.name, org, generation),
    )


async def count_rows(db: Db, view: View, *, org: str) -> int:
    return await db.value(
        "SELECT count(*) FROM view_rows WHERE instance_id = %s AND name = %s AND org_id = %s",
        (view.instance_id, view.name, org),
    )


async def drop_rows(db: Db, view: View, *, org: str, surplus: int) -> None:
    """As many as are too many: the oldest first."""
    await db.run(
        """
        DELETE FROM view_rows WHERE instance_id = %(instance)s AND name = %(name)s
            AND org_id = %(org)s AND key IN (
                SELECT key FROM view_rows
                WHERE instance_id = %(instance)s AND name = %(name)s AND org_id = %(org)s
                ORDER BY generation, key DESC LIMIT %(surplus)s)
        """,
        {"instance": view.instance_id, "name": view.name, "org": org, "surplus": surplus},
    )


async def save(
    db: Db,
    view: View,
    *,
    org: str,
    generation: int,
    rows: int,
    total: int,
    truncated: bool,
    now: datetime,
) -> View:
    return await db.get(
        View,
        f"""
        UPDATE views SET generation = %s, row_count = %s, total = %s, truncated = %s,
            observed_at = %s, version = version + 1
        WHERE instance_id = %s AND name = %s AND org_id = %s RETURNING {VIEW}
        """,
        (generation, rows, total, truncated, now, view.instance_id, view.name, org),
    )


async def list_of(db: Db, instance: str, *, org: str) -> dict[str, View]:
    found = await db.all(
        View,
        f"SELECT {VIEW} FROM views WHERE instance_id = %s AND org_id = %s",
        (instance, org),
    )
    return {view.name: view for view in found}


async def list_rows(
    db: Db,
    instance: str,
    name: str,
    *,
    org: str,
    projects: list[str],
    all_rows: bool,
    after: str,
    limit: int,
) -> list[Row]:
    """A page of the rows of these projects; with `all_rows`, of those of none too."""
    return await db.all(
        Row,
        """
        SELECT key, data FROM view_rows
        WHERE instance_id = %(instance)s AND name = %(name)s AND org_id = %(org)s
            AND key > %(after)s AND (%(all)s OR row_project_id = ANY (%(projects)s))
        ORDER BY key LIMIT %(limit)s
        """,
        {
            "instance": instance,
            "name": name,
            "org": org,
            "after": after,
            "all": all_rows,
            "projects": projects,
            "limit": limit,
        },
    )
