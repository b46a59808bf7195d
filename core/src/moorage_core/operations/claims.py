"""How a controller gets operations: reserved across tenants, handed over tenant by tenant.

A reservation is one statement as moorage_system that sees ids and scheduling columns only. What is
in an operation is then read inside its own org. If the process dies in between, the lease runs out
and somebody else gets the operation; if the answer is lost on its way, the replica says which
number it saw last and is told again, with the same token.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any

from moorage_core import unit
from moorage_core.background import orgs
from moorage_core.context import Context
from moorage_core.errors import ApiError
from moorage_core.kit import tokens
from moorage_core.kit.db import Db
from moorage_core.kit.ids import OperationGrantId
from moorage_core.operations import flow, hooks, queue_store, recovery, rules, shapes
from moorage_core.operations.models import Move, Operation, Step
from moorage_core.platform import Platform


@dataclass(frozen=True)
class Reserved:
    """An operation that a replica holds, and the number under which it is told."""

    id: str
    org_id: str
    handout: int


async def reserve(
    db: Db, *, operator: str, replica: str, first: int, limit: int, now: datetime
) -> list[Reserved]:
    """Give a replica what is ready, as much as it can take, fairly between instances.

    Numbered from `first` on. As moorage_system, in the claim's own transaction.
    """
    if limit <= 0:
        return []
    rows = await queue_store.reserve(
        db,
        operator=operator,
        replica=replica,
        first=first,
        limit=limit,
        lease=now + rules.LEASE,
        now=now,
    )
    return [Reserved(**row) for row in rows]


async def hand_over(
    ctx: Context, ids: list[str], *, org: str, replica: str
) -> list[dict[str, Any]]:
    """What a controller is told of the operations that it got in one org, but for their targets.

    One that policy does not allow any more, or that its target cannot follow, fails here and is not
    told; the others are. One that was told before is told the same again.
    """
    await queue_store.lock_instances_of(ctx.db, ids, org=org)
    found = await queue_store.lock(ctx.db, ids, org=org)
    held = [each for each in found if each.holder == replica and each.status in rules.HELD]
    new = await _grant(ctx, held, org=org)
    admitted = [each for each in held if not new.get(each.id) or await _admit(ctx, each)]
    begun = await _begin(ctx, [each for each in admitted if each.id in new])
    told = [each for each in admitted if each.id not in new or each.id in begun]
    return await _briefs(ctx, told, org=org)


async def _grant(ctx: Context, operations: Sequence[Operation], *, org: str) -> dict[str, bool]:
    """Store what opens the operations; those for which it was new, and whether it was the first."""
    grants = [
        {
            "id": OperationGrantId.new(),
            "operation": each.id,
            "project": each.project_id,
            "fence": each.fence,
            "hash": tokens.digest(token(ctx.platform, each)).hex(),
        }
        for each in operations
    ]
    return await queue_store.add_grants(ctx.db, grants, org=org, now=ctx.now)


def token(platform: Platform, operation: Operation) -> str:
    """The grant of an operation for its holder: always the same, so that it can be told again."""
    parts = (operation.id, operation.fence, str(operation.holder))
    return tokens.derived(tokens.OPERATION_GRANT, platform.node_key, *parts)


async def _admit(ctx: Context, operation: Operation) -> bool:
    """At its first claim a wish is held against policy again; its children came with it."""
    if operation.parent_id is not None or operation.direction == "undo":
        return True
    try:
        await ctx.platform.targets[hooks.word(operation.kind)].admit(ctx, operation)
    except ApiError as refusal:
        await _refuse(ctx, operation, refusal)
        return False
    return True


async def _refuse(ctx: Context, operation: Operation, refusal: ApiError) -> None:
    error = {"code": refusal.code, "message": refusal.detail}
    failed = replace(operation, status="failed", recovery="operator", error=error)
    await flow.move(ctx, [(operation, failed)], org=operation.org_id)
    await flow.settle(ctx, operation.instance_id, org=operation.org_id)


async def _begin(ctx: Context, operations: Sequence[Operation]) -> set[str]:
    """Say that operations are at work. The ids of those that their targets could follow.

    All at once, as they mostly can; one by one only where somebody refuses.
    """
    try:
        async with unit.part(ctx):
            for each in operations:
                flow.publish(ctx, flow.EVENTS[each.status], each)
            await flow.tell(ctx, [Move(each, "ready") for each in operations])
    except ApiError as refusal:
        if len(operations) == 1:
            await _refuse(ctx, operations[0], refusal)
            return set()
        return {id for each in operations for id in await _begin(ctx, [each])}
    return {each.id for each in operations}


# What a controller is told


async def _briefs(
    ctx: Context, operations: Sequence[Operation], *, org: str
) -> list[dict[str, Any]]:
    if not operations:
        return []
    journals = await _journals(ctx, operations, org=org)
    batches = await queue_store.list_batches(
        ctx.db, [each.id for each in operations if each.is_parent], org=org
    )
    return [
        _brief(ctx, each, journals.get(each.id, [])) | _about(each, batches.get(each.id, []))
        for each in operations
    ]


async def _journals(
    ctx: Context, operations: Sequence[Operation], *, org: str
) -> dict[str, list[Step]]:
    """By operation, of those that have a journal: at its first claim none has."""
    ids = [each.id for each in operations if rules.may_have_journal(each)]
    found: dict[str, list[Step]] = {}
    for step in await queue_store.list_steps(ctx.db, ids, org=org) if ids else ():
        found.setdefault(step.operation_id, []).append(step)
    return found


def _about(operation: Operation, batch: list[str]) -> dict[str, list[str]]:
    """At the end of a request its members may be gone from the instance: they are told by name."""
    ends = operation.phase == "finish" and hooks.word(operation.kind) == "member"
    return {"batch": batch, "member_ids": batch if ends else operation.member_ids}


def _brief(ctx: Context, operation: Operation, steps: Sequence[Step]) -> dict[str, Any]:
    names = (
        "id kind action phase direction attempt fence handout lease_expires_at deadline input"
        " reason correlation_id traceparent parent_id no_return sequence instance_id member_id"
    )
    return {name: getattr(operation, name) for name in names.split()} | {
        "grant": token(ctx.platform, operation),
        "cancel_requested": operation.cancel_requested_at is not None,
        "requested_by": {
            "kind": operation.requested_by_kind,
            "id": operation.requested_by,
            "name": operation.requested_by_name,
        },
        "steps": steps,
        "children": shapes.children(operation),
    }


# Giving back


async def give_back(platform: Platform, *, replica: str) -> int:
    """A replica leaves: others get at once what it held."""
    async with platform.database.sweep() as db:
        rows = await queue_store.list_holdings(db, replica=replica)
    return await release(platform, rows, replica=replica)


async def release(
    platform: Platform, rows: Sequence[dict[str, Any]], *, replica: str | None = None
) -> int:
    """Put operations back in line that nobody holds any more; how many.

    Without a `replica` it is for those whose lease has run out: their holder may still renew it,
    until somebody else has taken them.
    """
    released = 0
    for (org, instance), mine in groupby(rows, lambda row: (row["org_id"], row["instance"])):
        ids = [row["id"] for row in mine]
        with orgs.put_off("release", org=org, instance=instance):
            async with unit.work(platform, org) as ctx:
                count = await _release(ctx, instance, ids, org=org, replica=replica)
            released += count
    return released


async def _release(
    ctx: Context, instance: str, ids: list[str], *, org: str, replica: str | None
) -> int:
    await queue_store.lock_instance(ctx.db, instance, org=org)
    found = await queue_store.lock(ctx.db, ids, org=org)
    changes = [
        (each, recovery.let_go(each, for_good=replica is not None))
        for each in found
        if _is_free(ctx, each, replica)
    ]
    return len(await flow.move(ctx, changes, org=org))


def _is_free(ctx: Context, operation: Operation, replica: str | None) -> bool:
    if operation.status not in rules.HELD:
        return False
    if replica is not None:
        return operation.holder == replica
    return operation.lease_expires_at is not None and operation.lease_expires_at < ctx.now
