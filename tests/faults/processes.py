"""The platform's server and an app's controllers, as processes that can be killed."""

import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from moorage_core import settings as settings_module
from moorage_core.settings import Settings

WARM = [sys.executable, "-m", "tests.faults.warm"]


class Process:
    """One that was started, and is somebody else's child."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._file = os.pidfd_open(pid)

    @property
    def is_alive(self) -> bool:
        return not select.select([self._file], [], [], 0)[0]

    def signal(self, number: signal.Signals) -> None:
        signal.pidfd_send_signal(self._file, number)

    def kill(self) -> None:
        """End it with SIGKILL, and wait until it has."""
        if self.is_alive:
            self.signal(signal.SIGKILL)
        self.join()

    def join(self) -> None:
        select.select([self._file], [], [])

    def close(self) -> None:
        os.close(self._file)


class Forge:
    """Starts processes. They end with it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._warm = subprocess.Popen(
            WARM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def server(self, settings: Settings, clock: Path, log: Path) -> Process:
        """A server process of the platform, by this clock."""
        return self._start(settings=settings_module.dump(settings), clock=str(clock), log=str(log))

    def controller(self, environment: Mapping[str, str], release: str, log: Path) -> Process:
        """A replica of echo's controller, of this release."""
        given = json.dumps(dict(environment))
        return self._start(environment=given, release=release, log=str(log))

    def _start(self, **asked: str) -> Process:
        assert self._warm.stdin is not None
        assert self._warm.stdout is not None
        with self._lock:
            self._warm.stdin.write(f"{json.dumps(asked)}\n")
            self._warm.stdin.flush()
            return Process(int(self._warm.stdout.readline()))

    def close(self) -> None:
        self._warm.kill()
        self._warm.communicate()
