"""Every SQL statement of service accounts."""

from datetime import datetime
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from moorage_core.kit.db import Db
from moorage_core.kit.pagination import PageRequest
from moorage_core.service_accounts.models import ServiceAccount, ServiceAccountKey

ACCOUNT: LiteralString = (
    "id, org_id, project_id, name, permissions, disabled_at, version, created_at, updated_at"
)
KEY: LiteralString = (
    "id, org_id, project_id, service_account_id, kind, created_at, expires_at, revoked_at"
)


async def add(
    db: Db,
    *,
    id: str,
    org: str,
    project: str,
    name: str,
    permissions: list[str],
    now: datetime,
) -> ServiceAccount | None:
    """None where the name is taken."""
    return await db.find(
        ServiceAccount,
        f"""
        INSERT INTO service_accounts
            (id, org_id, project_id, name, permissions, created_at, updated_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s)
        ON CONFLICT (org_id, project_id, name) WHERE deleted_at IS NULL DO NOTHING
        RETURNING {ACCOUNT}
        """,
        (id, org, project, name, permissions, now, now),
    )


async def find(db: Db, id: str, *, orgs: list[str], lock: bool = False) -> ServiceAccount | None:
    sql: LiteralString = f"""
        SELECT {ACCOUNT} FROM service_accounts a
        WHERE id = %s AND org_id = ANY (%s) AND deleted_at IS NULL AND EXISTS (
            SELECT FROM projects p WHERE p.id = a.project_id AND p.deleted_at IS NULL)
        """
    return await db.find(ServiceAccount, sql + (" FOR UPDATE" if lock else ""), (id, orgs))


async def list_in_project(db: Db, page: PageRequest, *, project: str) -> list[ServiceAccount]:
    return await db.all(
        ServiceAccount,
        f"""
        SELECT {ACCOUNT} FROM service_accounts
        WHERE project_id = %s AND deleted_at IS NULL AND id > %s ORDER BY id LIMIT %s
        """,
        (project, page.after, page.fetch),
    )


async def update(
    db: Db,
    id: str,
    *,
    org: str,
    name: str | None,
    permissions: list[str] | None,
    disabled: bool | None,
    now: datetime,
) -> ServiceAccount:
    """Raises UniqueViolation where the name is taken: nobody else can take it in between."""
    return await db.get(
        ServiceAccount,
        f"""
        UPDATE service_accounts SET name = coalesce(%(name)s, name),
            permissions = coalesce(%(permissions)s, permissions),
            disabled_at = CASE WHEN %(disabled)s::boolean IS NULL THEN disabled_at
                WHEN %(disabled)s THEN coalesce(disabled_at, %(now)s) END,
            version = version + 1, updated_at = %(now)s
        WHERE org_id = %(org)s AND id = %(id)s RETURNING {ACCOUNT}
        """,
        {
            "id": id,
            "org": org,
            "name": name,
            "permissions": permissions,
            "disabled": disabled,
            "now": now,
        },
    )


async def list_operated(db: Db, id: str, *, org: str) -> list[str]:
    """The slugs of the apps whose operator the account is."""
    rows = await db.rows(
        """
        SELECT app_slug FROM app_operators
        WHERE org_id = %s AND service_account_id = %s AND removed_at IS NULL ORDER BY app_slug
        """,
        (org, id),
    )
    return [row["app_slug"] for row in rows]


async def delete(db: Db, id: str, *, org: str, now: datetime) -> ServiceAccount:
    return await db.get(
        ServiceAccount,
        f"""
        UPDATE service_accounts SET deleted_at = %s, updated_at = %s, version = version + 1
        WHERE org_id = %s AND id = %s RETURNING {ACCOUNT}
        """,
        (now, now, org, id),
    )


async def add_key(
    db: Db,
    key: ServiceAccountKey,
    *,
    public_key: dict[str, Any] | None,
    secret_hash: bytes | None,
) -> None:
    """Keep a key, in the org and project that it carries.

    Tenant-less: `key` has both.
    """
    await db.run(
        """
        INSERT INTO service_account_keys (id, org_id, project_id, service_account_id, kind,
            public_key, secret_hash, created_at, expires_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
        """,
        (
            key.id,
            key.org_id,
            key.project_id,
            key.service_account_id,
            key.kind,
            None if public_key is None else Jsonb(public_key),
            secret_hash,
            key.created_at,
            key.expires_at,
        ),
    )


async def list_keys(
    db: Db, page: PageRequest, *, org: str, account: str
) -> list[ServiceAccountKey]:
    return await db.all(
        ServiceAccountKey,
        f"""
        SELECT {KEY} FROM service_account_keys
        WHERE org_id = %s AND service_account_id = %s AND id > %s ORDER BY id LIMIT %s
        """,
        (org, account, page.after, page.fetch),
    )


async def count_live_keys(db: Db, *, org: str, account: str, now: datetime) -> int:
    return await db.value(
        """
        SELECT count(*) FROM service_account_keys WHERE org_id = %s AND service_account_id = %s
            AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > %s)
        """,
        (org, account, now),
    )


async def revoke_key(db: Db, id: str, *, org: str, account: str, now: datetime) -> bool:
    revoked = await db.run(
        """
        UPDATE service_account_keys SET revoked_at = %s
        WHERE org_id = %s AND service_account_id = %s AND id = %s AND revoked_at IS NULL
        """,
        (now, org, account, id),
    )
    return revoked == 1


async def find_principal(db: Db, *, account: str, key: str, now: datetime) -> dict[str, Any] | None:
    """Tenant-less: before there is a principal."""
    return await db.row("SELECT * FROM service_account_principal(%s, %s, %s)", (account, key, now))


async def use_assertion(db: Db, *, account: str, id: str, expires_at: datetime) -> bool:
    """False where this assertion was used before.

    Tenant-less: before there is a principal.
    """
    used = await db.run(
        "INSERT INTO used_assertions VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
        (account, id, expires_at),
    )
    return used == 1
