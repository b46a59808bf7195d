"""Use cases of operations."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Literal

from moorage_core.audit import commands as audit
from moorage_core.authz.authorize import Resource, authorize, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Grant, Kind, Principal
from moorage_core.authz.roles import GRANT_PERMISSIONS
from moorage_core.context import Context
from moorage_core.errors import Forbidden
from moorage_core.events import commands as events
from moorage_core.events import registry
from moorage_core.kit import pagination, tokens
from moorage_core.kit.ids import OperationGrantId, OperationId
from moorage_core.kit.pagination import Page, PageRequest
from moorage_core.operations import models, rules, store
from moorage_core.operations.models import InstanceRef, NewOperation, Operation, Recovery
from moorage_core.operations.schemas import OperationEnd, SessionCreate
from moorage_core.platform import Platform
from moorage_core.policy import commands as policy
from moorage_core.policy.models import Wanted
from moorage_core.tenancy import commands as tenancy

Outcome = Literal["succeeded", "failed", "cancelled"]
SSH_TASKS = "ssh-tasks"
"""Moves when there is something to do on a host without agent."""
OperationEnded = rules.OperationEnded
PlatformsOwn = rules.PlatformsOwn
ENDED = {
    "succeeded": registry.OPERATION_SUCCEEDED,
    "failed": registry.OPERATION_FAILED,
    "cancelled": registry.OPERATION_CANCELLED,
}


# Proving


async def find_grant_principal(platform: Platform, token: str) -> Principal | None:
    """Whoever holds the token of a live operation. Asked anew for each request, never remembered.

    The principal is the operation; its credential is the grant.
    """
    async with platform.database.alone() as db:
        found = await store.find_principal(
            db,
            token_hash=tokens.digest(token),
            roles=sorted(rules.OPENING_ROLES),
            key=Permission.INFRA_SESSION_CREATE,
            now=platform.clock.now(),
        )
    if found is None:
        return None
    grant = Grant(found["org_id"], found["project_id"], frozenset(map(str, GRANT_PERMISSIONS)))
    return Principal(
        Kind.OPERATION,
        found["operation_id"],
        found["operation_id"],
        grants=(grant,),
        credential=found["id"],
        instance=found["instance_id"],
        operation=found["operation_id"],
        fence=found["fence"],
    )


# For other slices: what instances, members and actions wish for


async def lock_instance(ctx: Context, id: str, *, org: str) -> InstanceRef:
    """The instance, whose operations change nothing until the caller is done. Raises if absent."""
    raise NotImplementedError


async def request(ctx: Context, new: NewOperation) -> Operation:
    """Record a wish, and its children's. The caller has locked the instance."""
    raise NotImplementedError


async def list_open(ctx: Context, instance: str, *, org: str) -> list[Operation]:
    """What has not ended of an instance, in order; children after their parent."""
    raise NotImplementedError


async def wake(ctx: Context, instance: str, *, org: str, topics: set[str]) -> None:
    """Something moved that operations of the instance may wait for. The caller has locked it."""
    raise NotImplementedError


async def request_cancel(
    ctx: Context, id: str, *, org: str, reason: str, force: bool = False
) -> Operation:
    """Ask an operation to stop, as a part of the caller's change. The caller locked the instance.

    With `force` it may be past its point of no return: only a decommission asks so.
    """
    raise NotImplementedError


async def fail(
    ctx: Context, id: str, *, org: str, code: str, message: str, recovery: Recovery = "terminal"
) -> Operation:
    """End an operation that cannot go on, as a part of the caller's change: its machine is gone.

    Whatever open state it is in; its target hears of it like of any failure. The caller locked the
    instance.
    """
    raise NotImplementedError


async def abandon_open(ctx: Context, instance: str, *, org: str, reason: str) -> list[Operation]:
    """End whatever is open of an instance without its controller. The caller locked the instance.

    What is left on machines is unknown, and stands in each one's residue.
    """
    raise NotImplementedError


# For other slices: the platform's own work on machines


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


async def hold(ctx: Context, id: str, *, key: str) -> tuple[Operation, models.Grant]:
    """The operation that the caller holds a grant of. It does not end before the caller is done.

    Nobody else has any business there, and of other operations a grant knows nothing.
    """
    who = ctx.principal
    orgs = sorted(who.scope.orgs)
    found = None
    if who.kind is Kind.OPERATION and who.id == id and who.credential is not None:
        found = await store.find_held(ctx.db, id, orgs=orgs, grant=who.credential)
    if found is None:
        await _refuse_hold(ctx, id, key=key, orgs=orgs)
        raise hidden("operation", id)
    authorize(ctx, key, _place(found[0]))
    return found


async def _refuse_hold(ctx: Context, id: str, *, key: str, orgs: list[str]) -> None:
    """People who see the operation are told what they lack."""
    ctx.checked.add(key)
    seen = await store.find(ctx.db, id, orgs=orgs)
    if seen is None or ctx.principal.kind is Kind.OPERATION:
        return
    authorize(ctx, key, _place(seen))
    raise Forbidden(
        f"Only whoever holds the token of operation {id} may do this.",
        org=seen.org_id,
        project=seen.project_id,
    )


# Sessions


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
    _audit(ctx, Permission.INFRA_SESSION_CREATE, operation)
    return operation, token


