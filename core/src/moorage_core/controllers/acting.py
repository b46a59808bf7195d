"""Whoever acts for one instance: its watcher, or the holder of one of its operations.

Both come with a token that opens that instance alone. It is looked at again here, in the
transaction of what they want to do: a watch that has changed hands since the request came in, or
an operation that was taken over, changes nothing any more.
"""

from moorage_core.authz.authorize import Resource, authorize, hidden
from moorage_core.authz.principals import Kind
from moorage_core.context import Context
from moorage_core.controllers import rules, store
from moorage_core.errors import Forbidden
from moorage_core.instances import commands as instances
from moorage_core.instances.models import Instance
from moorage_core.operations import commands as operations

ERRORS = (rules.WatchEnded, operations.GrantEnded)


async def act(
    ctx: Context, instance: str, *, key: str, fence: int | None = None, lock: bool = False
) -> Instance:
    """Let whoever acts for the instance through. They act for it until the caller is done.

    With `lock`, nobody else changes the instance meanwhile. It is locked before the watch and
    before the operation, as everybody does who wants both.
    """
    who = ctx.principal
    if who.kind not in (Kind.WATCH, Kind.OPERATION):
        await _refuse(ctx, instance, key=key)
    ctx.checked.add(key)
    found = None
    if who.instance == instance:
        found = await instances.find(ctx, instance, org=who.home_org, lock=lock)
    if found is None or found.deleted_at is not None:
        raise hidden("instance", instance)
    if await _turn(ctx, found, key=key) != who.fence or fence not in (None, who.fence):
        raise rules.WatchEnded(
            f"You no longer act for instance {instance}: somebody else's turn has begun since."
            " Claim again."
        )
    return found


async def act_for_own(ctx: Context, *, key: str, fence: int) -> Instance:
    """The same for the one instance that the caller's token is about."""
    instance = ctx.principal.instance
    if instance is None:
        ctx.checked.add(key)
        raise Forbidden(
            f"This needs the permission {key}, which only tokens of watches and of apps' operations"
            " have."
        )
    return await act(ctx, instance, key=key, fence=fence)


async def _turn(ctx: Context, instance: Instance, *, key: str) -> int | None:
    """The fence of whoever's turn it is, if that is the caller. It stays theirs meanwhile."""
    who, org = ctx.principal, instance.org_id
    if who.kind is Kind.OPERATION:
        held = await operations.hold(ctx, who.id, key=key)
        return held.fence
    authorize(ctx, key, Resource("instance", instance.id, org, instance.project_id))
    return await store.lock_watch(ctx.db, instance.id, org=org, replica=str(who.credential))


async def _refuse(ctx: Context, instance: str, *, key: str) -> None:
    """People who see the instance are told that this is not for them."""
    ctx.checked.add(key)
    found = await instances.get(ctx, instance)
    raise Forbidden(
        f"This needs the permission {key}, which only the controller that acts for instance"
        f" {instance} has, by the token of its watch or of an operation.",
        org=found.org_id,
        project=found.project_id,
    )
