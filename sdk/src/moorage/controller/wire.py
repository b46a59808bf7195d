"""Operations that are held and instances that are watched, over the wire.

While the platform does not answer, whoever needs it waits; whether something is still ours is for
the platform to say, until this replica lets go. From then on nothing is asked any more: work that
is stopped may want to tidy up, and would wait for a platform that is gone.

Everything goes out with the correlation id and the trace of the operation.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from moorage._problem import (
    ApiError,
    Conflict,
    Forbidden,
    NotFound,
    ServerFault,
    TooManyRequests,
    Unauthenticated,
    Unprocessable,
    Unreachable,
)
from moorage.auth import AccessToken
from moorage.client import Client
from moorage.controller.briefs import Brief, WatchBrief
from moorage.controller.holds import Ended, Purpose, Rows, Stream, Wish
from moorage.controller.outcomes import Fail, Lost
from moorage.controller.reporter import Reporter
from moorage.controller.reports import Observed, Report, ReportAnswer, Usage
from moorage.models import TaskCreate, TaskRead
from moorage.resources import controllers

TASK_WAIT = 30.0
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 10.0
OVER = frozenset({"grant_ended", "operation_ended", "watch_ended"})
"""Refusals that mean: this is not yours any more."""
T = TypeVar("T")
log = logging.getLogger("moorage.controller")


class Grip:
    """What a replica has on something that it holds, until it lets go."""

    def __init__(self) -> None:
        self._gone = False

    def let_go(self) -> None:
        """Ask for nothing more."""
        self._gone = True

    def check(self) -> None:
        """Raises `Lost` once it was let go."""
        if self._gone:
            raise Lost("this replica has let it go")

    async def persist(self, ask: Callable[[], Awaitable[T]], *, part: bool = False) -> T:
        """Ask until there is an answer. A refusal is one; what it means, an app's author is told.

        Args:
            part: It is about a part of what is held, which may be gone while the whole is not.

        Raises:
            Lost: what was held is another's, or is over, or was let go.
            Fail: the platform does not allow it.
        """
        pause = FIRST_PAUSE
        while True:
            self.check()
            try:
                return await ask()
            except Unauthenticated as err:
                raise Lost(err.detail) from err
            except NotFound as err:
                # What is held is gone; or a part of it is not there, which is no reason to let go.
                gone = err.code == "not_found" and not part
                raise (Lost(err.detail) if gone else Fail(err.code, err.detail)) from err
            except (Conflict, Forbidden, Unprocessable) as err:
                over = err.code in OVER
                raise (Lost(err.detail) if over else Fail(err.code, err.detail)) from err
            except (Unreachable, ServerFault, TooManyRequests) as err:
                log.warning("The platform does not answer: %s", err)
            await asyncio.sleep(pause)
            pause = min(LONGEST_PAUSE, pause * 2)


class WireHold:
    """One operation, held by this replica."""

    def __init__(self, brief: Brief, client: Client, reporter: Reporter) -> None:
        self._brief = brief
        self._client = client.acting(
            AccessToken(brief.grant),
            correlation_id=brief.correlation_id,
            traceparent=brief.traceparent,
        )
        self._grip = Grip()
        self._persist = self._grip.persist
        self._reporter = reporter
        self._telling: asyncio.Task[ReportAnswer] | None = None
        self._sequence = brief.sequence
        self._cancel = asyncio.Event()
        # A request that was cancelled half-way is finished for those that it was done for.
        done = brief.kind.startswith("member.") and brief.children and brief.children.succeeded
        self._finishes = brief.phase == "finish" and bool(brief.cancel_requested or done)
        if brief.cancel_requested:
            self.cancel()

    @property
    def brief(self) -> Brief:
        return self._brief

    def cancel(self) -> None:
        """Somebody wants the operation to stop."""
        if not self._finishes:
            self._cancel.set()

    async def cancel_asked(self) -> None:
        await self._cancel.wait()

    def let_go(self) -> None:
        """Ask for nothing more, and wait for no answer to what was said."""
        self._grip.let_go()
        if self._telling is not None:
            self._telling.cancel()

    async def report(self, said: Report) -> None:
        self._grip.check()
        number = self._sequence + 1
        entry = controllers.entry(
            self._brief.id, self._brief.grant, said, fence=self._brief.fence, sequence=number
        )
        self._telling = asyncio.create_task(self._reporter.report(entry))
        answer = await self._telling
        self._sequence = number
        if answer.cancel_requested:
            self.cancel()

    async def task(self, wish: Wish) -> Ended:
        asked = TaskCreate(
            key=wish.key,
            kind=wish.kind,
            allocation=wish.allocation,
            input=wish.input,
            run_as=wish.run_as,
            timeout=wish.timeout,
            output_limit=wish.output_limit,
            attempt=wish.attempt,
            repeatable=wish.repeatable,
        )
        (task,) = await self._persist(lambda: self._client.tasks.create(self._brief.id, [asked]))
        while task.ended_at is None:
            known = task.id
            task = await self._persist(lambda id=known: self._client.tasks.get(id, wait=TASK_WAIT))
        return _ended(task)

    async def output(self, task: str, stream: Stream) -> bytes:
        return await self._persist(lambda: _whole(self._client, task, stream))

    async def settle(self, *, stop: bool) -> None:
        if stop:
            for task in await self._persist(self._open_tasks):
                await self._stop(task)
        page = await self._persist(lambda: self._client.tasks.list(self._brief.id, page_size=1))
        while page.open:
            page = await self._persist(
                lambda: self._client.tasks.list(self._brief.id, page_size=1, wait=TASK_WAIT)
            )

    async def _open_tasks(self) -> list[TaskRead]:
        every = self._client.tasks.all(self._brief.id)
        return [task async for task in every if task.ended_at is None]

    async def _stop(self, task: TaskRead) -> None:
        try:
            await self._persist(lambda: self._client.tasks.cancel(task))
        except Fail as err:
            if err.code != "task_ended":
                raise

    async def put_secret(
        self, name: str, *, purpose: Purpose, value: str | None, generate: int | None, rotate: bool
    ) -> None:
        await self._persist(
            lambda: self._client.operations.put_secret(
                self._brief.id,
                name=name,
                purpose=purpose,
                value=value,
                generate=generate,
                rotate=rotate,
            )
        )

    async def principals(self) -> list[dict[str, Any]]:
        instance = self._brief.instance.id
        found = await self._persist(lambda: self._client.controllers.principals(instance))
        return found.items

    async def observe(self, observed: Observed) -> None:
        brief = self._brief
        await self._persist(
            lambda: self._client.controllers.observe(brief.instance.id, observed, fence=brief.fence)
        )


class WireWatch:
    """One instance, watched by this replica."""

    def __init__(
        self, brief: WatchBrief, client: Client, grip: Grip, *, correlation_id: str
    ) -> None:
        self._persist = grip.persist
        self._instance = brief.instance.id
        self._fence = brief.fence
        self._client = client.acting(
            AccessToken(brief.grant), correlation_id=correlation_id, traceparent=None
        )

    async def probe(self, name: str, member: str) -> tuple[Ended, bytes]:
        calls = self._client.controllers
        wish = controllers.ProbeWish(name=name, member=member)
        # A member may leave between two looks, or within one: that ends no watch.
        made = await self._persist(
            lambda: calls.probe(self._instance, [wish], fence=self._fence), part=True
        )
        id = made.tasks[0].id
        task = await self._persist(lambda: self._client.tasks.wait(id), part=True)
        said = await self._persist(lambda: _whole(self._client, id, "stdout"), part=True)
        return _ended(task), said

    async def observe(self, observed: Observed) -> None:
        calls = self._client.controllers
        await self._persist(lambda: calls.observe(self._instance, observed, fence=self._fence))

    async def put_view(self, name: str, rows: Rows) -> None:
        calls = self._client.controllers
        await self._persist(lambda: calls.put_view(self._instance, name, rows, fence=self._fence))

    async def principals(self) -> list[dict[str, Any]]:
        found = await self._persist(lambda: self._client.controllers.principals(self._instance))
        return found.items

    async def usage(self, records: list[Usage]) -> None:
        calls = self._client.controllers
        for some in _pieces(records, controllers.RECORDS):
            await self._persist(lambda part=some: calls.usage(part, fence=self._fence))

    async def request_repair(self, reason: str, members: list[str]) -> None:
        calls, fence = self._client.controllers, self._fence
        await self._persist(
            lambda: calls.request_repair(self._instance, reason, members=members, fence=fence),
            part=True,
        )


def _pieces(records: Sequence[Usage], size: int) -> list[Sequence[Usage]]:
    return [records[at : at + size] for at in range(0, len(records), size)]


def _ended(task: TaskRead) -> Ended:
    written = {"stdout": task.stdout_bytes, "stderr": task.stderr_bytes}
    return Ended(
        task.id,
        task.status,
        task.changed,
        task.result or {},
        task.error_code,
        task.error_message,
        frozenset(stream for stream, size in written.items() if not size),
    )


async def _whole(client: Client, task: str, stream: Stream) -> bytes:
    """All that a task wrote to a stream."""
    return b"".join([piece async for piece in client.tasks.follow(task, stream=stream)])


def passes(err: ApiError) -> bool:
    """Whether a refusal may be another one later."""
    return isinstance(err, ServerFault | TooManyRequests)
