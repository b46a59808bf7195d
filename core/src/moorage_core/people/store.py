"""Every SQL statement about people. People belong to no org: rows are found by person."""

from datetime import datetime
from typing import Any, LiteralString

from moorage_core.kit.db import Db
from moorage_core.kit.pagination import PageRequest
from moorage_core.people.models import AccessToken, LoginUser, Session, User

USER: LiteralString = (
    "id, email, name, password_hash IS NOT NULL AS has_password, disabled_at, locked_until,"
    " version, created_at, updated_at"
)
LOGIN_USER: LiteralString = (
    "id, email, name, password_hash, wrong_passwords, locked_until, disabled_at"
)
SESSION: LiteralString = "id, user_id, user_agent, created_at, seen_at, expires_at"
TOKEN: LiteralString = (
    "id, user_id, parent_id, name, permissions, org_id, project_id, created_at, expires_at,"
    " revoked_at"
)


# Accounts


async def list_orgs_behind(db: Db, id: str) -> list[str]:
    """Tenants in which somebody has roles, where they have used their account.

    Tenant-less: people belong to no org.
    """
    rows = await db.rows("SELECT org_id FROM orgs_behind_account(%s) ORDER BY 1", (id,))
    return [row["org_id"] for row in rows]


async def add_user(db: Db, *, id: str, email: str, name: str, now: datetime) -> User | None:
    """None where the address is taken.

    Tenant-less: people belong to no org.
    """
    return await db.find(
        User,
        f"""
        INSERT INTO users (id, email, name, created_at, updated_at) VALUES (%s, %s, %s, %s, %s)
        ON CONFLICT (lower(email)) DO NOTHING RETURNING {USER}
        """,
        (id, email, name, now, now),
    )


async def find_user(db: Db, id: str, *, lock: bool = False) -> User | None:
    """Tenant-less: people belong to no org."""
    sql: LiteralString = f"SELECT {USER} FROM users WHERE id = %s"
    return await db.find(User, sql + (" FOR UPDATE" if lock else ""), (id,))


async def list_users(db: Db, page: PageRequest) -> list[User]:
    """Tenant-less: for those who run the platform."""
    return await db.all(
        User,
        f"SELECT {USER} FROM users WHERE id > %s ORDER BY id LIMIT %s",
        (page.after, page.fetch),
    )


async def update_user(
    db: Db, id: str, *, name: str | None, disabled: bool | None, now: datetime
) -> User:
    """Tenant-less: people belong to no org."""
    return await db.get(
        User,
        f"""
        UPDATE users SET name = coalesce(%(name)s, name),
            version = version + 1, updated_at = %(now)s,
            disabled_at = CASE WHEN %(disabled)s::boolean IS NULL THEN disabled_at
                WHEN %(disabled)s THEN coalesce(disabled_at, %(now)s) END
        WHERE id = %(id)s RETURNING {USER}
        """,
        {"id": id, "name": name, "disabled": disabled, "now": now},
    )


async def set_password(db: Db, id: str, *, password_hash: str, now: datetime) -> User:
    """Also forgets wrong passwords and outstanding codes.

    Tenant-less: people belong to no org.
    """
    await db.run("DELETE FROM password_codes WHERE user_id = %s", (id,))
    return await db.get(
        User,
        f"""
        UPDATE users SET password_hash = %s, wrong_passwords = 0, locked_until = NULL,
            version = version + 1, updated_at = %s
        WHERE id = %s RETURNING {USER}
        """,
        (password_hash, now, id),
    )


async def find_login_user(db: Db, email: str) -> LoginUser | None:
    """Tenant-less: before there is a principal."""
    return await db.find(LoginUser, "SELECT * FROM user_by_email(%s)", (email,))


async def get_login_user(db: Db, id: str, *, lock: bool = False) -> LoginUser:
    """The caller's own account.

    Tenant-less: people belong to no org.
    """
    sql: LiteralString = f"SELECT {LOGIN_USER} FROM users WHERE id = %s"
    return await db.get(LoginUser, sql + (" FOR UPDATE" if lock else ""), (id,))


