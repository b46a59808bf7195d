"""A systemd to break off with: it speaks D-Bus at a socket, and is executed anew on demand.

It runs nothing. A unit that it takes ends at once with the code that it was given.
"""

import contextlib
import os
import socket
import struct
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from moorage_agent import wire

_REPLY, _ERROR_NAME, _SIGNATURE = 5, 4, 8
_ABSENT = "org.freedesktop.systemd1.NoSuchUnit"
_TAKES_UNITS = ("GetUnit", "GetUnitProcesses", "StopUnit", "ResetFailedUnit")


class Systemd:
    """`breaks` names the calls at which the connection is lost, `before` or `after` the deed.

    It takes as many connections as it has `lives`.
    """

    def __init__(
        self, place: Path, *, code: int, breaks: Sequence[tuple[str, str]], lives: int
    ) -> None:
        self.started: list[str] = []
        self.accepted = self.closed = 0
        self._units: set[str] = set()
        self._code, self._breaks, self._lives = code, list(breaks), lives
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening.bind(str(place))
        self._listening.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listening.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            for _ in range(self._lives):
                caller, _ = self._listening.accept()
                self.accepted += 1
                with caller:
                    self._speak(caller)
                self.closed += 1
        self._listening.close()

    def _speak(self, caller: socket.socket) -> None:
        buffer = bytearray()
        while b"BEGIN\r\n" not in buffer:
            buffer += caller.recv(4096)
        del buffer[: buffer.index(b"BEGIN\r\n") + 7]
        caller.sendall(b"OK 0123456789abcdef\r\nAGREE_UNIX_FD\r\n")
        while True:
            asked = wire.take(buffer)
            if asked is None:
                data, handles, _, _ = socket.recv_fds(caller, 65536, 8)
                for handle in handles:
                    os.close(handle)
                if not data:
                    return
                buffer += data
            elif self._is_to_break(asked, "before"):
                return
            else:
                answer = self._answer(asked)
                if self._is_to_break(asked, "after"):
                    return
                caller.sendall(answer)

    def _is_to_break(self, asked: wire.Message, when: str) -> bool:
        if (asked.member, when) not in self._breaks:
            return False
        self._breaks.remove((asked.member, when))
        return True

    def _answer(self, asked: wire.Message) -> bytes:
        given = asked.body()
        if asked.member in _TAKES_UNITS and given[0] not in self._units:
            return _error(asked, _ABSENT)
        answers: dict[str, Callable[[], bytes]] = {
            "StartTransientUnit": lambda: self._start(asked, given[0]),
            "GetUnit": lambda: _reply(asked, "o", "/unit"),
            "GetAll": lambda: _reply(asked, "a{sv}", self._end()),
            "GetUnitProcesses": lambda: _reply(asked, "a(sus)", []),
            "StopUnit": lambda: self._stop(asked, given[0]),
        }
        return answers[asked.member]()

    def _start(self, asked: wire.Message, unit: str) -> bytes:
        self.started.append(unit)
        self._units.add(unit)
        return _reply(asked, "o", "/job")

    def _stop(self, asked: wire.Message, unit: str) -> bytes:
        self._units.remove(unit)
        return _reply(asked, "o", "/job")

    def _end(self) -> list[tuple[str, tuple[str, int]]]:
        return [("ExecMainCode", ("i", 1)), ("ExecMainStatus", ("i", self._code))]


def _reply(asked: wire.Message, signature: str, value: Any) -> bytes:
    # The body of an answer is that of a call.
    call = wire.call(1, "x", path="/", interface="x.y", signature=signature, values=[value])
    whole = wire.take(bytearray(call))
    assert whole is not None
    said = _field(_SIGNATURE, b"g", bytes([len(signature)]) + signature.encode() + b"\0")
    return _message(wire.RETURN, asked, said, whole.data)


def _error(asked: wire.Message, name: str) -> bytes:
    said = _field(_ERROR_NAME, b"s", struct.pack("<I", len(name)) + name.encode() + b"\0")
    return _message(wire.ERROR, asked, said, b"")


def _message(kind: int, asked: wire.Message, field: bytes, body: bytes) -> bytes:
    fields = _field(_REPLY, b"u", struct.pack("<I", asked.serial)) + field
    head = struct.pack("<cBBBIII", b"l", kind, 0, 1, len(body), 1, len(fields)) + fields
    return head + b"\0" * (-len(head) % 8) + body


def _field(code: int, kind: bytes, value: bytes) -> bytes:
    return bytes([code, 1]) + kind + b"\0" + value
