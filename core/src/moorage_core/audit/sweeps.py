"""Seals the audit log, and enters the refusals of minutes that are over."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import psycopg

from moorage_core.audit import commands, keyring, merkle, rules, seal_log, seals, store
from moorage_core.audit.keyring import AuditKeys, KeyUnusable
from moorage_core.audit.models import Seal
from moorage_core.background.driver import Sweep
from moorage_core.errors import Busy
from moorage_core.kit.db import org_scope
from moorage_core.platform import Platform
from moorage_core.unit import SEQUENCER_TOPIC

BATCH = 1000
"""Entries in one seal at most: a tenant's proof is computed from all of them."""
MINUTES = 200


class EntriesMissing(Exception):
    """Numbers were given out to entries that are not there."""


class SealAudit(Sweep):
    """Sign what was numbered since the last seal, and copy every seal to the second place.

    The order of the two, and what a crash between them leaves, is the subject of `seal_log`.
    """

    def __init__(self, platform: Platform) -> None:
        super().__init__(platform)
        self.every = platform.settings.audit.seal_every
        self._log = seal_log.path_of(platform.settings)
        self._folder = platform.settings.data / "keys"

    async def activate(self) -> dict[str, Any]:
        keys = await self._ensure_keys()
        await self._copy(keys)
        sealed = 0
        missing: list[str] = []
        while (seal := await self._seal(keys)) is not None:
            await self._copy(keys)
            sealed += seal.entries
            if seal.entries <= seal.last_seq - seal.first_seq:
                missing.append(f"{seal.first_seq} to {seal.last_seq}")
            if seal.entries < BATCH:
                break
        if missing:
            raise EntriesMissing(_missing(", ".join(missing)))
        return {"sealed": sealed}

    async def _ensure_keys(self) -> AuditKeys:
        keys = await asyncio.to_thread(keyring.read, self._folder)
        if keys.public:
            return keys
        async with self.platform.database.sweep() as db:
            if await store.find_last_seal(db) is not None:
                raise KeyUnusable(
                    f"{self._folder} holds no key of the audit log, though there are seals. Put "
                    "audit-*.pem back from a backup."
                )
        await asyncio.to_thread(keyring.add, self._folder, number=1)
        return await asyncio.to_thread(keyring.read, self._folder)

    async def _seal(self, keys: AuditKeys) -> Seal | None:
        """Seal the next batch; None where nothing waits."""
        async with self.platform.database.sweep() as db:
            before = await store.find_last_seal(db)
            start = before.last_seq if before else 0
            issued = await store.get_last_issued(db)
            waiting = await store.list_unsealed(db, after=start, upto=issued, limit=BATCH)
            if not waiting and issued > start:
                raise EntriesMissing(_missing(f"{start + 1} to {issued}"))
            if not waiting:
                return None
            seal = seals.following(
                before,
                last_seq=waiting[-1][0],
                entries=len(waiting),
                root=merkle.root([merkle.leaf_hash(*entry) for entry in waiting]),
                at=self.platform.clock.now(),
                key_id=keys.signer_id,
            )
            signed = keys.sign(seal)
            await store.add_seal(db, signed)
        return signed

    async def _copy(self, keys: AuditKeys) -> None:
        """Bring the second place up to date, or stop where the two contradict each other."""
        last = await asyncio.to_thread(seal_log.find_last, self._log, keys=keys.public)
        while True:
            async with self.platform.database.sweep() as db:
                rows = await store.list_seals_from(db, last.number if last else 1, limit=BATCH)
            new = seals.pending(last, rows, keys=keys.public)
            if not new:
                return
            await asyncio.to_thread(seal_log.append, self._log, new, after=last, keys=keys.public)
            last = new[-1]


class FlushDenials(Sweep):
    """Turn counted refusals into entries once their minute is over, each in its org."""

    every = timedelta(seconds=30)

    async def activate(self) -> dict[str, Any]:
        entered = 0
        before = rules.closed_before(self.platform.clock.now())
        while True:
            async with self.platform.database.sweep() as db:
                found = await store.list_denied_minutes(db, before=before, limit=MINUTES)
            entered += await self._enter(found)
            if found:
                self.platform.hub.mark({SEQUENCER_TOPIC})
            if len(found) < MINUTES:
                return {"entered": entered}

    async def _enter(self, found: list[tuple[str, datetime]]) -> int:
        """One that the database refuses must not keep the others out: it is raised at the end."""
        entered = 0
        refused: list[Exception] = []
        for org, minute in found:
            try:
                async with self.platform.database.transaction(org_scope(org)) as db:
                    entered += await commands.enter_denials(db, org=org, minute=minute)
            except (psycopg.IntegrityError, Busy) as err:
                if not isinstance(err.__cause__ or err, psycopg.IntegrityError):
                    raise  # The database is away, for all of them.
                refused.append(err)
        if refused:
            raise refused[0]
        return entered


def _missing(numbers: str) -> str:
    return (
        f"Audit entries among the numbers {numbers} are gone: somebody removed them from the "
        "database before they were sealed. Run moor audit verify to see which."
    )
