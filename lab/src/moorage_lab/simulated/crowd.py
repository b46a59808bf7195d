"""Many simulated agents in one process.

They start a few at a time: a thousand enrolments in one second is what a data centre that comes
back does, and is asked for by `together`.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from moorage_lab.simulated.agent import Agent
from moorage_lab.simulated.http1 import Server
from moorage_lab.simulated.inventory import Machine
from moorage_lab.simulated.script import Behaviour
from moorage_lab.simulated.tally import Tally


class Crowd:
    """Agents that run until the crowd is left."""

    def __init__(
        self,
        server: Server,
        tokens: Sequence[str],
        *,
        machine: Machine | None = None,
        behaviour: Behaviour | None = None,
        together: int = 32,
    ) -> None:
        self.tally = Tally()
        self.agents = [
            Agent(
                server,
                token=token,
                hostname=f"simulated-{number}",
                machine=machine,
                behaviour=behaviour,
                tally=self.tally,
            )
            for number, token in enumerate(tokens, start=1)
        ]
        self._gate = asyncio.Semaphore(together)
        self._running: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._running = [asyncio.create_task(self._run(agent)) for agent in self.agents]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for running in self._running:
            running.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _run(self, agent: Agent) -> None:
        async with self._gate:
            pause = await agent.begin()
        if pause:
            await asyncio.sleep(pause)
        await agent.run()

    def join(self, agent: Agent) -> None:
        """Let one more run with the others."""
        self.agents.append(agent)
        self._running.append(asyncio.create_task(agent.run()))

    def states(self) -> Counter[str]:
        """How many agents are in which state."""
        return Counter(agent.state for agent in self.agents)

    async def until(self, is_so: Callable[["Crowd"], bool], *, seconds: float = 60) -> None:
        """Wait until something is so of the crowd."""
        async with asyncio.timeout(seconds):
            while not is_so(self):
                await asyncio.sleep(0.02)

    async def until_working(self, *, seconds: float = 120) -> None:
        """Wait until every agent has been let in."""
        await self.until(
            lambda crowd: crowd.states()["working"] == len(crowd.agents), seconds=seconds
        )
