"""Places and servers for tests that need real ones."""

import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from moorage_core.embedded import binaries, cluster, folder
from moorage_core.embedded.folder import Folder

INSTALLED = {entry.major: entry for entry in reversed(binaries.list_binaries())}
# The oldest and the newest of this machine; what lies between takes time and shows nothing new.
TRIED = sorted({min(INSTALLED), max(INSTALLED)})


@contextmanager
def open_place() -> Generator[Path]:
    """An empty folder. Not pytest's own: that one is closed to the database account."""
    path = Path(tempfile.mkdtemp(prefix="moorage-test-"))
    path.chmod(0o755)
    try:
        yield path
    finally:
        shutil.rmtree(path)


@contextmanager
def prepared_folder(path: Path) -> Generator[Folder]:
    """A data folder; a server left running on it is stopped at the end."""
    made = folder.prepare(path)
    try:
        yield made
    finally:
        stop(made)


def stop(made: Folder) -> None:
    """Stop the server of a data folder, if one runs there."""
    written = cluster.major(made.postgres)
    if written in INSTALLED:
        cluster.stop(made, binaries=INSTALLED[written])
