"""Tenants and people for tests, written straight into the database."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg

from moorage_core.kit import tokens
from moorage_core.kit.ids import (
    PLATFORM_ORG,
    AccessTokenId,
    MembershipId,
    OrgId,
    ProjectId,
    UserId,
)

Sql = psycopg.AsyncConnection[Any]


@dataclass(frozen=True)
class OrgRow:
    id: OrgId
    slug: str


@dataclass(frozen=True)
class ProjectRow:
    id: ProjectId
    org: OrgRow
    slug: str


@dataclass(frozen=True)
class Person:
    id: UserId
    email: str
    token: str


async def make_org(sql: Sql, slug: str) -> OrgRow:
    row = OrgRow(OrgId.new(), slug)
    await sql.execute(
        """
        INSERT INTO orgs (id, slug, name, created_at, updated_at)
        VALUES (%s, %s, %s, now(), now())
        """,
        (row.id, slug, slug.title()),
    )
    return row


async def make_project(sql: Sql, org: OrgRow, slug: str) -> ProjectRow:
    row = ProjectRow(ProjectId.new(), org, slug)
    await sql.execute(
        """
        INSERT INTO projects (id, org_id, slug, name, created_at, updated_at)
        VALUES (%s, %s, %s, %s, now(), now())
        """,
        (row.id, org.id, slug, slug.title()),
    )
    return row


async def make_person(
    sql: Sql,
    email: str,
    *,
    role: str | None = None,
    org: str = PLATFORM_ORG,
    project: str | None = None,
    expires_in: timedelta = timedelta(days=1),
) -> Person:
    """Somebody with an unrestricted personal token, and a role where one is named."""
    person = Person(UserId.new(), email, tokens.new(tokens.ACCESS_TOKEN))
    await sql.execute(
        """
        INSERT INTO users (id, email, name, created_at, updated_at)
        VALUES (%s, %s, %s, now(), now())
        """,
        (person.id, email, email.split("@")[0]),
    )
    await sql.execute(
        """
        INSERT INTO access_tokens (id, user_id, name, token_hash, created_at, expires_at)
        VALUES (%s, %s, 'test', %s, now(), %s)
        """,
        (
            AccessTokenId.new(),
            person.id,
            tokens.digest(person.token),
            datetime.now(UTC) + expires_in,
        ),
    )
    if role is not None:
        await give_role(sql, person, role=role, org=org, project=project)
    return person


async def give_role(
    sql: Sql, person: Person, *, role: str, org: str, project: str | None = None
) -> MembershipId:
    id = MembershipId.new()
    await sql.execute(
        """
        INSERT INTO memberships (id, org_id, project_id, user_id, role, created_at, updated_at)
        VALUES (%s, %s, %s, %s, %s, now(), now())
        """,
        (id, org, project, person.id, role),
    )
    return id
