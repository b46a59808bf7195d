"""Every SQL statement of app operators."""

from datetime import datetime
from typing import LiteralString

from moorage_core.kit.db import Db
from moorage_core.kit.pagination import PageRequest
from moorage_core.operators.models import AppOperator

OPERATOR: LiteralString = """id, app_id, app_slug, org_id, project_id, service_account_id, name,
    serves, version, created_at, updated_at"""


async def add(
    db: Db,
    *,
    id: str,
    app: str,
    slug: str,
    org: str,
    project: str,
    account: str,
    name: str,
    serves: str,
    now: datetime,
) -> AppOperator | None:
    """None where the account is an operator of the app already."""
    return await db.find(
        AppOperator,
        f"""
        INSERT INTO app_operators (id, app_id, app_slug, org_id, project_id, service_account_id,
            name, serves, created_at, updated_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        ON CONFLICT (app_id, service_account_id) WHERE removed_at IS NULL DO NOTHING
        RETURNING {OPERATOR}
        """,
        (id, app, slug, org, project, account, name, serves, now, now),
    )


async def find(db: Db, id: str, *, orgs: list[str], lock: bool = False) -> AppOperator | None:
    """One of the caller's orgs, or one that serves whoever chooses it."""
    sql: LiteralString = f"""
        SELECT {OPERATOR} FROM app_operators
        WHERE id = %s AND removed_at IS NULL AND (org_id = ANY (%s) OR serves = 'publisher')
        """
    return await db.find(AppOperator, sql + (" FOR UPDATE" if lock else ""), (id, orgs))


async def list_in_project(db: Db, page: PageRequest, *, project: str) -> list[AppOperator]:
    return await db.all(
        AppOperator,
        f"""
        SELECT {OPERATOR} FROM app_operators
        WHERE project_id = %s AND removed_at IS NULL AND id > %s ORDER BY id LIMIT %s
        """,
        (project, page.after, page.fetch),
    )


async def list_serving(
    db: Db, page: PageRequest, *, app: str, orgs: list[str], projects: list[str]
) -> list[AppOperator]:
    """The publisher's operators of an app, and those of these orgs and projects."""
    return await db.all(
        AppOperator,
        f"""
        SELECT {OPERATOR} FROM app_operators
        WHERE app_id = %s AND removed_at IS NULL AND id > %s
            AND (serves = 'publisher' OR org_id = ANY (%s) OR project_id = ANY (%s))
        ORDER BY id LIMIT %s
        """,
        (app, page.after, orgs, projects, page.fetch),
    )


async def list_listening(db: Db, operators: list[str]) -> set[str]:
    """Those of them on whose behalf somebody waits for work now.

    Tenant-less: asked about operators that the caller sees.
    """
    rows = await db.rows("SELECT operator_id FROM operator_seen(%s) WHERE listening", (operators,))
    return {row["operator_id"] for row in rows}


async def remove(db: Db, id: str, *, org: str, now: datetime) -> AppOperator:
    return await db.get(
        AppOperator,
        f"""
        UPDATE app_operators SET removed_at = %s, updated_at = %s, version = version + 1
        WHERE org_id = %s AND id = %s RETURNING {OPERATOR}
        """,
        (now, now, org, id),
    )


async def list_served(db: Db, id: str, *, limit: int) -> list[str]:
    """The first instances that an operator serves and that the caller may see, by name and id.

    Tenant-less: row-level security leaves those of the caller's.
    """
    rows = await db.rows(
        """
        SELECT name || ' (' || id || ')' AS name FROM instances
        WHERE operator_id = %s AND deleted_at IS NULL ORDER BY id LIMIT %s
        """,
        (id, limit),
    )
    return [row["name"] for row in rows]


async def count_served(db: Db, id: str) -> int:
    """How many there are, those of other tenants too.

    Tenant-less: a number, for those who see where the operator lives.
    """
    return await db.value("SELECT count_served(%s)", (id,)) or 0
