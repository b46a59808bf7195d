"""Use cases of triage."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast, get_args

from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import authorize, authorize_anywhere, hidden, platform
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.operations import commands as operations
from moorage_core.operations import reading, recovery
from moorage_core.operations.models import Operation
from moorage_core.policy import commands as policy
from moorage_core.policy.models import Growing, Verdict, Wanted
from moorage_core.triage import rules, store
from moorage_core.triage.models import Cause, Moment, Next

READ, EVENTS = Permission.APPS_OPERATION_READ, Permission.EVENTS_EVENT_READ
ENTRIES, LOGS = Permission.AUDIT_ENTRY_READ, Permission.APPS_TASK_READ
GROWING: tuple[str, ...] = get_args(Growing)
OPERATIONS = 200
"""Of one request that are shown. A bulk of a thousand is read operation by operation."""


@dataclass(frozen=True)
class Triage:
    correlation_id: str
    cause: Cause | None
    next: list[Next]
    policy: list[Verdict]
    operations: list[Operation]
    timeline: list[Moment]


Where = Callable[[str], tuple[list[str], list[str]]]
"""From a key to the whole orgs, and the single projects, in which things may be looked at."""


async def read(ctx: Context, correlation: str) -> Triage:
    """What came of a request, as far as the caller may look at it."""
    authorize_anywhere(ctx, READ)
    who = ctx.principal
    return await _read(
        ctx, correlation, where=lambda key: (who.orgs_with(key), who.projects_with(key))
    )


async def open_foreign(ctx: Context, correlation: str, *, org: str, reason: str) -> Triage:
    """Break-glass: those who run the platform look at what came of a tenant's request."""
    key = Permission.PLATFORM_INSTANCE_READ_TRIAGE
    authorize(ctx, key, platform())
    await ctx.db.set_scope(ctx.principal.scope.with_org(org))
    found = await _read(ctx, correlation, where=lambda _: ([org], []))
    if not found.operations:
        raise hidden("request", correlation)
    shown = await operations.get_internal(ctx, found.operations[0].id, org=org)
    audit.record_break_glass(
        ctx,
        key,
        shown.id,
        org=org,
        project=shown.project_id,
        reason=reason,
        app=shown.app_slug,
        instance=shown.app_instance_id,
    )
    data = registry.BreakGlass(action=key, target=shown.id, reason=reason)
    events.publish(
        ctx,
        registry.BREAK_GLASS_USED,
        data,
        subject=shown.id,
        version=shown.version,
        org=org,
        project=shown.project_id,
    )
    return found


async def _read(ctx: Context, correlation: str, *, where: Where) -> Triage:
    orgs, projects = where(READ)
    found = await reading.list_by_correlation(
        ctx, correlation, orgs=orgs, projects=projects, limit=OPERATIONS
    )
    ids, orgs = [each.id for each in found], sorted({each.org_id for each in found})
    steps = await store.list_steps(ctx.db, ids, orgs=orgs) if ids else []
    logs = where(LOGS)
    tasks = await store.list_tasks(ctx.db, ids, orgs=orgs, logs=logs) if ids else []
    orgs, projects = where(EVENTS)
    published = await store.list_events(ctx.db, correlation, orgs=orgs, projects=projects)
    orgs, projects = where(ENTRIES)
    entries = await store.list_entries(ctx.db, correlation, orgs=orgs, projects=projects)
    refusals = await store.list_refusals(ctx.db, correlation, principal=ctx.principal)
    if not (found or published or entries or refusals):
        raise hidden("request", correlation)
    return Triage(
        correlation_id=correlation,
        cause=rules.cause(found, steps, tasks),
        next=rules.next_steps(found, recovery.offered),
        policy=await _policy(ctx, found),
        operations=found,
        timeline=rules.timeline(
            operations=found,
            steps=steps,
            tasks=tasks,
            events=published,
            entries=rules.told_once(entries, refusals, principal=ctx.principal),
            refusals=[rules.refusal(each, principal=ctx.principal) for each in refusals],
        ),
    )


async def _policy(ctx: Context, found: Sequence[Operation]) -> list[Verdict]:
    """What each layer says to it now, where policy has a say in it."""
    first = next((each for each in found if each.kind in GROWING and each.app_id), None)
    if first is None:
        return []
    wanted = Wanted(
        first.project_id,
        first.app_id,
        cast(Growing, first.kind),
        version=first.version_id,
        counted=True,
    )
    return list((await policy.decide_of_project(ctx, wanted, org=first.org_id)).verdicts)
