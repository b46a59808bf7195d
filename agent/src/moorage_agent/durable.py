"""Files of the agent's own that survive a crash: whole, or as they were before."""

import os
import tempfile
from pathlib import Path


def write(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Replace a file in one step, and be sure that it is on disk before this returns."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        os.rename(draft, path)
    except BaseException:
        os.unlink(draft)
        raise
    sync_folder(path.parent)


def private_folder(path: Path, *, mode: int = 0o700) -> Path:
    """A folder of the agent's own, made where it is missing."""
    path.mkdir(parents=True, exist_ok=True, mode=mode)
    path.chmod(mode)
    return path


def sync_folder(folder: Path) -> None:
    """Be sure that the names in a folder are on disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
