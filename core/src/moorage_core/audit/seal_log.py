"""The second place for seals: a file outside the database, one signed seal per line, only appended.

Which is written first, the row or the line? The row. Its number is the table's primary key, so the
database decides what seal 17 says even where two processes believe that they lead, and a line is
only ever a copy of a committed row. Then:

- A crash between the two leaves a row without a line. The next run copies it, after checking its
  signature and its place in the chain. The copy is identical, so copying twice harms nothing.
- A crash in the middle of a line leaves a torn one. It is no seal, readers pass over it, and the
  next line starts afresh. Nothing is cut off the file, which may therefore be append-only.
- A line without its row is never our own doing: the tail was cut, or an older database put back.
- A line that differs from its row is never our own doing either: the row was rewritten.

The last two stop the sealer, loudly, until a person has looked. (Line first would need a rule for
lines whose row never came, and two leaders could sign two different seals of one number.) The price
is small: between a commit and its line a seal is in one place only, and the next run ends that.
"""

import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from moorage_core.audit import seals
from moorage_core.audit.models import Seal
from moorage_core.audit.seals import NotASeal
from moorage_core.settings import Settings

TAIL_BYTES = 64 * 1024
LINE_BYTES = 4096
"""No seal is longer; a longer line is none."""


@dataclass(frozen=True)
class Line:
    """One line of the file; `seal` is None where it holds none."""

    at: int
    """Which line, from 1."""
    seal: Seal | None


def path_of(settings: Settings) -> Path:
    return settings.audit.seal_log or settings.data / "seals" / "seals.jsonl"


def find_last(path: Path, *, keys: Mapping[str, bytes]) -> Seal | None:
    """The newest seal in the file that one of these keys signed."""
    if not path.exists():
        return None
    with path.open("rb") as file:
        return _find_last(file, keys)


def _find_last(file: BinaryIO, keys: Mapping[str, bytes]) -> Seal | None:
    size = file.seek(0, os.SEEK_END)
    window = TAIL_BYTES
    while True:
        file.seek(max(0, size - window))
        for raw in reversed(file.read().split(b"\n")):
            seal = _parse(raw)
            if seal is not None and seals.is_signed(seal, keys=keys):
                return seal
        if window >= size:
            return None
        window *= 8


def append(
    path: Path, new: Sequence[Seal], *, after: Seal | None, keys: Mapping[str, bytes]
) -> None:
    """Write the seals after `after`, on disk when this returns.

    Raises BlockingIOError where another process writes, or has written in between: look again.
    """
    is_new = not path.exists()
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o600), "r+b", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _find_last(file, keys) != after:
            raise BlockingIOError(f"Another process has written to {path} just now.")
        _write(file, _end_of_torn_line(file) + _lines(new))
        os.fsync(file.fileno())
    if is_new:
        _sync_folder(path.parent)


def _lines(new: Sequence[Seal]) -> bytes:
    return b"".join(seals.to_line(seal).encode() + b"\n" for seal in new)


def _end_of_torn_line(file: BinaryIO) -> bytes:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 1))
    return b"" if file.read(1) in (b"", b"\n") else b"\n"


def _write(file: BinaryIO, content: bytes) -> None:
    while content:
        content = content[file.write(content) :]


def read(file: BinaryIO, *, size: int) -> Iterator[Line]:
    """The lines within the first `size` bytes, one at a time."""
    number = 0
    while (left := size - file.tell()) > 0:
        raw = file.readline(min(left, LINE_BYTES))
        number += 1
        yield Line(number, _parse(raw.removesuffix(b"\n")))


def _parse(raw: bytes) -> Seal | None:
    try:
        return seals.from_line(raw.decode())
    except (NotASeal, UnicodeDecodeError):
        return None


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
