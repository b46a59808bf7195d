"""Starts what outlives us, in a control group, and waits until it says that it is ready.

The shell between us and the daemon enters the group first and then leaves, so that the daemon is
never outside its group and never our child: whoever starts a lab may end in any way.
"""

import os
import selectors
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from moorage_lab import cgroups, shell
from moorage_lab.errors import CommandFailed, NotBooted

_LAUNCH = 'set -e; echo $$ >"$1"; log=$2; shift 2; "$@" </dev/null >"$log" 2>&1 & echo $!'


@dataclass(frozen=True)
class Daemon:
    """Started; has not said yet that it is ready."""

    name: str
    notify: Path
    log: Path
    ready: socket.socket
    process: int
    """A descriptor of the process."""

    def close(self) -> None:
        self.ready.close()
        os.close(self.process)
        self.notify.unlink(missing_ok=True)


def start(
    name: str, command: list[str], *, group: str, folder: Path, environment: Mapping[str, str]
) -> Daemon:
    """Start a daemon that reports to NOTIFY_SOCKET, in a new control group."""
    cgroups.remove(group)
    ready, notify = _listen(folder, name)
    log = folder / f"{name}.log"
    variables = {**shell.ENVIRONMENT, **environment, "NOTIFY_SOCKET": str(notify)}
    try:
        pid = _launch(command, procs=cgroups.make(group), log=log, environment=variables)
        return Daemon(name, notify, log, ready, _open(pid, name=name, log=log))
    except BaseException:
        ready.close()
        raise


def listen_again(name: str, *, pid: int, folder: Path) -> Daemon:
    """Hear what a daemon says that runs already: that it is ready once more."""
    ready, notify = _listen(folder, name)
    log = folder / f"{name}.log"
    try:
        return Daemon(name, notify, log, ready, _open(pid, name=name, log=log))
    except BaseException:
        ready.close()
        raise


def _listen(folder: Path, name: str) -> tuple[socket.socket, Path]:
    notify = folder / f"{name}.notify"
    notify.unlink(missing_ok=True)
    ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    ready.bind(str(notify))
    return ready, notify


def _launch(command: list[str], *, procs: Path, log: Path, environment: dict[str, str]) -> int:
    words = ["/bin/sh", "-c", _LAUNCH, "sh", str(procs), str(log), *command]
    ended = subprocess.run(
        words, env=environment, capture_output=True, text=True, check=False, start_new_session=True
    )
    if ended.returncode != 0:
        raise CommandFailed(command, code=ended.returncode, said=ended.stderr)
    return int(ended.stdout)


def _open(pid: int, *, name: str, log: Path) -> int:
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError as err:
        raise NotBooted(f"{name} ended at once.{_end_of(log)}") from err


def wait_until_ready(daemons: Sequence[Daemon], *, seconds: float) -> None:
    """Wait for all of them at once. One that ends, or takes too long, ends the waiting."""
    until = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        for daemon in daemons:
            selector.register(daemon.ready, selectors.EVENT_READ, daemon)
            selector.register(daemon.process, selectors.EVENT_READ, daemon)
        try:
            _wait(selector, until=until)
        finally:
            for daemon in daemons:
                daemon.close()


def _wait(selector: selectors.BaseSelector, *, until: float) -> None:
    while waiting := {key.data.name: key.data for key in selector.get_map().values()}:
        events = selector.select(max(until - time.monotonic(), 0))
        if not events:
            log = next(iter(waiting.values())).log
            raise NotBooted(f"Not ready in time: {', '.join(waiting)}.{_end_of(log)}")
        for name, said in [_hear(key) for key, _ in events]:
            if name in waiting and b"READY=1" in said:
                daemon: Daemon = waiting.pop(name)
                selector.unregister(daemon.ready)
                selector.unregister(daemon.process)


def _hear(key: selectors.SelectorKey) -> tuple[str, list[bytes]]:
    daemon: Daemon = key.data
    if key.fileobj == daemon.process:
        raise NotBooted(f"{daemon.name} ended before it was ready.{_end_of(daemon.log)}")
    return daemon.name, daemon.ready.recv(4096).split(b"\n")


def _end_of(log: Path) -> str:
    try:
        lines = log.read_text(errors="replace").strip().splitlines()
    except FileNotFoundError:
        return ""
    return "\n".join([f" The end of {log}:", *lines[-10:]])
