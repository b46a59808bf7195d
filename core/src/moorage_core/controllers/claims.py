"""A claim: a replica says that it listens, and is handed what there is for it.

One look is one transaction across orgs, as moorage_system, which sees the columns of scheduling
and no other: the replica's lease is renewed, operations that are ready and instances that nobody
watches become the replica's, each with the next number. What they are is then read in their own
orgs, one transaction each. Where that fails, or the answer is lost, the replica asks again with the
last number that it has heard of, and is told the rest once more.

Between looks nothing is held. A wake-up comes by the operator's topic.
"""

import asyncio
from datetime import datetime
from operator import itemgetter
from typing import Any

import structlog
from starlette.requests import Request

from moorage_core import unit
from moorage_core.authz.permissions import Permission
from moorage_core.authz.principals import Principal
from moorage_core.context import Context
from moorage_core.controllers import rules, store, watches
from moorage_core.controllers.models import Hint, Operator, Replica, Told, Watch
from moorage_core.controllers.rules import Counter, Look
from moorage_core.controllers.schemas import Claim
from moorage_core.errors import ApiError, Forbidden
from moorage_core.http import authentication, waiting
from moorage_core.instances import briefing
from moorage_core.kit import logs, tokens
from moorage_core.kit.db import Db
from moorage_core.kit.ids import ReplicaId
from moorage_core.operations import claims as operations
from moorage_core.platform import Platform

log = structlog.get_logger()

SAID = ("operations", "watches", "hints", "cancels", "lost", "lost_watches")
"""The parts of an answer for which it is worth to be given at once."""


async def claim(at: Platform, said: Claim, request: Request) -> dict[str, Any]:
    """Answer as soon as there is something to say, or when the time is up."""
    who: Principal = request.state.principal
    check_may_claim(who)
    operator = await _operator(at, who, said.app)
    ends = _now() + min(said.wait, rules.LONGEST_WAIT)
    with at.waiting.seat(who.id), at.hub.watch([watches.topic(operator.id)]) as waiter:
        look = await _look(at, who, said)
        if look is None:
            raise _not_an_operator(said.app)
        answer, whole = await _answer(at, look, request)
        while not any(answer[part] for part in SAID):
            left = ends - _now()
            pause = left if whole else min(left, rules.PUT_OFF_FOR)
            if left <= 0 or not await waiting.sleep(waiter, pause, request):
                break
            # Who was allowed a while ago may not be now.
            who = await authentication.authenticate(at, request)
            look = await _look(at, who, said, since=look.replica.lease_expires_at)
            if look is None:  # it has left, or is no operator any more: whoever asks again hears it
                break
            answer, whole = await _answer(at, look, request)
    return answer


def check_may_claim(who: Principal) -> None:
    key = Permission.APPS_OPERATION_CLAIM
    if not any(key in grant.permissions for grant in who.grants):
        raise Forbidden(f"This needs the permission {key}, which app operators have.")


async def _operator(at: Platform, who: Principal, app: str) -> Operator:
    async with at.database.alone() as db:
        found = await store.find_operator(db, account=who.id, app=app)
    if found is None:
        raise _not_an_operator(app)
    return found


def _not_an_operator(app: str) -> rules.NotAnOperator:
    return rules.NotAnOperator(
        f"You are no operator of an app {app!r}, or can no longer act as one. Its publisher, or a"
        " project for its own instances, can register you."
    )


async def _look(
    at: Platform, who: Principal, said: Claim, *, since: datetime | None = None
) -> Look | None:
    """Renew the lease, and take what there is; None where there is nobody to take it."""
    now = at.clock.now()
    async with at.database.sweep() as db:
        replica = await store.listen(
            db,
            account=who.id,
            app=said.app,
            id=ReplicaId.new(),
            name=said.replica,
            release=said.release,
            since=since,
            until=now + rules.LEASE,
            now=now,
        )
        if replica is None:
            return None
        look = await _take(at, db, replica, said)
        if look.handed != replica.handed:
            await store.count_handed(db, replica.id, handed=look.handed)
    return look


async def _take(at: Platform, db: Db, replica: Replica, said: Claim) -> Look:
    """What the replica has not heard of, and what it gets now, each with the next number."""
    told, watched = list[Told](), list[Watch]()
    # A number that was never given is of an earlier life, in which others were.
    after = said.after if said.after <= replica.handed else 0
    if after < replica.handed:
        told = await store.list_told(db, replica.id, after=after)
        watched = await store.list_told_watches(
            db, replica.id, after=after, limit=rules.AT_ONCE + 1
        )
    numbers = Counter(replica.handed)
    fresh = await _reserve(at, db, replica, first=numbers.next, limit=said.capacity - len(told))
    numbers.take(fresh)
    room = min(said.watch_capacity, rules.AT_ONCE) - len(watched)
    taken = await _take_watches(at, db, replica, first=numbers.next, limit=room)
    numbers.take(taken)
    hints, cancels = list[Hint](), list[Told]()
    if replica.has_hints:
        hints = await store.take_hints(db, replica.id, first=numbers.next)
        numbers.take(hints)
    if replica.has_cancels:
        cancels = await store.number_cancels(db, replica.id, first=numbers.next)
        numbers.take(cancels)
    lost, lost_watches = await _lost(db, replica, said)
    return Look(
        replica=replica,
        handed=numbers.handed,
        operations=[*told, *fresh],
        watches=[*watched[: rules.AT_ONCE], *taken],
        more_watches=len(watched) > rules.AT_ONCE,
        hints=hints,
        cancels=cancels,
        lost=lost,
        lost_watches=lost_watches,
    )


