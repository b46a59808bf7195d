"""How members follow: the moves of their operations, and what becomes of their machines.

Everything here happens in the transaction of what is followed, with the instance locked.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from moorage_core.allocations import occupancy
from moorage_core.allocations.models import Allocation
from moorage_core.context import Context
from moorage_core.controllers import watches
from moorage_core.errors import ApiError
from moorage_core.events import commands as events
from moorage_core.instances import commands as instances
from moorage_core.members import brief, commands, rules, store, verbs
from moorage_core.members.models import Member
from moorage_core.operations import commands as operations
from moorage_core.operations.models import (
    Circumstances,
    InstanceRef,
    Move,
    Operation,
    Said,
)
from moorage_core.policy import commands as policy
from moorage_core.runtime_secrets import commands as runtime_secrets

GROWING = frozenset({"member.add", "member.resume", "member.replace"})
"""Kinds that policy is asked about again before they begin."""


class Members:
    """The target of every operation on members."""

    async def moved(self, ctx: Context, moves: Sequence[Move]) -> None:
        for each in moves:
            if each.reopens:
                await _check_reopened(ctx, each.operation)
            await runtime_secrets.follow(ctx, each.operation)
        mine = [each for each in moves if _matters(each)]
        if not mine:
            return
        org = mine[0].operation.org_id
        ids = sorted({id for each in mine for id in _touched(each.operation)})
        found = _outcome(await store.lock(ctx.db, ids, org=org), mine)
        if found.wanted:
            await store.add_desired(ctx.db, found.wanted, org=org)
        await _save(ctx, found.changed, org=org, quiet=found.quiet)
        if found.gone:
            await _leave(ctx, found, org=org)

    async def reported(self, ctx: Context, said: Sequence[Said]) -> None:
        """What it says of one member more than once is taken together."""
        news: dict[str, dict[str, Any]] = {}
        for each in said:
            if each.operation.member_id is not None and each.member is not None:
                news.setdefault(each.operation.member_id, {}).update(each.member)
        if news:
            org = said[0].operation.org_id
            found = await store.lock(ctx.db, sorted(news), org=org)
            await commands.note(ctx, found, news, org=org)

    async def admit(self, ctx: Context, operation: Operation) -> None:
        """Children were judged with their parent."""
        if operation.parent_id is not None or operation.kind not in GROWING:
            return
        wanted = verbs.wanted_of(_ref(operation), operation.kind, operation.input)
        distrust = operation.input.get("override") is None
        await policy.require_again(ctx, wanted, org=operation.org_id, distrust=distrust)

    async def authorize(self, ctx: Context, operation: Operation) -> None:
        await instances.get(ctx, operation.instance_id, key=verbs.KEYS[_verb(operation)])

    async def list_barred(
        self, ctx: Context, operations: Sequence[Operation], around: Mapping[str, Circumstances]
    ) -> set[str]:
        failed = {_about(each) for each in operations if each.status == "failed"} - {None}
        orgs = {each.org_id for each in operations}
        found = {m.id: m for org in sorted(orgs) for m in await _named(ctx, failed, org=org)}
        return {
            each.id
            for each in operations
            if not _fits(each, around[each.instance_id])
            or (
                each.status == "failed"
                and (member := found.get(_about(each) or "")) is not None
                and not _is_still_there(member, each)
            )
        }

    async def list_withheld(self, ctx: Context, operations: Sequence[Operation]) -> set[str]:
        return set()


class OnMachines:
    """Members, as those who stand on machines."""

    async def arrived(self, ctx: Context, allocation: Allocation) -> None:
        org, instance = allocation.org_id, str(allocation.instance_id)
        hosts = await occupancy.find_hosts(ctx, [allocation.id])
        where = brief.address(hosts.get(allocation.id))
        there = [
            replace(member, node_name=allocation.node_name, host_address=where)
            for member in await store.lock_on(ctx.db, allocation.id, org=org)
        ]
        await store.save(ctx.db, there, org=org, now=ctx.now)
        events.hint(ctx, instance, "instance")
        topics = {commands.topic(allocation.id)}
        await operations.wake(ctx, instance, org=org, topics=topics)

    async def lost(self, ctx: Context, allocation: Allocation) -> None:
        """What is open for a member that has no machine any more ends, and so may the member."""
        org = allocation.org_id
        why = allocation.message or f"Allocation {allocation.name} is {allocation.status}."
        members = await store.lock_on(ctx.db, allocation.id, org=org)
        ids = [member.id for member in members]
        for row in await store.list_open_on(ctx.db, ids, org=org):
            if row["kind"] != "member.remove":
                await operations.fail(ctx, row["id"], org=org, code="machine_lost", message=why)
        still = [m for m in await store.lock(ctx.db, ids, org=org) if m.status not in LOST]
        failed = [replace(m, status="failed", settled="failed", status_reason=why) for m in still]
        await _save(ctx, failed, org=org)


LOST = frozenset({"failed", "removing", "removed"})
"""States in which a member has no use for its machine."""


# Following moves


@dataclass(frozen=True)
class Outcome:
    """What moves make of members."""

    changed: list[Member]
    quiet: frozenset[str]
    """Those of the changed that are in the state in which they were."""
    gone: list[Member]
    """Those of the changed that were there before."""
    unknown: frozenset[str]
    """Nobody knows what is left on the machines of these, or nobody could look."""
    wanted: dict[tuple[str, str], int]
    """How many more are wanted, by instance and component."""


def _outcome(members: Sequence[Member], moves: Sequence[Move]) -> Outcome:
    before = {member.id: member for member in members}
    after, unknown = dict(before), set[str]()
    wanted: Counter[tuple[str, str]] = Counter()
    for move in moves:
        operation = move.operation
        member = after[str(_about(operation))]
        given = {"kind": operation.kind, "status": operation.status}
        back = rules.withdrawn(member, given=operation.input, operation=operation.id, **given)
        if operation.kind == "member.replace":
            new = after[operation.input["new"]]
            back = rules.stays_beside(member, new, status=operation.status)
        wanted[member.instance_id, member.component] += back
        after[member.id], is_unknown = _followed(member, move)
        unknown |= {member.id} if is_unknown else set()
    changed = [member for id, member in sorted(after.items()) if member != before[id]]
    quiet = frozenset(m.id for m in changed if m.status == before[m.id].status)
    gone = [m for m in changed if not m.is_live and before[m.id].is_live]
    more = {key: number for key, number in wanted.items() if number}
    return Outcome(changed, quiet, gone, frozenset(unknown), more)


async def _named(ctx: Context, ids: set[str | None], *, org: str) -> list[Member]:
    wanted = sorted(id for id in ids if id is not None)
    return await store.list_named(ctx.db, wanted, org=org) if wanted else []


def _verb(operation: Operation) -> rules.Verb:
    return cast(rules.Verb, operation.kind.partition(".")[2])


def _fits(operation: Operation, around: Circumstances) -> bool:
    part = operation.parent_id is not None
    try:
        rules.check_reopened(
            around.instance_id, around.status, around.ahead, _verb(operation), part=part
        )
    except ApiError:
        return False
    return True


async def _check_reopened(ctx: Context, operation: Operation) -> None:
    org, instance = operation.org_id, operation.instance_id
    row = await instances.find(ctx, instance, org=org)
    assert row is not None, "an operation's instance is there, and locked"
    rules.check_reopened(
        instance,
        row.status,
        await store.list_ahead(ctx.db, instance, org=org),
        _verb(operation),
        part=operation.parent_id is not None,
    )


def _about(operation: Operation) -> str | None:
    """The member that an operation changes: of a replacement, the one that goes."""
    if operation.kind == "member.replace":
        return operation.input.get("old")
    return operation.member_id


def _touched(operation: Operation) -> set[str]:
    """That one, and of a replacement the one that comes, too."""
    comes = {operation.input["new"]} if operation.kind == "member.replace" else set[str]()
    return {str(_about(operation))} | comes


def _matters(move: Move) -> bool:
    """Standing in line changes nothing, but for one that begins anew."""
    operation = move.operation
    if _about(operation) is None:
        return False
    waits = operation.status in ("pending", "ready", "waiting", "blocked", "undoing")
    return not waits or move.before == "failed"


def _followed(member: Member, move: Move) -> tuple[Member, bool]:
    operation = move.operation
    if move.before == "failed" and operation.status != "abandoned":
        _check_still_there(member, operation)
        return member, False
    if operation.kind == "member.replace":
        return _replaced(member, operation), False
    why = operation.message or (operation.error or {}).get("message")
    found = rules.follow(
        member,
        kind=operation.kind,
        status=operation.status,
        why=why,
        keep=bool(operation.input.get("keep_machine", False)),
        again=member.last_operation_id == operation.id,
    )
    if found is None or not member.is_live:
        return member, False
    rules.check_transition(member, found.status)
    owner, reason = rules.drained_by(member, operation.kind, operation.input, found.status)
    after = replace(
        member,
        status=found.status,
        settled=found.settled,
        status_reason=found.reason,
        drain_owner=owner,
        drain_reason=reason,
        last_operation_id=operation.id,
    )
    lost = found.status == "removed" and bool(operation.input.get("lost"))
    return after, found.unknown or lost


def _replaced(member: Member, operation: Operation) -> Member:
    """While another is to take its place. What becomes of it is its own operation's business."""
    begins = operation.status == "running" and member.status in ("ready", "drained", "failed")
    if begins:
        found = member.status
        return replace(member, status="replacing", settled=found, last_operation_id=operation.id)
    if operation.ended_at is not None and member.status == "replacing":
        return replace(member, status=member.settled)
    return member