async def note_wrong_password(db: Db, id: str, *, now: datetime) -> int | None:
    """How many in a row now; None where the account is locked, and nothing is counted.

    Tenant-less: before there is a principal.
    """
    return await db.value(
        """
        UPDATE users SET wrong_passwords = wrong_passwords + 1
        WHERE id = %s AND (locked_until IS NULL OR locked_until <= %s)
        RETURNING wrong_passwords
        """,
        (id, now),
    )


async def lock_account(db: Db, id: str, *, until: datetime) -> None:
    """Tenant-less: before there is a principal."""
    await db.run("UPDATE users SET locked_until = %s WHERE id = %s", (until, id))


async def unlock_account(db: Db, id: str) -> None:
    """Tenant-less: people belong to no org."""
    await db.run("UPDATE users SET wrong_passwords = 0, locked_until = NULL WHERE id = %s", (id,))


async def note_sign_in(db: Db, id: str, *, now: datetime) -> None:
    """Also forgets wrong passwords: whoever guessed them is not this person.

    Tenant-less: people belong to no org.
    """
    await db.run(
        """
        UPDATE users SET signed_in_at = %s, wrong_passwords = 0, locked_until = NULL WHERE id = %s
        """,
        (now, id),
    )


# One-time codes


async def put_code(db: Db, user: str, *, code_hash: bytes, expires_at: datetime) -> None:
    """The person's one outstanding code.

    Tenant-less: people belong to no org.
    """
    await db.run(
        """
        INSERT INTO password_codes (user_id, code_hash, expires_at) VALUES (%s, %s, %s)
        ON CONFLICT (user_id) DO UPDATE
            SET code_hash = EXCLUDED.code_hash, expires_at = EXCLUDED.expires_at
        """,
        (user, code_hash, expires_at),
    )


async def find_code_user(db: Db, *, code_hash: bytes, now: datetime) -> str | None:
    """Tenant-less: before there is a principal."""
    return await db.value("SELECT user_by_password_code(%s, %s)", (code_hash, now))


async def use_code(db: Db, user: str, *, code_hash: bytes) -> bool:
    """Whether the code was still there to use.

    Tenant-less: people belong to no org.
    """
    used = await db.run(
        "DELETE FROM password_codes WHERE user_id = %s AND code_hash = %s", (user, code_hash)
    )
    return used == 1


# Sessions


async def add_session(
    db: Db,
    *,
    id: str,
    user: str,
    token_hash: bytes,
    user_agent: str,
    now: datetime,
    expires_at: datetime,
) -> Session:
    """Tenant-less: a session is its person's."""
    return await db.get(
        Session,
        f"""
        INSERT INTO sessions (id, user_id, token_hash, user_agent, created_at, seen_at, expires_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s) RETURNING {SESSION}
        """,
        (id, user, token_hash, user_agent, now, now, expires_at),
    )


async def find_session_principal(
    db: Db, *, token_hash: bytes, now: datetime
) -> dict[str, Any] | None:
    """Tenant-less: before there is a principal."""
    return await db.row("SELECT * FROM session_principal(%s, %s)", (token_hash, now))


async def touch_session(db: Db, id: str, *, now: datetime) -> None:
    """Tenant-less: a session is its person's."""
    await db.run("UPDATE sessions SET seen_at = %s WHERE id = %s", (now, id))


async def list_sessions(db: Db, user: str, page: PageRequest, *, now: datetime) -> list[Session]:
    """Tenant-less: a session is its person's."""
    return await db.all(
        Session,
        f"""
        SELECT {SESSION} FROM sessions
        WHERE user_id = %s AND ended_at IS NULL AND expires_at > %s AND id > %s ORDER BY id LIMIT %s
        """,
        (user, now, page.after, page.fetch),
    )


async def end_session(db: Db, user: str, id: str, *, now: datetime) -> bool:
    """False where there is no such open session.

    Tenant-less: a session is its person's.
    """
    ended = await db.run(
        "UPDATE sessions SET ended_at = %s WHERE user_id = %s AND id = %s AND ended_at IS NULL",
        (now, user, id),
    )
    return ended == 1


