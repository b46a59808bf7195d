"""How functions become commands.

    @verb(app, "get")
    async def get_org(at: Session, org: OrgName) -> Record: ...

is `moor orgs get ORG`: the first parameter is given by us, `--output` and `--profile` are added,
the coroutine is run with a client, and what it returns is shown.
"""

import asyncio
import functools
import inspect
import sys
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, TypeVar

import typer

from moorage import MoorageError
from moorage_cli import connection, failures, output, terminal
from moorage_cli.choices import Format, Globals, Output, ProfileName
from moorage_cli.connection import Chosen, Session
from moorage_cli.failures import Refused
from moorage_cli.output import Shown

F = TypeVar("F", bound=Callable[..., Coroutine[Any, Any, Shown]])

Limit = Annotated[int | None, typer.Option(min=1, help="Show so many at most.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask whether this is meant.")]


def group(summary: str) -> typer.Typer:
    """A noun, whose verbs follow."""
    app = typer.Typer(help=summary, add_completion=False)

    @app.callback(invoke_without_command=True)
    def no_verb(ctx: typer.Context) -> None:
        if ctx.invoked_subcommand is None:
            print(ctx.get_help())

    return app


def verb(
    app: typer.Typer, name: str, *, default: bool = False, words_last: bool = False
) -> Callable[[F], F]:
    """Register a coroutine that works through a client. A noun's default needs no verb.

    With `words_last`, options stand before the first word, and what follows is taken as it is.
    """

    def register(function: F) -> F:
        async def connected(chosen: Chosen, **given: Any) -> None:
            async with connection.connect(chosen) as client:
                # A list is fetched while it is shown, so it is shown while connected.
                await output.show(await function(Session(client, chosen), **given), chosen.format)

        command = as_command(function, connected)
        settings = {"allow_interspersed_args": False} if words_last else None
        app.command(name, context_settings=settings)(command)
        if default:
            app.callback(invoke_without_command=True, help=app.info.help)(command)
        return function

    return register


def local(app: typer.Typer, name: str) -> Callable[[F], F]:
    """Register a coroutine that makes its own connection, or none; it gets what was chosen."""

    def register(function: F) -> F:
        app.command(name)(as_command(function, function))
        return function

    return register


def as_command(declared: Callable[..., Any], run: Callable[..., Any]) -> Callable[..., None]:
    """A plain function with the declared parameters and ours, as the command line wants it."""

    @functools.wraps(declared)
    def command(
        ctx: typer.Context, *, output: Format | None, profile: str | None, **given: Any
    ) -> None:
        if ctx.invoked_subcommand is not None:
            return
        chosen = _choose(ctx, output, profile)
        try:
            asyncio.run(_run(run, chosen, given))
        except (MoorageError, Refused) as err:
            _report(err, chosen.format)
            raise typer.Exit(failures.exit_code(err)) from err

    own = [*inspect.signature(declared).parameters.values()][1:]
    ours = (("output", Output), ("profile", ProfileName))
    signature = inspect.Signature(
        [
            inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
            *(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own),
            *(
                inspect.Parameter(
                    name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
                )
                for name, annotation in ours
            ),
        ]
    )
    command.__dict__["__signature__"] = signature
    command.__annotations__ = {
        name: parameter.annotation for name, parameter in signature.parameters.items()
    }
    return command


async def _run(function: Callable[..., Any], chosen: Chosen, given: dict[str, Any]) -> None:
    await output.show(await function(chosen, **given), chosen.format)


def _report(error: MoorageError | Refused, format: Format) -> None:
    if format is Format.JSON:
        print(output.as_json(failures.problem(error)), file=sys.stderr)
    else:
        for line in failures.lines(error):
            print(terminal.plain(line), file=sys.stderr)


def _choose(ctx: typer.Context, format: Format | None, profile: str | None) -> Chosen:
    root = ctx.find_root().obj
    given = root if isinstance(root, Globals) else Globals()
    return connection.choose(format or given.output, profile or given.profile)
