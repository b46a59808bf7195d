"""The files of one folder, as threads look at them. Small facts are kept, contents never."""

import hashlib
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from moorage_core.console import rules

KEPT = 1024
"""Files whose facts are remembered."""


@dataclass(frozen=True)
class Found:
    """A file that may be sent."""

    place: Path
    status: os.stat_result
    tag: str
    scripts: tuple[str, ...]
    """Digests of the scripts that stand in it, where it is a page."""
    packed: Path | None
    """The same, compressed."""


class Folder:
    """One tree of files. What leads out of it, by a link for instance, is not in it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._facts: Callable[[Path, tuple[int, ...]], tuple[str, tuple[str, ...]]]
        self._facts = lru_cache(maxsize=KEPT)(_facts)

    def find(self, name: PurePosixPath) -> Found | None:
        """The file of that name; None where there is none, or it is not a plain file."""
        place = self.place / name
        status = self._status(place)
        if status is None or not stat.S_ISREG(status.st_mode):
            return None
        # Not its time alone: an installer may give the files of two releases the same.
        key = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        tag, scripts = self._facts(place, key)
        packed = place.with_name(f"{place.name}.gz")
        return Found(place, status, tag, scripts, packed if self._status(packed) else None)

    def is_folder(self, name: PurePosixPath) -> bool:
        status = self._status(self.place / name)
        return status is not None and stat.S_ISDIR(status.st_mode)

    def _status(self, place: Path) -> os.stat_result | None:
        try:
            if not place.resolve(strict=True).is_relative_to(self.place.resolve()):
                return None
            return place.stat()
        except OSError:
            return None


def _facts(place: Path, _key: tuple[int, ...]) -> tuple[str, tuple[str, ...]]:
    content = place.read_bytes()
    scripts = rules.inline_scripts(content) if place.suffix == ".html" else ()
    return f'"{hashlib.sha256(content).hexdigest()[:32]}"', scripts
