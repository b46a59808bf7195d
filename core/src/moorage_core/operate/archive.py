"""The file that `moor backup` writes and `moor restore` reads: one tar, closed to others.

    database.dump   PostgreSQL's own archive format
    seals/seals.jsonl   the seal log
    keys/ tls/ blobs/   as in the data folder
    manifest.json   what wrote it, and the SHA-256 of every file above; last, so that each file
                    is read once, and a file cut short has none

Everything is streamed. What a reader trusts is checked before anything is made of it: names,
kinds and digests. Nothing is unpacked by tar's own rules.
"""

import hashlib
import io
import json
import os
import re
import tarfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from moorage_core.embedded.errors import OperatorError

FORMAT = 1
MANIFEST = "manifest.json"
DATABASE = "database.dump"
FOLDERS = ("keys", "tls", "blobs")
CHUNK = 1 << 20
# Read into memory, so a stranger's file must not make it large.
LIMITS = {MANIFEST: 256 << 20}
SAFE = re.compile(r"(?:keys|tls|seals|blobs)(?:/[A-Za-z0-9_][A-Za-z0-9._+@=:-]*)+")


@dataclass(frozen=True)
class Manifest:
    """What a backup says about itself."""

    platform: str
    schema: str
    postgres: int
    created_at: str
    digests: dict[str, str] = field(default_factory=dict[str, str])
    format: int = FORMAT


class BackupUnusable(OperatorError):
    """The file is not a backup, or not a whole one."""


class FileTaken(OperatorError):
    """There is a file of that name already."""

    exit_code = 5


class FileUnwritable(OperatorError):
    """The backup cannot be written there."""


class Writer:
    """Adds files to an archive and remembers their digests."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self._digests: dict[str, str] = {}

    def add(self, name: str, path: Path, *, size: int | None = None) -> None:
        """Add the file, or its first `size` bytes; what it grows by meanwhile is left out."""
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size if size is None else size
            reader = _Hashing(file)
            self._tar.addfile(_entry(name, size=size), reader)
        self._digests[name] = reader.digest()

    def add_folder(self, name: str, path: Path) -> None:
        """Add every file below `path`. One that is removed meanwhile was no longer needed."""
        for file in sorted(path.rglob("[!.]*")):
            inside = f"{name}/{file.relative_to(path).as_posix()}"
            if not file.is_file():
                continue
            if not SAFE.fullmatch(inside):
                raise FileUnwritable(f"{file} has a name that no file of ours has. Move it away.")
            try:
                self.add(inside, file)
            except FileNotFoundError:
                continue

    def finish(self, *, platform: str, schema: str, postgres: int) -> Manifest:
        """Write the manifest; the archive is complete then."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        manifest = Manifest(platform, schema, postgres, now, self._digests)
        text = json.dumps(asdict(manifest), indent=1).encode()
        self._tar.addfile(_entry(MANIFEST, size=len(text)), io.BytesIO(text))
        return manifest


class _Hashing:
    """Reads a file and hashes what was read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        chunk = self._file.read(size)
        self._hash.update(chunk)
        return chunk

    def digest(self) -> str:
        return self._hash.hexdigest()


def _entry(name: str, *, size: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.size = size
    entry.mode = 0o600
    entry.mtime = int(datetime.now(UTC).timestamp())
    return entry


def verify(path: Path) -> Manifest:
    """Read the whole file once and check it against its manifest."""
    digests: dict[str, str] = {}
    manifest: Manifest | None = None
    with _reading(path) as entries:
        for name, content in entries:
            if name == MANIFEST:
                manifest = _manifest(content.read(), path=path)
            elif name in digests:
                raise BackupUnusable(f"{path} holds {name} twice.")
            else:
                digests[name] = _digest(content)
    if manifest is None:
        raise BackupUnusable(f"{path} has no {MANIFEST}: it is not a backup, or it was cut short.")
    _compare(manifest.digests, digests, path=path)
    return manifest


def _digest(content: IO[bytes]) -> str:
    found = hashlib.sha256()
    while chunk := content.read(CHUNK):
        found.update(chunk)
    return found.hexdigest()


def _compare(said: dict[str, str], found: dict[str, str], *, path: Path) -> None:
    wrong = sorted(name for name in said | found if said.get(name) != found.get(name))
    if wrong:
        raise BackupUnusable(
            f"{path} is damaged: {', '.join(wrong[:5])} differ from what its manifest says. "
            "Use another backup."
        )
    if DATABASE not in said:
        raise BackupUnusable(f"{path} holds no {DATABASE}.")


def _manifest(text: bytes, *, path: Path) -> Manifest:
    try:
        found = Manifest(**json.loads(text))
    except (ValueError, TypeError) as err:
        raise BackupUnusable(f"The {MANIFEST} in {path} cannot be read.") from err
    if found.format != FORMAT:
        raise BackupUnusable(
            f"{path} has format {found.format}; this release reads format {FORMAT}. "
            f"It was written by release {found.platform}."
        )
    return found


def extract(path: Path, *, into: Path) -> None:
    """Lay every file of a verified archive below `into`, closed to others."""
    with _reading(path) as entries:
        for name, content in entries:
            _lay(content, target=into / name)


def _lay(content: IO[bytes], *, target: Path) -> None:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        while chunk := content.read(CHUNK):
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _reading(path: Path) -> Generator[Iterator[tuple[str, IO[bytes]]]]:
    """The files in the archive, one after the other; trouble with reading it has one wording."""
    try:
        with tarfile.open(path, "r|") as tar:
            yield _entries(tar, path=path)
    except FileNotFoundError as err:
        raise BackupUnusable(f"There is no file {path}.") from err
    except (tarfile.TarError, EOFError) as err:
        raise BackupUnusable(f"{path} is not a backup, or it was cut short: {err}.") from err
    except OSError as err:
        said = err.strerror or str(err)
        raise BackupUnusable(f"{path} cannot be read or laid out: {said}.") from err


def _entries(tar: tarfile.TarFile, *, path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    for entry in tar:
        content = tar.extractfile(entry) if entry.isreg() else None
        is_ours = entry.name in (MANIFEST, DATABASE) or SAFE.fullmatch(entry.name)
        if content is None or not is_ours or entry.size > LIMITS.get(entry.name, entry.size):
            raise BackupUnusable(f"{path} holds {entry.name!r}, which no backup of ours does.")
        yield entry.name, content
