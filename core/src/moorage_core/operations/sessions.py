"""Use cases of sessions: an admin's work on machines, and the platform's own."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Literal

from moorage_core.authz.authorize import hidden
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Kind
from moorage_core.context import Context
from moorage_core.events import registry
from moorage_core.kit import pagination, tokens
from moorage_core.kit.ids import OperationGrantId, OperationId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.operations import flow, reading, rules, store
from moorage_core.operations.models import Operation
from moorage_core.operations.schemas import OperationEnd, SessionCreate
from moorage_core.policy import commands as policy
from moorage_core.policy.models import Wanted
from moorage_core.tenancy import commands as tenancy

Outcome = Literal["succeeded", "failed", "cancelled"]

# The platform's own work on machines


async def open_internal(
    ctx: Context,
    *,
    org: str,
    project: str,
    allocations: Sequence[str],
    reason: str,
    lease: timedelta,
) -> Operation:
    """An operation of the platform's own. It has no token: only the platform acts for it.

    The caller has locked the allocations, whose state is its own business, and audits its change.
    """
    return await _open(
        ctx, org=org, project=project, allocations=list(allocations), reason=reason, lease=lease
    )


async def continue_internal(
    ctx: Context,
    id: str | None,
    *,
    org: str,
    project: str,
    allocations: Sequence[str],
    reason: str,
    lease: timedelta,
) -> Operation:
    """An operation of the platform's own that goes on, on these machines too; or another one."""
    found = None if id is None else await find_running(ctx, id, org=org)
    if found is None or found.lease_expires_at is None or found.lease_expires_at < ctx.now:
        return await open_internal(
            ctx, org=org, project=project, allocations=allocations, reason=reason, lease=lease
        )
    await store.add_allocations(ctx.db, found.id, list(allocations), org=org, project=project)
    return found


async def get_internal(ctx: Context, id: str, *, org: str) -> Operation:
    """An operation of the platform's own, for the platform's own work in that org."""
    found = await store.find(ctx.db, id, orgs=[org], lock=True)
    assert found is not None, f"operation {id} is not of {org}"
    return found


async def find_running(ctx: Context, id: str, *, org: str) -> Operation | None:
    """An operation of the platform's own, for as long as it has not ended. Locked: it stays so."""
    found = await store.find(ctx.db, id, orgs=[org], lock=True)
    return found if found is not None and found.ended_at is None else None


async def close(
    ctx: Context, operation: str, outcome: Outcome, *, org: str, message: str | None = None
) -> Operation:
    """End an operation, if it has not ended, and stop what it has under way.

    Part of the caller's change, which audits it.
    """
    found = await get_internal(ctx, operation, org=org)
    return found if found.ended_at else await _end(ctx, found, outcome, message)


async def end_on_allocation(
    ctx: Context, allocation: str, *, org: str, message: str, besides: Sequence[str] = ()
) -> list[Operation]:
    """End every operation that is at work on a machine: it is being given back."""
    running = await store.lock_running_on(ctx.db, allocation, org=org, besides=list(besides))
    return [await _end(ctx, operation, "cancelled", message) for operation in running]


# People's


async def open_session(ctx: Context, project: str, new: SessionCreate) -> tuple[Operation, str]:
    """Open an admin's work on machines, for a reason and a time. The token is shown once."""
    where = await tenancy.get_project(ctx, project, key=Permission.INFRA_SESSION_CREATE)
    await policy.require(ctx, Wanted(project, None, "node.session"))
    ids: list[str] = sorted(set(new.allocations))
    machines = await store.lock_machines(ctx.db, ids, org=where.org_id, project=project)
    for id in ids:
        if id not in {machine.id for machine in machines}:
            raise hidden("allocation", id)
    rules.check_active(machines)
    token = tokens.new_marked(tokens.OPERATION_GRANT, ctx.platform.node_key)
    operation = await _open(
        ctx,
        org=where.org_id,
        project=project,
        allocations=ids,
        reason=new.reason,
        lease=timedelta(seconds=new.lease),
        token=token,
    )
    reading.note(ctx, Permission.INFRA_SESSION_CREATE, operation)
    return operation, token


