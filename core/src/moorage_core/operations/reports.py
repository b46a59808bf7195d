"""What controllers say of their operations: applied in order, once each, by whoever holds them.

A report counts up. The next number applies; an old one is a delivery that was repeated, and is
answered with how things stand; a later one means that a report was lost. A report that only renews
takes one short statement and no lock on the instance: that is what nearly all of them are.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import groupby

import psycopg
import structlog

from moorage_core import unit
from moorage_core.authz.authorize import hidden
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Kind, Principal
from moorage_core.context import Context, Trace
from moorage_core.errors import ApiError, Busy, Conflict, Forbidden
from moorage_core.kit import logs, tokens
from moorage_core.operations import flow, journal, queue_store, reading, recovery, requests, rules
from moorage_core.operations.models import Operation, Said
from moorage_core.operations.report_shapes import ReportCreate
from moorage_core.platform import Platform

log = structlog.get_logger()


class SequenceGap(Conflict):
    """A report is missing before this one."""

    code = "sequence_gap"


ERRORS: tuple[type[ApiError], ...] = (
    rules.GrantEnded,
    SequenceGap,
    journal.StepFinal,
    journal.ResultTooLarge,
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
            answers[at] = rules.GrantEnded(f"The grant for operation {entry.operation} is over.")
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
            if len(mine) == 1:
                # Nothing else would be lost with it: no need of a savepoint.
                return await _apply(ctx, mine, org=org)
            answers: dict[int, Answer] = {}
            for some in _rounds(mine):
                answers |= await _try(ctx, some, org=org)
            return answers
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


def _rounds(mine: Sequence[Proven]) -> list[list[Proven]]:
    """The reports of one instance in parts, each of which has no operation twice."""
    rounds: list[list[Proven]] = []
    seen: Counter[str] = Counter()
    for each in mine:
        number = seen[each[1].operation]
        seen[each[1].operation] += 1
        rounds += [[]] if number == len(rounds) else []
        rounds[number].append(each)
    return rounds


async def _try(ctx: Context, some: Sequence[Proven], *, org: str) -> dict[int, Answer]:
    """All at once, as they mostly can be; by halves where somebody refuses one of them.

    One refusal takes nothing of the others with it.
    """
    try:
        async with unit.part(ctx):
            return await _apply(ctx, some, org=org)
    except ApiError as refusal:
        if len(some) == 1:
            return {some[0][0]: refusal}
    middle = len(some) // 2
    return {
        **await _try(ctx, some[:middle], org=org),
        **await _try(ctx, some[middle:], org=org),
    }


async def _apply(ctx: Context, some: Sequence[Proven], *, org: str) -> dict[int, Answer]:
    """Reports of operations of one instance, one of each. The number of statements is the same for
    many as for one."""
    found = await queue_store.lock(ctx.db, sorted(proof.operation for _, proof, _ in some), org=org)
    answers, taken = await _judge(ctx, some, {each.id: each for each in found}, org=org)
    if not taken:
        return answers
    begun = [(each.found, each.begun) for each in taken if each.begun is not each.found]
    before = {each.id: each for each in await flow.move(ctx, begun, org=org)}
    said = {each.found.id: each.said.steps for each in taken}
    await journal.write(ctx, said, org=org, project=taken[0].found.project_id)
    changes = [(before.get(each.found.id, each.found), each.after) for each in taken]
    written = await flow.move(ctx, changes, org=org)
    for each, operation in zip(taken, written, strict=True):
        if each.found.phase == "prepare" and operation.cancel_requested_at is not None:
            await requests.stop_children(ctx, operation)
    await _tell_targets(ctx, written, [each.said for each in taken])
    now = {each.id: each for each in written}
    if any(each.status not in rules.HELD for each in written):
        now |= await flow.settle(ctx, written[0].instance_id, org=org)
    return answers | {each.at: now[each.found.id] for each in taken}


@dataclass(frozen=True)
class Taken:
    """A report that applies."""

    at: int
    said: ReportCreate
    found: Operation
    begun: Operation
    """At work again, where its lease had run out."""
    after: Operation


async def _judge(
    ctx: Context, some: Sequence[Proven], found: Mapping[str, Operation], *, org: str
) -> tuple[dict[int, Answer], list[Taken]]:
    """What is answered at once, and what applies. Nothing is written."""
    answers: dict[int, Answer] = {}
    taken: list[Taken] = []
    written = [found[proof.operation] for _, proof, said in some if said.steps]
    written = [each.id for each in written if rules.may_have_journal(each)]
    journals = await journal.known(ctx, written, org=org)
    for at, proof, said in some:
        operation = found[proof.operation]
        try:
            _check_holder(operation, proof, said)
            if said.sequence <= operation.sequence:
                answers[at] = operation
                continue
            _check_sequence(operation, said)
            journal.check(said.steps, journals.get(operation.id, {}))
            begun = _at_work(ctx, operation)
            taken.append(Taken(at, said, operation, begun, _told(ctx, begun, said)))
        except ApiError as refusal:
            answers[at] = refusal
    return answers, taken


def _at_work(ctx: Context, operation: Operation) -> Operation:
    """Nobody took it over when its lease ran out: it goes on."""
    if operation.status != "ready":
        return operation
    status = "running" if operation.direction == "forward" else "undoing"
    return _renewed(ctx, replace(operation, status=status))


def _check_holder(operation: Operation, proof: Proof, said: ReportCreate) -> None:
    """The present holder; also one whose lease ran out, while nobody has taken it over."""
    fits = proof.fence == operation.fence == said.fence
    if not fits or operation.holder is None or operation.status not in {*rules.HELD, "ready"}:
        raise rules.GrantEnded(
            f"The grant for operation {operation.id} is over: it is {operation.status}, fence "
            f"{operation.fence}, and the report has fence {said.fence}."
        )


def _check_sequence(operation: Operation, said: ReportCreate) -> None:
    if said.sequence > operation.sequence + 1:
        raise SequenceGap(
            f"Report {said.sequence} came after report {operation.sequence}. Send what is missing."
        )


def _told(ctx: Context, operation: Operation, said: ReportCreate) -> Operation:
    final = any(step.no_return for step in said.steps)
    operation = replace(operation, no_return=operation.no_return or final)
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


async def _tell_targets(
    ctx: Context, operations: Sequence[Operation], said: Sequence[ReportCreate]
) -> None:
    """Of members and of instances, whichever the operations are about."""
    by_request: dict[str, list[Said]] = {}
    for operation, each in zip(operations, said, strict=True):
        member = each.member.model_dump(exclude_none=True) if each.member else None
        instance = each.instance.model_dump(exclude_none=True) if each.instance else None
        if member is not None or instance is not None:
            news = Said(operation, member if operation.member_id else None, instance)
            by_request.setdefault(operation.correlation_id, []).append(news)
    targets = ctx.platform.targets
    for news in by_request.values():
        with flow.part_of(ctx, news[0].operation):
            if any(each.member is not None for each in news):
                await targets["member"].reported(ctx, news)
            if any(each.instance is not None for each in news):
                await targets["instance"].reported(ctx, news)