async def renew(ctx: Context, id: str, *, lease: int) -> Operation:
    operation = await get(ctx, id, key=Permission.INFRA_SESSION_CREATE, lock=True)
    rules.check_not_own(operation)
    rules.check_running(operation)
    until = rules.lease_until(ctx.now, timedelta(seconds=lease), deadline=operation.deadline)
    operation = await store.renew(ctx.db, id, org=operation.org_id, until=until, now=ctx.now)
    _audit(ctx, Permission.INFRA_SESSION_CREATE, operation)
    _publish(ctx, registry.OPERATION_RENEWED, operation)
    return operation


async def end(ctx: Context, id: str, given: OperationEnd) -> Operation:
    """From now on its token opens nothing, and its tasks stop."""
    operation = await get(ctx, id, key=Permission.INFRA_SESSION_END, lock=True)
    rules.check_not_own(operation)
    rules.check_running(operation)
    operation = await _end(ctx, operation, given.outcome, given.message)
    _audit(ctx, Permission.INFRA_SESSION_END, operation)
    return operation


async def end_expired(ctx: Context, id: str, *, org: str) -> bool:
    """End an operation whose lease has run out, unless it was renewed meanwhile."""
    operation = await store.find(ctx.db, id, orgs=[org], lock=True)
    if operation is None or operation.ended_at or operation.lease_expires_at >= ctx.now:
        return False
    operation = await _end(ctx, operation, "failed", "The lease ran out.")
    _audit(ctx, Permission.INFRA_SESSION_END, operation)
    return True


async def end_left(ctx: Context, id: str, *, org: str) -> bool:
    """End an operation whose opener left, unless they may open it again meanwhile."""
    roles, key = sorted(rules.OPENING_ROLES), Permission.INFRA_SESSION_CREATE
    operation = await store.lock_left(ctx.db, id, org=org, roles=roles, key=key)
    if operation is None:
        return False
    operation = await _end(ctx, operation, "cancelled", rules.OPENER_LEFT)
    _audit(ctx, Permission.INFRA_SESSION_END, operation)
    return True


# Reading


async def get(
    ctx: Context, id: str, *, key: str = Permission.APPS_OPERATION_READ, lock: bool = False
) -> Operation:
    who = ctx.principal
    operation = await store.find(ctx.db, id, orgs=sorted(who.scope.orgs), lock=lock)
    bound = who.kind in (Kind.OPERATION, Kind.WATCH)
    if operation is None or (bound and who.operation != id):
        raise hidden("operation", id)
    authorize(ctx, key, _place(operation))
    return operation


async def list_sessions(
    ctx: Context, project: str, page: PageRequest, *, status: str | None
) -> Page[Operation]:
    await tenancy.get_project(ctx, project, key=Permission.INFRA_SESSION_READ)
    rows = await store.list_page(
        ctx.db, page, orgs=[], projects=[project], kind="node.session", status=status
    )
    return pagination.page(rows, page, key=lambda operation: operation.id)


async def list_visible(
    ctx: Context, page: PageRequest, *, project: str | None, status: str | None
) -> Page[Operation]:
    """The operations of one project, or all that the caller may read."""
    key = Permission.APPS_OPERATION_READ
    if project is not None:
        await tenancy.get_project(ctx, project, key=key)
        orgs, projects = list[str](), [project]
    else:
        orgs, projects = _everywhere(ctx, key)
    rows = await store.list_page(
        ctx.db, page, orgs=orgs, projects=projects, kind=None, status=status
    )
    return pagination.page(rows, page, key=lambda operation: operation.id)


def _everywhere(ctx: Context, key: str) -> tuple[list[str], list[str]]:
    ctx.checked.add(key)
    orgs, projects = ctx.principal.orgs_with(key), ctx.principal.projects_with(key)
    if not orgs and not projects:
        raise Forbidden(f"This needs the permission {key} in at least one org or project.")
    return orgs, projects


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
    _publish(ctx, registry.OPERATION_RUNNING, opened)
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
    for task in await store.stop_tasks(ctx.db, ended.id, org=ended.org_id, now=ctx.now):
        ctx.topics |= {f"node:{task['node_id']}", f"task:{task['id']}"}
        if task["reach"] == "ssh":
            ctx.topics.add(SSH_TASKS)
    _publish(ctx, ENDED[outcome], ended)
    return ended


def _place(operation: Operation) -> Resource:
    return Resource("operation", operation.id, operation.org_id, operation.project_id)


def _audit(ctx: Context, action: str, operation: Operation) -> None:
    audit.record(
        ctx,
        action,
        operation.id,
        org=operation.org_id,
        project=operation.project_id,
        details={
            "status": operation.status,
            "reason": operation.reason,
            "message": operation.message,
            "allocations": operation.allocations,
            "lease_expires_at": operation.lease_expires_at.isoformat(),
        },
    )


def _publish(ctx: Context, event: registry.EventType, operation: Operation) -> None:
    ctx.topics.add(f"op:{operation.id}")
    data = registry.Operation(
        id=operation.id,
        kind=operation.kind,
        status=operation.status,
        reason=operation.reason,
        fence=operation.fence,
        allocations=operation.allocations,
    )
    events.publish(
        ctx,
        event,
        data,
        subject=operation.id,
        version=operation.version,
        org=operation.org_id,
        project=operation.project_id,
    )
