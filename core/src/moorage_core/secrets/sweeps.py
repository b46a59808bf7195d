"""Moves every secret to the newest master key after a rotation."""

from datetime import timedelta
from typing import Any

from moorage_core.background.driver import Sweep
from moorage_core.kit.db import org_scope
from moorage_core.secrets import commands, store

BATCH = 200


class RewrapSecrets(Sweep):
    """Look for secrets under an older master key; seal their keys anew, each in its org."""

    every = timedelta(minutes=1)

    async def activate(self) -> dict[str, Any]:
        newest = self.platform.keyring.reread()
        done = 0
        while True:
            async with self.platform.database.sweep() as db:
                older = await store.list_older(db, version=newest, limit=BATCH)
            for org, id in older:
                async with self.platform.database.transaction(org_scope(org)) as db:
                    await commands.rewrap(self.platform, db, id, org=org)
            done += len(older)
            if len(older) < BATCH:
                return {"rewrapped": done}
