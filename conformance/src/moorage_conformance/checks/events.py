"""What whoever listens to the platform learns of an app."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass

from moorage import Client
from moorage_conformance.judging import Check, Judge
from moorage_conformance.stage import Stage

TOLD = Check("ON-4", "The end of each operation is an event with the correlation of its request.")

ENDED = "apps.operation.succeeded"
WITHIN = 30.0
WAIT = 5.0


@dataclass(frozen=True)
class Listener:
    """Somebody who listens to a project from a moment on."""

    client: Client
    project: str
    after: str

    async def expect(self, judge: Judge, correlations: Collection[str]) -> None:
        """Each of these operations is told of."""
        missing = [*(set(correlations) - await self._heard({*correlations}))]
        judge.expect(
            TOLD,
            not missing,
            f"There is an event {ENDED} for each operation that succeeded.",
            f"For {len(missing)} of {len(correlations)} there is none.",
            *missing,
        )

    async def _heard(self, wanted: set[str]) -> set[str]:
        """Correlations of operations that ended well; a moment later all of them are there."""
        heard, after = set[str](), self.after
        ends = asyncio.get_running_loop().time() + WITHIN
        while not wanted <= heard and asyncio.get_running_loop().time() < ends:
            page = await self.client.events.list(
                after=after, project=self.project, types=[ENDED], wait=WAIT
            )
            heard |= {event.correlationid for event in page.items}
            after = page.next
        return heard


async def listen(stage: Stage) -> Listener:
    """From now on."""
    project = stage.tenant.project
    now = await stage.client.events.list(after="latest", project=project)
    return Listener(stage.client, project, now.next)
