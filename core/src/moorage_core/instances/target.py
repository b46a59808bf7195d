"""How instances follow their operations. `main` makes this the target of their kinds.

Everything here happens in the transaction of what is followed, with the instance's row locked.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from moorage_core.context import Context
from moorage_core.controllers import watches
from moorage_core.errors import ApiError
from moorage_core.events import commands as events
from moorage_core.instances import commands, rules, store
from moorage_core.instances.models import Instance, Revision, Status
from moorage_core.members import commands as members
from moorage_core.operations import commands as operations
from moorage_core.operations.models import Circumstances, Move, Operation, Said
from moorage_core.policy import commands as policy
from moorage_core.policy.models import Wanted
from moorage_core.runtime_secrets import commands as runtime_secrets
from moorage_manifest.vocabulary import OperationKind


class Instances:
    """The target of every operation on an instance as a whole."""

    async def moved(self, ctx: Context, moves: Sequence[Move]) -> None:
        for move in filter(_matters, moves):
            row = await commands.find(ctx, move.operation.instance_id, org=move.operation.org_id)
            assert row is not None, "an operation's instance is there, and locked"
            await _follow(ctx, row, move)

    async def reported(self, ctx: Context, said: Sequence[Said]) -> None:
        """Endpoints, shape and runtime version, as the app sees them while it works."""
        names = ("endpoints", "topology_mode", "runtime_version")
        for each in said:
            if each.instance:
                seen = {name: each.instance[name] for name in names if name in each.instance}
                await store.save_observed(
                    ctx.db,
                    each.operation.instance_id,
                    org=each.operation.org_id,
                    seen=seen,
                    changed=False,
                    now=ctx.now,
                )
                events.hint(ctx, each.operation.instance_id, "instance")

    async def admit(self, ctx: Context, operation: Operation) -> None:
        """Policy again, before the first claim: it may have changed since it was asked for."""
        kind = operation.kind
        if kind not in rules.GROWING:
            return
        wanted = wanted_of(operation)
        distrust = operation.input.get("override") is None
        await policy.require_again(ctx, wanted, org=operation.org_id, distrust=distrust)

    async def authorize(self, ctx: Context, operation: Operation) -> None:
        key = KEYS.get(operation.kind, commands.UPDATE)
        await commands.get(ctx, operation.instance_id, key=key)

    async def list_barred(
        self, ctx: Context, operations: Sequence[Operation], around: Mapping[str, Circumstances]
    ) -> set[str]:
        failed = [each for each in operations if each.status == "failed"]
        made = {
            revision.operation_id: revision
            for org in sorted({each.org_id for each in failed})
            for revision in await store.list_made_by(ctx.db, [e.id for e in failed], org=org)
        }
        return {
            each.id
            for each in operations
            if not _fits(each, around[each.instance_id], made.get(each.id))
        }

    async def list_withheld(self, ctx: Context, operations: Sequence[Operation]) -> set[str]:
        return set()


KEYS = {
    "instance.deploy": commands.CREATE,
    "instance.decommission": commands.DELETE,
}
"""What it takes to ask for these kinds; for the others, it is a change."""


def _fits(operation: Operation, around: Circumstances, revision: Revision | None) -> bool:
    """Whether it could be opened again: as `_follow` has it."""
    try:
        rules.check_there(operation.instance_id, around.status, operation.kind, around.ahead)
        if operation.status == "failed":
            rules.check_retried(operation.kind, revision)
    except ApiError:
        return False
    return True


def wanted_of(operation: Operation) -> Wanted:
    """What policy was asked when the operation was asked for."""
    assert operation.app_id is not None, "an app's operation names its app"
    placed: Mapping[str, Any] = operation.input.get("placement") or {}
    return Wanted(
        operation.project_id,
        operation.app_id,
        cast(OperationKind, operation.kind),
        version=operation.version_id,
        regions=tuple(placed.get("regions", ())),
        skus=tuple(placed.get("skus", ())),
        members=placed.get("members"),
    )


# Following


def _matters(move: Move) -> bool:
    """Standing in line changes nothing, but for one that begins anew."""
    waits = move.operation.status in ("pending", "ready", "waiting", "blocked")
    return not waits or move.reopens or move.before == "failed"


async def _follow(ctx: Context, row: Instance, move: Move) -> None:
    operation = move.operation
    if move.reopens:
        ahead = await commands.open_kinds(ctx, row)
        rules.check_there(row.name, row.status, operation.kind, ahead)
    if operation.kind in rules.REVISES:
        await _follow_revision(ctx, row, move)
    await runtime_secrets.follow(ctx, operation)
    after = rules.after(row, operation.kind, operation.status, move.before)
    if after is None or after == row.status:
        return
    if after == "deleted":
        await _leave(ctx, row, operation)
    await become(ctx, row, after, operation=operation, reason=_why(operation, after))


async def _follow_revision(ctx: Context, row: Instance, move: Move) -> None:
    """What the operation brings is applied, given up, or waits to be tried again."""
    operation = move.operation
    made = await store.list_made_by(ctx.db, [operation.id], org=row.org_id)
    revision = next(iter(made), None)
    if move.before == "failed" and operation.status == "pending":
        rules.check_retried(operation.kind, revision)
    if revision is None or revision.outcome != "pending":
        return
    if operation.status == "succeeded":
        await _apply(ctx, row, revision)
    elif operation.status in ("cancelled", "abandoned"):
        await store.end_revision(
            ctx.db, row.id, revision.number, org=row.org_id, outcome="discarded"
        )


async def _apply(ctx: Context, row: Instance, revision: Revision) -> None:
    """The instance is what its revision says, and so are its components and members."""
    org = row.org_id
    await store.end_revision(ctx.db, row.id, revision.number, org=org, outcome="applied")
    await store.become(ctx.db, row.id, org=org, number=revision.number, now=ctx.now)
    if revision.version_id != row.version_id:
        manifest = await commands.manifest_of(ctx, revision.version_id)
        await store.add_components(
            ctx.db, row.id, list(manifest.components), org=org, project=row.project_id
        )
        await members.follow_version(
            ctx,
            row,
            manifest=manifest,
            version_id=revision.version_id,
            number=revision.app_version,
        )
    await watches.hint(ctx, [row.id], [watches.CONFIG], org=org)


async def become(
    ctx: Context, row: Instance, after: Status, *, operation: Operation | None, reason: str | None
) -> None:
    """Move an instance whose row is locked, and say so."""
    rules.check_transition(row.id, row.status, after)
    anew = operation is not None and operation.direction == "forward" and operation.attempt == 1
    await store.set_status(
        ctx.db,
        row.id,
        org=row.org_id,
        status=after,
        settled=rules.settled(row, after, anew=anew),
        reason=reason,
        operation=operation.id if operation else row.last_operation_id,
        now=ctx.now,
    )
    moved = await commands.find(ctx, row.id, org=row.org_id)
    assert moved is not None, "its row is locked"
    commands.publish(ctx, moved)
    if after == "deleted":
        await watches.end_watch(ctx, row.id, org=row.org_id)
        await runtime_secrets.forget(ctx, row.id, org=row.org_id)
        said = f"Instance {row.name} is gone."
        await operations.end_all(ctx, row.id, org=row.org_id, reason=said)
    else:
        await watches.hint(ctx, [row.id], [watches.STATUS], org=row.org_id)


async def _leave(ctx: Context, row: Instance, operation: Operation) -> None:
    """Nothing of a deleted instance stays: of one that was abandoned, the members go unseen."""
    reason = f"Instance {row.name} was decommissioned."
    if operation.status == "abandoned":
        reason = f"Instance {row.name} was given up without its app: {operation.message or ''}"
    await members.bury(ctx, row.id, org=row.org_id, reason=reason.strip())


def _why(operation: Operation, after: Status) -> str | None:
    """Why an instance is as it is, where that needs a word."""
    if after not in ("failed", "delete_failed"):
        return None
    said = (operation.error or {}).get("message") or operation.message
    verb = operation.kind.partition(".")[2]
    ends = {"cancelled": "was cancelled", "abandoned": "was given up"}
    return f"{verb} {ends.get(operation.status, 'failed')}" + (f": {said}" if said else ".")
