"""A bundle of packages: a tar of .deb files, made into a small archive for apt, offline."""

import hashlib
import io
import os
import shutil
import tarfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Optional

from moorage_agent import commands
from moorage_agent.commands import Run
from moorage_agent.tasks import Failed, Work

_HANDS = 4
_MAGIC = b"!<arch>\n"
_HEAD = 60
"""Bytes in front of each part of a package: a name, numbers, and its size."""


@dataclass(frozen=True)
class Deb:
    """One package file of a bundle."""

    name: str
    version: str
    paragraph: str
    """What an archive's index says of it."""


def fetch(work: Work, *, digest: str, size: int) -> Path:
    """Bring the bundle to the host and hold it against its digest."""
    place = work.folder / "bundle.tar"
    found, came = hashlib.sha256(), 0
    with open(place, "wb") as file:
        for chunk in work.content():
            came += len(chunk)
            if came > size or work.cancelled.is_set():
                break
            found.update(chunk)
            file.write(chunk)
    if work.cancelled.is_set():
        raise Failed("cancelled", "The task was stopped before the bundle was complete.")
    if (found.hexdigest(), came) != (digest, size):
        place.unlink()
        raise Failed("content_mismatch", f"The bundle is not what its digest says: {came} bytes.")
    return place


def unpack(bundle: Path, folder: Path) -> list[Path]:
    """Take the .deb files out of the tar, by their last name alone: nothing lands elsewhere."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    found: list[Path] = []
    try:
        with tarfile.open(bundle) as tar:
            for member in tar:
                if member.isfile() and member.name.endswith(".deb"):
                    content = tar.extractfile(member)
                    assert content is not None
                    found.append(_save(content, folder / Path(member.name).name))
    except tarfile.TarError as error:
        raise Failed("bundle_invalid", f"The bundle is no tar file: {error}.") from error
    if not found:
        raise Failed("bundle_invalid", "The bundle holds no .deb file.")
    return found


def _save(content: IO[bytes], place: Path) -> Path:
    with content, open(place, "wb") as file:
        shutil.copyfileobj(content, file)
    return place


def index(files: Sequence[Path], folder: Path, *, run: Run = commands.run) -> list[Deb]:
    """Write the index of the archive, and the list that leads apt to it; what is in it."""
    with ThreadPoolExecutor(_HANDS) as hands:
        found = list(hands.map(partial(describe, run=run), files))
    (folder / "Packages").write_text("\n".join(deb.paragraph for deb in found))
    (folder / "sources.list").write_text(f"deb [trusted=yes] file:{folder} ./\n")
    return found


def describe(file: Path, *, run: Run = commands.run) -> Deb:
    """What a .deb file says of itself, as a paragraph of an index."""
    control = read_control(file) or _ask_dpkg(file, run)
    fields = dict(line.split(": ", 1) for line in control.splitlines() if ": " in line)
    with open(file, "rb") as content:
        digest = hashlib.sha256()
        while chunk := content.read(1 << 20):
            digest.update(chunk)
    paragraph = (
        f"{control}\nFilename: ./{file.name}\nSize: {file.stat().st_size}\n"
        f"SHA256: {digest.hexdigest()}\n"
    )
    return Deb(fields["Package"], fields["Version"], paragraph)


def read_control(file: Path) -> Optional[str]:
    """What a package says of itself; None where it is packed in a way that this Python lacks.

    A program for each package would cost more than all else that is done with a bundle here.
    """
    with open(file, "rb") as archive:
        if archive.read(len(_MAGIC)) != _MAGIC:
            return None
        while len(head := archive.read(_HEAD)) == _HEAD:
            size = int(head[48:58])
            if head.startswith(b"control.tar"):
                return _unpack_control(archive.read(size))
            archive.seek(size + size % 2, os.SEEK_CUR)
    return None


def _unpack_control(data: bytes) -> Optional[str]:
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            found = [one for one in tar if one.isfile() and one.name.lstrip("./") == "control"]
            content = tar.extractfile(found[0]) if found else None
            return content.read().decode().rstrip() if content else None
    except Exception:  # noqa: BLE001 - dpkg knows what is wrong with it, if anything is
        return None


def _ask_dpkg(file: Path, run: Run) -> str:
    answer = run(["dpkg-deb", "--field", str(file)])
    if not answer.ok:
        raise Failed("bundle_invalid", f"{file.name} is no Debian package: {answer.words}")
    return answer.stdout.rstrip()


def options(folder: Path) -> list[str]:
    """What keeps apt to this archive and away from the host's own lists."""
    return [
        *("-o", f"Dir::Etc::SourceList={folder / 'sources.list'}"),
        *("-o", "Dir::Etc::SourceParts=-"),
        *("-o", f"Dir::State::Lists={folder / 'lists'}"),
        *("-o", f"Dir::Cache={folder / 'cache'}"),
        *("-o", "APT::Get::List-Cleanup=0"),
        *("-o", "APT::Sandbox::User=root"),
    ]
