"""What a task is on the host, and what every kind of task is given and gives back.

A kind is a function `(task, work) -> Outcome` in `moorage_agent.kinds`. It may raise `Failed`.
"""

import os
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional, Protocol

from moorage_agent.connections import Connections


@dataclass(frozen=True)
class Task:
    """One task as the platform sent it, without the values of secrets."""

    id: str
    kind: str
    key: str
    operation_id: str
    fence: int
    allocation_id: Optional[str]
    correlation_id: str
    run_as: str
    timeout: float
    output_limit: int
    input: dict[str, Any]
    traceparent: Optional[str] = None


_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")


def parse(given: Mapping[str, Any]) -> Task:
    """A task as it came. Raises ValueError or KeyError if it is none."""
    if not _ID.fullmatch(given["id"]):  # it becomes names of files and units
        raise ValueError("the id of a task is not one")
    return Task(
        id=given["id"],
        kind=str(given["kind"]),
        key=str(given.get("key") or ""),
        operation_id=str(given.get("operation_id") or ""),
        fence=int(given.get("fence") or 0),
        allocation_id=given.get("allocation_id"),
        correlation_id=str(given.get("correlation_id") or ""),
        run_as=str(given.get("run_as") or "root"),
        timeout=float(given["timeout"]),
        output_limit=int(given["output_limit"]),
        input=dict(given.get("input") or {}),
        traceparent=given.get("traceparent"),
    )


@dataclass(frozen=True)
class Outcome:
    """How a task ended that was done. One that was not raises `Failed`."""

    changed: Optional[bool] = None
    result: dict[str, Any] = field(default_factory=dict)


class Failed(Exception):
    """The task was not done. `code` is for programs, the message says what would help."""

    def __init__(self, code: str, message: str, *, result: Optional[dict[str, Any]] = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.result = result or {}


class Lost(Exception):
    """Nobody can tell how the task ended: it is `unknown`."""


class Stop(threading.Event):
    """An event that a thread can wait for together with files: `fileno` is readable once it is set.

    `because` says why: `cancelled`, `timed_out`, or what else ended the task from outside.
    """

    def __init__(self) -> None:
        super().__init__()
        self.because = ""
        self._read, self._write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)

    def fileno(self) -> int:
        return self._read

    def stop(self, because: str) -> None:
        """Set it. The first reason stays."""
        if not self.is_set():
            self.because = because
            self.set()

    def set(self) -> None:
        super().set()
        try:
            os.write(self._write, b"!")
        except OSError:
            pass  # full, or closed because nobody waits any more

    def close(self) -> None:
        """Nobody waits any more."""
        os.close(self._read)
        os.close(self._write)


class Work(Protocol):
    """What a kind may use of the agent around it."""

    folder: Path
    """On disk, the task's own, gone when it is forgotten. No secret goes there."""
    private: Path
    """In memory (/run), readable by root alone, gone when the task ends. For secrets."""
    systemd: Connections
    """Who runs commands here."""
    state: Path
    """Where the agent keeps what outlives tasks: what it changed on the host, the baseline."""
    cancelled: threading.Event
    """Set when the task is to stop: cancelled, or out of time."""

    def secret(self, name: str) -> bytes:
        """The value of a secret that the task names; Failed("secret_missing") otherwise."""
        ...

    def content(self) -> Iterator[bytes]:
        """The bytes of the artifact that the task names by digest, as they come."""
        ...

    def output(self, stream: str, data: bytes) -> None:
        """Keep bytes of the task's output; those beyond the limit are counted and dropped."""
        ...
