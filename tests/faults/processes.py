"""The platform's server and an app's controllers as processes that can be killed.

Each is a process of its own, forked from one that has imported everything (`warm`). The server runs
the real API and all background work, by a clock that a test can move.
"""

import asyncio
import ctypes
import mmap
import multiprocessing
import os
import signal
import struct
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from granian.constants import Interfaces
from granian.log import LogLevels
from granian.server.embed import Server

from moorage_core import settings as settings_module
from moorage_core.kit import logs
from moorage_core.main import open_platform
from moorage_core.operations.sweeps import ExpireLeases
from moorage_core.platform import Platform
from tests.faults import warm

PR_SET_PDEATHSIG = 1
WARM = "tests.faults.warm"
PULSE = 10.0
"""Seconds by which time moves at most between two beats of the platform's pulse: were it more, the
platform would rightly say that it was out itself, and give everybody another term."""

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload([WARM])


class SharedClock:
    """The machine's clock, moved forward by as many seconds as stand in a file."""

    def __init__(self, file: Path) -> None:
        if not file.exists():
            file.write_bytes(struct.pack("dd", 0.0, 0.0))
        with file.open("r+b") as opened:
            self._shared = mmap.mmap(opened.fileno(), 16)

    @property
    def wanted(self) -> float:
        return struct.unpack_from("d", self._shared, 0)[0]

    @wanted.setter
    def wanted(self, seconds: float) -> None:
        struct.pack_into("d", self._shared, 0, seconds)

    @property
    def moved(self) -> float:
        return struct.unpack_from("d", self._shared, 8)[0]

    @moved.setter
    def moved(self, seconds: float) -> None:
        struct.pack_into("d", self._shared, 8, seconds)

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.moved)


def start_server(settings: settings_module.Settings, clock: Path, log: Path) -> ForkServerProcess:
    """A server process of the platform."""
    return _start(_serve, settings_module.dump(settings), clock, log)


def start_controller(environment: Mapping[str, str], release: str, log: Path) -> ForkServerProcess:
    """A replica of echo's controller, of this release."""
    return _start(_control, dict(environment), release, log)


def _start(target: Callable[..., None], *given: object) -> ForkServerProcess:
    process = _context.Process(target=target, args=given, daemon=True)
    process.start()
    return process


def _begin(log: Path) -> None:
    """Die with whoever forks, and write to a file."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (1, 2):
        os.dup2(file, stream)


# The server


def _serve(dumped: str, clock: Path, log: Path) -> None:
    _begin(log)
    settings = settings_module.Settings.model_validate_json(dumped)
    logs.configure(level=settings.log.level, format=settings.log.format)
    asyncio.run(_serve_for_ever(settings, SharedClock(clock)))


async def _serve_for_ever(settings: settings_module.Settings, clock: SharedClock) -> None:
    async with open_platform(settings, clock=clock) as platform:
        warm.API.state.platform = platform
        moving = asyncio.create_task(_follow_time(platform, clock))
        server = Server(
            warm.API,
            address=settings.server.host,
            port=settings.server.port,
            interface=Interfaces.ASGINL,
            websockets=False,
            backlog=1024,
            backpressure=4096,
            log_level=LogLevels.warning,
        )
        await server.serve()
        moving.cancel()


async def _follow_time(platform: Platform, clock: SharedClock) -> None:
    """Let time pass when it is told to, with the beats that the platform's pulse has meanwhile."""
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR2, told.set)
    while True:
        while clock.moved < clock.wanted:
            clock.moved = min(clock.wanted, clock.moved + PULSE)
            await ExpireLeases(platform).activate()
        await told.wait()
        told.clear()


# A controller


def _control(environment: Mapping[str, str], release: str, log: Path) -> None:
    _begin(log)
    os.environ.update(environment)
    app = warm.CONTROLLER
    app.manifest = app.manifest.model_copy(update={"version": release})
    raise SystemExit(warm.RUN(["run", "moorage_echo.controller:app"]))
