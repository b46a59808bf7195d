"""What the operator's commands share: their options, the settings in force, how they refuse."""

import json
import os
import re
import signal
import sys
import tomllib
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from pydantic import ValidationError

from moorage_core import settings as settings_module
from moorage_core.embedded import folder
from moorage_core.embedded.errors import OperatorError
from moorage_core.embedded.postgres import Server
from moorage_core.settings import DatabaseSettings, Settings

Data = Annotated[
    Path | None,
    typer.Option(help="The one folder that holds database, keys, certificates and blobs."),
]
Config = Annotated[Path | None, typer.Option(help="A file with settings, TOML.")]


class BadSettings(OperatorError):
    """The settings are not ones that we can start with."""

    exit_code = 1


@contextmanager
def refusals() -> Generator[None]:
    """End the command with one clear line and a stable code where something must change first."""
    try:
        yield
    except OperatorError as err:
        print(_problem(err) if wants_json(sys.argv) else f"moor: {err}", file=sys.stderr)
        raise SystemExit(err.exit_code) from err


def wants_json(words: Sequence[str]) -> bool:
    """Whether the command line asks for JSON, before or after the command's name."""
    joined = " ".join(words).replace("=", " ").split()
    return any(pair in {("--output", "json"), ("-o", "json")} for pair in pairwise(joined))


def _problem(err: OperatorError) -> str:
    """A refusal as the command line writes its own: the class's name is its code."""
    code = re.sub(r"(?<!^)(?=[A-Z])", "_", type(err).__name__).lower()
    problem = {"code": code, "detail": str(err), "status": None, "exit_code": err.exit_code}
    return json.dumps(problem, indent=2)


@contextmanager
def stop_on_signal() -> Generator[None]:
    """A stop signal unwinds what was started, until somebody takes the signals over."""

    def stop(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def load_settings(config: Path | None, *, data: Path | None, **groups: dict[str, Any]) -> Settings:
    """The settings in force; an option that was not given (None) changes nothing."""
    given: dict[str, Any] = {"data": data} if data else {}
    for name, options in groups.items():
        given[name] = {key: value for key, value in options.items() if value is not None}
    try:
        found = settings_module.load(config, **given)
    except ValidationError as err:
        raise BadSettings(_describe(err)) from None
    except (settings_module.UnknownSetting, tomllib.TOMLDecodeError, OSError) as err:
        raise BadSettings(str(err)) from err
    _check_database(found.database)
    return found if "data" in found.model_fields_set else _with_default_folder(found)


def _describe(err: ValidationError) -> str:
    """Which settings are wrong and how, without their values: those may be secrets."""
    faults = err.errors(include_input=False, include_url=False, include_context=False)
    said = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults]
    return "These settings cannot be used. " + "; ".join(said)


def _check_database(given: DatabaseSettings) -> None:
    urls = [given.owner_url, given.app_url, given.system_url]
    if any(urls) and not all(urls):
        raise BadSettings(
            "An existing database server needs all three of database.owner_url, database.app_url "
            "and database.system_url; with none of them the platform brings its own server."
        )


def _with_default_folder(found: Settings) -> Settings:
    place = folder.default_path(os.environ, uid=os.geteuid())
    return found.model_copy(update={"data": place})


def with_urls(settings: Settings, server: Server) -> Settings:
    """The settings with the URLs of our own server in them."""
    urls = {"owner_url": server.owner_url, "app_url": server.app_url}
    urls["system_url"] = server.system_url
    return settings.model_copy(update={"database": settings.database.model_copy(update=urls)})


def say(what: str, value: object) -> None:
    """One line of what a person should know at a start."""
    print(f"{what:<14}{value}", flush=True)
