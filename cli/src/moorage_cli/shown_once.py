"""Secrets: shown or written to a file only where that was asked for, and read unseen."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from moorage import Model
from moorage_cli import profiles
from moorage_cli.failures import Refused
from moorage_cli.output import Record

ShowSecret = Annotated[
    bool, typer.Option("--show-secret", help="Print the secret on standard output.")
]
SecretFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Write the secret to this new file, which only you can read."
    ),
]

PasswordStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from standard input.")
]


@dataclass(frozen=True)
class Place:
    """Where a secret goes."""

    show: bool
    file: Path | None

    def keep(self, item: Model, field: str) -> Record:
        """Put the secret where it belongs; the record shows it only if that was asked for."""
        if self.file is not None:
            self.file.write_text(f"{getattr(item, field)}\n", encoding="utf-8")
        return Record(item, hidden=() if self.show else (field,))


@contextmanager
def place(show: bool, file: Path | None) -> Generator[Place]:
    """A place for a secret, made before the secret is: what cannot be kept is not asked for."""
    if not show and file is None:
        raise Refused(
            "The secret is shown this once. Say where it should go: --show-secret prints it, "
            "--secret-file FILE writes it to a file."
        )
    if file is None:
        yield Place(show, None)
        return
    try:
        profiles.write_private(file, b"")
    except OSError as err:
        raise Refused(f"{file} cannot be made: {err.strerror}.") from err
    try:
        yield Place(show, file)
    except BaseException:
        file.unlink(missing_ok=True)
        raise


def read_shown(prompt: str, *, flag: str) -> str:
    """Something that is no secret, asked for at the terminal."""
    if not sys.stdin.isatty():
        raise Refused(f"There is no terminal to ask for it. Use {flag}.")
    return str(typer.prompt(prompt, err=True))


def read_line(prompt: str, *, from_stdin: bool, flag: str) -> str:
    """A secret from standard input, or typed unseen; never from the command line."""
    if from_stdin:
        text = _typed_in()
    elif sys.stdin.isatty():
        text = str(typer.prompt(prompt, hide_input=True, err=True))
    else:
        raise Refused(f"There is no terminal to ask for it. {flag} reads it from standard input.")
    if not text:
        raise Refused(f"The {prompt.lower()} is empty.")
    return text


def _typed_in() -> str:
    try:
        return sys.stdin.readline().rstrip("\r\n")
    except UnicodeError as err:
        raise Refused("What stands on standard input is not text.") from err
