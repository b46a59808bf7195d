"""D-Bus messages as bytes. Pure: as much of the format as it takes to talk to systemd.

A variant is written from a pair (signature, value) and read as its value.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

CALL, RETURN, ERROR, SIGNAL = 1, 2, 3, 4
_PATH, _INTERFACE, _MEMBER, _ERROR_NAME, _REPLY, _TO, _SIGNATURE, _FDS = 1, 2, 3, 4, 5, 6, 8, 9
_FIXED = dict(zip("ybnqiuxtdh", "BIhHiIqQdI"))
_ALIGN = {"y": 1, "g": 1, "v": 1, "n": 2, "q": 2, "x": 8, "t": 8, "d": 8, "(": 8, "{": 8}
_HEAD = struct.Struct("<cBBBIII")
LONGEST = 128 * 1024 * 1024


class Malformed(Exception):
    """The other side does not speak D-Bus as it should."""


@dataclass(frozen=True)
class Message:
    """One message as it came. Its body is read when somebody wants it."""

    type: int
    serial: int
    fields: dict[int, Any]
    data: bytes = field(repr=False)

    @property
    def path(self) -> str:
        return str(self.fields.get(_PATH, ""))

    @property
    def member(self) -> str:
        return str(self.fields.get(_MEMBER, ""))

    @property
    def error(self) -> str:
        return str(self.fields.get(_ERROR_NAME, ""))

    @property
    def replies_to(self) -> int:
        return int(self.fields.get(_REPLY, 0))

    def arguments(self) -> Iterator[Any]:
        """Its arguments, read as far as they are taken."""
        reader = _Reader(self.data)
        for kind in split(str(self.fields.get(_SIGNATURE, ""))):
            yield reader.get(kind)

    def body(self) -> list[Any]:
        """All its arguments."""
        return list(self.arguments())


def call(
    serial: int,
    member: str,
    *,
    path: str,
    interface: str,
    to: str = "",
    signature: str = "",
    values: Sequence[Any] = (),
    fds: int = 0,
) -> bytes:
    """A method call."""
    body = _Writer()
    for kind, value in zip(split(signature), values):
        body.put(kind, value)
    fields = [(_PATH, ("o", path)), (_INTERFACE, ("s", interface)), (_MEMBER, ("s", member))]
    fields += [(_TO, ("s", to))] if to else []
    fields += [(_SIGNATURE, ("g", signature))] if signature else []
    head = _Writer(struct.pack("<cBBBII", b"l", CALL, 0, 1, len(body.data), serial))
    head.put("a(yv)", fields + ([(_FDS, ("u", fds))] if fds else []))
    head.align(8)
    return bytes(head.data + body.data)


def take(buffer: bytearray, *, about: Sequence[bytes] = ()) -> Optional[Message]:
    """The first whole message of a buffer, which is taken out of it.

    With `about`, signals that mention none of these are skipped: a busy host tells a great deal,
    and reading it all would cost more than the work.
    """
    while len(buffer) >= 16:
        endian, kind, _flags, _version, body, serial, fields = _HEAD.unpack_from(buffer)
        start = 16 + fields + (-fields % 8)
        if endian != b"l" or start + body > LONGEST:
            raise Malformed("a message that is too long, or of a foreign machine")
        if len(buffer) < start + body:
            return None
        whole = bytes(buffer[: start + body])
        del buffer[: start + body]
        if kind != SIGNAL or not about or any(words in whole for words in about):
            known = dict(_Reader(whole[: 16 + fields], at=12).get("a(yv)"))
            return Message(kind, serial, known, whole[start:])
    return None


def split(signature: str) -> list[str]:
    """The complete types of a signature."""
    found: list[str] = []
    while signature:
        end = _end(signature)
        found.append(signature[:end])
        signature = signature[end:]
    return found


def _end(signature: str) -> int:
    at = 0
    while signature[at] == "a":
        at += 1
    if signature[at] not in "({":
        return at + 1
    depth = 0
    for place in range(at, len(signature)):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(signature[place], 0)
        if depth == 0:
            return place + 1
    raise Malformed(f"the signature {signature!r}")


class _Writer:
    def __init__(self, start: bytes = b"") -> None:
        self.data = bytearray(start)

    def align(self, to: int) -> None:
        self.data += b"\0" * (-len(self.data) % to)

    def put(self, kind: str, value: Any) -> None:
        first = kind[0]
        self.align(_ALIGN.get(first, 4))
        if first in _FIXED:
            self.data += struct.pack("<" + _FIXED[first], value)
        elif first in "so":
            text = value.encode()
            self.data += struct.pack("<I", len(text)) + text + b"\0"
        elif first == "g":
            text = value.encode()
            self.data += bytes([len(text)]) + text + b"\0"
        elif first == "v":
            self.put("g", value[0])
            self.put(value[0], value[1])
        elif first == "a":
            self._array(kind[1:], value)
        else:
            for part, item in zip(split(kind[1:-1]), value):
                self.put(part, item)

    def _array(self, kind: str, items: Any) -> None:
        place = len(self.data)
        self.data += b"\0\0\0\0"
        self.align(_ALIGN.get(kind[0], 4))
        start = len(self.data)
        if kind in _FIXED:
            self.data += struct.pack(f"<{len(items)}{_FIXED[kind]}", *items)
        else:
            for item in items:
                self.put(kind, item)
        struct.pack_into("<I", self.data, place, len(self.data) - start)


class _Reader:
    def __init__(self, data: bytes, *, at: int = 0) -> None:
        self._data, self._at = data, at

    def get(self, kind: str) -> Any:
        first = kind[0]
        self._at += -self._at % _ALIGN.get(first, 4)
        if first in _FIXED:
            return self._fixed(first)
        if first in "so":
            return self._text(self._fixed("u"))
        if first == "g":
            return self._text(self._fixed("y"))
        if first == "v":
            return self.get(self.get("g"))
        if first == "a":
            return self._array(kind[1:])
        return tuple(self.get(part) for part in split(kind[1:-1]))

    def _fixed(self, kind: str) -> Any:
        form = "<" + _FIXED[kind]
        (value,) = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return value

    def _text(self, length: int) -> str:
        start, self._at = self._at, self._at + length + 1
        return self._data[start : start + length].decode()

    def _array(self, kind: str) -> Any:
        length = self._fixed("u")
        self._at += -self._at % _ALIGN.get(kind[0], 4)
        end = self._at + length
        items: list[Any] = []
        while self._at < end:
            items.append(self.get(kind))
        return dict(items) if kind[0] == "{" else items
