"""Terminals for tutorials, which begin on a platform with real hosts."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from moorage_lab import lab as labs
from moorage_lab import needs
from tests.docs.terminals import Player

REPO = Path(__file__).parents[2]
REASON = "needs root, systemd-container and mmdebstrap: `make setup` as root installs them"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    programs = [*needs.TO_RUN, *needs.TO_BUILD]
    if os.geteuid() == 0 and all(shutil.which(program) for program in programs):
        return
    for item in items:
        if item.get_closest_marker("lab"):
            item.add_marker(pytest.mark.skip(reason=REASON))


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that a tutorial calls the repository's."""
    return tmp_path_factory.mktemp("clone")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of whoever reads it."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def player(home: Path) -> Iterator[Player]:
    """Plays tutorials one after the other, on one platform.

    `make demo` would set up first, which whoever runs tests has done, and would take the lab of
    somebody who tries the demo.
    """
    name = f"t{os.getpid()}"
    demo = f"{sys.executable} {REPO}/tools/demo.py --ready --lab {name} --env .cache/demo.env"
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MOOR")}
    found = Player(kept | {"COLUMNS": "200", "HOME": str(home)}, {"make demo ARGS=--ready": demo})
    try:
        yield found
    finally:
        try:
            found.leave()
        finally:
            labs.down(name)
