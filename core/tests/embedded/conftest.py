"""Real folders and real servers. Each test gets a place that the database account can enter."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from moorage_core.embedded import binaries, cluster, folder, postgres
from moorage_core.embedded.binaries import Binaries
from moorage_core.embedded.folder import Folder
from moorage_core.embedded.postgres import Server

INSTALLED = {entry.major: entry for entry in reversed(binaries.list_binaries())}
# The oldest and the newest of this machine; what lies between takes time and shows nothing new.
TRIED = sorted({min(INSTALLED), max(INSTALLED)})


@contextmanager
def open_place() -> Iterator[Path]:
    """An empty folder. Not pytest's own: that one is closed to the database account."""
    path = Path(tempfile.mkdtemp(prefix="moorage-test-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@contextmanager
def prepared_folder(place: Path) -> Iterator[Folder]:
    """A data folder; a server left running on it is stopped at the end."""
    made = folder.prepare(place / "data")
    yield made
    written = cluster.major(made.postgres)
    if written in INSTALLED:
        cluster.stop(made, binaries=INSTALLED[written])


@pytest.fixture
def place() -> Iterator[Path]:
    with open_place() as path:
        yield path


@pytest.fixture
def prepared(place: Path) -> Iterator[Folder]:
    with prepared_folder(place) as made:
        yield made


@pytest.fixture(params=TRIED, ids=lambda major: f"postgres-{major}", scope="module")
def installed(request: pytest.FixtureRequest) -> Binaries:
    """Each PostgreSQL on this machine in turn."""
    return INSTALLED[request.param]


@pytest.fixture(scope="module")
def running(installed: Binaries) -> Iterator[Server]:
    """A server that several tests look at and none changes."""
    with open_place() as place, prepared_folder(place) as made:
        yield postgres.start(made, binaries=installed, fsync=False)
