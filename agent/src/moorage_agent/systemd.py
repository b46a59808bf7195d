"""A connection to systemd: calls with their answers, and what it tells by itself.

As root systemd is asked at its own socket, without the message bus in between: that is quicker,
works while the bus is restarted, and every connection hears of every unit without asking. Each
connection belongs to one thread.
"""

import array
import os
import select
import socket
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from moorage_agent import wire
from moorage_agent.wire import Message

SOCKET = Path("/run/systemd/private")
BOOTED = Path("/run/systemd/system")
PATIENCE = 25.0
BACK_WITHIN = 30.0
_LOOK_AGAIN = 0.05
_MANAGER = "/org/freedesktop/systemd1"
_NAME = "org.freedesktop.systemd1"


class Gone(Exception):
    """The connection is no more: systemd was executed anew, or is not there."""


class Absent(Gone):
    """Nobody answers, and nobody has for a while."""


class Said(Exception):
    """systemd answered with an error."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class Systemd:
    """One connection. `fileno` is readable when `signals` may have something."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        self._buffer = bytearray()
        self._signals: deque[Message] = deque()
        self._about: tuple[bytes, ...] = ()
        self._serial = 0
        try:
            self._socket.settimeout(PATIENCE)
            self._socket.connect(str(SOCKET))
            self._greet()
        except OSError as err:
            self._socket.close()
            raise Gone(f"systemd does not answer at {SOCKET}: {err}") from err
        except Gone:
            self._socket.close()
            raise

    def _greet(self) -> None:
        uid = str(os.geteuid()).encode().hex()
        asked = f"\0AUTH EXTERNAL {uid}\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n"
        self._socket.sendall(asked.encode())
        while self._buffer.count(b"\r\n") < 2:
            self._receive()
        answers, _, rest = bytes(self._buffer).partition(b"AGREE_UNIX_FD\r\n")
        if not answers.startswith(b"OK "):
            raise Gone("systemd does not let this process in.")
        self._buffer = bytearray(rest)

    def fileno(self) -> int:
        return self._socket.fileno()

    def care_about(self, unit: str) -> None:
        """Hear of this unit alone."""
        self._about = (unit.encode(), object_path(unit).encode())

    def begin_anew(self) -> None:
        """Drop what was told while nobody listened, and care about everything again."""
        self.signals()
        self._about = ()

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> "Systemd":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(
        self,
        member: str,
        signature: str = "",
        *values: Any,
        path: str = _MANAGER,
        interface: str = f"{_NAME}.Manager",
        fds: Sequence[int] = (),
    ) -> list[Any]:
        """Call a method and wait for its answer; signals that come meanwhile are kept.

        There is no call without waiting: what was asked for on a connection that is closed at once
        may be dropped.
        """
        self._serial = serial = self._serial + 1
        message = wire.call(
            serial, member, path=path, interface=interface, to=_NAME,
            signature=signature, values=values, fds=len(fds),
        )  # fmt: skip
        try:
            self._send(message, fds)
        except OSError as err:
            raise Gone(f"systemd has closed the connection: {err}") from err
        return self._answer(serial)

    def _answer(self, serial: int) -> list[Any]:
        deadline = time.monotonic() + PATIENCE
        while True:
            message = self._next(deadline)
            if message.type == wire.SIGNAL:
                self._signals.append(message)
            elif message.replies_to == serial and message.type == wire.ERROR:
                body = message.body()
                raise Said(message.error, str(body[0]) if body else message.error)
            elif message.replies_to == serial:
                return message.body()

    def properties(self, path: str, interface: str) -> dict[str, Any]:
        """All properties of an object."""
        name = f"{_NAME}.{interface}"
        (found,) = self.call(
            "GetAll", "s", name, path=path, interface="org.freedesktop.DBus.Properties"
        )
        return found

    def wait(self, deadline: float) -> list[Message]:
        """What systemd tells by itself; waits for it until a time of the monotonic clock."""
        found = self.signals()
        if not found:
            select.select([self._socket], [], [], max(deadline - time.monotonic(), 0))
            found = self.signals()
        return found

    def signals(self) -> list[Message]:
        """What systemd has told by itself since the last time. Does not wait."""
        while select.select([self._socket], [], [], 0)[0]:
            self._receive()
        while True:
            message = wire.take(self._buffer, about=self._about)
            if message is None:
                break
            if message.type == wire.SIGNAL:
                self._signals.append(message)
        found, self._signals = list(self._signals), deque()
        return found

    def _send(self, message: bytes, fds: Sequence[int]) -> None:
        if not fds:
            self._socket.sendall(message)
            return
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))
        sent = self._socket.sendmsg([message], [rights])
        self._socket.sendall(message[sent:])

    def _next(self, deadline: float) -> Message:
        while True:
            message = wire.take(self._buffer, about=self._about)
            if message is not None:
                return message
            self._socket.settimeout(max(deadline - time.monotonic(), 0.01))
            self._receive()

    def _receive(self) -> None:
        try:
            data = self._socket.recv(65536)
        except OSError as err:
            raise Gone(f"systemd does not answer: {err}") from err
        if not data:
            raise Gone("systemd has closed the connection.")
        self._buffer += data


def is_booted() -> bool:
    """Whether systemd runs this host, though it may be out of reach right now."""
    return BOOTED.is_dir()


def reach() -> Systemd:
    """A connection, also while systemd is executed anew: that takes a moment, and it is back."""
    deadline = time.monotonic() + BACK_WITHIN
    while True:
        try:
            return Systemd()
        except Gone as err:
            if not is_booted() or time.monotonic() > deadline:
                raise Absent(str(err)) from err
        time.sleep(_LOOK_AGAIN)


def object_path(unit: str) -> str:
    """Where systemd keeps the object of a unit."""
    escaped = "".join(
        char if char.isascii() and char.isalnum() else f"_{ord(char):02x}" for char in unit
    )
    return f"{_MANAGER}/unit/{escaped}"
