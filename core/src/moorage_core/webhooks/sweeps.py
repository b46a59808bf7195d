"""Background work of webhooks: queue what each asked for, deliver it until taken or dead."""

import asyncio
import functools
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

import psycopg
import structlog

from moorage_core import unit
from moorage_core.background.driver import Sweep
from moorage_core.errors import ApiError
from moorage_core.kit import endings, logs, outbound
from moorage_core.kit.db import Db, org_scope
from moorage_core.kit.outbound import Resolver
from moorage_core.kit.wakeups import Waiter
from moorage_core.platform import Platform
from moorage_core.webhooks import commands, deliver, store
from moorage_core.webhooks.deliver import Road
from moorage_core.webhooks.models import Claim
from moorage_core.webhooks.rules import Answer, Failure, Status

BATCH = 200
"""Events fanned out in one transaction."""
EVENTS_TOPIC = "events"
"""Moves when events were numbered."""
GRACE = timedelta(seconds=30)
"""How much longer than one try a delivery is held: time to read it and to note what came of it."""

AWAY = (psycopg.Error, OSError, ApiError)
"""What is raised when the database cannot be asked right now."""

log = structlog.get_logger()


class FanOutEvents(Sweep):
    """Queue a delivery for each new event and each webhook that asked for it."""

    every = timedelta(seconds=5)
    topics = (EVENTS_TOPIC,)

    async def activate(self) -> dict[str, Any]:
        seen = Counter[str]()
        while queued := await self._batch():
            seen += queued
        if seen["queued"]:
            self.platform.hub.mark({commands.TOPIC})
        return dict(seen)

    async def _batch(self) -> Counter[str]:
        """Deliveries and cursor in one transaction, so that none is left out or doubled."""
        async with self.platform.database.sweep() as db:
            after = await store.lock_cursor(db)
            upto = await store.find_batch_end(db, after=after, limit=BATCH)
            if upto is None:
                return Counter()
            matches = await store.list_matches(db, after=after, upto=upto)
            if matches:
                await store.add_deliveries(db, matches, now=self.platform.clock.now())
            await store.advance_cursor(db, upto=upto)
            return Counter(events=upto - after, queued=len(matches))


class DeliverWebhooks(Sweep):
    """Deliver what is due. Any number of processes share the work, each under leases.

    A process that dies leaves its leases to run out; then somebody sends the same again. Receivers
    know a message by its id. No receiver gets more than a quarter of the hands, and no org more
    than half: who is slow waits for itself.
    """

    every = timedelta(seconds=5)
    topics = (commands.TOPIC,)
    single = False

    def __init__(self, platform: Platform, *, resolver: Resolver | None = None) -> None:
        super().__init__(platform)
        settings = platform.settings.webhooks
        self._parallel = settings.parallel
        self._lane = max(1, settings.parallel // 4)
        self._share = max(1, settings.parallel // 2)
        self._lease = settings.timeout + GRACE
        self._resolver = resolver or Resolver(threads=settings.parallel, share=self._share)
        self._tls = outbound.tls()
        self._last_lane = ""

    async def activate(self) -> dict[str, Any]:
        """Until nothing is due or under way. A slow try keeps nobody else from starting."""
        seen = Counter[str]()
        running: dict[asyncio.Task[str], str] = {}
        try:
            with self.platform.hub.watch(self.topics) as waiter:
                while True:
                    busy = Counter(running.values())
                    for claim in await self._claim(self._parallel - len(running), busy):
                        running[asyncio.create_task(self._deliver(claim))] = claim.org_id
                    if not running:
                        return dict(seen)
                    await _first_of(running, waiter, seconds=self.every.total_seconds())
                    done = [task for task in running if task.done()]
                    for task in done:
                        del running[task]
                    seen.update(task.result() for task in done)
        finally:
            await endings.end(running)

    async def _claim(self, free: int, busy: Mapping[str, int] | None = None) -> list[Claim]:
        """Due deliveries for the free hands, where `busy` tells how many hands each org has."""
        if free == 0:
            return []
        try:
            async with self.platform.database.sweep() as db:
                claims = await self._go_round(db, free, Counter(busy or {}))
        except AWAY as err:
            # What is under way is worth finishing: its receiver may be taking it right now.
            log.warning("webhook.no_claims", error=logs.named(err))
            return []
        self._last_lane = claims[-1].webhook_id if claims else ""
        return claims

    async def _go_round(self, db: Db, free: int, busy: Counter[str]) -> list[Claim]:
        """From the lane after the last one served to the end, then from the beginning."""
        claims: list[Claim] = []
        lane = self._last_lane
        while len(claims) < free:
            taken = await self._claim_after(db, lane, free - len(claims), busy)
            claims += taken
            busy.update(claim.org_id for claim in taken)
            if any(busy[claim.org_id] >= self._share for claim in taken):
                # An org has its share now. What it left may stand before that of others.
                continue
            if not lane:
                break
            lane = ""
        return claims

    async def _claim_after(
        self, db: Db, lane: str, free: int, busy: Mapping[str, int]
    ) -> list[Claim]:
        claims = await store.claim(
            db,
            after=lane,
            limit=free,
            lane=self._lane,
            share=self._share,
            busy=busy,
            now=self.platform.clock.now(),
            lease=self._lease,
        )
        return sorted(claims, key=lambda claim: claim.webhook_id)

    async def _deliver(self, claim: Claim) -> str:
        """One try, from reading to noting. What goes wrong here must not touch the other tries."""
        try:
            answer = await self._try(claim)
            async with unit.work(self.platform, claim.org_id) as ctx:
                verdict = await commands.conclude(ctx, claim, answer)
        except AWAY as err:
            # The database is away: the lease runs out, and the delivery is tried again.
            log.warning("webhook.interrupted", delivery=claim.id, error=logs.named(err))
            return "interrupted"
        dead = verdict is not None and verdict.status is Status.DEAD
        write = log.info if dead else log.debug
        write("webhook.tried", delivery=claim.id, failure=answer.failure, dead=dead)
        return answer.failure or "delivered"

    async def _try(self, claim: Claim) -> Answer:
        try:
            async with self.platform.database.transaction(
                org_scope(claim.org_id), read_only=True
            ) as db:
                unsigned = await commands.prepare(self.platform, db, claim)
            if isinstance(unsigned, Failure):
                return Answer(unsigned)
            parcel = await commands.sign(self.platform, unsigned)
            return await deliver.post(parcel, self._road(claim.org_id))
        except AWAY:
            raise
        except Exception:
            # A secret that does not open, say. It counts as a try, so it ends among the dead.
            log.exception("webhook.broken", delivery=claim.id, webhook=claim.webhook_id)
            return Answer(Failure.INTERNAL)

    def _road(self, org: str) -> Road:
        settings = self.platform.settings.webhooks
        return Road(
            resolve=functools.partial(self._resolver.find, org=org),
            tls=self._tls,
            private=settings.private_addresses,
            timeout=settings.timeout,
        )


async def _first_of(
    running: Iterable[asyncio.Task[str]], waiter: Waiter, *, seconds: float
) -> None:
    """Wait until one of the tasks is done, something new is due, or the time is up."""
    woken = asyncio.create_task(waiter.wait(seconds))
    try:
        await asyncio.wait({*running, woken}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        woken.cancel()
