"""What the pages say to type is what `moor` takes."""

import contextlib
import functools
import io
from pathlib import Path
from typing import Any

import pytest
import typer

from tests.docs import commands
from tools import gen_cli

EVERYWHERE = ("-o", "--output", "--profile")
MISSING_FILE = "No such file or directory"
PAGES = commands.all_pages()


@functools.cache
def known() -> dict[tuple[str, ...], Any]:
    """Every command by its path."""
    return {entry.path: entry.command for entry in gen_cli.entries(gen_cli.plugins())}


def find(words: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
    """The path of a command line, and the arguments behind it."""
    while words and words[0] in EVERYWHERE:
        words = words[2:]
    lengths = [n for n in range(len(words), 0, -1) if words[:n] in known()]
    return (words[: lengths[0]], list(words[lengths[0] :])) if lengths else ((), list(words))


def fault(words: tuple[str, ...]) -> str:
    """Why `moor` would not take this command line; empty where it would."""
    path, arguments = find(words)
    if not path:
        return "no such command"
    command = known()[path]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            command.make_context("moor", arguments)
    except typer.TyperException as err:
        said = err.format_message()
        return "" if MISSING_FILE in said else said  # the reader has it
    except typer.Exit:
        pass
    return ""


def unknown(words: tuple[str, ...]) -> str:
    """What of a mentioned command there is not. It may lack arguments, or name a whole noun."""
    path, arguments = find(words)
    if not path:
        nouns = {path[:n] for path in known() for n in range(1, len(path))}
        return "" if words[:2] in nouns or words[:1] in nouns else "no such command"
    options = {name: each for each in known()[path].params for name in _names(each)}
    named = iter(_before_dashes(arguments))
    for word in named:
        name = word.partition("=")[0]
        if len(word) > 1 and word.startswith("-") and name not in {*options, *EVERYWHERE, "--help"}:
            return f"no option {name}"
        if word in options and not options[word].is_flag:
            next(named, None)  # its value may look like an option of ours
    return ""


def _names(parameter: Any) -> list[str]:
    return [*parameter.opts, *parameter.secondary_opts] if parameter.opts[0][0] == "-" else []


def _before_dashes(arguments: list[str]) -> list[str]:
    """A lone `--` ends the options: what follows is another program's."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(commands.REPO).as_posix())
def test_every_command_line_of_a_page_is_one_that_moor_takes(page: Path) -> None:
    faults = {str(line): fault(line.words) for line in commands.command_lines(page)}

    assert {line: said for line, said in faults.items() if said} == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(commands.REPO).as_posix())
def test_every_command_that_a_page_mentions_exists_and_has_the_options_that_are_named(
    page: Path,
) -> None:
    faults = {str(line): unknown(line.words) for line in commands.mentions(page)}

    assert {line: said for line, said in faults.items() if said} == {}


def test_the_pages_hold_command_lines_at_all() -> None:
    assert sum(len(list(commands.command_lines(page))) for page in PAGES) > 100


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("moor orgs lisst", "no such command"),
        ("moor orgs list --tidy", "--tidy"),
        ("moor orgs create", "Missing argument"),
        ("moor members drain a/b/c m --reason x --policy soon", "is not one of"),
    ],
)
def test_what_moor_does_not_take_is_found(line: str, said: str) -> None:
    assert said in fault(tuple(line.split()[1:]))
