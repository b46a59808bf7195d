"""`moor up` as a real process, with its lines and its children."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

COMMAND = "import typer; from moorage_core.operate import up; typer.run(up.up)"
WITHIN = 60


@dataclass
class Run:
    """One `moor up`."""

    process: subprocess.Popen[str]
    data: Path
    port: int
    lines: list[str]

    @property
    def said(self) -> str:
        return "".join(self.lines)

    def wait_for(self, words: str) -> str:
        """Read on until a line holds these words; that line."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if words in line:
                return line
        raise AssertionError(f"ended without {words!r}: {self.said} {self.errors()}")

    def workers(self) -> list[int]:
        """The server processes, by process id."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in children.read_text().split()]

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.end()

    def end(self) -> int:
        """Wait for the end; the exit code."""
        code = self.process.wait(WITHIN)
        assert self.process.stdout is not None
        self.lines += self.process.stdout
        return code

    def errors(self) -> str:
        return (self.data.parent / f"{self.port}.err").read_text()

    def get(self, path: str = "/v1/status") -> int:
        """The status of an answer to a fresh connection."""
        return httpx2.get(f"http://127.0.0.1:{self.port}{path}", timeout=WITHIN).status_code


@contextmanager
def started(data: Path, *, port: int, **settings: str) -> Generator[Run]:
    """`moor up` on this folder and port, with further settings by environment variable."""
    given = {f"MOORAGE_{name.upper()}": value for name, value in settings.items()}
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MOORAGE_")}
    with (data.parent / f"{port}.err").open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, "--data", str(data), "--port", str(port)],
            env=clean | given,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    with process:
        try:
            yield Run(process, data, port, [])
        finally:
            process.kill()


def wait_until(is_so: Callable[[], bool]) -> None:
    """Look again and again until it is so, for a while."""
    deadline = time.monotonic() + WITHIN
    pause = threading.Event()
    while not is_so():
        assert time.monotonic() < deadline, "it never became so"
        pause.wait(0.02)


def answers(run: Run) -> bool:
    """Whether the platform serves a request right now."""
    try:
        return run.get() == 200
    except httpx2.HTTPError:
        return False
