"""Sends the reports of all operations of a replica, many in one call.

Each operation waits for the answer to its last report before it sends the next: the order of its
reports is kept while those of others travel together. A report that was not answered is sent again
with its number; the platform takes each number once.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from moorage._problem import (
    ApiError,
    Forbidden,
    MoorageError,
    NotFound,
    ServerFault,
    TooManyRequests,
    Unauthenticated,
)
from moorage.controller.outcomes import Lost
from moorage.controller.reports import ReportAnswer
from moorage.resources.controllers import ReportEntry

MOST = 100
SENDERS = 4
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 10.0
log = logging.getLogger("moorage.controller")

Answer = ReportAnswer | ApiError
Send = Callable[[list[ReportEntry]], Awaitable[list[Answer]]]
ENDED = frozenset({"grant_ended", "invalid_transition", "operation_ended"})


@dataclass
class _Waiting:
    entry: ReportEntry
    answer: "asyncio.Future[ReportAnswer]"


class Reporter:
    """A queue of reports, and those who send them."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._queue: list[_Waiting] = []
        self._filled = asyncio.Event()

    async def report(self, entry: ReportEntry) -> ReportAnswer:
        """Send a report. Raises `Lost` where the operation is another's, or is over."""
        answer: asyncio.Future[ReportAnswer] = asyncio.get_running_loop().create_future()
        self._queue.append(_Waiting(entry, answer))
        self._filled.set()
        return await answer

    async def run(self) -> None:
        """Send what comes, until this is cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(SENDERS):
                group.create_task(self._serve())

    async def _serve(self) -> None:
        while True:
            await self._filled.wait()
            batch, self._queue = self._queue[:MOST], self._queue[MOST:]
            if not self._queue:
                self._filled.clear()
            if batch:
                await self._try(batch)

    async def _try(self, batch: list[_Waiting]) -> None:
        """Whatever goes wrong here must not leave anybody waiting for ever."""
        try:
            await self._deliver(batch)
        except Exception:
            log.exception("Reports could not be sent.")
            for waiting in batch:
                if not waiting.answer.done():
                    waiting.answer.set_exception(Lost("its report could not be sent"))

    async def _deliver(self, batch: list[_Waiting]) -> None:
        pause = FIRST_PAUSE
        while True:
            try:
                answers = await self._send([waiting.entry for waiting in batch])
            except MoorageError as err:
                if isinstance(err, ApiError) and not _passes(err):
                    return await self._refused(batch, err)
                log.warning("Reports are not answered: %s", err)
            else:
                batch = _settle_all(batch, answers)
                if not batch:
                    return None
            await asyncio.sleep(pause)
            pause = min(LONGEST_PAUSE, pause * 2)

    async def _refused(self, batch: list[_Waiting], err: ApiError) -> None:
        """One that is malformed spoils the call for all: each goes by itself."""
        if len(batch) == 1 or _is_over(err):
            for waiting in batch:
                _settle(waiting, err)
            return
        for waiting in batch:
            await self._deliver([waiting])


def _passes(err: ApiError) -> bool:
    """Whether asking again later may help."""
    return isinstance(err, ServerFault | TooManyRequests)


def _is_over(err: ApiError) -> bool:
    """Whether it means that the operation is not ours any more."""
    return isinstance(err, Unauthenticated | Forbidden | NotFound) or err.code in ENDED


def _settle_all(batch: list[_Waiting], answers: list[Answer]) -> list[_Waiting]:
    """Pass the answers on; those that are to be sent again."""
    put_off: list[_Waiting] = []
    for waiting, answer in zip(batch, answers, strict=True):
        if isinstance(answer, ApiError) and _passes(answer):
            log.warning("A report on %s was put off: %s", waiting.entry.operation, answer)
            put_off.append(waiting)
        else:
            _settle(waiting, answer)
    return put_off


def _settle(waiting: _Waiting, answer: Answer) -> None:
    if waiting.answer.done():
        return
    if isinstance(answer, ReportAnswer):
        waiting.answer.set_result(answer)
    elif _is_over(answer):
        waiting.answer.set_exception(Lost(answer.detail))
    else:
        waiting.answer.set_exception(answer)
