"""Use cases that change an instance which is there: each asks its app for an operation."""

from typing import Any

from moorage_core.audit import commands as audit
from moorage_core.context import Context
from moorage_core.instances import commands, config, plans, proposing, rules, store
from moorage_core.instances.models import Asked, Instance, Proposal
from moorage_core.instances.schemas import RepairWrite, RotateWrite
from moorage_core.operations.models import NewOperation, Operation

UPDATE = commands.UPDATE


async def change(ctx: Context, id: str, asked: Asked) -> Operation:
    """Configure, upgrade, roll back, stop, start or restart an instance."""
    row = await commands.get(ctx, id, key=UPDATE, lock=True)
    proposal = await proposing.change(ctx, row, asked)
    if asked.plan is not None:
        await plans.check(ctx, asked.plan, proposal, org=row.org_id)
    operation = await commands.request(
        ctx,
        row,
        NewOperation(
            asked.kind,
            commands.ref(row),
            lock="exclusive",
            timeout=rules.timeout(proposal.manifest, asked.kind) + (asked.deadline or 0),
            input=_input(asked, proposal),
            version_id=proposal.version_id,
            preempts=asked.preempt,
            patient=asked.kind == "instance.rollback" and asked.policy == "wait",
            reason=asked.reason,
        ),
    )
    if asked.kind in rules.REVISES:
        await add_revision(ctx, row, proposal, operation)
    if asked.plan is not None:
        await plans.note_applied(ctx, asked.plan, operation.id, org=row.org_id)
    record(ctx, UPDATE, row, operation)
    return operation


async def repair(ctx: Context, id: str, given: RepairWrite) -> Operation:
    row = await commands.get(ctx, id, key=UPDATE, lock=True)
    operation = await commands.request_repair(ctx, row, reason=given.reason, members=given.members)
    record(ctx, UPDATE, row, operation)
    return operation


async def rotate(ctx: Context, id: str, given: RotateWrite) -> Operation:
    """Let the app replace its secrets."""
    return await change(ctx, id, Asked("credential.rotate", reason=given.reason))


async def add_revision(
    ctx: Context, row: Instance, proposal: Proposal, operation: Operation
) -> None:
    """Write down what the instance is to be. It becomes that when the operation is done."""
    await store.discard_left(ctx.db, row.id, org=row.org_id)
    new = {
        "version_id": proposal.version_id,
        "app_version": proposal.app_version,
        "config": proposal.config,
        "kind": proposal.kind,
        "operation_id": operation.id,
        "created_by": ctx.principal.id,
    }
    await store.add_revision(
        ctx.db, new, instance=row.id, org=row.org_id, project=row.project_id, now=ctx.now
    )


def record(ctx: Context, key: str, row: Instance, operation: Operation, **details: Any) -> None:
    audit.record(
        ctx,
        key,
        row.id,
        org=row.org_id,
        project=row.project_id,
        app=row.app_slug,
        instance=row.id,
        details={
            "kind": operation.kind,
            "operation": operation.id,
            "reason": operation.reason,
            **details,
        },
    )


def _input(asked: Asked, proposal: Proposal) -> dict[str, Any]:
    """What the controller is told of the request, beside what the instance is to be."""
    given: dict[str, Any] = {}
    if asked.kind in rules.REVISES:
        given["effects"] = proposal.effects
        given["effect"] = config.strongest(proposal.effects)
    if asked.kind == "instance.rollback":
        given["loses"] = list(proposal.loses)
        given |= {"policy": asked.policy, "deadline_seconds": asked.deadline}
        if asked.override is not None:
            given["override"] = asked.override
    return given
