"""What `moor up` looks after while it serves: the database server and the certificate.

One thread, small duties. A duty that meets trouble says so in the log and is tried again at its
next turn; it never takes the platform down.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import structlog

from moorage_core.embedded import cluster, postgres, tls
from moorage_core.embedded.errors import OperatorError
from moorage_core.embedded.postgres import Server

TICK = 1.0
"""Seconds between two looks at what is due."""

RENEWAL_LOOK = 12 * 3600.0
"""Seconds between two looks at whether our own certificate ends soon."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Duty:
    """Something to look after, every so many seconds."""

    name: str
    every: float
    act: Callable[[], None]


@contextmanager
def keeping(duties: Sequence[Duty]) -> Generator[None]:
    """Look after the duties for as long as the block lasts; none is under way when it has ended."""
    stop = threading.Event()
    thread = threading.Thread(target=_keep, args=(duties, stop), name="keeper", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _keep(duties: Sequence[Duty], stop: threading.Event) -> None:
    due = {duty.name: time.monotonic() + duty.every for duty in duties}
    while not stop.wait(TICK):
        for duty in duties:
            if time.monotonic() >= due[duty.name]:
                _do(duty)
                due[duty.name] = time.monotonic() + duty.every


def _do(duty: Duty) -> None:
    try:
        duty.act()
    except (OperatorError, OSError, psycopg.Error) as err:
        log.error("keeper.trouble", duty=duty.name, error=str(err))


def database(server: Server) -> Duty:
    """Start PostgreSQL again if it is gone. The workers' pools reconnect by themselves."""

    def act() -> None:
        if cluster.find_process(server.folder) is None:
            log.warning("keeper.database_gone", data=str(server.data))
            postgres.start(server.folder, binaries=server.binaries)
            log.warning("keeper.database_started", data=str(server.data))

    return Duty("database", 2.0, act)


def own_certificate(place: Path, *, names: Sequence[str]) -> Duty:
    """Renew our own certificate in time, and let the workers take it up.

    At once where its authority was changed: `moor ca switch` does no more than that.
    """
    looked, seen = [float("-inf")], [_stamp(place / "ca.pem")]

    def act() -> None:
        stamp, now = _stamp(place / "ca.pem"), time.monotonic()
        if stamp == seen[0] and now - looked[0] < RENEWAL_LOOK:
            return
        looked[0], seen[0] = now, stamp
        if tls.renew_if_needed(place, names=names, now=datetime.now(UTC)):
            log.info("keeper.certificate_renewed", place=str(place))
            _respawn_workers()

    return Duty("certificate", 2.0, act)


def given_certificate(chain: Path, key: Path) -> Duty:
    """Let the workers take up files that somebody has renewed, once both fit together."""
    seen = [_stamp(chain, key)]

    def act() -> None:
        stamp = _stamp(chain, key)
        if stamp != seen[0]:
            tls.given(chain, key, now=datetime.now(UTC))
            seen[0] = stamp
            log.info("keeper.certificate_changed", chain=str(chain))
            _respawn_workers()

    return Duty("certificate", 60.0, act)


def _stamp(*paths: Path) -> list[int]:
    return [path.stat().st_mtime_ns for path in paths]


def _respawn_workers() -> None:
    # The server replaces its workers one by one on this signal; requests under way are finished.
    os.kill(os.getpid(), signal.SIGHUP)
