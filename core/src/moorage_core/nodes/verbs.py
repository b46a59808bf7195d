"""What those who run the platform do with a node: change it, take it out, bring it back."""

import psycopg

from moorage_core.authz.authorize import authorize, platform
from moorage_core.authz.permissions import Permission
from moorage_core.context import Context
from moorage_core.events import registry
from moorage_core.http import etag
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.nodes import commands, rules, store
from moorage_core.nodes.models import Holder, Node, Status
from moorage_core.nodes.schemas import NodeUpdate


async def update(ctx: Context, id: str, change: NodeUpdate, *, expected: int) -> commands.Held:
    authorize(ctx, Permission.INFRA_NODE_OPERATE, platform())
    node = await commands.lock(ctx, id)
    etag.check("node", id, have=node.version, expected=expected)
    given = change.model_dump(exclude_none=True)
    try:
        node = await store.update(ctx.db, id, org=PLATFORM_ORG, change=given, now=ctx.now)
    except psycopg.errors.UniqueViolation as err:
        raise rules.NameTaken(f"Another node is named {change.name} already.") from err
    commands.record(ctx, Permission.INFRA_NODE_OPERATE, registry.NODE_UPDATED, node, **given)
    return await commands.held_by(ctx, node)


async def maintain(ctx: Context, id: str, *, reason: str) -> commands.Held:
    """Take a node out that nobody holds."""
    return await _act(ctx, id, Status.MAINTENANCE, verb="take out", reason=reason)


async def quarantine(ctx: Context, id: str, *, reason: str) -> commands.Held:
    """Take a node out that something is wrong with, whoever holds it. It gets no work any more."""
    return await _act(ctx, id, Status.QUARANTINED, verb=None, reason=reason)


async def retire(ctx: Context, id: str, *, reason: str) -> commands.Held:
    """Take a node out for good. Its agent stops."""
    held = await _act(ctx, id, Status.RETIRED, verb="retire", reason=reason)
    await store.drop_token(ctx.db, id, org=PLATFORM_ORG)
    await store.revoke_open(ctx.db, org=PLATFORM_ORG, node=id, now=ctx.now)
    retired = await store.call_off_reimage(ctx.db, id, org=PLATFORM_ORG)
    return commands.Held(retired, held.holder)


async def reimage(ctx: Context, id: str, *, reason: str) -> commands.Held:
    """Have a node that nobody holds imaged anew. By the provisioner's command, or by hand."""
    authorize(ctx, Permission.INFRA_NODE_OPERATE, platform())
    rules.check_has_agent(await commands.lock(ctx, id))
    held = await _act(ctx, id, Status.ENROLLING, verb="image", reason=reason)
    wanted = await store.request_reimage(ctx.db, id, org=PLATFORM_ORG, reason=reason, now=ctx.now)
    await store.drop_token(ctx.db, id, org=PLATFORM_ORG)
    ctx.topics.add(commands.REIMAGES)
    return commands.Held(wanted, held.holder)


async def resume(ctx: Context, id: str) -> commands.Held:
    """Back to work. A conflict of identities counts as cleared: the copy was found.

    A wish for a new image ends with it, unless the provisioner is at it: then the node goes on
    waiting for its host. An allocation that waits for the image keeps both.
    """
    authorize(ctx, Permission.INFRA_NODE_OPERATE, platform())
    node = await commands.lock(ctx, id)
    held = await commands.held_by(ctx, node)
    imaging = held.holder is None and not await commands.call_off_reimage(ctx, node)
    after = rules.resumed(node, held.allocation_id, imaging=imaging)
    await store.clear_conflict(ctx.db, id, org=PLATFORM_ORG)
    return await _set(ctx, node, after, holder=held.holder, reason=None)


async def _act(
    ctx: Context, id: str, after: Status, *, verb: str | None, reason: str
) -> commands.Held:
    authorize(ctx, Permission.INFRA_NODE_OPERATE, platform())
    node = await commands.lock(ctx, id)
    held = await commands.held_by(ctx, node)
    if verb is not None:
        instance = await store.find_instance(ctx.db, id) if held.allocation_id else None
        rules.check_free(node, held.allocation_id, instance, verb=verb)
    rules.transition(node, after)
    return await _set(ctx, node, after, holder=held.holder, reason=reason)


async def _set(
    ctx: Context, node: Node, after: Status, *, holder: Holder | None, reason: str | None
) -> commands.Held:
    """Written also where the status is the same: the reason may be another, and it is recorded."""
    moved = await store.set_status(
        ctx.db, node.id, org=PLATFORM_ORG, status=after, reason=reason, now=ctx.now
    )
    details = {
        "before": node.status,
        "reason": reason,
        "allocation": holder and holder.allocation_id,
    }
    commands.record(ctx, Permission.INFRA_NODE_OPERATE, commands.EVENTS[after], moved, **details)
    return commands.Held(moved, holder)
