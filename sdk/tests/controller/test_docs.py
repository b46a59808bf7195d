"""The app of the how-to page works, and its tests prove it."""

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import moorage

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE = (DOCS / "howto/write-an-app.md").read_text()


def block(language: str, number: int) -> str:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[number]


@pytest.fixture
def beacon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The page's app as a package."""
    package = tmp_path / "beacon"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "manifest.yaml").write_text(block("yaml", 0))
    (package / "controller.py").write_text(block("python", 0))
    (package / "tests.py").write_text(block("python", 1))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield package
    for name in [name for name in sys.modules if name.split(".")[0] == "beacon"]:
        del sys.modules[name]


def test_the_tests_of_the_page_pass(beacon: Path) -> None:
    tests: Any = importlib.import_module("beacon.tests")

    names = [name for name in vars(tests) if name.startswith("test_")]
    for name in names:
        getattr(tests, name)()

    assert len(names) == 3


def test_the_app_of_the_page_does_what_its_manifest_promises(beacon: Path) -> None:
    controller: Any = importlib.import_module("beacon.controller")

    assert controller.app.missing() == []


def test_the_reference_names_what_there_is() -> None:
    page = (DOCS / "reference/sdk.md").read_text()
    operation = {name for name in vars(moorage.Operation) if not name.startswith("_")}
    machine = {name for name in vars(moorage.Machine) if not name.startswith("_")}
    testing = {*importlib.import_module("moorage.testing").__all__}
    inside = {"read_arguments", "steps_beside", "reference", "name", "address"}
    values = {"Command", "File", "Member", "Operation", "Output", "Service"}

    unnamed = {
        name
        for name in (operation | machine | testing) - inside - values
        if not re.search(rf"\b{name}\b", page)
    }

    assert unnamed == set()
