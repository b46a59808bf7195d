"""The rules as `make check` runs them."""

import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository of one sound module."""
    people = tmp_path / "core/src/moorage_core/people"
    people.mkdir(parents=True)
    (people / "store.py").write_text("async def find(db, *, org): ...\n")
    return tmp_path


def lint(tree: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.lint"]
    env = {"PYTHONPATH": str(REPO)}
    return subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True, check=False)


def test_a_sound_tree_passes(tree: Path) -> None:
    result = lint(tree)

    assert (result.returncode, result.stderr) == (0, "")


def test_a_broken_rule_names_the_place_and_the_reason(tree: Path) -> None:
    (tree / "core/src/moorage_core/people/rules.py").write_text("import time\n")

    result = lint(tree)

    assert result.returncode == 1
    assert "`rules.py` decides and does nothing else" in result.stdout
    assert "core/src/moorage_core/people/rules.py:1: `time`" in result.stdout


def test_an_import_inside_a_function_is_found(tmp_path: Path) -> None:
    module = tmp_path / "late.py"
    module.write_text("def late() -> object:\n    import json\n\n    return json\n")

    result = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--config", REPO / "pyproject.toml", module],
        capture_output=True,
        text=True,
        check=False,
    )

    assert "PLC0415" in result.stdout
