"""Replicas of the app's controller: processes that start, die, stand still and are told to stop."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

from moorage import Client, MoorageError
from moorage_conformance.namespace import Namespace
from moorage_conformance.road import Road

PASSED = ("PATH", "HOME", "LANG", "LC_ALL", "PYTHONPATH", "TMPDIR", "VIRTUAL_ENV")
"""What a controller gets of the kit's environment: nothing that opens anything."""
STOPPING = 30.0


@dataclass(frozen=True)
class Program:
    """How a replica is run, and as whom."""

    argv: tuple[str, ...]
    folder: Path
    account: str
    key: str
    secret_file: Path
    log: Path


class Replica:
    """One replica, behind a door of its own."""

    def __init__(self, program: Program, door: int, inside: Namespace, road: Road) -> None:
        self.program, self.door = program, door
        self._inside, self._road = inside, road
        self._process: asyncio.subprocess.Process | None = None
        self._begun = 0
        self.crashes = 0

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        self._begun = self._road.mark()
        with self.program.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._inside.enter(self.program.argv),
                cwd=self.program.folder,
                env=self._environment(),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    async def crash(self, operator: Client) -> None:
        """Kill it where it stands, and start another as if its leases had run out meanwhile."""
        self.crashes += 1
        await self.kill()
        await self.forget(operator)
        await self.start()

    async def kill(self) -> None:
        self.send(signal.SIGKILL)
        await self.ended()
        await self._road.quiet(self.door)

    async def forget(self, operator: Client) -> None:
        """Let the platform believe that it is gone for long enough: others get what it held."""
        if (id := self.id()) is not None:
            with contextlib.suppress(MoorageError):
                await operator.controllers.leave(id)

    def id(self) -> str | None:
        """How the platform calls it."""
        told = [e for e in self._road.since(self._begun, self.door) if e.is_claim and e.answer]
        ids = [e.answer.json.get("replica", {}).get("id") for e in told if e.answer]
        return next((id for id in reversed(ids) if id), None)

    def send(self, what: signal.Signals) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(what)

    async def ended(self) -> int | None:
        return None if self._process is None else await self._process.wait()

    async def stop(self) -> None:
        """Tell it to stop; one that does not is killed."""
        self.send(signal.SIGTERM)
        try:
            await asyncio.wait_for(self.ended(), STOPPING)
        except TimeoutError:
            await self.kill()

    def _environment(self) -> dict[str, str]:
        return environment() | {
            "MOORAGE_URL": self._inside.url(self.door),
            "MOORAGE_SERVICE_ACCOUNT": self.program.account,
            "MOORAGE_KEY": self.program.key,
            "MOORAGE_SECRET_FILE": str(self.program.secret_file),
            "MOORAGE_REPLICA": f"conformance-{self.door}",
        }


def environment() -> dict[str, str]:
    """What a program of the app's is given: programs beside the kit's own are found first."""
    own = {name: os.environ[name] for name in PASSED if name in os.environ}
    beside = Path(sys.executable).parent
    return own | {"PATH": f"{beside}:{os.environ.get('PATH', '/usr/bin:/bin')}"}


@contextlib.asynccontextmanager
async def running(replica: Replica) -> AsyncGenerator[Replica]:
    """A replica that is gone when the block ends, and took its leave if it knows how to."""
    await replica.start()
    try:
        yield replica
    finally:
        replica.send(signal.SIGCONT)
        await replica.stop()
