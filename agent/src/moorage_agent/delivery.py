"""Tell the platform what a task says and how it ended, for as long as it takes.

While a task runs, a thread of its own sends what it says. The end goes up after the output, from
the task's own thread. Every piece names its offset, so a repeated one does no harm.
"""

import random
import time
from collections.abc import Callable
from typing import Any

from moorage_agent import log, runner
from moorage_agent.held import RUNNING, Held
from moorage_agent.outputs import STREAMS
from moorage_agent.platform import Refused, Unreachable
from moorage_agent.session import Conflict, Retired, Session

QUICK = 0.25
"""A task that is over by then is not reported as running before its end: for most that would be a
call in vain."""
GATHER, GATHER_MOST = 0.5, 2.0
"""Between one piece of output and the next, for whoever watches it come: ever more, for what goes
on to speak. Each piece costs the platform as much as a short task."""
CONFLICT_WAIT = 60.0
_HOPELESS = (400, 404, 410, 413, 422)
_NO_MORE_OUTPUT = ("output_ended", "output_full")
"""The platform has given the task up, or has all that it keeps."""
_LATER = (Unreachable, Refused, Conflict, OSError)
"""What passes, also a disk that is too full for a new token."""


def delay(attempt: int) -> float:
    """How long to wait after so many failures in a row: 1, 2, 4, 8, 10 s, less a random part."""
    return min(2 ** min(attempt, 4), 10) * random.uniform(0.8, 1)  # noqa: S311 - only spreads load


def follow(session: Session, held: Held) -> None:
    """Send what a running task says."""
    _wait(held, QUICK)
    told, attempt, gather = False, 0, GATHER
    while held.report is None:
        pause = gather
        try:
            if not told:
                _post(session, runner.report(held.task, RUNNING))
                told = True
            ship(session, held)
            attempt, gather = 0, min(gather * 2, GATHER_MOST)
        except _LATER as err:
            pause, attempt = _pause(err, attempt), attempt + 1
        except Retired:
            return
        _wait(held, pause)
        if told:
            _wait_for_output(held)


def _wait(held: Held, seconds: float) -> None:
    """Wait for so long, or for the end of the task."""
    with held.news:
        held.news.wait_for(lambda: held.report is not None, seconds)


def _wait_for_output(held: Held) -> None:
    with held.news:
        held.news.wait_for(lambda: held.report is not None or _has_output(held))


def _has_output(held: Held) -> bool:
    return any(held.sent[stream] < held.outputs.size(stream) for stream in STREAMS)


def ship(session: Session, held: Held) -> None:
    """Send what has not been sent, piece by piece."""
    for stream in STREAMS:
        while held.sent[stream] < held.outputs.size(stream):
            _put(session, held, stream)


def _put(session: Session, held: Held, stream: str) -> None:
    offset = held.sent[stream]
    path = f"/v1/agent/tasks/{held.task.id}/output/{stream}?offset={offset}"
    try:
        answer = session.call("PUT", path, held.outputs.read(stream, offset))
        held.sent[stream] = int(answer["next_offset"])
    except Refused as err:
        if err.code == "output_offset":
            held.sent[stream] = _offset(err, default=held.outputs.size(stream))
        elif err.status in _HOPELESS or err.code in _NO_MORE_OUTPUT:
            log.of(held.task, "output is refused", stream=stream, code=err.code)
            held.sent[stream] = held.outputs.size(stream)
        else:
            raise


def _offset(err: Refused, *, default: int) -> int:
    try:
        return int(err.errors[0]["message"])
    except (LookupError, TypeError, ValueError):
        return default


def finish(session: Session, held: Held, when_answered: Callable[[str], None]) -> None:
    """Tell the end, after the output, until the platform has answered."""
    attempt = 0
    while True:
        try:
            ship(session, held)
            assert held.report is not None
            when_answered(_post(session, held.report))
        except _LATER as err:
            time.sleep(_pause(err, attempt))
            attempt += 1
        except Retired:
            return
        else:
            return


def insist(session: Session, path: str, body: dict[str, Any]) -> None:
    """Send something until the platform has taken it, or will never."""
    attempt = 0
    while True:
        try:
            session.call("POST", path, body)
        except _LATER as err:
            if isinstance(err, Refused) and err.status in _HOPELESS:
                log.line("the platform does not take this", path=path, code=err.code)
                return
            time.sleep(_pause(err, attempt))
            attempt += 1
        except Retired:
            return
        else:
            return


def _post(session: Session, report: dict[str, Any]) -> str:
    """What the platform makes of a report."""
    try:
        answer = session.call("POST", "/v1/agent/reports", {"reports": [report]})
    except Refused as err:
        if err.status not in _HOPELESS:
            raise
        log.line("a report is refused", task=report["task"], code=err.code)
        return "refused"
    return str(answer["results"][0]["outcome"])


def _pause(err: Exception, attempt: int) -> float:
    return CONFLICT_WAIT if isinstance(err, Conflict) else delay(attempt)
