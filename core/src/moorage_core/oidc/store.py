"""Every SQL statement of sign-in providers. They and the people are the platform's, no tenant's."""

from datetime import datetime
from typing import LiteralString

from moorage_core.kit.db import Db
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.kit.pagination import PageRequest
from moorage_core.oidc.models import LinkedUser, LoginProvider, Provider, Standing

PROVIDER: LiteralString = (
    "id, slug, name, issuer, client_id, secret_id, domains, enabled, version, created_at, "
    "updated_at"
)
LOGIN_PROVIDER: LiteralString = (
    "id, slug, display_name AS name, issuer, client_id, secret_id, domains"
)


# Providers


async def add(
    db: Db,
    *,
    id: str,
    slug: str,
    name: str,
    issuer: str,
    client_id: str,
    secret: str,
    domains: list[str],
    enabled: bool,
    now: datetime,
) -> Provider | None:
    """None where the slug is taken.

    Tenant-less: providers are the platform's.
    """
    return await db.find(
        Provider,
        f"""
        INSERT INTO oidc_providers (id, slug, name, issuer, client_id, secret_id, domains, enabled,
            created_at, updated_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        ON CONFLICT (slug) DO NOTHING RETURNING {PROVIDER}
        """,
        (id, slug, name, issuer, client_id, secret, domains, enabled, now, now),
    )


async def count(db: Db) -> int:
    """Tenant-less: providers are the platform's."""
    return await db.value("SELECT count(*) FROM oidc_providers")


async def find(db: Db, id: str, *, lock: bool = False) -> Provider | None:
    """Tenant-less: providers are the platform's."""
    sql: LiteralString = f"SELECT {PROVIDER} FROM oidc_providers WHERE id = %s"
    return await db.find(Provider, sql + (" FOR UPDATE" if lock else ""), (id,))


async def list_providers(db: Db, page: PageRequest) -> list[Provider]:
    """Tenant-less: providers are the platform's."""
    return await db.all(
        Provider,
        f"SELECT {PROVIDER} FROM oidc_providers WHERE id > %s ORDER BY id LIMIT %s",
        (page.after, page.fetch),
    )


async def change(
    db: Db,
    id: str,
    *,
    name: str,
    client_id: str,
    domains: list[str],
    enabled: bool,
    now: datetime,
) -> Provider:
    """Tenant-less: providers are the platform's."""
    return await db.get(
        Provider,
        f"""
        UPDATE oidc_providers SET name = %s, client_id = %s, domains = %s, enabled = %s,
            version = version + 1, updated_at = %s
        WHERE id = %s RETURNING {PROVIDER}
        """,
        (name, client_id, domains, enabled, now, id),
    )


async def delete(db: Db, id: str) -> None:
    """Takes the provider's links with it.

    Tenant-less: providers are the platform's.
    """
    await db.run("DELETE FROM oidc_providers WHERE id = %s", (id,))


# Signing in


async def list_login_providers(db: Db) -> list[LoginProvider]:
    """The enabled ones.

    Tenant-less: before there is a principal.
    """
    return await db.all(
        LoginProvider, f"SELECT {LOGIN_PROVIDER} FROM oidc_login_provider(NULL) ORDER BY slug"
    )


async def find_login_provider(db: Db, slug: str) -> LoginProvider | None:
    """Tenant-less: before there is a principal."""
    return await db.find(
        LoginProvider, f"SELECT {LOGIN_PROVIDER} FROM oidc_login_provider(%s)", (slug,)
    )


async def find_user(db: Db, *, provider: str, subject: str) -> LinkedUser | None:
    """Tenant-less: before there is a principal."""
    return await db.find(
        LinkedUser, "SELECT id, name, disabled_at FROM oidc_user(%s, %s)", (provider, subject)
    )


async def ensure_user(db: Db, *, new_id: str, email: str, name: str | None, now: datetime) -> str:
    """The account of an address, made where there is none; only a new one takes the name.

    Tenant-less: people belong to no org.
    """
    return await db.value("SELECT ensure_user(%s, %s, %s, %s)", (new_id, email, now, name))


async def get_standing(db: Db, user: str, *, provider: str) -> Standing:
    """Tenant-less: people belong to no org."""
    return await db.get(
        Standing,
        """
        SELECT password_hash IS NOT NULL AS has_password,
            EXISTS (SELECT FROM memberships WHERE user_id = users.id AND org_id = %s)
                AS runs_platform,
            EXISTS (SELECT FROM oidc_identities WHERE user_id = users.id AND provider_id <> %s)
                AS linked_elsewhere
        FROM users WHERE id = %s
        """,
        (PLATFORM_ORG, provider, user),
    )


async def link(db: Db, *, provider: str, subject: str, user: str, now: datetime) -> int | None:
    """The account's new version; None where the identity or the account is linked already.

    Tenant-less: people belong to no org.
    """
    return await db.value(
        """
        WITH linked AS (
            INSERT INTO oidc_identities (provider_id, subject, user_id, created_at)
            VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING user_id
        )
        UPDATE users SET version = version + 1, updated_at = %s FROM linked
        WHERE users.id = linked.user_id RETURNING version
        """,
        (provider, subject, user, now, now),
    )


async def relink(db: Db, *, provider: str, subject: str, user: str, now: datetime) -> int | None:
    """The account's new version, its link made or replaced; None where there is no account.

    Tenant-less: people belong to no org.
    """
    return await db.value(
        """
        WITH linked AS (
            INSERT INTO oidc_identities (provider_id, subject, user_id, created_at)
            SELECT %s, %s, id, %s FROM users WHERE id = %s
            ON CONFLICT (provider_id, user_id)
            DO UPDATE SET subject = EXCLUDED.subject, created_at = EXCLUDED.created_at
            RETURNING user_id
        )
        UPDATE users SET version = version + 1, updated_at = %s FROM linked
        WHERE users.id = linked.user_id RETURNING version
        """,
        (provider, subject, now, user, now),
    )


async def unlink(db: Db, *, provider: str, user: str, now: datetime) -> int | None:
    """The account's new version; None where there was no link.

    Tenant-less: people belong to no org.
    """
    return await db.value(
        """
        WITH gone AS (
            DELETE FROM oidc_identities WHERE provider_id = %s AND user_id = %s RETURNING user_id
        )
        UPDATE users SET version = version + 1, updated_at = %s FROM gone
        WHERE users.id = gone.user_id RETURNING version
        """,
        (provider, user, now),
    )
