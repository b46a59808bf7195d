"""What happens to operations by itself: leases, waits and times run out, people leave."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from itertools import groupby
from typing import Any

from moorage_core import unit
from moorage_core.authz.permissions import Permission
from moorage_core.background import orgs
from moorage_core.background.driver import Sweep
from moorage_core.context import Context
from moorage_core.operations import claims, queue_store, requests, rules, sessions, store

BATCH = 100
BEAT = timedelta(seconds=2)
"""How exactly it is known when the control plane was last at work."""
OUTAGE = timedelta(seconds=15)
"""Silence of the control plane after which controllers could not have renewed their leases."""


class EndExpired(Sweep):
    """Look for sessions whose lease has run out; end each in its org."""

    every = timedelta(seconds=2)

    async def activate(self) -> dict[str, Any]:
        async with self.platform.database.sweep() as db:
            found = await store.list_expired(db, now=self.platform.clock.now(), limit=BATCH)
        ended = 0
        for row in found:
            with orgs.put_off(self.name, org=row["org_id"], operation=row["id"]):
                async with unit.work(self.platform, row["org_id"]) as ctx:
                    count = await sessions.end_expired(ctx, row["id"], org=row["org_id"])
                ended += count
        return {"ended": ended}


class EndLeft(Sweep):
    """End the sessions of people and service accounts who may not open them any more.

    Their tokens open nothing from that moment on; what they have under way is stopped here.
    """

    every = timedelta(seconds=2)
    topics = ("memberships",)

    async def activate(self) -> dict[str, Any]:
        async with self.platform.database.sweep() as db:
            found = await store.list_left(
                db,
                roles=sorted(rules.OPENING_ROLES),
                key=Permission.INFRA_SESSION_CREATE,
                limit=BATCH,
            )
        ended = 0
        for row in found:
            with orgs.put_off(self.name, org=row["org_id"], operation=row["id"]):
                async with unit.work(self.platform, row["org_id"]) as ctx:
                    count = await sessions.end_left(ctx, row["id"], org=row["org_id"])
                ended += count
        return {"ended": ended}


class ExpireLeases(Sweep):
    """Give to others what belongs to controllers that have gone silent.

    It also feels the pulse of the control plane itself. Where that was out for so long that nobody
    could renew, every lease that was live then gets a full term first.
    """

    every = timedelta(seconds=0.5)
    """A successor should begin within a second of a lease's end."""

    async def activate(self) -> dict[str, Any]:
        now = self.platform.clock.now()
        async with self.platform.database.sweep() as db:
            last = await queue_store.beat(db, now=now, every=BEAT)
            extended = 0
            if now - last > OUTAGE:
                extended = await queue_store.extend_leases(db, since=last, until=now + rules.LEASE)
            found = await queue_store.list_silent(db, now=now, limit=BATCH)
        return {"extended": extended, "freed": await claims.release(self.platform, _by(found))}


class WakeDue(Sweep):
    """Put operations back in line that have waited long enough."""

    every = timedelta(seconds=1)

    async def activate(self) -> dict[str, Any]:
        async with self.platform.database.sweep() as db:
            found = await queue_store.list_due(db, now=self.platform.clock.now(), limit=BATCH)
        return {"woken": await _each(self, found, requests.wake_due)}


class StopLate(Sweep):
    """Ask operations to stop whose time is over; block those that do not."""

    every = timedelta(seconds=5)

    async def activate(self) -> dict[str, Any]:
        async with self.platform.database.sweep() as db:
            found = await queue_store.list_late(db, now=self.platform.clock.now(), limit=BATCH)
        return {"late": await _each(self, found, requests.stop_late)}


def _by(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """By org and instance: those of one are done in one transaction."""
    return sorted(rows, key=lambda row: (row["org_id"], row["instance"], row["id"]))


async def _each(
    sweep: Sweep,
    rows: Sequence[dict[str, Any]],
    act: Callable[[Context, list[str], str, str], Awaitable[int]],
) -> int:
    """Do something about operations, instance by instance; how many it was done to."""
    done = 0
    for (org, instance), mine in groupby(_by(rows), lambda row: (row["org_id"], row["instance"])):
        ids = [row["id"] for row in mine]
        with orgs.put_off(sweep.name, org=org, instance=instance):
            async with unit.work(sweep.platform, org) as ctx:
                await queue_store.lock_instance(ctx.db, instance, org=org)
                count = await act(ctx, ids, org, instance)
            done += count
    return done
