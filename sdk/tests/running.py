"""A real platform for tests: `moor up` as a process, which can be killed and started again."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

from core.tests.embedded import places

MOOR = [sys.executable, "-c", "from moorage_cli.main import main; main()"]
WITHIN = 180.0
ADMIN = "admin@localhost"


@dataclass
class Platform:
    """`moor up` on a folder of its own."""

    folder: Path
    port: int
    process: subprocess.Popen[str] | None = field(default=None, repr=False)
    password: str = field(default="", repr=False)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start, and wait until it serves."""
        log = self.folder / "up.log"
        with log.open("a") as output:
            self.process = subprocess.Popen(
                [*MOOR, "up", "--data", str(self.folder / "data"), "--port", str(self.port)],
                stdout=output,
                stderr=subprocess.STDOUT,
                env=_clean_environment()
                | {
                    "MOORAGE_AUDIT__SEAL_EVERY": "PT0.5S",
                    "MOORAGE_SOURCES__PRIVATE_ADDRESSES": "true",
                },
                text=True,
            )
        wait_until(self.serves, or_else=log.read_text)
        if found := re.search(r"^Password\s+(\S+)", log.read_text(), re.MULTILINE):
            self.password = found.group(1)

    def serves(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, (self.folder / "up.log").read_text()
        try:
            with urlopen(f"{self.url}/v1/status", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def kill(self) -> None:
        """As a power failure would: the supervisor and its workers, all at once."""
        assert self.process is not None
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for victim in (pid, *map(int, children)):
            os.kill(victim, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(WITHIN)


@contextmanager
def running() -> Generator[Platform]:
    """A platform that is stopped and removed at the end."""
    with places.open_place() as folder:
        platform = Platform(folder, free_port())
        try:
            platform.start()
            yield platform
        finally:
            platform.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(is_so: Callable[[], bool], *, or_else: Callable[[], str] = lambda: "") -> None:
    """Look again and again until it is so, for a while."""
    deadline = time.monotonic() + WITHIN
    pause = threading.Event()
    while not is_so():
        assert time.monotonic() < deadline, f"it never became so: {or_else()}"
        pause.wait(0.05)


def _clean_environment() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MOORAGE_", "MOOR_"))
    }
