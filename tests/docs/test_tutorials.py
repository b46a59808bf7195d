"""The tutorials, played as they stand: each file is written, each line typed, each answer read."""

from pathlib import Path

import pytest

from tests.docs import pages, terminals
from tests.docs.terminals import Player

TUTORIALS = Path(__file__).parents[2] / "docs/tutorials"


def blocks(page: str) -> list[pages.Block]:
    return pages.blocks((TUTORIALS / page).read_text("utf-8"))


@pytest.mark.lab
@pytest.mark.slow
@pytest.mark.tutorial
def test_an_app_is_written_in_an_hour_as_the_page_says(
    player: Player, clone: Path, home: Path
) -> None:
    player.play(blocks("write-an-app-in-an-hour.md"), clone)

    assert (home / "notice/controller.py").is_file()


@pytest.mark.lab
@pytest.mark.slow
@pytest.mark.tutorial
def test_a_first_cluster_comes_and_goes_as_the_page_says(player: Player, clone: Path) -> None:
    player.play(blocks("your-first-cluster.md"), clone)

    assert (clone / ".cache/demo.env").is_file()


def test_every_tutorial_is_played_here() -> None:
    played = {"your-first-cluster.md", "write-an-app-in-an-hour.md"}

    assert {path.name for path in TUTORIALS.glob("*.md")} == played | {"README.md"}


def test_a_page_is_taken_apart_into_files_terminals_and_answers() -> None:
    page = (
        '````markdown title="a.md"\n```console\n$ no\n```\n````\n'
        '```console title="Second"\n$ go on\n```\n'
        "```console\n$ one \\\n    two\nsaid\n$ three\n```\n"
    )

    file, second, here = pages.blocks(page)

    assert (file.title, file.text) == ("a.md", "```console\n$ no\n```\n")
    assert second.title == "Second"
    assert pages.typed(here.text) == [
        pages.Typed("one two", ("said",)),
        pages.Typed("three", ()),
    ]


@pytest.mark.parametrize(
    ("shown", "missing"),
    [
        (["status running"], ""),
        (["status …"], ""),
        (["status"], "status"),
        (["health well", "status running"], ""),
        (["status runs"], "status runs"),
    ],
)
def test_every_line_that_a_page_shows_has_to_be_said(shown: list[str], missing: str) -> None:
    assert terminals.lacking(["status    running", "health   well"], shown) == missing


def test_a_line_that_fails_stops_the_page(tmp_path: Path) -> None:
    player = Player({"PATH": "/usr/bin:/bin"}, {})

    with pytest.raises(terminals.Stuck, match="ended with 3"):
        player.play(pages.blocks("```console\n$ (exit 3)\n```\n"), tmp_path)


def test_what_ends_where_it_should_go_on_stops_the_page(tmp_path: Path) -> None:
    player = Player({"PATH": "/usr/bin:/bin"}, {"serve": "echo no port is free; false"})

    with pytest.raises(terminals.Stuck, match="no port is free"):
        player.play(pages.blocks('```console title="Other"\n$ serve\nready\n```\n'), tmp_path)
    player.leave()


def test_a_shell_keeps_its_folder_and_files_are_written_there(tmp_path: Path) -> None:
    player = Player({"PATH": "/usr/bin:/bin"}, {})
    page = (
        "```console\n$ mkdir a && cd a\n```\n"
        '```text title="b"\nhello\n```\n'
        "```console\n$ cat b\nhello\n```\n"
    )

    player.play(pages.blocks(page), tmp_path)

    assert (tmp_path / "a/b").read_text() == "hello\n"


def test_what_goes_on_in_another_terminal_is_left_at_the_end(tmp_path: Path) -> None:
    player = Player({"PATH": "/usr/bin:/bin"}, {"serve": "echo ready; exec sleep 1000"})
    player.play(pages.blocks('```console title="Other"\n$ serve\nready\n```\n'), tmp_path)

    player.leave()

    assert player.is_left
