"""Every SQL statement of tenancy."""

from datetime import datetime
from typing import LiteralString

from moorage_core.kit.db import Db
from moorage_core.kit.pagination import PageRequest
from moorage_core.tenancy.models import Membership, Org, Project

ORG: LiteralString = "id, slug, name, version, created_at, updated_at"
PROJECT: LiteralString = "id, org_id, slug, name, version, created_at, updated_at"
# Anybody can be added by their address: what an account is called is not told before its person has
# signed in with the role.
NAME: LiteralString = (
    "CASE WHEN u.signed_in_at >= m.created_at THEN u.name ELSE split_part(u.email, '@', 1) END"
)
MEMBERSHIP: LiteralString = (
    f"m.id, m.org_id, m.project_id, m.user_id, u.email, {NAME} AS name, m.role, m.version,"
    " m.created_at, m.updated_at"
)


# Orgs


async def add_org(db: Db, *, org: str, slug: str, name: str, now: datetime) -> Org | None:
    """None where the slug is taken."""
    return await db.find(
        Org,
        f"""
        INSERT INTO orgs (id, slug, name, created_at, updated_at) VALUES (%s, %s, %s, %s, %s)
        ON CONFLICT (slug) WHERE deleted_at IS NULL DO NOTHING RETURNING {ORG}
        """,
        (org, slug, name, now, now),
    )


async def find_org(db: Db, org: str, *, lock: bool = False) -> Org | None:
    sql: LiteralString = f"SELECT {ORG} FROM orgs WHERE id = %s AND deleted_at IS NULL"
    return await db.find(Org, sql + (" FOR UPDATE" if lock else ""), (org,))


async def list_orgs(db: Db, page: PageRequest, *, orgs: list[str] | None) -> list[Org]:
    """The named orgs; all of them where `orgs` is None."""
    return await db.all(
        Org,
        f"""
        SELECT {ORG} FROM orgs
        WHERE deleted_at IS NULL AND id > %s AND (%s::text[] IS NULL OR id = ANY (%s))
        ORDER BY id LIMIT %s
        """,
        (page.after, orgs, orgs, page.fetch),
    )


async def rename_org(db: Db, *, org: str, name: str, now: datetime) -> Org:
    return await db.get(
        Org,
        f"""
        UPDATE orgs SET name = %s, version = version + 1, updated_at = %s
        WHERE id = %s RETURNING {ORG}
        """,
        (name, now, org),
    )


async def delete_org(db: Db, *, org: str, now: datetime) -> Org:
    return await db.get(
        Org,
        f"""
        UPDATE orgs SET deleted_at = %s, updated_at = %s, version = version + 1
        WHERE id = %s RETURNING {ORG}
        """,
        (now, now, org),
    )


# Projects


async def add_project(
    db: Db, *, org: str, project: str, slug: str, name: str, now: datetime
) -> Project | None:
    """None where the slug is taken, or the org was deleted a moment ago."""
    return await db.find(
        Project,
        f"""
        INSERT INTO projects (id, org_id, slug, name, created_at, updated_at)
        SELECT %s, o.id, %s, %s, %s, %s
        FROM (SELECT id FROM orgs WHERE id = %s AND deleted_at IS NULL FOR KEY SHARE) o
        ON CONFLICT (org_id, slug) WHERE deleted_at IS NULL DO NOTHING RETURNING {PROJECT}
        """,
        (project, slug, name, now, now, org),
    )


async def find_project(
    db: Db, project: str, *, orgs: list[str], lock: bool = False
) -> Project | None:
    sql: LiteralString = (
        f"SELECT {PROJECT} FROM projects WHERE id = %s AND org_id = ANY (%s) AND deleted_at IS NULL"
    )
    return await db.find(Project, sql + (" FOR UPDATE" if lock else ""), (project, orgs))


async def list_projects(
    db: Db, page: PageRequest, *, org: str, projects: list[str] | None
) -> list[Project]:
    """The org's projects; only the named ones where `projects` is not None."""
    return await db.all(
        Project,
        f"""
        SELECT {PROJECT} FROM projects
        WHERE org_id = %s AND deleted_at IS NULL AND id > %s
            AND (%s::text[] IS NULL OR id = ANY (%s))
        ORDER BY id LIMIT %s
        """,
        (org, page.after, projects, projects, page.fetch),
    )


async def list_project_slugs(db: Db, *, org: str) -> list[str]:
    rows = await db.rows(
        "SELECT slug FROM projects WHERE org_id = %s AND deleted_at IS NULL ORDER BY slug LIMIT 6",
        (org,),
    )
    return [row["slug"] for row in rows]


async def list_machines(db: Db, *, org: str, project: str) -> list[str]:
    """The first few machines that a project holds, by name and id."""
    rows = await db.rows(
        """
        SELECT name || ' (' || id || ')' AS name FROM allocations
        WHERE org_id = %s AND project_id = %s AND status NOT IN ('released', 'failed')
        ORDER BY id LIMIT 6
        """,
        (org, project),
    )
    return [row["name"] for row in rows]


