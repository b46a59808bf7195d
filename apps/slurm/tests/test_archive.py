"""The program for hosts, started as hosts start it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from moorage_slurm import archive
from moorage_slurm.onhost import main


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    place = tmp_path / "tool.pyz"
    place.write_bytes(archive.make())
    return place


def ask(tool: Path, verb: str) -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [sys.executable, tool, verb],
        input="{}",
        capture_output=True,
        text=True,
        env=own,
        check=False,
    )


def folders(tool: Path) -> list[Path]:
    return [path for path in tool.parent.iterdir() if path.is_dir()]


def test_it_answers_from_a_folder_in_which_what_is_compiled_stays(tool: Path) -> None:
    first, again = ask(tool, "look.look"), ask(tool, "look.look")

    assert (first.returncode, again.returncode) == (0, 0), first.stderr
    (place,) = folders(tool)
    assert [*place.glob("moorage_slurm/onhost/__pycache__/look.*")]


def test_put_there_again_it_is_not_unpacked_again(tool: Path) -> None:
    ask(tool, "look.look")
    before = folders(tool)
    tool.unlink()
    tool.write_bytes(archive.make())

    assert ask(tool, "look.look").returncode == 0
    assert folders(tool) == before


def test_another_one_in_its_place_is_the_one_that_answers(
    tool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(tool, "look.look")
    shutil.copytree(archive.HERE / "onhost", tool.parent / "later" / "onhost")
    (tool.parent / "later/onhost/look.py").write_text("VERBS = {}")
    monkeypatch.setattr(archive, "HERE", tool.parent / "later")
    tool.write_bytes(archive.make.__wrapped__())

    assert ask(tool, "look.look").returncode == main.USED_WRONGLY


def test_it_answers_where_nothing_can_be_written(tool: Path) -> None:
    ask(tool, "look.look")
    (place,) = folders(tool)
    shutil.rmtree(place)
    place.write_text("in the way")

    assert ask(tool, "look.look").returncode == 0
    assert folders(tool) == []
