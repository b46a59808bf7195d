"""What the API is measured against: the SQL of a list and of a mutation, bare through psycopg.

Same statements, same roles, same row-level security, same round trips; no HTTP, no authentication,
no validation, no rendering.
"""

import asyncio
import json
import multiprocessing
import time
import uuid
from typing import Any, LiteralString, cast

import psycopg
from psycopg.rows import class_row

from moorage_core import unit
from moorage_core.http.idempotency import Key
from moorage_core.kit.db import Scope
from moorage_core.kit.ids import AuditEntryId, EventId, ProjectId
from moorage_core.tenancy import store
from moorage_core.tenancy.models import Project

LIST_SQL: LiteralString = f"""
    SELECT {store.PROJECT} FROM projects
    WHERE org_id = %s AND deleted_at IS NULL AND id > %s AND (%s::text[] IS NULL OR id = ANY (%s))
    ORDER BY id LIMIT %s
"""
INSERT_SQL: LiteralString = f"""
    INSERT INTO projects (id, org_id, slug, name, created_at, updated_at)
    SELECT %s, o.id, %s, %s, now(), now()
    FROM (SELECT id FROM orgs WHERE id = %s AND deleted_at IS NULL FOR KEY SHARE) o
    ON CONFLICT (org_id, slug) WHERE deleted_at IS NULL DO NOTHING RETURNING {store.PROJECT}
"""


async def list_once(db: psycopg.AsyncConnection[Any], begin: str, org: str) -> None:
    await db.execute(cast(LiteralString, begin))
    async with db.cursor(row_factory=class_row(Project)) as cursor:
        await (await cursor.execute(LIST_SQL, (org, "", None, None, 51))).fetchall()
    await db.execute("COMMIT")


async def mutate_once(db: psycopg.AsyncConnection[Any], begin: str, org: str, person: str) -> None:
    key = Key(person, "POST /v1/orgs/{org}/projects", uuid.uuid4().bytes * 2, b"f" * 32)
    cursor = await db.execute(cast(LiteralString, f"{begin}; {key.prelude().sql}"))
    while cursor.nextset():
        pass
    await cursor.fetchone()
    project = ProjectId.new()
    async with db.cursor(row_factory=class_row(Project)) as inserting:
        made = await inserting.execute(INSERT_SQL, (project, uuid.uuid4().hex, "Bench", org))
        await made.fetchone()
    async with db.pipeline():
        await db.execute(unit.TAIL, records(key, org, person, project))
        await db.execute("COMMIT")


def records(key: Key, org: str, person: str, project: str) -> dict[str, Any]:
    """What `unit.TAIL` writes for one mutation: an audit entry, an event, the stored answer."""
    at = "2026-01-01T00:00:00+00:00"
    audit = {
        "id": AuditEntryId.new(),
        "at": at,
        "org_id": org,
        "project_id": project,
        "actor_kind": "user",
        "actor_id": person,
        "actor_name": "bench",
        "action": "iam.project.create",
        "target": project,
        "outcome": "allowed",
        "count": 1,
        "break_glass": False,
        "correlation_id": "bench",
        "details": {},
        "leaf": "00" * 32,
    }
    event = {
        "id": EventId.new(),
        "type": "iam.project.created",
        "org_id": org,
        "project_id": project,
        "subject": project,
        "subject_version": 1,
        "correlation_id": "bench",
        "at": at,
        "topics": [f"org:{org}"],
        "data": {"id": project, "slug": "bench", "name": "Bench"},
    }
    return {
        "audit": json.dumps([audit]),
        "events": json.dumps([event]),
        "principal": person,
        "digest": key.digest,
        "route": key.route,
        "fingerprint": key.fingerprint,
        "status": 201,
        "headers": "{}",
        "body": b"x" * 250,
        "resource_id": project,
        "at": at,
    }


async def _loop(what: str, url: str, org: str, person: str, clients: int, seconds: float) -> int:
    begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; " if what == "list" else "BEGIN; "
    begin += Scope(person, frozenset({org}), frozenset({org})).sql()
    started = time.perf_counter()

    async def one() -> int:
        done = 0
        async with await psycopg.AsyncConnection.connect(
            url, autocommit=True, prepare_threshold=2
        ) as db:
            while time.perf_counter() - started < seconds:
                if what == "list":
                    await list_once(db, begin, org)
                else:
                    await mutate_once(db, begin, org, person)
                done += 1
        return done

    return sum(await asyncio.gather(*(one() for _ in range(clients))))


def _process(arguments: tuple[Any, ...]) -> int:
    return asyncio.run(_loop(*arguments))


def rate(
    what: str, url: str, *, org: str, person: str, processes: int, clients: int, seconds: float
) -> float:
    """Transactions a second, by as many processes and connections as the API has."""
    job = (what, url, org, person, clients // processes, seconds)
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        return sum(pool.map(_process, [job] * processes)) / seconds
