"""The HTTP server in the foreground: Granian and its worker processes.

Five things it does not do by itself are done here. It shares its port with anybody who asks
for sharing, so that a taken port goes unnoticed: the port is tried first, without sharing. Its
workers outlive a supervisor that is killed: ours die with it. And it waits for as many requests
as its backlog: ours may hold thousands of long polls. A worker that is told to stop waits for all
requests to end: ours are told a moment earlier, so that they send home whoever waits. And it gives
up when a worker dies twice within seconds: ours gives up when they die by the dozen.
"""

import ctypes
import errno
import functools
import gc
import importlib
import multiprocessing
import os
import resource
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from granian.constants import Interfaces, Loops, SSLProtocols
from granian.log import LogLevels
from granian.server import MPServer

from moorage_core.embedded.errors import OperatorError
from moorage_core.embedded.tls import Certificate
from moorage_core.settings import ServerSettings

APP = "moorage_core.main"
BACKLOG = 4096
# Beside the waiting requests: database connections, logs, what libraries open.
SPARE_FILES = 1024
# Workers of a supervisor that was killed a moment ago need that moment to go.
PORT_FREE_WITHIN = 2.0
STOP_WITHIN = 15
SEND_HOME = signal.SIGUSR1
"""Tells a worker that it will be told to stop."""
MOST_DEATHS = 15
DEATHS_WITHIN = 60.0
"""Seconds in which so many workers die only where something is wrong with all of them."""
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0
"""Seconds before a worker that died soon after another is replaced."""
# What Granian exits with when its workers keep dying.
GAVE_UP = 1
PR_SET_PDEATHSIG = 1
# Granian's own lines join ours, through the root logger.
LOGGERS: dict[str, Any] = {"_granian": {"handlers": [], "propagate": True, "level": "WARNING"}}


class PortTaken(OperatorError):
    """Another program listens there."""

    exit_code = 5


class AddressUnusable(OperatorError):
    """This machine cannot listen there."""

    exit_code = 1


class ServerFailed(OperatorError):
    """The server ended by itself."""


def find_address(settings: ServerSettings) -> str:
    """The numeric address to listen on, known to be free now."""
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)
    except socket.gaierror as err:
        raise AddressUnusable(f"{settings.host} is not an address of this machine.") from err
    family, _, _, _, address = found[0]
    deadline = time.monotonic() + PORT_FREE_WITHIN
    while not _is_free(family, address):
        if time.monotonic() > deadline:
            raise PortTaken(
                f"Port {settings.port} on {settings.host} is taken by another program. "
                "Stop that one, or choose another with --port."
            )
        time.sleep(0.05)
    return str(address[0])


def _is_free(family: int, address: Any) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen(1)
        except OSError as err:
            if err.errno == errno.EADDRINUSE:
                return False
            raise AddressUnusable(
                f"This machine cannot listen on {address[0]}, port {address[1]}: {err.strerror}."
            ) from err
    return True


def make_room(wanted: int) -> int:
    """Raise the limit on open files; returns how many requests can wait at once within it."""
    needed = wanted + SPARE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < needed:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (needed, max(hard, needed)))
        except (ValueError, PermissionError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, needed), hard))
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return min(wanted, max(files - SPARE_FILES, files // 2))


def load() -> None:
    """Bring the control plane into memory, once for every process that is forked from this one.

    It takes seconds. A worker that has died is replaced in a moment then, and shares most of its
    memory with this process.
    """
    multiprocessing.set_start_method("fork", force=True)
    importlib.import_module(APP)
    gc.collect()
    gc.freeze()


def apart(module: str) -> int:
    """Let a module `run` in a process of its own; what that exits with, or minus what killed it."""
    process = multiprocessing.Process(target=_run, args=(os.getpid(), module))
    process.start()
    try:
        process.join()
    finally:
        process.kill()
        process.join()
    assert process.exitcode is not None, "it was waited for"
    return process.exitcode


def _run(supervisor: int, module: str) -> None:
    _tie(supervisor)
    importlib.import_module(module).run()


def serve(
    settings: ServerSettings, *, address: str, certificate: Certificate | None, waiting: int
) -> None:
    """Serve until a signal says stop. Returns when every worker has ended."""
    server = _Server(
        APP,
        address=address,
        port=settings.port,
        interface=Interfaces.ASGI,
        loop=Loops.uvloop,
        workers=settings.workers,
        websockets=False,
        backlog=BACKLOG,
        backpressure=waiting,
        log_level=LogLevels.warning,
        log_dictconfig={"handlers": {}, "loggers": LOGGERS},
        ssl_cert=certificate.chain if certificate else None,
        ssl_key=certificate.key if certificate else None,
        ssl_protocol_min=SSLProtocols.tls12,
        respawn_failed_workers=True,
        workers_kill_timeout=STOP_WITHIN,
    )
    begin = functools.partial(load_app, os.getpid())
    try:
        server.serve(target_loader=begin, wrap_loader=False)
    except SystemExit as err:
        if err.code != GAVE_UP:
            raise
        raise ServerFailed(
            "The server's worker processes ended again and again. The lines above say why."
        ) from err


def patience(deaths: Iterable[float], *, now: float) -> float | None:
    """Seconds to wait before workers that died are replaced: what they need may come back.

    None where so many have died that nobody should wait any longer.
    """
    recent = len([at for at in deaths if at > now - DEATHS_WITHIN])
    return None if recent >= MOST_DEATHS else min(FIRST_PAUSE * 2 ** (recent - 1), LONGEST_PAUSE)


class _Server(MPServer):
    """Granian takes two deaths of a worker within seconds for the end. Ours take many: whatever
    kills a worker twice should not take the database and everybody's requests along."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)  # pyright: ignore[reportUnknownMemberType]
        self._deaths: deque[float] = deque(maxlen=MOST_DEATHS)

    def _respawn_workers(
        self, workers: Sequence[int], spawn_target: Any, target_loader: Any, delay: float = 0
    ) -> None:
        if not delay:  # they died, and are not replaced on purpose
            now = time.monotonic()
            self._deaths.extend([now] * len(workers))
            pause = patience(self._deaths, now=now)
            if pause is None:
                self.shutdown(GAVE_UP)
            self.main_loop_interrupt.wait(pause)
        super()._respawn_workers(workers, spawn_target, target_loader, delay)  # pyright: ignore[reportUnknownMemberType]
        self.respawned_wrks.clear()  # pyright: ignore[reportUnknownMemberType]

    def shutdown(self, exit_code: int = 0) -> None:
        for worker in multiprocessing.active_children():
            if worker.pid is not None:
                os.kill(worker.pid, SEND_HOME)
        super().shutdown(exit_code)


def load_app(supervisor: int) -> Callable[..., Any]:
    """Runs first in every worker."""
    _tie(supervisor)
    return importlib.import_module(APP).create_app()


def _tie(supervisor: int) -> None:
    """Let this process end with the supervisor, however that ends."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != supervisor:
        sys.exit(1)


def accepts(address: str, port: int) -> bool:
    """Whether somebody answers on this port. Workers listen only once they are ready."""
    target = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address, address)  # noqa: S104
    try:
        with socket.create_connection((target, port), timeout=1):
            return True
    except OSError:
        return False
