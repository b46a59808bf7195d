"""The door to operations for everybody else: who holds one, and what can be asked of them."""

from moorage_core.authz.authorize import authorize, hidden
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Grant, Kind, Principal
from moorage_core.authz.roles import GRANT_PERMISSIONS
from moorage_core.context import Context
from moorage_core.errors import Forbidden
from moorage_core.kit import tokens
from moorage_core.operations import (
    flow,
    reading,
    recovery,
    requests,
    rules,
    sessions,
    store,
    verbs,
)
from moorage_core.operations.models import Operation
from moorage_core.platform import Platform

Outcome = sessions.Outcome
SSH_TASKS = flow.SSH_TASKS
GrantEnded = rules.GrantEnded
OperationEnded = rules.OperationEnded
PlatformsOwn = rules.PlatformsOwn
InvalidTransition = rules.InvalidTransition
RollsForwardOnly = recovery.RollsForwardOnly

# What instances, members and actions wish for: parts of their own changes, the instance locked.

lock_instance = requests.lock_instance
request = requests.request
list_open = requests.list_open
wake = requests.wake
fail = requests.fail
rule_out_retry = requests.rule_out_retry
request_cancel = requests.request_cancel
abandon_open = requests.abandon_open
end_all = requests.end_all

# What people do about them.

cancel = verbs.cancel
retry = verbs.retry
resume = verbs.resume
abandon = verbs.abandon
get = reading.get

# The platform's own work on machines.

open_internal = sessions.open_internal
continue_internal = sessions.continue_internal
get_internal = sessions.get_internal
find_running = sessions.find_running
close = sessions.close
end_on_allocation = sessions.end_on_allocation


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


async def hold(ctx: Context, id: str, *, key: str) -> Operation:
    """The operation that the caller holds a live grant of. It stays so until the caller is done.

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
    operation, grant = found
    authorize(ctx, key, reading.place(operation))
    # Who was the holder when the request came in may not be any more.
    rules.check_grant(operation, grant)
    return operation


async def _refuse_hold(ctx: Context, id: str, *, key: str, orgs: list[str]) -> None:
    """People who see the operation are told what they lack."""
    ctx.checked.add(key)
    seen = await store.find(ctx.db, id, orgs=orgs)
    if seen is None or ctx.principal.kind is Kind.OPERATION:
        return
    authorize(ctx, key, reading.place(seen))
    raise Forbidden(
        f"Only whoever holds the token of operation {id} may do this.",
        org=seen.org_id,
        project=seen.project_id,
    )
