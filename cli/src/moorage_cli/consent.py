"""Asking whether something that cannot be taken back is meant."""

import sys

import typer

from moorage_cli.failures import Refused
from moorage_cli.terminal import plain


def ask(question: str, *, yes: bool) -> None:
    """Go on only with a yes, given now or on the command line."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise Refused(f"{question} Say --yes where there is no terminal to ask.")
    if not typer.confirm(plain(question), err=True):
        raise Refused("Nothing was done.")