async def list_instances(db: Db, *, org: str, project: str) -> list[str]:
    """The first few instances that run in a project, by name and id."""
    rows = await db.rows(
        """
        SELECT name || ' (' || id || ')' AS name FROM instances
        WHERE org_id = %s AND project_id = %s AND deleted_at IS NULL ORDER BY id LIMIT 6
        """,
        (org, project),
    )
    return [row["name"] for row in rows]


async def rename_project(db: Db, *, org: str, project: str, name: str, now: datetime) -> Project:
    return await db.get(
        Project,
        f"""
        UPDATE projects SET name = %s, version = version + 1, updated_at = %s
        WHERE org_id = %s AND id = %s RETURNING {PROJECT}
        """,
        (name, now, org, project),
    )


async def delete_project(db: Db, *, org: str, project: str, now: datetime) -> Project:
    return await db.get(
        Project,
        f"""
        UPDATE projects SET deleted_at = %s, updated_at = %s, version = version + 1
        WHERE org_id = %s AND id = %s RETURNING {PROJECT}
        """,
        (now, now, org, project),
    )


# Memberships


async def ensure_user(db: Db, *, new_id: str, email: str, now: datetime) -> str:
    """The account of an address, made where there is none.

    Tenant-less: people belong to no org.
    """
    return await db.value("SELECT ensure_user(%s, %s, %s)", (new_id, email, now))


async def add_membership(
    db: Db, *, id: str, org: str, project: str | None, user: str, role: str, now: datetime
) -> bool:
    """False where the person already has a role there."""
    added = await db.run(
        """
        INSERT INTO memberships (id, org_id, project_id, user_id, role, created_at, updated_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (org_id, project_id, user_id) DO NOTHING
        """,
        (id, org, project, user, role, now, now),
    )
    return added == 1


async def put_admin(db: Db, *, id: str, org: str, user: str, role: str, now: datetime) -> str:
    """The id of the membership that holds the org-wide role, whatever it held before."""
    return await db.value(
        """
        INSERT INTO memberships (id, org_id, user_id, role, created_at, updated_at)
        VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (org_id, project_id, user_id) DO UPDATE
            SET role = EXCLUDED.role, version = memberships.version + 1, updated_at = %s
        RETURNING id
        """,
        (id, org, user, role, now, now, now),
    )


async def has_memberships(db: Db, *, org: str) -> bool:
    """Whether anybody has a role in the org, with the org's row locked so that the answer holds."""
    await db.run("SELECT 1 FROM orgs WHERE id = %s FOR UPDATE", (org,))
    return bool(await db.value("SELECT EXISTS (SELECT FROM memberships WHERE org_id = %s)", (org,)))


async def find_membership(
    db: Db, id: str, *, orgs: list[str], lock: bool = False
) -> Membership | None:
    sql: LiteralString = (
        f"SELECT {MEMBERSHIP} FROM memberships m JOIN users u ON u.id = m.user_id "
        "LEFT JOIN projects p ON p.id = m.project_id "
        "WHERE m.id = %s AND m.org_id = ANY (%s) AND p.deleted_at IS NULL"
    )
    return await db.find(Membership, sql + (" FOR UPDATE OF m" if lock else ""), (id, orgs))


async def list_memberships(
    db: Db, page: PageRequest, *, org: str, project: str | None
) -> list[Membership]:
    return await db.all(
        Membership,
        f"""
        SELECT {MEMBERSHIP} FROM memberships m JOIN users u ON u.id = m.user_id
        WHERE m.org_id = %s AND m.project_id IS NOT DISTINCT FROM %s AND m.id > %s
        ORDER BY m.id LIMIT %s
        """,
        (org, project, page.after, page.fetch),
    )


async def change_role(db: Db, *, org: str, id: str, role: str, now: datetime) -> int:
    """The membership's new version."""
    return await db.value(
        """
        UPDATE memberships SET role = %s, version = version + 1, updated_at = %s
        WHERE org_id = %s AND id = %s RETURNING version
        """,
        (role, now, org, id),
    )


async def remove_membership(db: Db, *, org: str, id: str) -> None:
    await db.run("DELETE FROM memberships WHERE org_id = %s AND id = %s", (org, id))


async def list_admins(db: Db, *, org: str, role: str) -> set[str]:
    """Enabled people with the org-wide role. The org's row is locked first: the answer holds."""
    await db.run("SELECT FROM orgs WHERE id = %s FOR NO KEY UPDATE", (org,))
    rows = await db.rows(
        """
        SELECT m.user_id FROM memberships m JOIN users u ON u.id = m.user_id
        WHERE m.org_id = %s AND m.project_id IS NULL AND m.role = %s AND u.disabled_at IS NULL
        """,
        (org, role),
    )
    return {row["user_id"] for row in rows}


async def list_principals(db: Db, *, org: str, project: str | None) -> list[str]:
    """Ids of people and service accounts whose rights hang on an org or one of its projects."""
    rows = await db.rows(
        """
        SELECT user_id AS id FROM memberships WHERE org_id = %(org)s
            AND (%(project)s::text IS NULL OR project_id = %(project)s)
        UNION SELECT id FROM service_accounts WHERE org_id = %(org)s AND deleted_at IS NULL
            AND (%(project)s::text IS NULL OR project_id = %(project)s)
        """,
        {"org": org, "project": project},
    )
    return [row["id"] for row in rows]
