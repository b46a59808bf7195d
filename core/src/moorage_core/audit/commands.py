"""Noting what was done and what was refused, and reading it back, with proof."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from moorage_core.audit import keyring, proofs, rules, store
from moorage_core.audit.keyring import AuditKeys
from moorage_core.audit.models import Entry, Seal, Wanted
from moorage_core.audit.proofs import Proof
from moorage_core.authz.authorize import Resource, authorize, authorize_anywhere, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Place, Principal
from moorage_core.context import AuditRecord, Context, Trace
from moorage_core.errors import ApiError, Conflict, Forbidden
from moorage_core.kit import pagination
from moorage_core.kit.db import Db, org_scope
from moorage_core.kit.ids import AuditEntryId, RefusalId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.platform import Platform

EXAMINED = 20_000
"""Entries of one place that a page looks at where no index finds those that are wanted."""
NEVER = 2**62
"""Beyond any number of an entry."""


class NotSealedYet(Conflict):
    """The entry is not sealed yet."""

    code = "not_sealed_yet"


class SealBroken(Conflict):
    """The entry no longer fits its seal."""

    code = "seal_broken"


def record(
    ctx: Context,
    action: str,
    target: str,
    *,
    org: str,
    project: str | None = None,
    app: str | None = None,
    instance: str | None = None,
    details: dict[str, Any] | None = None,
) -> None:
    """Note a privileged change. Written by the transaction that makes it. `app` is a slug."""
    ctx.audit.append(
        AuditRecord(
            action,
            target,
            org,
            project,
            app_slug=app,
            app_instance_id=instance,
            details=details or {},
        )
    )


def record_break_glass(
    ctx: Context,
    action: str,
    target: str,
    *,
    org: str,
    reason: str,
    project: str | None = None,
    app: str | None = None,
    instance: str | None = None,
) -> None:
    """Note that the platform reached into a tenant. The tenant sees the entry and the reason."""
    ctx.audit.append(
        AuditRecord(
            action,
            target,
            org,
            project,
            reason=reason,
            break_glass=True,
            app_slug=app,
            app_instance_id=instance,
        )
    )


async def record_denial(
    platform: Platform,
    principal: Principal,
    route: str,
    key: str,
    refusal: ApiError,
    trace: Trace,
) -> None:
    """Count a refusal, in a transaction of its own: that of the request is gone."""
    org = (refusal.org if isinstance(refusal, Forbidden) else None) or principal.home_org
    project = refusal.project if isinstance(refusal, Forbidden) else None
    now = platform.clock.now()
    async with platform.database.transaction(org_scope(org)) as db:
        await store.count_denial(
            db,
            org=org,
            project=project,
            principal=principal,
            route=route,
            permission=key,
            minute=now - timedelta(seconds=now.second, microseconds=now.microsecond),
            correlation_id=trace.correlation_id,
        )


async def keep_refusal(
    platform: Platform,
    principal: Principal,
    route: str,
    key: str,
    refusal: ApiError,
    trace: Trace,
) -> None:
    """Keep what somebody is told, for them to read again by the id that it carries."""
    if not rules.is_worth_keeping(refusal, principal):
        return
    async with platform.database.transaction(principal.scope) as db:
        await store.add_refusal(
            db,
            id=RefusalId.new(),
            principal=principal,
            route=route,
            permission=key,
            refusal=refusal,
            correlation_id=trace.correlation_id,
            now=platform.clock.now(),
            most=rules.REFUSALS_KEPT,
        )


async def enter_denials(db: Db, *, org: str, minute: datetime) -> int:
    """Turn one minute's refusals in an org into entries; how many. All of them or none."""
    found = await store.take_denials(db, org=org, minute=minute)
    rows = [rules.denied_entry(denials, id=AuditEntryId.new()) for denials in found]
    await store.add_entries(db, rows, org=org)
    return len(rows)


