"""Long programs of the host, seen to their end or stopped with the task that started them."""

import contextlib
import os
import select
import signal
import subprocess
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import IO, Optional

from moorage_agent import commands
from moorage_agent.commands import Completed
from moorage_agent.tasks import Failed, Work

_LOOK = 0.1
_PATIENCE = 10.0
_PIECE = 64 * 1024
_KEPT = 8 * 1024
"""Bytes of the last words, however long their lines are."""


def follow(
    argv: Sequence[str], work: Work, *, env: Optional[Mapping[str, str]] = None
) -> Completed:
    """Run a program; what it says becomes the task's output as it comes.

    A task that is stopped stops it: asked first, then killed. Of the words only the last are given
    back, for the error's sentence.
    """
    try:
        process = subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**commands.ENVIRONMENT, **(env or {})},
            cwd="/",
            start_new_session=True,
        )
    except FileNotFoundError:
        return Completed(commands.ABSENT, stderr=f"{argv[0]} is not on this host")
    said: dict[str, bytes] = {}
    readers = [
        threading.Thread(target=_read, args=(pipe, name, work, said), daemon=True)
        for name, pipe in (("stdout", process.stdout), ("stderr", process.stderr))
    ]
    for reader in readers:
        reader.start()
    _wait(process, work)
    for reader in readers:
        reader.join(1)  # a daemon that it started may hold the other end for ever
    if work.cancelled.is_set():
        raise Failed("cancelled", f"The task was stopped, and {argv[0]} with it.")
    last = {name: words.decode(errors="replace") for name, words in said.items()}
    return Completed(process.returncode, last.get("stdout", ""), last.get("stderr", ""))


@contextlib.contextmanager
def _end_of(process: "subprocess.Popen[bytes]") -> "Generator[Callable[[], bool], None, None]":
    """Whether a program has ended, or does in a moment.

    Kernels before 5.3, and a Python that was made for one, do not tell: there it is looked at, up
    to twenty times a second.
    """

    def looked() -> bool:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK)
        return process.returncode is not None

    def told() -> bool:
        return bool(select.select([end], [], [], _LOOK)[0]) and looked()

    try:
        end = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        yield looked
        return
    try:
        yield told
    finally:
        os.close(end)


def _read(pipe: Optional[IO[bytes]], name: str, work: Work, said: "dict[str, bytes]") -> None:
    assert pipe is not None
    with pipe:
        while piece := os.read(pipe.fileno(), _PIECE):
            said[name] = (said.get(name, b"") + piece)[-_KEPT:]
            work.output(name, piece)


def _wait(process: "subprocess.Popen[bytes]", work: Work) -> None:
    with _end_of(process) as has_ended:
        while not work.cancelled.is_set():
            if has_ended():
                return
    for last_word in (signal.SIGTERM, signal.SIGKILL):
        os.killpg(process.pid, last_word)
        try:
            process.wait(_PATIENCE)
            return
        except subprocess.TimeoutExpired:
            continue
