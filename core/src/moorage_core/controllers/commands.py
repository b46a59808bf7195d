"""What controllers do besides claiming: leave, and say what they see of instances.

Everything here is one transaction in the org of the instance, under the token of a watch or of an
operation. Nothing here changes a machine.
"""

from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Any

from moorage_core import unit
from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import hidden
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.context import Context, Trace
from moorage_core.controllers import acting, claims, rules, store, watches
from moorage_core.controllers.models import PersonOnCluster, Probe
from moorage_core.controllers.schemas import (
    Observed,
    ProbesCreate,
    RepairRequest,
    ReportEntry,
    Reports,
    UsageReport,
    UsageSaid,
)
from moorage_core.errors import ApiError
from moorage_core.http import problems
from moorage_core.instances import commands as instances
from moorage_core.instances.models import Instance
from moorage_core.kit.ids import UsageRecordId
from moorage_core.members import commands as members
from moorage_core.operations import claims as operation_claims
from moorage_core.operations import commands as operations
from moorage_core.operations import reports
from moorage_core.operations.models import Operation
from moorage_core.operations.report_shapes import ReportCreate
from moorage_core.platform import Platform
from moorage_core.tasks import commands as tasks
from moorage_core.tasks.models import Task
from moorage_manifest import Manifest

PROBING = timedelta(days=3650)
"""How long the platform's own session for probes lasts: as long as its instance."""
PROBING_REASON = "Probes of an app that looks after its instance"


async def leave(platform: Platform, who: Principal, id: str) -> None:
    """A replica goes in order: what it holds is free at once."""
    claims.check_may_claim(who)
    async with platform.database.transaction(who.scope, read_only=True) as db:
        found = await store.find_replica(db, id, account=who.id, orgs=sorted(who.scope.orgs))
    if found is None:
        raise hidden("replica", id)
    async with platform.database.sweep() as db:
        await store.end_replica(db, id, now=platform.clock.now())
        operators = await store.free_watches(db, [id])
    await operation_claims.give_back(platform, replica=id)
    platform.hub.mark(map(watches.topic, operators))


async def report(
    platform: Platform, who: Principal, said: Reports, *, trace: Trace
) -> list[dict[str, Any]]:
    """What many operations have become; an answer for each, in order."""
    claims.check_may_claim(who)
    answers = await reports.take(platform, [_entry(each) for each in said.reports])
    pairs = zip(said.reports, answers, strict=True)
    return [_reported(each.operation, answer, trace) for each, answer in pairs]


def _entry(said: ReportEntry) -> reports.Entry:
    given = said.model_dump(exclude_unset=True, exclude={"operation", "grant"})
    return reports.Entry(said.operation, said.grant, ReportCreate.model_validate(given))


def _reported(operation: str, answer: reports.Answer, trace: Trace) -> dict[str, Any]:
    if isinstance(answer, ApiError):
        problem = problems.document(answer, trace.correlation_id)
        return {"operation": operation, "problem": problem}
    return {
        "operation": operation,
        "status": answer.status,
        "direction": answer.direction,
        "fence": answer.fence,
        "sequence": answer.sequence,
        "lease_expires_at": answer.lease_expires_at,
        "cancel_requested": answer.cancel_requested_at is not None,
        "cancel_reason": answer.cancel_reason,
    }


async def observe(
    platform: Platform, who: Principal, instance: str, said: Observed, *, trace: Trace
) -> Instance:
    """What a look at an instance has shown."""
    key = Permission.APPS_INSTANCE_OBSERVE
    async with _work(platform, who, trace) as ctx:
        found = await acting.act(ctx, instance, key=key, fence=said.fence, lock=True)
        given = said.model_dump(mode="json", exclude_unset=True, exclude={"fence", "members"})
        seen = await instances.report_observed(ctx, instance, org=found.org_id, said=given)
        assert seen is not None, "its row is locked"
        if said.members:
            parts = said.model_dump(exclude_unset=True)["members"]
            await members.report_observed(ctx, instance, org=found.org_id, said=parts)
    return seen


async def list_principals(
    platform: Platform, who: Principal, instance: str, *, trace: Trace
) -> list[PersonOnCluster]:
    """Who may be on the machines of an instance."""
    async with _work(platform, who, trace) as ctx:
        found = await acting.act(ctx, instance, key=Permission.APPS_PRINCIPAL_READ)
        await _manifest(ctx, found, asks="principals.read")
        return await store.list_people(
            ctx.db, org=found.org_id, project=found.project_id, roles=sorted(rules.ON_CLUSTER)
        )


