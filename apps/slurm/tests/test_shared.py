"""Whose an export is."""

import json
from pathlib import Path

import pytest

from moorage_slurm.onhost import shared
from moorage_slurm.onhost.commands import Refused


@pytest.fixture
def export(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(shared, "PLACE", tmp_path)
    monkeypatch.setattr(shared, "MARK", tmp_path / "mark")
    monkeypatch.setattr(shared, "unmount", lambda: None)
    return tmp_path


def test_an_empty_export_is_taken_and_known_again(export: Path) -> None:
    shared._claim("ins_1")
    (export / "mysql").mkdir()

    shared._claim("ins_1")

    assert json.loads((export / "mark").read_text()) == {"instance": "ins_1"}


def test_the_export_of_another_cluster_is_not_taken(export: Path) -> None:
    shared._claim("ins_1")

    with pytest.raises(Refused, match="ins_1"):
        shared._claim("ins_2")

    assert json.loads((export / "mark").read_text()) == {"instance": "ins_1"}


def test_an_export_with_something_else_is_not_taken(export: Path) -> None:
    (export / "thesis.tex").touch()

    with pytest.raises(Refused, match="not empty"):
        shared._claim("ins_1")

    assert [each.name for each in export.iterdir()] == ["thesis.tex"]