async def _reserve(at: Platform, db: Db, replica: Replica, *, first: int, limit: int) -> list[Told]:
    if not replica.has_operations:
        return []
    found = await operations.reserve(
        db,
        operator=replica.operator_id,
        replica=replica.id,
        first=first,
        limit=limit,
        now=at.clock.now(),
    )
    return [Told(each.id, each.org_id, each.handout) for each in found]


async def _take_watches(
    at: Platform, db: Db, replica: Replica, *, first: int, limit: int
) -> list[Watch]:
    """Instances that nobody watches, as many as fit."""
    if limit <= 0 or not replica.has_watches:
        return []
    free = await store.lock_free_watches(db, replica.operator_id, limit=limit)
    if not free:
        return []
    return await store.take_watches(
        db,
        replica.id,
        free,
        first=first,
        hashes=[
            tokens.digest(_grant(at, each.instance_id, each.fence + 1, replica.id)) for each in free
        ],
    )


def _grant(at: Platform, instance: str, fence: int, replica: str) -> str:
    return tokens.derived(tokens.WATCH_GRANT, at.node_key, instance, fence, replica)


async def _lost(db: Db, replica: Replica, said: Claim) -> tuple[list[str], list[str]]:
    operations, watching = list[str](), list[str]()
    if said.holds:
        kept = await store.list_kept(db, replica.id, operations=said.holds)
        operations = rules.lost(said.holds, kept)
    if said.watching:
        kept = await store.list_kept_watches(db, replica.id, instances=said.watching)
        watching = rules.lost(said.watching, kept)
    return operations, watching


# Telling


async def _answer(at: Platform, look: Look, request: Request) -> tuple[dict[str, Any], bool]:
    """What there is to say, and whether that is all of it.

    What goes wrong in one org is put off: the others of the operator are told theirs.
    """
    replica = look.replica
    answer: dict[str, Any] = {
        "replica": {
            "id": replica.id,
            "lease_expires_at": replica.lease_expires_at,
            "lease_seconds": int(rules.LEASE.total_seconds()),
        },
        "next": look.next,
        "instances": [],
        "operations": [],
        "watches": [],
        "hints": [],
        "cancels": [],
        "lost": look.lost,
        "lost_watches": look.lost_watches,
    }
    missed = set[str]()
    for org in look.orgs:
        found = await _try_to_tell(at, look, request, org=org)
        if found is None:
            missed.add(org)
        for part, things in (found or {}).items():
            answer[part] += things
    if missed:
        await _put_off(at, look, missed)
    answer["operations"].sort(key=itemgetter("handout"))
    return answer, not missed


async def _try_to_tell(
    at: Platform, look: Look, request: Request, *, org: str
) -> dict[str, list[dict[str, Any]]] | None:
    try:
        async with unit.work(at, org, trace=request.state.trace) as ctx:
            return await _tell(ctx, look, org=org)
    except ApiError as refusal:
        log.warning("claim.put_off", org=org, replica=look.replica.id, error=logs.named(refusal))
    except Exception:
        log.exception("claim.failed_in_part", org=org, replica=look.replica.id)
    return None


async def _put_off(at: Platform, look: Look, orgs: set[str]) -> None:
    """What was not told counts as handed over later than this answer."""
    seen = (*look.watches, *look.hints)
    async with at.database.sweep() as db:
        await store.put_off(
            db,
            look.replica.id,
            operations=sorted(each.id for each in look.operations if each.org_id in orgs),
            cancels=sorted(each.id for each in look.cancels if each.org_id in orgs),
            instances=sorted({each.instance_id for each in seen if each.org_id in orgs}),
        )


async def _tell(ctx: Context, look: Look, *, org: str) -> dict[str, list[dict[str, Any]]]:
    """What there is to say of one org."""
    held = [each.id for each in look.operations if each.org_id == org]
    watched = [each for each in look.watches if each.org_id == org]
    hinted = [each for each in look.hints if each.org_id == org]
    cancelled = [each.id for each in look.cancels if each.org_id == org]
    briefs = list[dict[str, Any]]()
    if held:
        briefs = await operations.hand_over(ctx, held, org=org, replica=look.replica.id)
    others = [each.instance_id for each in (*watched, *hinted)]
    known, briefs = await briefing.tell(ctx, briefs, others, org=org)
    return {
        "instances": [*known.values()],
        "operations": briefs,
        "watches": [_watch(ctx, look, each) for each in watched if each.instance_id in known],
        "hints": [
            {"instance_id": each.instance_id, "moved": each.moved}
            for each in hinted
            if each.instance_id in known
        ],
        "cancels": await store.list_cancels(ctx.db, cancelled, org=org) if cancelled else [],
    }


def _watch(ctx: Context, look: Look, watch: Watch) -> dict[str, Any]:
    return {
        "instance_id": watch.instance_id,
        "grant": _grant(ctx.platform, watch.instance_id, watch.fence, look.replica.id),
        "fence": watch.fence,
        "handout": watch.handout,
    }


def _now() -> float:
    return asyncio.get_running_loop().time()
