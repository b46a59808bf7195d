"""An app that is copied out of the repository builds and passes its tests alone."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
LIBRARIES = ("sdk", "manifest")
"""What an app may stand on, as wheels. Nothing else of ours is there."""


def build(source: Path, wheels: Path) -> None:
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    subprocess.run(words, cwd=source, check=True, capture_output=True, timeout=60)


def install(wheels: Path, target: Path) -> None:
    """A wheel is a folder in a zip: nothing of the environment's own packages gets in."""
    for wheel in wheels.glob("*.whl"):
        shutil.unpack_archive(wheel, target, "zip")


@pytest.mark.slow
@pytest.mark.parametrize(
    "app", ["apps/echo", "apps/fixtures/peers", "apps/fixtures/trio", "apps/slurm"]
)
@pytest.mark.rule("ON-1", "BQ-1")
def test_an_app_builds_and_passes_its_tests_alone(tmp_path: Path, app: str) -> None:
    copied = shutil.copytree(
        REPO / app, tmp_path / "app", ignore=shutil.ignore_patterns("__pycache__")
    )
    wheels, target = tmp_path / "wheels", tmp_path / "installed"
    for folder in (*(REPO / library for library in LIBRARIES), copied):
        build(folder, wheels)
    install(wheels, target)
    shutil.rmtree(copied / "src")

    # Without `site`, the links to this repository's sources are not followed.
    others = sysconfig.get_paths()["purelib"]
    ran = subprocess.run(
        [sys.executable, "-S", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=copied,
        check=False,
        env={"PYTHONPATH": f"{target}:{others}", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert " passed" in ran.stdout
