"""What people do about an operation: cancel, retry, resume, abandon."""

from dataclasses import replace

from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.events import registry
from moorage_core.operations import flow, hooks, queue_store, reading, recovery, requests, rules
from moorage_core.operations.models import Operation


async def cancel(ctx: Context, id: str, *, reason: str) -> Operation:
    """Stop it, and take back what it did."""
    key = Permission.APPS_OPERATION_CANCEL
    operation = await _locked(ctx, id, key, "cancel")
    await requests.stop(ctx, operation, reason=reason)
    return await _done(ctx, operation, key, reason)


async def retry(ctx: Context, id: str, *, reason: str) -> Operation:
    """The same again, after it failed. What was done is not done again.

    It stands at the end of the line; a child stays with its parent.
    """
    key = Permission.APPS_OPERATION_RETRY
    operation = await _locked(ctx, id, key, "retry")
    await _authorize(ctx, operation)
    org = operation.org_id
    again = recovery.reopened(operation)
    if operation.parent_id is None:
        place = await queue_store.take_place(ctx.db, operation.instance_id, org=org)
        await queue_store.move_line(ctx.db, operation.id, org=org, place=place)
        again = replace(again, place=place)
    (moved,) = await flow.move(ctx, [(operation, again)], org=org)
    if operation.is_parent and await _reopen_children(ctx, operation):
        # Its steps are in the journal: it passes by them to its children.
        (moved,) = await flow.move(ctx, [(moved, replace(moved, phase="prepare"))], org=org)
    flow.publish(ctx, registry.OPERATION_REOPENED, moved)
    return await _done(ctx, operation, key, reason)


async def _reopen_children(ctx: Context, parent: Operation) -> bool:
    """Children that failed are tried again with their parent, where that has any use."""
    if parent.direction == "undo":
        return False
    org = parent.org_id
    failed = await queue_store.list_children(ctx.db, parent.id, org=org, statuses=["failed"])
    # In an instance that goes nothing is begun again but what ends it.
    ends = parent.kind == "instance.decommission"
    changes = [
        (each, recovery.reopened(each))
        for each in await reading.seen(ctx, failed)
        if each.recovery != "terminal"
        and each.direction == "forward"
        and (ends or not each.is_barred)
    ]
    return bool(await flow.move(ctx, changes, org=org))


async def resume(ctx: Context, id: str, *, reason: str) -> Operation:
    """Let it go on, now that a person has looked."""
    key = Permission.APPS_OPERATION_RESUME
    operation = await _locked(ctx, id, key, "resume")
    await _authorize(ctx, operation)
    changes = [(operation, recovery.reopened(operation))]
    (moved,) = await flow.move(ctx, changes, org=operation.org_id)
    flow.publish(ctx, registry.OPERATION_REOPENED, moved)
    return await _done(ctx, operation, key, reason)


async def abandon(ctx: Context, id: str, *, reason: str) -> Operation:
    """End it without its controller. Nobody knows then what is left on the machines."""
    key = Permission.APPS_OPERATION_ABANDON
    operation = await _locked(ctx, id, key, "abandon")
    changes = [(operation, recovery.abandoned(operation, reason=reason))]
    await flow.move(ctx, changes, org=operation.org_id)
    return await _done(ctx, operation, key, reason)


async def _locked(ctx: Context, id: str, key: str, verb: recovery.Verb) -> Operation:
    """The operation with its instance, if the caller may do this and it can be done."""
    seen = await reading.get(ctx, id, key=key)
    if seen.app_instance_id is None:
        raise rules.InvalidTransition(f"Operation {id} is a session. It is ended, nothing else.")
    instance = await requests.lock_instance(ctx, seen.app_instance_id, org=seen.org_id)
    (operation,) = await queue_store.lock(ctx.db, [id], org=seen.org_id)
    recovery.check(operation, verb)
    recovery.check_instance(operation, verb, instance=instance.status)
    return operation


async def _authorize(ctx: Context, operation: Operation) -> None:
    """To have it done once more takes what it took to ask for it: of a part, for the whole."""
    wish = operation
    if operation.parent_id is not None:
        (wish,) = await queue_store.lock(ctx.db, [operation.parent_id], org=operation.org_id)
    await ctx.platform.targets[hooks.word(wish.kind)].authorize(ctx, wish)


async def _done(ctx: Context, operation: Operation, key: str, reason: str) -> Operation:
    await flow.settle(ctx, operation.instance_id, org=operation.org_id)
    (now,) = await queue_store.lock(ctx.db, [operation.id], org=operation.org_id)
    reading.note(ctx, key, now, why=reason)
    (shown,) = await reading.seen(ctx, [now])
    return shown
