"""A version that is cut is one that the platform would take."""

from pathlib import Path

import pytest

from moorage.manifest import folder
from moorage_echo import echod, release


@pytest.mark.parametrize("version", ["0.1.0", "0.2.0"])
def test_a_version_that_is_cut_has_no_fault(tmp_path: Path, version: str) -> None:
    release.cut(version, tmp_path)

    read = folder.load(tmp_path)

    assert read.faults == []
    assert read.manifest is not None
    assert read.manifest.version == version


def test_the_folder_of_the_package_is_the_version_that_it_says() -> None:
    program = release.HERE.joinpath("echod.py").read_text()
    manifest = release.HERE.joinpath("manifest.yaml").read_text()

    assert release.declare(manifest, echod.VERSION, program) == manifest, (
        "the program has changed: `python -m moorage_echo.release`"
    )
