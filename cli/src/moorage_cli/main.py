"""The entry point: parse, run, and end with a code that means something."""

import json
import sys
import traceback
from typing import Any, cast

import typer
from typer.core import TyperGroup

from moorage_cli import terminal, tree
from moorage_cli.choices import Globals, Output, ProfileName, is_json

USAGE = 1
BROKEN = 2


def main() -> None:
    """Run `moor` with the arguments of this process."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            # A name that this terminal cannot write is spelled out; it is no reason to crash.
            reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line; returns the exit code."""
    try:
        moor = tree.grow(root(), tree.discover())
        result = moor.main(arguments, prog_name="moor", standalone_mode=False)
    except typer.TyperException as err:
        return _refuse(err.format_message(), arguments, code="usage", exit_code=USAGE)
    except tree.Unloadable as err:
        return _refuse(str(err), arguments, code="broken", exit_code=BROKEN)
    except typer.Abort:
        return _refuse("Stopped.", arguments, code="stopped", exit_code=USAGE)
    except Exception as err:  # noqa: BLE001 - a bug of ours must not look like a wrong command
        traceback.print_exception(err)
        said = "This is a bug in moor. The lines above say where; they hold no secret."
        return _refuse(said, arguments, code="bug", exit_code=BROKEN)
    return result if isinstance(result, int) else 0


def root() -> TyperGroup:
    """`moor` without commands: what can stand before one."""
    app = typer.Typer(
        name="moor",
        help="Operate Moorage: orgs, projects, people, programs, and what they do.",
        pretty_exceptions_enable=False,
    )
    app.callback(invoke_without_command=True)(_before_any_command)
    return cast(TyperGroup, typer.main.get_command(app))


def _before_any_command(
    ctx: typer.Context, output: Output = None, profile: ProfileName = None
) -> None:
    ctx.obj = Globals(output, profile)
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())


def _refuse(detail: str, arguments: list[str], *, code: str, exit_code: int) -> int:
    if is_json(arguments):
        problem = {"code": code, "detail": detail, "status": None, "exit_code": exit_code}
        print(terminal.plain_json(json.dumps(problem, indent=2)), file=sys.stderr)
    else:
        advice = " `moor --help` lists what there is." if code == "usage" else ""
        print(terminal.plain(f"moor: {detail}{advice}"), file=sys.stderr)
    return exit_code
