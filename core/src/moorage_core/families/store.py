"""Every SQL statement of families and admissions."""

from datetime import datetime
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from moorage_core.families.models import Admission, Candidate, FamilyRow
from moorage_core.kit.db import Db
from moorage_core.kit.pagination import PageRequest

FAMILY: LiteralString = "name, description, keys, version, created_at, updated_at"
ADMISSION: LiteralString = (
    "m.family, m.app_id, a.slug, m.keys, m.version, m.created_at, m.updated_at"
)
VISIBLE: LiteralString = """(
    a.visibility = 'platform' OR a.org_id = ANY (%(whole)s) OR a.project_id = ANY (%(projects)s)
    OR (a.visibility = 'org' AND a.org_id = ANY (%(orgs)s)))"""


# Families


async def list_families(db: Db, page: PageRequest, *, after: str) -> list[FamilyRow]:
    """Tenant-less: families are the platform's, and everybody's to read."""
    return await db.all(
        FamilyRow,
        f"SELECT {FAMILY} FROM families WHERE name > %s ORDER BY name LIMIT %s",
        (after, page.fetch),
    )


async def list_all(db: Db) -> list[FamilyRow]:
    """Tenant-less: families are the platform's, and everybody's to read."""
    return await db.all(FamilyRow, f"SELECT {FAMILY} FROM families ORDER BY name")


async def find_family(db: Db, name: str, *, lock: bool = False) -> FamilyRow | None:
    """Tenant-less: families are the platform's, and everybody's to read."""
    sql: LiteralString = f"SELECT {FAMILY} FROM families WHERE name = %s"
    return await db.find(FamilyRow, sql + (" FOR UPDATE" if lock else ""), (name,))


async def lock_name(db: Db, name: str) -> None:
    """Keep a name from being given, to a family or an app, until the transaction ends.

    The same lock as in the trigger keep_names_apart.
    Tenant-less: names of families and apps are unique on the whole platform.
    """
    await db.run(
        "SELECT pg_advisory_xact_lock(hashtextextended('name of an app or a family: ' || %s, 0))",
        (name,),
    )


async def is_name_of_app(db: Db, name: str) -> bool:
    """Tenant-less: slugs are unique on the whole platform."""
    return await db.value("SELECT app_slug_taken(%s)", (name,))


async def add_family(
    db: Db, name: str, *, description: str, keys: list[dict[str, Any]], now: datetime
) -> FamilyRow:
    """Tenant-less: families are the platform's."""
    return await db.get(
        FamilyRow,
        f"""
        INSERT INTO families (name, description, keys, created_at, updated_at)
        VALUES (%s, %s, %s, %s, %s) RETURNING {FAMILY}
        """,
        (name, description, Jsonb(keys), now, now),
    )


async def change_family(
    db: Db, name: str, *, description: str, keys: list[dict[str, Any]], now: datetime
) -> FamilyRow:
    """Tenant-less: families are the platform's."""
    return await db.get(
        FamilyRow,
        f"""
        UPDATE families SET description = %s, keys = %s, version = version + 1, updated_at = %s
        WHERE name = %s RETURNING {FAMILY}
        """,
        (description, Jsonb(keys), now, name),
    )


# Admissions


async def find_candidate(db: Db, app: str) -> Candidate | None:
    """An app, whoever's it is: for the platform's own scope alone.

    Tenant-less: whom it belongs to is what is asked.
    """
    return await db.find(Candidate, "SELECT * FROM app_for_admission(%s)", (app,))


async def list_admissions(
    db: Db,
    page: PageRequest,
    *,
    family: str,
    whole: list[str],
    projects: list[str],
    orgs: list[str],
) -> list[Admission]:
    """Of the apps of whole orgs and of projects, and of those that others show to `orgs`."""
    return await db.all(
        Admission,
        f"""
        SELECT {ADMISSION} FROM family_admissions m JOIN apps a ON a.id = m.app_id
        WHERE m.family = %(family)s AND m.withdrawn_at IS NULL AND a.deleted_at IS NULL
            AND a.closed_at IS NULL AND {VISIBLE} AND m.app_id > %(after)s
        ORDER BY m.app_id LIMIT %(fetch)s
        """,
        {
            "family": family,
            "whole": whole,
            "projects": projects,
            "orgs": orgs,
            "after": page.after,
            "fetch": page.fetch,
        },
    )


