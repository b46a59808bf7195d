"""What controllers say of their operations: applied in order, once each, by whoever holds them.

A report counts up. The next number applies; an old one is a delivery that was repeated, and is
answered with how things stand; a later one means that a report was lost. A report that only renews
takes one short statement and no lock on the instance: that is what nearly all of them are.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import groupby
from typing import Any

import psycopg
import structlog

from moorage_core import unit
from moorage_core.authz.authorize import hidden
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Kind, Principal
from moorage_core.context import Context, Trace
from moorage_core.errors import ApiError, Busy, Conflict, Forbidden
from moorage_core.kit import logs, tokens
from moorage_core.operations import flow, queue_store, reading, recovery, requests, rules
from moorage_core.operations.models import Operation, Said, Step
from moorage_core.operations.report_shapes import ReportCreate, StepReport
from moorage_core.platform import Platform

log = structlog.get_logger()

RESULT_BYTES = 64 * 1024
"""Of one step."""
JOURNAL_BYTES = 1024 * 1024
"""Of all steps of an operation."""
FINAL_STEPS = {"succeeded": {"undoing", "undone", "undo_failed"}, "undone": set[str]()}
"""What can follow on a step that has come to its end."""


class GrantEnded(Conflict):
    """The operation has ended, or another holder has taken it over."""

    code = "grant_ended"


class SequenceGap(Conflict):
    """A report is missing before this one."""

    code = "sequence_gap"


class StepFinal(Conflict):
    """A step that has come to its end does not change any more."""

    code = "step_final"


class ResultTooLarge(Conflict):
    """The results of the steps are larger than a journal holds."""

    code = "result_too_large"


ERRORS: tuple[type[ApiError], ...] = (
    GrantEnded,
    SequenceGap,
    StepFinal,
    ResultTooLarge,
    recovery.ReportRefused,
)


@dataclass(frozen=True)
class Proof:
    """A grant that was live a moment ago."""

    operation: str
    org: str
    fence: int
    instance: str


@dataclass(frozen=True)
class Entry:
    """One report of several, with the token that proves the right to it."""

    operation: str
    grant: str
    report: ReportCreate


Answer = Operation | ApiError
Proven = tuple[int, Proof, ReportCreate]
"""Where it stands in the call, the right to it, and what is said."""


async def take(platform: Platform, entries: Sequence[Entry]) -> list[Answer]:
    """Apply reports, those of one instance in one transaction. Each has an answer of its own."""
    proofs = await _prove(platform, [entry.grant for entry in entries])
    proven: list[Proven] = []
    answers: dict[int, Answer] = {}
    for at, entry in enumerate(entries):
        proof = proofs.get(entry.grant)
        if proof is None or proof.operation != entry.operation:
            answers[at] = GrantEnded(f"The grant for operation {entry.operation} is over.")
        else:
            proven.append((at, proof, entry.report))
    answers |= await _take(platform, proven)
    return [answers[at] for at in range(len(entries))]


async def report(platform: Platform, who: Principal, id: str, said: ReportCreate) -> Operation:
    """Apply one report of whoever holds the operation."""
    if who.kind is not Kind.OPERATION:
        await _refuse(platform, who, id)
    if who.operation != id or who.instance is None or who.fence is None:
        raise hidden("operation", id)
    answer = (await _take(platform, [(0, Proof(id, who.home_org, who.fence, who.instance), said)]))[
        0
    ]
    if isinstance(answer, ApiError):
        raise answer
    return answer


async def _refuse(platform: Platform, who: Principal, id: str) -> None:
    """People who see the operation are told that this is not for them."""
    async with platform.database.transaction(who.scope, read_only=True) as db:
        ctx = Context(who, db, platform.clock, Trace(""), platform)
        found = await reading.get(ctx, id, key=Permission.APPS_OPERATION_REPORT)
    raise Forbidden(
        f"Only whoever holds the token of operation {id} may do this.",
        org=found.org_id,
        project=found.project_id,
    )


async def _take(platform: Platform, proven: Sequence[Proven]) -> dict[int, Answer]:
    answers = await _renew(platform, proven)
    left = [each for each in proven if each[0] not in answers]
    left.sort(key=lambda each: (each[1].org, each[1].instance, each[0]))
    for (org, instance), mine in groupby(left, lambda each: (each[1].org, each[1].instance)):
        answers |= await _take_of(platform, org, instance, list(mine))
    return answers


async def _take_of(
    platform: Platform, org: str, instance: str, mine: Sequence[Proven]
) -> dict[int, Answer]:
    """The reports of one instance. What goes wrong there is theirs alone: others are heard."""
    try:
        async with unit.work(platform, org) as ctx:
            await queue_store.lock_instance(ctx.db, instance, org=org)
            return {at: await _try(ctx, proof, said) for at, proof, said in mine}
    except ApiError as refusal:
        return {at: refusal for at, _, _ in mine}
    except psycopg.Error as err:
        log.error("reports.failed", instance=instance, error=logs.named(err))
    except Exception:
        log.exception("reports.failed", instance=instance)
    fault = ApiError("A fault of the platform. Its operator finds it by the instance's id.")
    return {at: fault for at, _, _ in mine}


async def _prove(platform: Platform, given: Sequence[str]) -> dict[str, Proof]:
    by_hash = {tokens.digest(token): token for token in given}
    async with platform.database.alone() as db:
        rows = await queue_store.prove(
            db,
            sorted(by_hash),
            roles=sorted(rules.OPENING_ROLES),
            key=Permission.INFRA_SESSION_CREATE,
            now=platform.clock.now(),
        )
    return {
        by_hash[bytes(row["hash"])]: Proof(
            row["operation_id"], row["org_id"], row["fence"], row["instance_id"]
        )
        for row in rows
        if row["instance_id"] is not None
    }


async def _renew(platform: Platform, proven: Sequence[Proven]) -> dict[int, Answer]:
    """The reports that say nothing new, org by org. What does not fit is looked at with care."""
    plain = [each for each in proven if each[2].is_renewal and each[2].fence == each[1].fence]
    plain.sort(key=lambda each: each[1].org)
    answers: dict[int, Answer] = {}
    for org, group in groupby(plain, lambda each: each[1].org):
        mine = {proof.operation: (at, said) for at, proof, said in group}
        rows = [(id, said.fence, said.sequence, said.state) for id, (_, said) in mine.items()]
        try:
            async with unit.work(platform, org) as ctx:
                until = ctx.now + rules.LEASE
                renewed = await queue_store.renew(ctx.db, rows, org=org, until=until)
        except Busy:
            # One of them is being changed: the others are renewed one by one.
            continue
        answers |= {mine[each.id][0]: each for each in renewed}
    return answers


async def _try(ctx: Context, proof: Proof, said: ReportCreate) -> Answer:
    """One refusal takes nothing of the others with it."""
    try:
        async with unit.part(ctx):
            return await _apply(ctx, proof, said)
    except ApiError as refusal:
        return refusal


async def _apply(ctx: Context, proof: Proof, said: ReportCreate) -> Operation:
    (operation,) = await queue_store.lock(ctx.db, [proof.operation], org=proof.org)
    _check_holder(operation, proof, said)
    if said.sequence <= operation.sequence:
        return operation
    if said.sequence > operation.sequence + 1:
        raise SequenceGap(
            f"Report {said.sequence} came after report {operation.sequence}. Send what is missing."
        )
    if operation.status == "ready":
        back = replace(
            operation, status="running" if operation.direction == "forward" else "undoing"
        )
        (operation,) = await flow.move(ctx, [(operation, _renewed(ctx, back))], org=proof.org)
    journal = await _write_steps(ctx, operation, said.steps)
    after = _told(ctx, replace(operation, no_return=operation.no_return or journal), said)
    (written,) = await flow.move(ctx, [(operation, after)], org=proof.org)
    if operation.phase == "prepare" and written.cancel_requested_at is not None:
        await requests.stop_children(ctx, written)
    with flow.part_of(ctx, operation):
        await _tell_target(ctx, written, said)
    if written.status not in rules.HELD:
        await flow.settle(ctx, operation.instance_id, org=proof.org)
        if written.ended_at is None:
            (written,) = await queue_store.lock(ctx.db, [operation.id], org=proof.org)
    return written


def _check_holder(operation: Operation, proof: Proof, said: ReportCreate) -> None:
    """The present holder; also one whose lease ran out, while nobody has taken it over."""
    fits = proof.fence == operation.fence == said.fence
    if not fits or operation.holder is None or operation.status not in {*rules.HELD, "ready"}:
        raise GrantEnded(
            f"The grant for operation {operation.id} is over: it is {operation.status}, fence "
            f"{operation.fence}, and the report has fence {said.fence}."
        )


def _told(ctx: Context, operation: Operation, said: ReportCreate) -> Operation:
    word = recovery.Word(
        said.state,
        result=said.result,
        residue=tuple(each.model_dump() for each in said.residue),
        error=said.error and said.error.model_dump(),
        recovery=said.recovery,
        wait=_pause(said),
        wakes_on=tuple(said.wait.hints) if said.wait else (),
        retry=said.wait is not None and said.wait.retry,
    )
    return replace(
        _renewed(ctx, recovery.told(operation, word, now=ctx.now)),
        sequence=said.sequence,
        message=said.message if said.message is not None else operation.message,
        progress_done=said.progress.done if said.progress else operation.progress_done,
        progress_total=said.progress.total if said.progress else operation.progress_total,
    )


def _renewed(ctx: Context, operation: Operation) -> Operation:
    return replace(operation, lease_expires_at=ctx.now + rules.LEASE)


def _pause(said: ReportCreate) -> timedelta | None:
    """Without a time and without a hint nothing would ever wake it."""
    if said.wait is None:
        return recovery.FIRST_PAUSE
    if said.wait.seconds is None:
        return None if said.wait.hints else recovery.FIRST_PAUSE
    return timedelta(seconds=said.wait.seconds)


async def _write_steps(ctx: Context, operation: Operation, said: Sequence[StepReport]) -> bool:
    """Write the journal on; whether one of the steps allows no return."""
    if not said:
        return False
    org = operation.org_id
    known = {
        (step.phase, step.number): step
        for step in await queue_store.list_steps(ctx.db, [operation.id], org=org)
    }
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for step in said:
        _check_step(step, known.get((step.phase, step.number)))
        rows[step.phase, step.number] = step.model_dump()
    await queue_store.put_steps(ctx.db, operation, list(rows.values()), org=org, now=ctx.now)
    if await queue_store.measure_steps(ctx.db, operation.id, org=org) > JOURNAL_BYTES:
        raise ResultTooLarge(f"The results of all steps are more than {JOURNAL_BYTES} bytes.")
    return any(step.no_return for step in said)


def _check_step(said: StepReport, known: Step | None) -> None:
    if len(json.dumps(said.result)) > RESULT_BYTES:
        raise ResultTooLarge(f"The result of step {said.name} is more than {RESULT_BYTES} bytes.")
    if known is None:
        return
    if known.name != said.name:
        raise StepFinal(f"Step {said.number} is {known.name}, not {said.name}.")
    allowed = FINAL_STEPS.get(known.status)
    if allowed is not None and said.status not in {known.status, *allowed}:
        raise StepFinal(f"Step {said.name} is {known.status}: it cannot become {said.status}.")


async def _tell_target(ctx: Context, operation: Operation, said: ReportCreate) -> None:
    targets = ctx.platform.targets
    if said.member is not None and operation.member_id is not None:
        member = said.member.model_dump(exclude_none=True)
        await targets["member"].reported(ctx, operation, Said(member=member))
    if said.instance is not None:
        instance = said.instance.model_dump(exclude_none=True)
        await targets["instance"].reported(ctx, operation, Said(instance=instance))
