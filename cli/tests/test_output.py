"""What others wrote is shown, never obeyed; and everything is shown."""

import asyncio
import json
from datetime import UTC, datetime

import pytest
from pydantic import Field

from cli.tests.conftest import Moor
from moorage import Model
from moorage_cli import output
from moorage_cli.choices import Format, is_json
from moorage_cli.output import Done, Record, Rows, Table
from moorage_cli.terminal import plain, plain_json
from sdk.tests import running

NASTY = "a\x1b[2Jb\r\nc\x00\x07\x9bd\u202ee\u2066f\ud800g\u2028h"


class Thing(Model):
    name: str
    when: datetime | None = None
    words: list[str] = Field(default_factory=list[str])
    ok: bool = True
    more: dict[str, str] = Field(default_factory=dict[str, str])


@pytest.mark.parametrize("spelled", [plain(NASTY), plain_json(NASTY.replace("\n", ""))])
def test_nothing_reaches_the_terminal_that_it_would_act_on(spelled: str) -> None:
    assert spelled.isprintable()
    assert "\\u202e" in spelled


def test_words_of_all_languages_stay_as_they_are() -> None:
    text = "Ærøskøbing 東京 ☃ café"

    assert plain(text) == text


def test_json_stays_json() -> None:
    document = output.as_json({"name": NASTY})

    assert json.loads(document) == {"name": NASTY}
    assert all(line.isprintable() for line in document.splitlines())


@pytest.mark.parametrize("format", list(Format))
def test_every_way_to_show_something_is_safe(
    format: Format, capsys: pytest.CaptureFixture[str]
) -> None:
    thing = Thing(name=NASTY, words=[NASTY], more={NASTY: NASTY})
    shown = (
        Rows([thing], ("name", "words", "more")),
        Record(thing),
        Done(NASTY, {"name": NASTY}),
        Table([{NASTY: NASTY}], [NASTY], {NASTY: NASTY}, note=NASTY.replace("\n", "")),
    )

    for result in shown:
        asyncio.run(output.show(result, format))

    assert all(line.isprintable() for line in capsys.readouterr().out.split("\n"))


def test_a_text_of_several_lines_stays_in_its_column(capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(output.show(Record(Thing(name="ssh host\nsrun true")), Format.TABLE))

    assert capsys.readouterr().out.splitlines()[:2] == ["name   ssh host", "       srun true"]


def test_values_are_shown_as_people_read_them() -> None:
    moment = datetime(2026, 3, 1, 12, 0, 5, 999, tzinfo=UTC)

    shown = [output.cell(value) for value in (None, True, moment, [], ["a", "b"], 3)]

    assert shown == ["-", "yes", "2026-03-01 12:00:05Z", "-", "a, b", "3"]


def test_hidden_fields_are_in_no_format(capsys: pytest.CaptureFixture[str]) -> None:
    for format in Format:
        asyncio.run(output.show(Record(Thing(name="secret"), hidden=("name",)), format))

    assert "secret" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "json_wanted"),
    [
        ("--output json orgs list", True),
        ("orgs list -o json", True),
        ("orgs list --output=json", True),
        ("orgs list -ojson", True),
        ("orgs list -o table", False),
        ("orgs get json", False),
        ("", False),
    ],
)
def test_json_is_recognised_in_a_line_that_cannot_be_parsed(
    line: str, *, json_wanted: bool
) -> None:
    assert is_json(line.split()) is json_wanted


def test_a_name_with_an_override_is_spelled_out(admin: Moor) -> None:
    slug = f"n{running.free_port()}"

    ran = admin("orgs", "create", slug, "--name", "safe\u202eexe", "--admin", running.ADMIN)

    assert "safe\\u202eexe" in ran.out
    assert "\u202e" not in ran.out
