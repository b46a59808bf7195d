"""What machines print, on its way to a terminal or a pipe."""

from typing import BinaryIO

from moorage_cli import terminal


class Writer:
    """Passes bytes on as they come; on a terminal they are read and not obeyed.

    With a label, whole lines, each behind the name of its machine.
    """

    def __init__(self, to: BinaryIO, *, plain: bool, label: str = "") -> None:
        self._to = to
        self._plain = plain
        self._label = label
        self._begun = b""

    def write(self, content: bytes) -> None:
        if not self._plain and not self._label:
            self._put(content)
            return
        *lines, self._begun = (self._begun + content).split(b"\n")
        self._put(b"".join(self._line(line) + b"\n" for line in lines))

    def close(self) -> None:
        """What was begun and has no end."""
        if self._begun:
            self._put(self._line(self._begun) + b"\n")
            self._begun = b""

    def _line(self, line: bytes) -> bytes:
        text = line.decode("utf-8", "replace") if self._plain else None
        shown = line if text is None else _shown(text).encode()
        return f"{self._label}: ".encode() + shown if self._label else shown

    def _put(self, content: bytes) -> None:
        if content:
            self._to.write(content)
            self._to.flush()


def _shown(line: str) -> str:
    """A line without what a terminal acts on, but for tabs."""
    return "\t".join(map(terminal.plain, line.removesuffix("\r").split("\t")))