async def list_all_admissions(db: Db, page: PageRequest, *, family: str) -> list[Admission]:
    """Of every app: for the platform's own scope alone.

    Tenant-less: whoever admits sees whom.
    """
    return await db.all(
        Admission,
        f"""
        SELECT {ADMISSION} FROM family_admissions m, app_for_admission(m.app_id) a
        WHERE m.family = %s AND m.withdrawn_at IS NULL AND m.app_id > %s
        ORDER BY m.app_id LIMIT %s
        """,
        (family, page.after, page.fetch),
    )


async def find_admission(
    db: Db, family: str, app: str, *, whole: list[str], projects: list[str], orgs: list[str]
) -> Admission | None:
    """Where the app is of a whole org or a project, or one that others show to `orgs`."""
    return await db.find(
        Admission,
        f"""
        SELECT {ADMISSION} FROM family_admissions m JOIN apps a ON a.id = m.app_id
        WHERE m.family = %(family)s AND m.app_id = %(app)s AND m.withdrawn_at IS NULL
            AND a.deleted_at IS NULL AND a.closed_at IS NULL AND {VISIBLE}
        """,
        {"family": family, "app": app, "whole": whole, "projects": projects, "orgs": orgs},
    )


async def find_any_admission(
    db: Db, family: str, app: str, *, lock: bool = False
) -> Admission | None:
    """Of any app: for the platform's own scope alone.

    Tenant-less: whoever admits sees whom.
    """
    sql: LiteralString = f"""
        SELECT {ADMISSION} FROM family_admissions m, app_for_admission(m.app_id) a
        WHERE m.family = %s AND m.app_id = %s AND m.withdrawn_at IS NULL
        """
    return await db.find(Admission, sql + (" FOR UPDATE OF m" if lock else ""), (family, app))


async def admit(
    db: Db, family: str, app: Candidate, *, keys: list[str], now: datetime
) -> Admission:
    """Tenant-less: admissions are the platform's."""
    return await db.get(
        Admission,
        """
        INSERT INTO family_admissions AS m (family, app_id, keys, created_at, updated_at)
        VALUES (%(family)s, %(app)s, %(keys)s, %(now)s, %(now)s)
        ON CONFLICT (family, app_id) DO UPDATE SET keys = excluded.keys, withdrawn_at = NULL,
            created_at = CASE WHEN m.withdrawn_at IS NULL THEN m.created_at ELSE %(now)s END,
            version = m.version + 1, updated_at = %(now)s
        RETURNING family, app_id, %(slug)s AS slug, keys, version, created_at, updated_at
        """,
        {"family": family, "app": app.id, "slug": app.slug, "keys": keys, "now": now},
    )


async def withdraw(db: Db, family: str, app: str, *, now: datetime) -> int:
    """The version that the row ends with.

    Tenant-less: admissions are the platform's.
    """
    return await db.value(
        """
        UPDATE family_admissions SET withdrawn_at = %s, updated_at = %s, version = version + 1
        WHERE family = %s AND app_id = %s RETURNING version
        """,
        (now, now, family, app),
    )


async def list_ceilings_of_each(db: Db, apps: list[str]) -> list[dict[str, Any]]:
    """Tenant-less: what an app is admitted to is no secret to whoever may name the app."""
    return await db.rows(
        """
        SELECT app_id, family, keys FROM family_admissions
        WHERE app_id = ANY (%s) AND withdrawn_at IS NULL
        """,
        (apps,),
    )


async def list_ceilings(db: Db, *, app: str) -> list[dict[str, Any]]:
    """Tenant-less: what an app is admitted to is no secret to whoever may name the app."""
    return await db.rows(
        "SELECT family, keys FROM family_admissions WHERE app_id = %s AND withdrawn_at IS NULL",
        (app,),
    )