async def renew(ctx: Context, id: str, *, lease: int) -> Operation:
    operation = await reading.get(ctx, id, key=Permission.INFRA_SESSION_CREATE, lock=True)
    rules.check_not_own(operation)
    rules.check_running(operation)
    until = rules.lease_until(ctx.now, timedelta(seconds=lease), deadline=operation.deadline)
    operation = await store.renew(ctx.db, id, org=operation.org_id, until=until, now=ctx.now)
    reading.note(ctx, Permission.INFRA_SESSION_CREATE, operation)
    flow.publish(ctx, registry.OPERATION_RENEWED, operation)
    return operation


async def end(ctx: Context, id: str, given: OperationEnd) -> Operation:
    """From now on its token opens nothing, and its tasks stop."""
    operation = await reading.get(ctx, id, key=Permission.INFRA_SESSION_END, lock=True)
    rules.check_not_own(operation)
    rules.check_running(operation)
    operation = await _end(ctx, operation, given.outcome, given.message)
    reading.note(ctx, Permission.INFRA_SESSION_END, operation)
    return operation


async def end_expired(ctx: Context, id: str, *, org: str) -> bool:
    """End an operation whose lease has run out, unless it was renewed meanwhile."""
    operation = await store.find(ctx.db, id, orgs=[org], lock=True)
    if operation is None or operation.ended_at:
        return False
    if operation.lease_expires_at is None or operation.lease_expires_at >= ctx.now:
        return False
    operation = await _end(ctx, operation, "failed", "The lease ran out.")
    reading.note(ctx, Permission.INFRA_SESSION_END, operation)
    return True


async def end_left(ctx: Context, id: str, *, org: str) -> bool:
    """End an operation whose opener left, unless they may open it again meanwhile."""
    roles, key = sorted(rules.OPENING_ROLES), Permission.INFRA_SESSION_CREATE
    operation = await store.lock_left(ctx.db, id, org=org, roles=roles, key=key)
    if operation is None:
        return False
    operation = await _end(ctx, operation, "cancelled", rules.OPENER_LEFT)
    reading.note(ctx, Permission.INFRA_SESSION_END, operation)
    return True


async def list_sessions(
    ctx: Context, project: str, page: PageRequest, *, status: str | None
) -> Page[Operation]:
    await tenancy.get_project(ctx, project, key=Permission.INFRA_SESSION_READ)
    rows = await store.list_page(
        ctx.db, page, orgs=[], projects=[project], kind="node.session", status=status
    )
    return pagination.page(rows, page, key=lambda operation: operation.id)


# What all of them do


async def _open(
    ctx: Context,
    *,
    org: str,
    project: str,
    allocations: list[str],
    reason: str,
    lease: timedelta,
    token: str | None = None,
) -> Operation:
    who, id = ctx.principal, OperationId.new()
    deadline = rules.deadline_of(ctx.now, lease)
    operation: dict[str, Any] = {
        "id": id,
        "org": org,
        "project": project,
        "reason": reason,
        "kind": who.kind if token else Kind.SYSTEM,
        "by": who.id if token else Kind.SYSTEM,
        "name": who.name if token else Kind.SYSTEM,
        "lease": rules.lease_until(ctx.now, lease, deadline=deadline),
        "deadline": deadline,
        "correlation": ctx.trace.correlation_id,
        "traceparent": ctx.trace.traceparent,
        "now": ctx.now,
    }
    grant = (
        {"grant_id": OperationGrantId.new(), "token_hash": tokens.digest(token)} if token else {}
    )
    await store.add(ctx.db, operation, allocations=allocations, grant=grant)
    opened = await store.find(ctx.db, id, orgs=[org])
    assert opened is not None, "the operation was added a moment ago"
    flow.publish(ctx, registry.OPERATION_RUNNING, opened)
    return opened


async def _end(
    ctx: Context, operation: Operation, outcome: Outcome, message: str | None
) -> Operation:
    ended = await store.end(
        ctx.db,
        operation.id,
        org=operation.org_id,
        status=outcome,
        message=message,
        now=ctx.now,
    )
    await flow.stop_tasks(ctx, [ended.id], org=ended.org_id)
    flow.publish(ctx, flow.EVENTS[outcome], ended)
    return ended
