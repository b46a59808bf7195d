"""What can be chosen for every command. Imports nothing of ours: `moor --help` should be quick."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer


class Format(StrEnum):
    TABLE = "table"
    JSON = "json"


@dataclass(frozen=True)
class Globals:
    """What stood between `moor` and the command."""

    output: Format | None = None
    profile: str | None = None


Output = Annotated[
    Format | None,
    typer.Option("--output", "-o", help="How to show the result.", show_default="table"),
]
ProfileName = Annotated[
    str | None, typer.Option("--profile", help="Whose credentials to use.", show_default="default")
]


def is_json(arguments: list[str]) -> bool:
    """Whether a command line asks for JSON, even if nothing else in it can be understood."""
    pairs = zip(arguments, [*arguments[1:], ""], strict=False)
    return any(
        (word in {"--output", "-o"} and after == Format.JSON)
        or word in {f"--output={Format.JSON}", f"-o{Format.JSON}"}
        for word, after in pairs
    )
