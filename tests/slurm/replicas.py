"""The publisher's controller: a process that a test may kill, and start again."""

import re
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path

from tests.e2e import shop
from tests.e2e.shop import Shop
from tests.e2e.site import Site

COMMAND = (sys.executable, "-m", "moorage_slurm")
LISTENING = re.compile(r"Listening as (\w+) for")


class Replica:
    """One replica, which runs from the start to the stop."""

    def __init__(self, site: Site, app: Shop, log: Path) -> None:
        self.site, self.app, self.log = site, app, log
        self._running: AbstractContextManager[subprocess.Popen[bytes]] | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._running = shop.controller(self.site, self.app, COMMAND, log=self.log)
        self._process = self._running.__enter__()

    def kill(self) -> None:
        """Without a word to anybody; then its leases run out, for which nobody waits here."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(30)
        operator = shop.sign_in(self.site, self.app)
        *_, last = LISTENING.findall(self.log.read_text())
        operator.delete(f"/v1/controller/replicas/{last}")

    def stop(self) -> None:
        if self._running is not None:
            self._running.__exit__(None, None, None)
