"""Background work on secrets: the newest key, the right store, nothing left over."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any

import structlog

from moorage_core.background.driver import Sweep
from moorage_core.kit.db import org_scope
from moorage_core.platform import Platform
from moorage_core.secrets import commands, store
from moorage_core.secrets.envelope import NotOpened
from moorage_core.secrets.models import SealedSecret
from moorage_core.secrets.openbao import EntryMissing

BATCH = 200
TRIES = 3
"""Somebody may change a secret while its key is being sealed anew; then we look again."""
BROKEN = (NotOpened, EntryMissing)
"""A secret that does not open. One of them must not keep the others where they are."""

log = structlog.get_logger()


class RewrapSecrets(Sweep):
    """After a rotation: seal each secret's own key with the newest key of the store."""

    every = timedelta(minutes=1)

    async def activate(self) -> dict[str, Any]:
        custody = self.platform.custody
        newest = await custody.newest()

        async def look(after: str) -> list[tuple[str, str]]:
            async with self.platform.database.sweep() as db:
                return await store.list_older(
                    db, store=custody.current, version=newest, after=after, limit=BATCH
                )

        async def rewrap(org: str, id: str) -> bool:
            return await self._rewrap(org, id, newest=newest)

        return {"rewrapped": await _each(look, rewrap)}

    async def _rewrap(self, org: str, id: str, *, newest: int) -> bool:
        for _ in range(TRIES):
            before = await _find(self.platform, org, id)
            if before is None or before.key_version >= newest:
                return False
            try:
                after = await self.platform.custody.rewrap(before)
            except BROKEN:
                log.exception("secrets.broken", secret=id)
                return False
            async with self.platform.database.transaction(org_scope(org)) as db:
                if await store.rewrap(db, before, after):
                    return True
        return False


class MoveSecrets(Sweep):
    """After a change of the setting: bring secrets from the other store into this one."""

    every = timedelta(minutes=1)

    async def activate(self) -> dict[str, Any]:
        current = self.platform.custody.current

        async def look(after: str) -> list[tuple[str, str]]:
            async with self.platform.database.sweep() as db:
                return await store.list_elsewhere(db, store=current, after=after, limit=BATCH)

        return {"moved": await _each(look, self._move)}

    async def _move(self, org: str, id: str) -> bool:
        custody = self.platform.custody
        before = await _find(self.platform, org, id)
        if before is None or before.store == custody.current:
            return False
        try:
            value = await custody.open(before)
        except BROKEN:
            log.exception("secrets.broken", secret=id)
            return False
        await custody.prepare()
        after = custody.seal(value, org=org, id=id)
        async with self.platform.database.transaction(org_scope(org)) as db:
            moved = await store.put_anew(db, before, after)
            if moved and before.entry is not None:
                due = self.platform.clock.now() + commands.GRACE
                await store.add_leftover(db, before.place, org=org, due=due)
        self.platform.hub.mark({commands.TOPIC})
        return bool(moved)


class PlaceSecrets(Sweep):
    """Put sealed values outside, drop them from their rows; destroy what nobody refers to.

    The row is emptied only if it is still the one that was put outside. If somebody has changed or
    removed it meanwhile, what we have just written is left for destruction: by them, and once more
    by us in case ours came later.
    """

    every = timedelta(seconds=30)
    topics = (commands.TOPIC,)

    async def activate(self) -> dict[str, Any]:
        if self.platform.openbao is None:
            return {}

        async def look(after: str) -> list[tuple[str, str]]:
            async with self.platform.database.sweep() as db:
                return await store.list_unplaced(db, after=after, limit=BATCH)

        return {"placed": await _each(look, self._place), "destroyed": await self._destroy()}

    async def _place(self, org: str, id: str) -> bool:
        found = await _find(self.platform, org, id)
        if found is None or found.entry is None or found.ciphertext is None:
            return False
        assert self.platform.openbao is not None
        await self.platform.openbao.place(found)
        async with self.platform.database.transaction(org_scope(org)) as db:
            emptied = await store.empty(db, found)
            if not emptied:
                due = self.platform.clock.now() + commands.GRACE
                await store.add_leftover(db, found.place, org=org, due=due)
        return bool(emptied)

    async def _destroy(self) -> int:
        assert self.platform.openbao is not None
        now, done = self.platform.clock.now(), 0
        while True:
            async with self.platform.database.sweep() as db:
                leftovers = await store.list_leftovers(db, now=now, limit=BATCH)
            for leftover in leftovers:
                await self.platform.openbao.destroy(leftover.entry)
                async with self.platform.database.sweep() as db:
                    await store.forget_leftover(db, leftover.entry)
            done += len(leftovers)
            if len(leftovers) < BATCH:
                return done


class RenewStoreToken(Sweep):
    """Ask for another term for the token with which we speak to OpenBao."""

    every = timedelta(minutes=30)

    async def activate(self) -> dict[str, Any]:
        openbao = self.platform.openbao
        return {"renewed": int(openbao is not None and await openbao.renew())}


async def _find(platform: Platform, org: str, id: str) -> SealedSecret | None:
    async with platform.database.transaction(org_scope(org), read_only=True) as db:
        return await store.find(db, org=org, id=id)


async def _each(
    look: Callable[[str], Awaitable[Sequence[tuple[str, str]]]],
    act: Callable[[str, str], Awaitable[bool]],
) -> int:
    """Act on all that are found, page by page; how many it changed."""
    after, done = "", 0
    while found := await look(after):
        for org, id in found:
            done += await act(org, id)
            after = id
    return done
