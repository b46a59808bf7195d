"""An image is complete or it is none, and it is built once."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lab.tests.waiting import wait_until
from moorage_lab import cgroups, image, locks
from moorage_lab.image import NotBuilt
from moorage_lab.layout import Places
from moorage_lab.recipe import Recipe

IMPOSSIBLE = Recipe(suite="no-such-suite")
BUILD = """
import sys
from pathlib import Path
from moorage_lab import image
from moorage_lab.layout import Places
from moorage_lab.recipe import Recipe
image.ensure(Places(cache=Path(sys.argv[1])), Recipe(suite="no-such-suite"))
"""


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(run=tmp_path / "run", cache=tmp_path / "cache")


def is_waited_for(lock: Path) -> bool:
    inode = f":{lock.stat().st_ino} "
    lines = Path("/proc/locks").read_text().splitlines()
    return any("->" in line and inode in line for line in lines)


def test_a_second_builder_waits_for_the_first_and_takes_its_image(places: Places) -> None:
    recipe = Recipe()
    lock = places.cache / f"{recipe.name}.lock"
    found: list[Path] = []
    second = threading.Thread(target=lambda: found.append(image.ensure(places, recipe)))

    with locks.hold(lock):
        second.start()
        wait_until(lambda: is_waited_for(lock))
        (places.cache / recipe.name).mkdir()
    second.join(timeout=10)

    assert found == [places.cache / recipe.name]


def test_a_draft_is_no_image(places: Places) -> None:
    (places.cache / f"{Recipe().name}.draft").mkdir(parents=True)

    assert image.find(places, Recipe()) is None


@pytest.mark.lab
def test_a_build_that_is_killed_leaves_no_image_and_the_next_one_clears_up(places: Places) -> None:
    group = f"moorage-lab/.images/{IMPOSSIBLE.name}"
    draft = places.cache / f"{IMPOSSIBLE.name}.draft"
    command = [sys.executable, "-c", BUILD, str(places.cache)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as builder:
        wait_until(lambda: cgroups.is_populated(group) and draft.exists())
        os.kill(builder.pid, signal.SIGKILL)
    after_the_kill = image.find(places, IMPOSSIBLE)

    with pytest.raises(NotBuilt, match="no-such-suite"):
        image.ensure(places, IMPOSSIBLE)

    assert after_the_kill is None
    assert [path.name for path in places.cache.iterdir()] == [f"{IMPOSSIBLE.name}.lock"]
    assert not cgroups.is_populated(group)
