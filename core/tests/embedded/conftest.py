"""Real folders and real servers. Each test gets a place that the database account can enter."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.tests.embedded import places
from moorage_core.embedded import postgres
from moorage_core.embedded.binaries import Binaries
from moorage_core.embedded.folder import Folder
from moorage_core.embedded.postgres import Server


@pytest.fixture
def place() -> Iterator[Path]:
    with places.open_place() as path:
        yield path


@pytest.fixture
def prepared(place: Path) -> Iterator[Folder]:
    with places.prepared_folder(place / "data") as made:
        yield made


@pytest.fixture(params=places.TRIED, ids=lambda major: f"postgres-{major}", scope="module")
def installed(request: pytest.FixtureRequest) -> Binaries:
    """Each PostgreSQL on this machine in turn."""
    return places.INSTALLED[request.param]


@pytest.fixture(scope="module")
def running(installed: Binaries) -> Iterator[Server]:
    """A server that several tests look at and none changes."""
    with places.open_place() as place, places.prepared_folder(place / "data") as made:
        yield postgres.start(made, binaries=installed, fsync=False)
