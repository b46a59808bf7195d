"""The unit of work: a change, its audit entry, its events and its stored answer commit together.

Commands only note what they did (`audit.record`, `events.publish`). Here it is written, in one
statement that shares its round trip with COMMIT; this is the tail of every mutation, so it is as
short as it can be.
"""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from moorage_core.audit import rules as audit_rules
from moorage_core.authz.principals import SYSTEM, Principal
from moorage_core.context import AuditRecord, Context, EventRecord, Trace
from moorage_core.kit.db import Scope, org_scope
from moorage_core.kit.ids import AuditEntryId, EventId, encode, uuid7
from moorage_core.platform import Platform

SEQUENCER_TOPIC = "sequencer"

TAIL = """
WITH audited AS (
    INSERT INTO audit_entries (id, at, org_id, project_id, actor_kind, actor_id, actor_name,
        credential, action, target, outcome, count, break_glass, reason, correlation_id, app_slug,
        app_instance_id, details, leaf)
    SELECT id, at, org_id, project_id, actor_kind, actor_id, actor_name, credential, action, target,
        outcome, count, break_glass, reason, correlation_id, app_slug, app_instance_id, details,
        decode(leaf, 'hex')
    FROM jsonb_to_recordset(%(audit)s::jsonb) AS r(id text, at timestamptz, org_id text,
        project_id text, actor_kind text, actor_id text, actor_name text, credential text,
        action text, target text, outcome text, count integer, break_glass boolean, reason text,
        correlation_id text, app_slug text, app_instance_id text, details jsonb, leaf text)
), answered AS (
    INSERT INTO idempotency_answers (principal, digest, route, fingerprint, status, headers, body,
        resource_id, at)
    SELECT %(principal)s::text, %(digest)s::bytea, %(route)s::text, %(fingerprint)s::bytea,
        %(status)s::integer, %(headers)s::jsonb, %(body)s::bytea, %(resource_id)s::text,
        %(at)s::timestamptz
    WHERE %(digest)s::bytea IS NOT NULL
)
INSERT INTO events (id, type, org_id, project_id, subject, subject_version, app_slug,
    app_instance_id, correlation_id, traceparent, at, topics, data)
SELECT id, type, org_id, project_id, subject, subject_version, app_slug, app_instance_id,
    correlation_id, traceparent, at, topics, data
FROM jsonb_to_recordset(%(events)s::jsonb) AS r(id text, type text, org_id text, project_id text,
    subject text, subject_version integer, app_slug text, app_instance_id text,
    correlation_id text, traceparent text, at timestamptz, topics text[], data jsonb)
"""


@dataclass(frozen=True)
class Answer:
    """What a user mutation answered, for whoever sends the same key again."""

    digest: bytes
    route: str
    fingerprint: bytes
    status: int
    headers: dict[str, str]
    body: bytes | None
    resource_id: str | None


async def finish(ctx: Context, answer: Answer | None = None) -> None:
    """Write the records and commit, in one round trip."""
    params: dict[str, Any] = {
        "audit": json.dumps([audit_row(ctx, record) for record in ctx.audit]),
        "events": json.dumps([_event_row(ctx, record) for record in ctx.events]),
        "principal": ctx.principal.id,
        "digest": answer and answer.digest,
        "route": answer and answer.route,
        "fingerprint": answer and answer.fingerprint,
        "status": answer and answer.status,
        "headers": answer and json.dumps(answer.headers),
        "body": answer and answer.body,
        "resource_id": answer and answer.resource_id,
        "at": ctx.now,
    }
    ctx.db.statements += 1
    async with ctx.db.connection.pipeline():
        await ctx.db.connection.execute(TAIL, params)
        await ctx.db.connection.execute("COMMIT")


def wake(ctx: Context) -> None:
    """After the commit: number the events, wake whoever waits for the rest."""
    topics = set(ctx.topics)
    if ctx.events or ctx.audit:
        topics.add(SEQUENCER_TOPIC)
    ctx.platform.hub.mark(topics)


@asynccontextmanager
async def work(
    platform: Platform,
    org: str,
    *,
    principal: Principal = SYSTEM,
    trace: Trace | None = None,
    scope: Scope | None = None,
    patient: bool = False,
) -> AsyncGenerator[Context]:
    """Work inside one org that no mutation route asked for: a sweep, a sign-in.

    Same records, one commit. With a `scope`, what it may see is that and not the whole org.
    """
    seen = scope or org_scope(org, principal=principal.id)
    async with platform.database.transaction(seen, patient=patient) as db:
        ctx = Context(
            principal=principal,
            db=db,
            clock=platform.clock,
            trace=trace or Trace(correlation_id=new_correlation_id()),
            platform=platform,
        )
        yield ctx
        if ctx.audit or ctx.events:
            await finish(ctx)
    wake(ctx)


@asynccontextmanager
async def part(ctx: Context) -> AsyncGenerator[None]:
    """A part of the work that may fail alone: what it wrote and noted goes with it."""
    audited, published, topics = len(ctx.audit), len(ctx.events), set(ctx.topics)
    try:
        async with ctx.db.connection.transaction():
            yield
    except BaseException:
        del ctx.audit[audited:], ctx.events[published:]
        ctx.topics = topics
        raise


def new_correlation_id() -> str:
    return encode(uuid7())


def audit_row(ctx: Context, record: AuditRecord) -> dict[str, Any]:
    """An entry with its leaf: the hash that the Merkle tree is made of."""
    row: dict[str, Any] = {
        "id": AuditEntryId.new(),
        "at": audit_rules.timestamp(ctx.now),
        "org_id": record.org,
        "project_id": record.project,
        "actor_kind": ctx.principal.kind,
        "actor_id": ctx.principal.id,
        "actor_name": ctx.principal.name,
        "credential": ctx.principal.credential,
        "action": record.action,
        "target": record.target,
        "outcome": "allowed",
        "count": 1,
        "break_glass": record.break_glass,
        "reason": record.reason,
        "correlation_id": ctx.trace.correlation_id,
        "app_slug": record.app_slug,
        "app_instance_id": record.app_instance_id,
        "details": record.details,
    }
    return row | {"leaf": audit_rules.content_hash(row).hex()}


def _event_row(ctx: Context, record: EventRecord) -> dict[str, Any]:
    return {
        "id": EventId.new(),
        "type": record.type,
        "org_id": record.org,
        "project_id": record.project,
        "subject": record.subject,
        "subject_version": record.version,
        "app_slug": record.app_slug,
        "app_instance_id": record.app_instance_id,
        "correlation_id": record.trace.correlation_id,
        "traceparent": record.trace.traceparent,
        "at": ctx.now.isoformat(),
        "topics": [f"org:{record.org}", *record.topics],
        "data": record.data,
    }