async def end_other_sessions(db: Db, user: str, *, keep: str | None, now: datetime) -> None:
    """Tenant-less: a session is its person's."""
    await db.run(
        """
        UPDATE sessions SET ended_at = %s
        WHERE user_id = %s AND ended_at IS NULL AND id IS DISTINCT FROM %s
        """,
        (now, user, keep),
    )


# Personal access tokens


async def add_access_token(db: Db, token: AccessToken, *, token_hash: bytes) -> None:
    """Tenant-less: a token is its person's."""
    await db.run(
        """
        INSERT INTO access_tokens (id, user_id, parent_id, name, token_hash, permissions, org_id,
            project_id, created_at, expires_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        """,
        (
            token.id,
            token.user_id,
            token.parent_id,
            token.name,
            token_hash,
            token.permissions,
            token.org_id,
            token.project_id,
            token.created_at,
            token.expires_at,
        ),
    )


async def find_access_token_principal(
    db: Db, *, token_hash: bytes, now: datetime
) -> dict[str, Any] | None:
    """Tenant-less: before there is a principal."""
    return await db.row("SELECT * FROM access_token_principal(%s, %s)", (token_hash, now))


async def list_access_tokens(db: Db, user: str, page: PageRequest) -> list[AccessToken]:
    """Tenant-less: a token is its person's."""
    return await db.all(
        AccessToken,
        f"SELECT {TOKEN} FROM access_tokens WHERE user_id = %s AND id > %s ORDER BY id LIMIT %s",
        (user, page.after, page.fetch),
    )


async def is_token_live(db: Db, user: str, id: str) -> bool:
    """Whether nobody revoked it, with the person's row held so that nobody does meanwhile.

    Tenant-less: its person's.
    """
    await db.run("SELECT FROM users WHERE id = %s FOR KEY SHARE", (user,))
    return bool(
        await db.value(
            """
            SELECT EXISTS (
                SELECT FROM access_tokens WHERE user_id = %s AND id = %s AND revoked_at IS NULL)
            """,
            (user, id),
        )
    )


async def revoke_access_token(db: Db, user: str, id: str, *, now: datetime) -> dict[str, int]:
    """Revoke it with all that were made with it; the new version of each. The person is locked.

    Tenant-less: its person's.
    """
    rows = await db.rows(
        """
        WITH RECURSIVE doomed AS (
            SELECT id FROM access_tokens WHERE user_id = %s AND id = %s AND revoked_at IS NULL
            UNION ALL SELECT t.id FROM access_tokens t JOIN doomed ON t.parent_id = doomed.id
        )
        UPDATE access_tokens SET revoked_at = %s, version = version + 1
        WHERE id IN (SELECT id FROM doomed) AND revoked_at IS NULL RETURNING id, version
        """,
        (user, id, now),
    )
    return {row["id"]: row["version"] for row in rows}


async def revoke_other_access_tokens(
    db: Db, user: str, *, keep: str | None, now: datetime
) -> dict[str, int]:
    """The new version of each that was live. The person is locked.

    Tenant-less: their person's.
    """
    rows = await db.rows(
        """
        UPDATE access_tokens SET revoked_at = %s, version = version + 1
        WHERE user_id = %s AND revoked_at IS NULL AND id IS DISTINCT FROM %s RETURNING id, version
        """,
        (now, user, keep),
    )
    return {row["id"]: row["version"] for row in rows}


async def list_grant_names(
    db: Db, *, orgs: list[str], projects: list[str]
) -> dict[str, tuple[str, str]]:
    """(slug, name) of the given orgs and projects, by id."""
    rows = await db.rows(
        """
        SELECT id, slug, name FROM orgs WHERE id = ANY (%s)
        UNION ALL SELECT id, slug, name FROM projects WHERE id = ANY (%s)
        """,
        (orgs, projects),
    )
    return {row["id"]: (row["slug"], row["name"]) for row in rows}


async def find_project_org(db: Db, project: str) -> str | None:
    """The org of a project that the transaction's scope can see."""
    return await db.value(
        "SELECT org_id FROM projects WHERE id = %s AND deleted_at IS NULL", (project,)
    )
