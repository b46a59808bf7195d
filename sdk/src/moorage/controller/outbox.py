"""What is to be said about one operation, gathered until the next report goes.

Reports of one operation go one after the other. A step is journaled before it is begun; that it
ended goes along with whatever is said next, at the latest with the next renewal.
"""

import asyncio
from typing import Any

from moorage.controller.holds import Hold
from moorage.controller.journal import Journal
from moorage.controller.reports import (
    InstanceReport,
    MemberReport,
    Progress,
    Report,
    Residue,
    State,
)

RENEW_EVERY = 10.0
SOON = 0.2
"""Seconds after which something that somebody may be watching is told."""


class Outbox:
    def __init__(self, hold: Hold, journal: Journal) -> None:
        self._hold = hold
        self._journal = journal
        self._lock = asyncio.Lock()
        self._news = asyncio.Event()
        self._ended = False
        self.state: State = "undoing" if hold.brief.direction == "undo" else "running"
        self.message: str | None = None
        self.progress: Progress | None = None
        self.member: MemberReport | None = None
        self.instance: InstanceReport | None = None
        self.residue: list[Residue] = []
        self.result: dict[str, Any] | None = None

    def touch(self) -> None:
        """There is something to say."""
        self._news.set()

    async def flush(self, **ending: Any) -> None:
        """Say everything now. `ending` says how this try ended; nothing is said after it.

        A report that is under way is not broken off: nobody would know whether it had arrived.
        """
        report = asyncio.create_task(self._report(ending))
        report.add_done_callback(_heard)
        await asyncio.shield(report)

    async def has_ended(self) -> bool:
        """Whether the end of this try was said."""
        async with self._lock:
            return self._ended

    async def renew(self) -> None:
        """Keep the lease, and tell soon what is new. Runs beside the work until it has ended."""
        while not await self.has_ended():
            try:
                async with asyncio.timeout(RENEW_EVERY):
                    await self._news.wait()
            except TimeoutError:
                pass
            else:
                await asyncio.sleep(SOON)
                if not self._news.is_set():  # the next step has told it
                    continue
            await self.flush()

    async def _report(self, ending: dict[str, Any]) -> None:
        async with self._lock:
            if self._ended:
                return
            self._news.clear()
            said: dict[str, Any] = {
                "state": self.state,
                "steps": self._journal.take_unsaid(),
                "message": self.message,
                "progress": self.progress,
                "member": self.member,
                "instance": self.instance,
            }
            # What was said is not said again; the platform keeps it.
            self.message = self.progress = self.member = self.instance = None
            await self._hold.report(Report(**(said | ending)))
            self._ended = bool(ending)


def _heard(report: "asyncio.Task[None]") -> None:
    """Whoever waited may be gone; the next report is refused for the same reason."""
    if not report.cancelled():
        report.exception()