def _check_still_there(member: Member, operation: Operation) -> None:
    if not _is_still_there(member, operation):
        how = "was changed by others since" if member.is_live else "is gone"
        raise operations.InvalidTransition(
            f"Member {member.name} {how}: operation {operation.id} cannot be tried again."
        )


def _is_still_there(member: Member, operation: Operation) -> bool:
    """Whether it is as the operation left it, as far as that matters to do it once more."""
    overtaken = rules.is_overtaken(member, kind=operation.kind, operation=operation.id)
    return member.is_live and not overtaken


async def _save(
    ctx: Context, members: Sequence[Member], *, org: str, quiet: frozenset[str] = frozenset()
) -> None:
    """Write members; of those that are not what they were, say so."""
    for member in await store.save(ctx.db, members, org=org, now=ctx.now):
        if member.id not in quiet:
            commands.publish(ctx, member)
    instances = {member.instance_id for member in members}
    for instance in instances:
        events.hint(ctx, instance, "instance")
    if instances:
        await watches.hint(ctx, instances, [watches.MEMBERS], org=org)


async def _leave(ctx: Context, found: Outcome, *, org: str) -> None:
    """Nothing more is to be done for members that are gone; their machines are free."""
    ids = [member.id for member in found.gone]
    for row in await store.list_open_on(ctx.db, ids, org=org):
        reason = "The member is gone."
        await operations.request_cancel(ctx, row["id"], org=org, reason=reason, force=True)
    for soil in (False, True):
        left = [m for m in found.gone if (m.id in found.unknown) == soil]
        await commands.leave_machines(ctx, left, org=org, soil=soil)
    await operations.rule_out_retry(ctx, ids, org=org)


def _ref(operation: Operation) -> InstanceRef:
    """As far as policy asks for it."""
    return InstanceRef(
        id=operation.instance_id,
        org_id=operation.org_id,
        project_id=operation.project_id,
        app_id=str(operation.app_id),
        app_slug=str(operation.app_slug),
        operator_id=str(operation.operator_id),
        version_id=str(operation.version_id),
        status="",
    )
