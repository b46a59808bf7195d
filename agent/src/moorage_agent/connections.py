"""Connections to systemd that are used again: to accept one costs it more than most calls do.

One that was given back waits a second for whoever is next. No longer: systemd tells every
connection of everything on the host, and keeps in its own memory what nobody reads.
"""

import contextlib
import threading
import time
from collections.abc import Generator
from typing import Optional

from moorage_agent import systemd
from moorage_agent.systemd import Systemd

KEPT_SECONDS = 1.0
MOST_KEPT = 4


class Connections:
    """Threads share it; a connection is one thread's at a time."""

    def __init__(self, *, keep: float = KEPT_SECONDS) -> None:
        self._keep = keep
        self._lock = threading.Lock()
        self._idle: list[tuple[float, Systemd]] = []
        """The one given back last at the end, each with the moment until which it is kept."""
        self._is_minded = False

    @contextlib.contextmanager
    def use(self) -> Generator[Systemd, None, None]:
        """A connection for the length of the block. Raises `Absent` where there is none."""
        connection = self._take() or systemd.reach()
        try:
            yield connection
        finally:
            self._give_back(connection)

    def _take(self) -> Optional[Systemd]:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                _, connection = self._idle.pop()
            try:
                connection.begin_anew()
            except systemd.Gone:  # executed anew meanwhile
                connection.close()
            else:
                return connection

    def _give_back(self, connection: Systemd) -> None:
        """Keep it. One that is broken is found out when it is taken."""
        with self._lock:
            if len(self._idle) < MOST_KEPT:
                self._idle.append((time.monotonic() + self._keep, connection))
                if not self._is_minded:
                    self._is_minded = True
                    threading.Thread(target=self._mind, daemon=True).start()
                return
        connection.close()

    def _mind(self) -> None:
        """Close what nobody has asked for in time, until nothing is left."""
        while True:
            with self._lock:
                now = time.monotonic()
                over = [connection for until, connection in self._idle if until <= now]
                self._idle = [kept for kept in self._idle if kept[0] > now]
                pause = self._idle[0][0] - now if self._idle else 0.0
                self._is_minded = bool(self._idle)
            for connection in over:
                connection.close()
            if not pause:
                return
            time.sleep(pause)
