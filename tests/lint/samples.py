"""Runs one rule over sample modules given as texts."""

import textwrap
from collections.abc import Callable, Iterator

from tools.lint import sources

Check = Callable[[sources.Tree], Iterator[sources.Finding]]


def lines(check: Check, texts: dict[str, str], *, package: str = "moorage_core") -> list[int]:
    """The lines that the rule objects to."""
    plain = {place: textwrap.dedent(text).lstrip("\n") for place, text in texts.items()}
    return [finding.line for finding in check(sources.of(plain, package=package))]
