"""Keeps a signing key in force and the next one announced."""

from datetime import timedelta
from typing import Any

from moorage_core.background.driver import Sweep
from moorage_core.signing import commands


class RotateSigningKeys(Sweep):
    every = timedelta(minutes=10)

    async def activate(self) -> dict[str, Any]:
        return {"made": int(await commands.rotate(self.platform))}