async def list_entries(ctx: Context, wanted: Wanted, page: PageRequest) -> Page[Entry]:
    """Entries where the caller holds the key, in the order of their numbers."""
    key = Permission.AUDIT_ENTRY_READ
    authorize_anywhere(ctx, key)
    places = ctx.principal.places(key, org=wanted.org, project=wanted.project)
    if not places:
        raise Forbidden(f"This needs the permission {key} in the org or project that you ask for.")
    after, upto = page.after_number, None
    if rules.is_broad(wanted, whole=_is_whole(places)):
        after = await _begin(ctx.db, wanted, places) if after is None else after
        upto = await store.find_edge(
            ctx.db, scope=places, after=after, newest_first=wanted.newest_first, rows=EXAMINED
        )
    rows = await store.list_entries(
        ctx.db, wanted, scope=places, after=after, upto=upto, limit=page.fetch
    )
    found = pagination.page(rows, page, key=lambda entry: str(entry.seq))
    items = await _named(ctx, found.items)
    if found.next is None and upto is not None:
        return Page(items, pagination.encode_cursor(str(upto)))
    return Page(items, found.next)


async def _named(ctx: Context, entries: Sequence[Entry]) -> list[Entry]:
    """With the names of what things were done to, in one statement."""
    names = await store.list_names(ctx.db, sorted({entry.target for entry in entries}))
    return [replace(entry, target_name=names.get(entry.target)) for entry in entries]


async def _begin(db: Db, wanted: Wanted, places: Sequence[Place]) -> int | None:
    """The number after which the first page begins; None for the end of the log."""
    if not (wanted.since or wanted.until) or not _is_whole(places):
        return None
    orgs = [place.org for place in places]
    span = await store.find_span(
        db, orgs=orgs, since=wanted.since, until=wanted.until, rows=EXAMINED
    )
    if span is None:
        return None
    first, last = span
    if first > last:
        return 0 if wanted.newest_first else NEVER
    return last + 1 if wanted.newest_first else first - 1


def _is_whole(places: Sequence[Place]) -> bool:
    return all(place.project is None for place in places)


async def get_entry(ctx: Context, id: str) -> Entry:
    entry = await store.find_entry(ctx.db, id, scope=ctx.principal.scope)
    if entry is None:
        raise hidden("audit entry", id)
    place = Resource("audit entry", id, entry.org_id, entry.project_id)
    authorize(ctx, Permission.AUDIT_ENTRY_READ, place)
    (named,) = await _named(ctx, [entry])
    return named


async def prove(ctx: Context, id: str) -> tuple[Entry, Seal, Proof]:
    """An entry with what shows, without trust in the platform's database, that it was sealed so."""
    entry = await get_entry(ctx, id)
    seal = await store.find_seal_of(ctx.db, entry.seq)
    if seal is None:
        raise NotSealedYet(
            f"Audit entry {id} waits for its seal, which is made every "
            f"{ctx.platform.settings.audit.seal_every.total_seconds():g} seconds. Ask again then."
        )
    leaves = await store.list_sealed(ctx.db, seal)
    keys = await _read_keys(ctx.platform)
    try:
        return entry, seal, proofs.make(rules.content(entry), entry.seq, leaves, seal, keys.public)
    except proofs.ProofBroken as err:
        raise SealBroken(
            f"{err} The log was changed after it was sealed: tell those who run the platform, "
            "who find out more with moor audit verify."
        ) from err


async def list_seals(ctx: Context, page: PageRequest) -> tuple[Page[Seal], AuditKeys]:
    """The newest seals first, and the public keys that they are checked with."""
    authorize_anywhere(ctx, Permission.AUDIT_ENTRY_READ)
    rows = await store.list_seals_before(ctx.db, page.after_number, limit=page.fetch)
    seals = pagination.page(rows, page, key=lambda seal: str(seal.number))
    return seals, await _read_keys(ctx.platform)


async def _read_keys(platform: Platform) -> AuditKeys:
    return await asyncio.to_thread(keyring.read, platform.settings.data / "keys")
