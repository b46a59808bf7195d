"""The platform as an operator starts it for a lab: on the lab's address, with its own authority."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.tests.embedded import places
from moorage_core.embedded import folder, postgres
from tests.e2e.callers import Caller

COMMAND = "import typer; from moorage_core.operate import up; typer.run(up.up)"
PROVISION = "import typer; from moorage_lab import commands; typer.run(commands.provision)"
WITHIN = 180
SETTINGS = {
    "MOORAGE_LOG__LEVEL": "debug",
    "MOORAGE_MACHINES__REIMAGE_COMMAND": json.dumps([sys.executable, "-c", PROVISION]),
}
CROWDED = {
    "MOORAGE_LOG__LEVEL": "warning",
    "MOORAGE_LIMITS__ANONYMOUS_PER_SECOND": "10000",
    "MOORAGE_LIMITS__ANONYMOUS_BURST": "10000",
}
"""For many simulated hosts that come from one address."""
LOOPBACK = "127.0.0.1"


@dataclass
class Site:
    """One `moor up`, which can be stopped, killed and started again."""

    data: Path
    host: str
    port: int
    settings: dict[str, str] = field(default_factory=lambda: dict(SETTINGS))
    process: subprocess.Popen[str] | None = None
    password: str = field(default="", repr=False)
    lines: list[str] = field(default_factory=list[str])
    callers: list[Caller] = field(default_factory=list[Caller])

    @property
    def url(self) -> str:
        scheme = "http" if self.host == LOOPBACK else "https"
        return f"{scheme}://{self.host}:{self.port}"

    @property
    def ca(self) -> Path:
        return self.data / "tls" / "ca.pem"

    @property
    def log(self) -> Path:
        """What it wrote to standard error, over all its starts."""
        return self.data.parent / "site.log"

    @property
    def super_url(self) -> str:
        """Its database, for somebody who sees everything."""
        running = postgres.find_running(folder.prepare(self.data))
        assert running is not None, "the database does not run"
        return running.super_url

    @property
    def owner_url(self) -> str:
        running = postgres.find_running(folder.prepare(self.data))
        assert running is not None, "the database does not run"
        return running.owner_url

    def start(self) -> None:
        """Start it and wait until it is ready."""
        clean = {name: value for name, value in os.environ.items() if "MOORAGE_" not in name}
        where = ["--data", str(self.data), "--host", self.host, "--port", str(self.port)]
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", COMMAND, *where],
                env=clean | self.settings,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if line.startswith("Password"):
                self.password = line.split()[1]
            if "ready at" in line:
                return
        raise AssertionError(f"did not start: {''.join(self.lines)}{self.log.read_text()}")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(WITHIN)
            assert self.process.stdout is not None
            self.process.stdout.close()
            self.process = None

    def workers(self) -> list[int]:
        """The server processes, by process id."""
        assert self.process is not None
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in children.read_text().split() if not _is_postgres(int(pid))]

    def kill_workers(self) -> None:
        """Kill the server processes in the middle of whatever they do; they are replaced."""
        for pid in self.workers():
            os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        """Stop it for good."""
        for caller in self.callers:
            caller.http.close()
        self.stop()

    def anybody(self) -> Caller:
        """Somebody without credentials."""
        self.callers.append(Caller(self.url, self.ca))
        return self.callers[-1]

    def admin(self) -> Caller:
        """The first admin, with an access token."""
        return self.sign_in("admin@localhost", self.password)

    def sign_in(self, email: str, password: str) -> Caller:
        caller = self.anybody()
        opened = caller.post("/v1/auth/login", {"email": email, "password": password})
        token = {"name": "e2e", "expires_in": 86400}
        proof = {"x-csrf-token": opened["csrf_token"]}
        caller.token = caller.post("/v1/access-tokens", token, headers=proof)["token"]
        caller.http.cookies.clear()
        caller.said.clear()  # what is shown once was shown
        return caller


@contextlib.contextmanager
def running(data: Path, host: str, settings: Mapping[str, str] = SETTINGS) -> Generator[Site]:
    """A platform with its data there, for as long as it is needed."""
    site = Site(data, host, free_port(host), dict(settings))
    try:
        site.start()
        yield site
    finally:
        site.close()
        places.stop(folder.prepare(data))


@contextlib.contextmanager
def passing(host: str, settings: Mapping[str, str] = SETTINGS) -> Generator[Site]:
    """A platform of which nothing stays."""
    with places.open_place() as place, running(place / "data", host, settings) as site:
        yield site


def _is_postgres(pid: int) -> bool:
    return "postgres" in Path(f"/proc/{pid}/comm").read_text()


def free_port(host: str) -> int:
    with socket.socket() as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]
