"""How the operator's commands refuse: a line for a person, a document for a program."""

import json

import pytest

from moorage_core.embedded.folder import FolderBusy
from moorage_core.operate import arguments


@pytest.mark.parametrize(
    ("words", "is_so"),
    [
        (["moor", "-o", "json", "up"], True),
        (["moor", "up", "--output=json"], True),
        (["moor", "up"], False),
        (["moor", "--output", "table", "backup", "json"], False),
    ],
)
def test_json_is_written_where_it_is_asked_for(words: list[str], is_so: bool) -> None:
    assert arguments.wants_json(words) is is_so


def test_a_refusal_is_one_line_and_a_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["moor", "up"])

    with pytest.raises(SystemExit) as ended, arguments.refusals():
        raise FolderBusy("The folder is in use.")

    assert ended.value.code == 5
    assert capsys.readouterr().err == "moor: The folder is in use.\n"


def test_a_refusal_is_a_document_where_json_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["moor", "--output", "json", "up"])

    with pytest.raises(SystemExit), arguments.refusals():
        raise FolderBusy("The folder is in use.")

    assert json.loads(capsys.readouterr().err) == {
        "code": "folder_busy",
        "detail": "The folder is in use.",
        "status": None,
        "exit_code": 5,
    }
