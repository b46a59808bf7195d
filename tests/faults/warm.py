"""Forks the processes that are killed hundreds of times, from one that has imported everything.

A process that is forked starts in a few hundredths of a second. It is a process all the same: it
has its own memory and connections, and SIGKILL ends it. `python -m tests.faults.warm` reads a line
of JSON for each process to be started, and answers with its number.
"""

import asyncio
import contextlib
import ctypes
import gc
import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import psycopg
import uvloop
from granian.constants import Interfaces
from granian.log import LogLevels
from granian.server.embed import Server

import moorage
import moorage.__main__
import moorage_echo.controller
from moorage_core import settings as settings_module
from moorage_core.errors import Busy
from moorage_core.kit import logs
from moorage_core.main import build_api, open_platform
from moorage_core.operations.sweeps import ExpireLeases
from moorage_core.platform import Platform
from moorage_core.settings import Settings
from tests.faults.clock import SharedClock

PR_SET_PDEATHSIG = 1
PULSE = 10.0
"""Seconds by which time moves at most between two beats of the platform's pulse: were it more, the
platform would rightly say that it was out itself, and give everybody another term."""
API = build_api(Settings())


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how they ended
    asyncio.run(_call_nobody())
    gc.freeze()
    for line in sys.stdin:
        asked = json.loads(line)
        pid = os.fork()
        if pid == 0:
            os._exit(_child(asked))
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


async def _call_nobody() -> None:
    """What libraries import at the first call is imported here."""
    async with moorage.Client("http://127.0.0.1:1", patience=0) as client:
        with contextlib.suppress(moorage.MoorageError):
            await client.me.get()


def _child(asked: Mapping[str, str]) -> int:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    file = os.open(asked["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for stream, to in ((0, nothing), (1, file), (2, file)):
        os.dup2(to, stream)
    if "settings" in asked:
        _serve(Settings.model_validate_json(asked["settings"]), Path(asked["clock"]))
        return 0
    return _control(json.loads(asked["environment"]), asked["release"])


# The server


def _serve(settings: settings_module.Settings, clock: Path) -> None:
    logs.configure(level=settings.log.level, format=settings.log.format)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve_for_ever(settings, SharedClock(clock)))


async def _serve_for_ever(settings: settings_module.Settings, clock: SharedClock) -> None:
    async with open_platform(settings, clock=clock) as platform:
        API.state.platform = platform
        moving = asyncio.create_task(_follow_time(platform, clock))
        server = Server(
            API,
            address=settings.server.host,
            port=settings.server.port,
            interface=Interfaces.ASGINL,
            websockets=False,
            backlog=1024,
            backpressure=4096,
            log_level=LogLevels.error,
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
            await _beat(platform)
        await told.wait()
        told.clear()


async def _beat(platform: Platform) -> None:
    """One beat, once there is a database for it."""
    while True:
        try:
            await ExpireLeases(platform).activate()
        except (psycopg.OperationalError, psycopg.InterfaceError, Busy):
            await asyncio.sleep(0.02)
        else:
            return


# A controller


def _control(environment: Mapping[str, str], release: str) -> int:
    os.environ.update(environment)
    app = moorage_echo.controller.app
    app.manifest = app.manifest.model_copy(update={"version": release})
    return moorage.__main__.main(["run", "moorage_echo.controller:app"])


if __name__ == "__main__":
    main()