async def report_usage(
    platform: Platform, who: Principal, said: UsageReport, *, trace: Trace
) -> dict[str, int]:
    """What was used. A record that was said before counts once."""
    async with _work(platform, who, trace) as ctx:
        key = Permission.APPS_USAGE_REPORT
        found = await acting.act_for_own(ctx, key=key, fence=said.fence)
        manifest = await _manifest(ctx, found, asks="usage.report")
        rules.check_usage(said.records, manifest, project=found.project_id)
        rows = [_usage(ctx, each) for each in said.records]
        recorded = await store.add_usage(
            ctx.db, rows, instance=found.id, org=found.org_id, project=found.project_id
        )
    return {"recorded": recorded, "repeated": len(rows) - recorded}


def _usage(ctx: Context, said: UsageSaid) -> dict[str, Any]:
    return {
        "id": UsageRecordId.new(),
        "meter": said.meter,
        "key": said.key,
        "quantity": str(said.quantity),
        "from_at": said.from_at.isoformat(),
        "until_at": said.until_at.isoformat(),
        "created_at": ctx.now.isoformat(),
    }


async def request_repair(
    platform: Platform, who: Principal, instance: str, said: RepairRequest, *, trace: Trace
) -> Operation:
    """Whoever watches an instance asks for what it may not do itself.

    Asked for the same thing while that has not ended, it is the same repair: one that waits for a
    person is not heaped upon.
    """
    async with _work(platform, who, trace) as ctx:
        key = Permission.APPS_INSTANCE_REQUEST_REPAIR
        found = await acting.act(ctx, instance, key=key, fence=said.fence, lock=True)
        await _manifest(ctx, found, asks="instance.repair")
        for each in await operations.list_open(ctx, found.id, org=found.org_id):
            if (each.kind, each.reason) == ("instance.repair", said.reason):
                return each
        operation = await instances.request_repair(
            ctx, found, reason=said.reason, members=said.members
        )
        audit.record(
            ctx,
            key,
            operation.id,
            org=found.org_id,
            project=found.project_id,
            app=found.app_slug,
            instance=instance,
            details={"reason": said.reason},
        )
    return operation


# Probes


async def probe(
    platform: Platform, who: Principal, instance: str, said: ProbesCreate, *, trace: Trace
) -> list[Task]:
    """Have declared commands run on members, in the platform's own session for this instance.

    A probe that has not ended yet is the one that is asked for again.
    """
    async with _work(platform, who, trace) as ctx:
        key = Permission.APPS_PROBE_CREATE
        found = await acting.act(ctx, instance, key=key, fence=said.fence, lock=True)
        manifest, org = await _manifest(ctx, found), found.org_id
        named = [each.member for each in said.probes]
        there = await members.find_live(ctx, named, instance=instance, org=org)
        wanted = [rules.probe(each, manifest, there) for each in said.probes]
        session = await operations.continue_internal(
            ctx,
            await store.find_probing(ctx.db, instance, org=org),
            org=org,
            project=found.project_id,
            allocations=sorted({each.allocation for each in wanted}),
            reason=PROBING_REASON,
            lease=PROBING,
        )
        await store.note_probing(ctx.db, instance, org=org, operation=session.id)
        return [await _run(ctx, session, each) for each in wanted]


async def _run(ctx: Context, session: Operation, wanted: Probe) -> Task:
    return await tasks.add_internal(
        ctx,
        session,
        allocation=wanted.allocation,
        kind="probe",
        key=f"probe/{wanted.name}",
        input={"argv": wanted.command},
        timeout=wanted.timeout,
        wakes=None,
        queued_for=rules.PROBE_QUEUED_FOR,
    )


# What all of them do


def _work(platform: Platform, who: Principal, trace: Trace) -> AbstractAsyncContextManager[Context]:
    return unit.work(platform, who.home_org, principal=who, trace=trace, scope=who.scope)


async def _manifest(ctx: Context, instance: Instance, *, asks: str | None = None) -> Manifest:
    """What the instance's version says of itself. It must have asked for what is wanted."""
    manifest = await instances.manifest_of(ctx, instance.version_id)
    if asks is not None:
        rules.check_scope(manifest, asks, org=instance.org_id, project=instance.project_id)
    return manifest
