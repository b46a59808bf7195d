"""Lengths of time as people type them: `90s`, `30m`, `12h`, `7d`."""

import re
from typing import Annotated

import typer

HOUR = "1h"
WORKING_DAY = "12h"
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def seconds(text: str) -> int:
    return int(text[:-1]) * UNITS[text[-1]]


def _checked(text: str | None) -> str | None:
    if text is not None and re.fullmatch(r"[1-9][0-9]{0,8}[smhd]", text) is None:
        raise typer.BadParameter("a number with s, m, h or d is needed, such as 12h")
    return text


Duration = Annotated[
    str,
    typer.Option(
        metavar="TIME", callback=_checked, help="How long it lives: such as 30m, 12h or 7d."
    ),
]
MaybeDuration = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        callback=_checked,
        help="How long it lives: such as 12h or 90d. Left out: until it is revoked.",
    ),
]
