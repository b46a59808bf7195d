"""The tree of commands: whole, quick, and open to other packages."""

import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer

from cli.tests.conftest import Moor, Ran
from moorage_cli import __version__, main, tree
from moorage_cli.tree import Plugin
from tools import gen_cli

GOLDEN = Path(__file__).parent / "golden/help.txt"


def test_the_help_tree_is_as_it_was_agreed() -> None:
    assert gen_cli.help_tree() == GOLDEN.read_text(), "run `make gen` and look at the diff"


def test_every_command_of_ours_takes_a_format_and_a_profile() -> None:
    lacking = [
        entry.path
        for entry in gen_cli.entries([])
        if not {"output", "profile"} <= {parameter.name for parameter in entry.command.params}
    ]

    assert lacking == []


def test_every_command_and_every_option_is_explained() -> None:
    for entry in gen_cli.entries([]):
        assert entry.command.help, entry.path


def test_a_reason_that_must_have_a_length_says_so() -> None:
    """Reasons of versions, promotions, releases and everyday changes are as short as you like."""
    lacking = [
        " ".join(entry.path)
        for entry in gen_cli.entries([])
        for parameter in entry.command.params
        if parameter.name == "reason" and "8 characters" not in str(getattr(parameter, "help", ""))
    ]

    assert sorted(lacking) == [
        "allocations release",
        "app promote",
        "app retire",
        "instances decommission",
        "instances restart",
        "instances start",
        "instances stop",
        "members add",
        "members drain",
        "members remove",
        "members replace",
        "members resume",
    ]


def test_help_loads_neither_a_server_nor_the_sdk() -> None:
    code = (
        "import sys; from moorage_cli.main import run; run(['--help']); "
        "print([m for m in ('fastapi', 'moorage', 'moorage_core.main', 'pydantic', 'httpx2') "
        "if m in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "[]"
    assert "Start the platform on this machine" in done.stdout


def run_with(plugins: list[Plugin], *arguments: str) -> Any:
    moor = tree.grow(main.root(), plugins)
    return moor.main(list(arguments), prog_name="moor", standalone_mode=False)


def plugin(name: str, function: Callable[..., Any], target: str = "nowhere:at_all") -> Plugin:
    path = tuple(name.split("."))
    return Plugin(path, target, "some-package", lambda: tree.command_of(function, path[-1]))


def test_a_command_of_another_package_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    def sail(speed: int = 3) -> None:
        typer.echo(f"sailing at {speed}")

    run_with([plugin("sail", sail)], "sail", "--speed", "5")

    assert capsys.readouterr().out == "sailing at 5\n"


def test_a_dotted_name_is_a_verb_below_a_noun(capsys: pytest.CaptureFixture[str]) -> None:
    def verify() -> None:
        typer.echo("verified")

    run_with([plugin("audit.verify", verify)], "audit", "verify")
    run_with([plugin("harbour.verify", verify)], "harbour", "verify")

    assert capsys.readouterr().out == "verified\nverified\n"


def test_what_is_ours_cannot_be_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    def steal() -> None:
        typer.echo("stolen")

    run_with([plugin("version", steal), plugin("audit.list", steal)], "version")
    run_with([plugin("audit.list", steal)], "audit", "list", "--help")

    assert "stolen" not in capsys.readouterr().out


def test_a_package_that_cannot_be_loaded_breaks_no_other_command(
    monkeypatch: pytest.MonkeyPatch, moor: Moor
) -> None:
    def broken() -> Any:
        raise ImportError("No module named 'granian'")

    monkeypatch.setattr(tree, "discover", lambda: [Plugin(("sink",), "a:b", "boats", broken)])

    assert moor("version").code == 0
    sunk = moor("sink")
    assert sunk == Ran(
        2,
        "",
        "moor: `moor sink` comes with boats, which cannot be loaded here: "
        "No module named 'granian'\n",
    )


def test_a_noun_alone_shows_its_verbs(moor: Moor) -> None:
    ran = moor("orgs")

    assert ran.code == 0
    assert "appoint-admin" in ran.out


def test_the_release_is_that_of_the_package() -> None:
    assert __version__ == version("moorage-cli")
