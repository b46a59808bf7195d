"""A replica of a controller: claims, does, watches, and hands back when it is told to stop.

One long poll brings everything that is new. Operations are done side by side up to the capacity;
each instance that is watched is looked at by a task of its own, a few at a time. What the platform
says is lost is stopped at once.
"""

import asyncio
import contextlib
import logging
import time
import uuid
from collections.abc import AsyncGenerator, Awaitable
from dataclasses import dataclass, field
from typing import Any

from moorage._problem import ApiError, MoorageError
from moorage.client import Client
from moorage.controller import engine, health, logs, wire
from moorage.controller.app import App, Watcher
from moorage.controller.briefs import Brief, Claimed, Instance, WatchBrief
from moorage.controller.outcomes import Lost, Outcome
from moorage.controller.reporter import Reporter
from moorage.controller.settings import Settings
from moorage.controller.watching import Published, WatchedInstance
from moorage.controller.wire import Grip, WireHold, WireWatch
from moorage.resources.controllers import Claim

CLAIM_WAIT = 30.0
MOST_AT_ONCE = 100
"""Operations that one claim may ask for."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 15.0
SILENT_AFTER = 90.0
STOP_SECONDS = 5.0
"""That work has to end once it is stopped."""
LEAVE_SECONDS = 10.0
"""That the platform has to hear that this replica leaves."""
log = logging.getLogger("moorage.controller")


@dataclass
class Held:
    """An operation that is being done."""

    hold: WireHold
    work: "asyncio.Task[None]"

    def stop(self) -> None:
        """Have the work end, whether or not the platform answers."""
        self.hold.let_go()
        self.work.cancel()


@dataclass
class Watched:
    """An instance that is being watched."""

    brief: WatchBrief
    instance: Instance
    moved: asyncio.Event = field(default_factory=asyncio.Event)
    views: dict[str, Published] = field(default_factory=dict[str, Published])
    told: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """Usage that was reported last, by meter and key."""
    grip: Grip = field(default_factory=Grip)
    work: "asyncio.Task[None] | None" = None

    def stop(self) -> None:
        """Have the looks end, whether or not the platform answers."""
        self.grip.let_go()
        if self.work is not None:
            self.work.cancel()


class Runner:
    """One process of an app's controller.

    Args:
        app: What to do.
        operator: A client as the app operator. It claims and reports.
        machines: A client whose connections everything else goes over, so that commands that
            take long do not stand in the way of leases.
        settings: How much to take on.
    """

    def __init__(self, app: App, operator: Client, machines: Client, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        self._operator = operator
        self._machines = machines
        self._reporter = Reporter(operator.controllers.report)
        self._held: dict[str, Held] = {}
        self._watched: dict[str, Watched] = {}
        self._looks = asyncio.Semaphore(settings.looks)
        self._freed = asyncio.Event()
        self._replica: str | None = None
        self._asked = False
        self._after = 0
        self._heard_at = time.monotonic()

    async def run(self, stopping: asyncio.Event) -> None:
        """Work until `stopping` is set, then let steps end and hand the rest back."""
        async with self._health(), _beside(self._reporter.run()):
            try:
                await self._claim_until(stopping)
                await self._let_end()
            finally:
                await self._leave()

    def state(self) -> tuple[bool, dict[str, Any]]:
        """Whether all is well, and how much is held."""
        silent = time.monotonic() - self._heard_at
        return silent < SILENT_AFTER, {
            "replica": self._replica,
            "operations": len(self._held),
            "watches": len(self._watched),
            "silent_seconds": round(silent, 1),
        }

    def _health(self) -> contextlib.AbstractAsyncContextManager[Any]:
        port = self.settings.health_port
        if port is None:
            return contextlib.nullcontext()
        return health.served(self.settings.health_host, port, self.state)

    # Claims

    async def _claim_until(self, stopping: asyncio.Event) -> None:
        pause = FIRST_PAUSE
        while not stopping.is_set():
            claimed: Claimed | None = None
            try:
                claimed = await _first(self._claim(), stopping.wait(), self._when_freed())
            except ApiError as err:
                if self._replica is None and not wire.passes(err):
                    raise
                log.error("The platform refuses to be asked for work: %s", err)
            except MoorageError as err:
                log.warning("The platform does not answer: %s", err)
            else:
                if claimed is not None:
                    self._take(claimed)
                    pause = FIRST_PAUSE
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await stopping.wait()
            pause = min(LONGEST_PAUSE, pause * 2)

    async def _claim(self) -> Claimed:
        room = self.settings.capacity - len(self._held)
        watches = 0 if self.app.watcher is None else self.settings.watches - len(self._watched)
        self._asked = True
        return await self._ask(max(0, min(room, MOST_AT_ONCE)), max(0, watches), wait=CLAIM_WAIT)

    async def _ask(self, capacity: int, watches: int, *, wait: float) -> Claimed:
        return await self._operator.controllers.claim(
            Claim(
                app=self.app.manifest.slug,
                replica=self.settings.replica,
                release=self.app.manifest.version,
                capacity=capacity,
                watch_capacity=watches,
                wait=wait,
                after=self._after,
                holds=[*self._held],
                watching=[*self._watched],
            )
        )

    async def _when_freed(self) -> None:
        """A replica that had no room asks again as soon as it has some.

        The claim that is broken off may have been answered; `after` has it told again.
        """
        self._freed.clear()
        if len(self._held) < self.settings.capacity:
            await asyncio.Event().wait()
        await self._freed.wait()

    def _take(self, claimed: Claimed) -> None:
        if self._replica is None:
            log.info("Listening as %s for %s.", claimed.replica.id, self.app.manifest.slug)
        self._replica, self._after = claimed.replica.id, claimed.next
        self._heard_at = time.monotonic()
        for id in claimed.lost:
            self._drop(id)
        for id in claimed.lost_watches:
            self._unwatch(id)
        for brief in claimed.operations:
            self._begin(brief)
        for cancel in claimed.cancels:
            if cancel.operation in self._held:
                self._held[cancel.operation].hold.cancel()
        for watch in claimed.watches:
            self._watch(watch)
        for hint in claimed.hints:
            if (watched := self._watched.get(hint.instance_id)) is not None:
                watched.instance = hint.instance
                watched.moved.set()

    # Operations

    def _begin(self, brief: Brief) -> None:
        held = self._held.get(brief.id)
        if held is not None and held.hold.brief.fence >= brief.fence:
            return
        before = None if held is None else held.work
        if held is not None:
            held.stop()
        hold = WireHold(brief, self._machines, self._reporter)
        work = asyncio.create_task(self._do(hold, after=before))
        # Also of work that is stopped before it has begun.
        work.add_done_callback(lambda _: self._end(hold))
        self._held[brief.id] = Held(hold, work)

    async def _do(self, hold: WireHold, *, after: "asyncio.Task[None] | None") -> None:
        brief = hold.brief
        ids = {"operation": brief.id, "instance": brief.instance.id, "kind": brief.kind}
        with logs.about(correlation_id=brief.correlation_id, **ids):
            if after is not None:
                await asyncio.wait({after})
            log.info("Begun: %s.", brief.kind)
            try:
                await engine.perform(self.app, hold)
            except Lost as lost:
                log.warning("Lost: %s", lost)
            except MoorageError as err:
                # A report was refused for its content; the lease runs out, and it comes again.
                log.error("Given up: %s", err)
            else:
                log.info("Said how it went: %s.", brief.kind)

    def _end(self, hold: WireHold) -> None:
        # A part of the work that nobody waits for any more ends with it.
        hold.let_go()
        held = self._held.get(hold.brief.id)
        if held is not None and held.hold is hold:
            del self._held[hold.brief.id]
        self._freed.set()

    def _drop(self, id: str) -> None:
        held = self._held.get(id)
        if held is not None:
            held.stop()

    # Watches

    def _watch(self, brief: WatchBrief) -> None:
        watcher, known = self.app.watcher, self._watched.get(brief.instance.id)
        if watcher is None or (known is not None and known.brief.fence >= brief.fence):
            return
        self._unwatch(brief.instance.id)
        watched = Watched(brief, brief.instance)
        watched.work = asyncio.create_task(self._look_on(watched, watcher))
        self._watched[brief.instance.id] = watched

    def _unwatch(self, instance: str) -> None:
        watched = self._watched.pop(instance, None)
        if watched is not None:
            watched.stop()

    async def _look_on(self, watched: Watched, watcher: Watcher) -> None:
        """Look again and again: after so many seconds, or when something moved."""
        while True:
            watched.moved.clear()
            correlation = uuid.uuid4().hex
            with logs.about(instance=watched.instance.id, correlation_id=correlation):
                try:
                    async with self._looks:
                        await self._look(watched, watcher, correlation)
                except Lost:
                    if self._watched.get(watched.instance.id) is watched:
                        log.info("The instance is watched by another.")
                        del self._watched[watched.instance.id]
                    return
                except Outcome as err:
                    log.warning("The look came to nothing: %s", err)
                except Exception:  # a bug in a look ends no watch
                    log.exception("A bug of the app ended a look.")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(watcher.every):
                    await watched.moved.wait()

    async def _look(self, watched: Watched, watcher: Watcher, correlation: str) -> None:
        hold = WireWatch(watched.brief, self._machines, watched.grip, correlation_id=correlation)
        instance = WatchedInstance.over(
            watched.instance,
            hold,
            self.app.manifest,
            views=watched.views,
            told=watched.told,
            generation=int(time.time() * 1000),
        )
        await hold.observe(await watcher.look(instance))

    # Leaving

    async def _let_end(self) -> None:
        for id in [*self._watched]:
            self._unwatch(id)
        works = [held.work for held in self._held.values()]
        if works:
            grace = self.settings.grace
            log.info("Waiting up to %s s for %s operations.", grace, len(works))
            await asyncio.wait(works, timeout=grace)

    async def _leave(self) -> None:
        """What is not done goes to others at once."""
        for id in [*self._watched]:
            self._unwatch(id)
        works = [held.work for held in self._held.values()]
        for held in self._held.values():
            held.stop()
        if works:
            _, left = await asyncio.wait(works, timeout=STOP_SECONDS)
            if left:
                log.error("%s operations do not stop; they are given up as they are.", len(left))
        if self._asked:
            try:
                async with asyncio.timeout(LEAVE_SECONDS):
                    await self._say_that_it_leaves()
                log.info("Left.")
            except (MoorageError, TimeoutError) as err:
                why = str(err) or f"no answer in {LEAVE_SECONDS:.0f} s"
                log.warning("Nobody heard that this replica leaves; its leases run out: %s", why)

    async def _say_that_it_leaves(self) -> None:
        if self._replica is None:
            # What the first claim got is held, though nobody heard its answer.
            self._replica = (await self._ask(0, 0, wait=0)).replica.id
        await self._operator.controllers.leave(self._replica)


async def _first(wanted: Awaitable[Claimed], *others: Awaitable[Any]) -> Claimed | None:
    """The answer that is wanted, or None where one of the others came first."""
    asked = asyncio.ensure_future(wanted)
    tasks = [asked, *map(asyncio.ensure_future, others)]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return asked.result() if asked.done() else None
    finally:
        for task in tasks:
            task.cancel()
        # What the others raised meanwhile is nobody's any more.
        await asyncio.gather(*tasks, return_exceptions=True)


@contextlib.asynccontextmanager
async def _beside(work: Awaitable[None]) -> AsyncGenerator[None]:
    """Something that goes on as long as the block does."""
    task = asyncio.ensure_future(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})
