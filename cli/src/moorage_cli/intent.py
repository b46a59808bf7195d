"""What people say they want of an app: its configuration, an input, and where its parts go.

From words of a command line and a file to what the API takes. Knows no app and asks nobody.
"""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from moorage.manifest import document
from moorage_cli.failures import Refused

ConfigValues = Annotated[
    list[str] | None,
    typer.Option(
        "--config",
        metavar="KEY=VALUE",
        help="One value of the configuration: JSON where it reads as such, else text; @FILE: the "
        "text of a file. A dot goes one level down. Over those of the file.",
    ),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The configuration, as YAML or JSON. -: standard input."),
]
InputFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The input, as YAML or JSON. -: standard input."),
]
Placements = Annotated[
    list[str] | None,
    typer.Option(
        "--component",
        metavar="KEY=WHERE",
        help="Machines of a component: allocations by id or name, with commas between, or "
        "COUNT:SKU:REGION to have them allocated.",
    ),
]
COUNTED = re.compile(r"([0-9]+):([^:,]+):([^:,]+)")


@dataclass(frozen=True)
class Placement:
    """Where members of a component go: on these allocations, or on so many new ones."""

    allocations: Sequence[str] = ()
    count: int | None = None
    sku: str | None = None
    region: str | None = None


def placements(words: Sequence[str]) -> dict[str, Placement]:
    """What `--component` says, by component. Several for one component add up its allocations."""
    found: dict[str, Placement] = {}
    for word in words:
        key, equals, where = word.partition("=")
        if not (key and equals and where):
            raise Refused(
                f"{word} does not say where: write KEY=ALLOCATION,... or KEY=COUNT:SKU:REGION."
            )
        found[key] = _joined(key, found.get(key), placement(where))
    return found


def placement(where: str) -> Placement:
    """One WHERE: allocations with commas between, or COUNT:SKU:REGION."""
    if counted := COUNTED.fullmatch(where):
        return Placement(count=int(counted[1]), sku=counted[2], region=counted[3])
    if ":" in where:
        raise Refused(f"{where} is no place: write COUNT:SKU:REGION, such as 3:host:lab.")
    return Placement(allocations=[name for name in where.split(",") if name])


def _joined(key: str, before: Placement | None, more: Placement) -> Placement:
    if before is None:
        return more
    if before.count is not None or more.count is not None:
        raise Refused(f"{key} is placed twice. New machines of one component go in one word.")
    return Placement(allocations=[*before.allocations, *more.allocations])


def configuration(file: Path | None, values: Sequence[str]) -> dict[str, Any]:
    """The file's configuration, with the single values over it."""
    return overlaid({} if file is None else read(file), values)


def read(file: Path) -> dict[str, Any]:
    """An object from a file of YAML or JSON, which a person may have written wrongly."""
    found = document.parse(_text(file), file=str(file))
    for fault in found.faults:
        raise Refused(f"{file}, line {fault.line}, column {fault.column}: {fault.message}.")
    if not isinstance(found.data, dict):
        raise Refused(f"{file} needs keys with values.")
    return cast(dict[str, Any], found.data)


def _text(file: Path) -> str:
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, ValueError) as err:
        raise Refused(f"{file} cannot be read: {err}.") from err


def overlaid(base: Mapping[str, Any], values: Sequence[str]) -> dict[str, Any]:
    """The configuration with KEY=VALUE words put into it. What is given stays as it is."""
    config = dict(base)
    for word in values:
        path, equals, text = word.partition("=")
        keys = path.split(".")
        if not equals or not all(keys):
            raise Refused(f"{word} sets nothing: write KEY=VALUE, such as port=7000.")
        _set(config, keys, value(text), path)
    return config


def value(text: str) -> Any:
    """JSON where it reads as such, else the text itself: numbers need no quotes, words neither.

    With @ before it, it is the name of a file, whose text is the value.
    """
    if text.startswith("@"):
        return _text(Path(text[1:]))
    try:
        return json.loads(text)
    except ValueError:
        return text


def _set(config: dict[str, Any], keys: Sequence[str], given: Any, path: str) -> None:
    key, *below = keys
    if not below:
        config[key] = given
        return
    inner = config.get(key, {})
    if not isinstance(inner, dict):
        raise Refused(f"{path} goes into {key}, which is a value and not an object.")
    copied = dict(cast(dict[str, Any], inner))
    _set(copied, below, given, path)
    config[key] = copied
