"""A clock that several processes share, and that a test moves."""

import mmap
import struct
from datetime import UTC, datetime, timedelta
from pathlib import Path


class SharedClock:
    """The machine's clock, moved forward by as many seconds as stand in a file."""

    def __init__(self, file: Path) -> None:
        if not file.exists():
            file.write_bytes(struct.pack("dd", 0.0, 0.0))
        with file.open("r+b") as opened:
            self._shared = mmap.mmap(opened.fileno(), 16)

    @property
    def wanted(self) -> float:
        """By how much it is to be moved."""
        return struct.unpack_from("d", self._shared, 0)[0]

    @wanted.setter
    def wanted(self, seconds: float) -> None:
        struct.pack_into("d", self._shared, 0, seconds)

    @property
    def moved(self) -> float:
        """By how much it is moved."""
        return struct.unpack_from("d", self._shared, 8)[0]

    @moved.setter
    def moved(self, seconds: float) -> None:
        struct.pack_into("d", self._shared, 8, seconds)

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.moved)
