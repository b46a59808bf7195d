"""Version numbers (Semantic Versioning 2.0) and constraints on them.

Two numbers that differ in their build (`1.0.0+a`, `1.0.0+b`) have the same precedence in semver.
The catalog takes one of them for an app, so that a pin means one version. Compared here, the build
decides last, as text, so that every list has one order.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import total_ordering
from typing import Any

LONGEST = 64
NUMBER = r"(?:0|[1-9][0-9]*)"
PRERELEASE = rf"(?:{NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
PATTERN = (
    rf"^({NUMBER})\.({NUMBER})\.({NUMBER})"
    rf"(?:-({PRERELEASE}(?:\.{PRERELEASE})*))?"
    r"(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$"
)
PARTIAL = re.compile(
    rf"(?P<operator>\^|~|>=|<=|>|<|=)?(?P<major>{NUMBER}|[xX*])"
    rf"(?:\.(?P<minor>{NUMBER}|[xX*])(?:\.(?P<patch>{NUMBER}|[xX*])"
    rf"(?:-(?P<prerelease>{PRERELEASE}(?:\.{PRERELEASE})*))?)?)?"
)

Identifier = tuple[int, int, str]
"""Part of a prerelease, comparable: numbers stand before words."""


class BadVersion(ValueError):
    """The text is no version number."""


class BadConstraint(ValueError):
    """The text is no constraint on versions."""


@total_ordering
@dataclass(frozen=True)
class Version:
    """A version number."""

    major: int
    minor: int
    patch: int
    prerelease: tuple[str, ...] = ()
    build: str = ""

    @property
    def numbers(self) -> tuple[int, int, int]:
        return self.major, self.minor, self.patch

    @property
    def rank(self) -> tuple[Any, ...]:
        """What versions are ordered by; a prerelease stands before its release."""
        words = tuple(_identifier(part) for part in self.prerelease)
        return self.numbers, not words, words, self.build

    def __lt__(self, other: "Version") -> bool:
        return self.rank < other.rank

    def __str__(self) -> str:
        text = ".".join(map(str, self.numbers))
        text += f"-{'.'.join(self.prerelease)}" if self.prerelease else ""
        return f"{text}+{self.build}" if self.build else text


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> Version:
    """The version that a text says. Whoever decides meets the same few thousand again and again.

    Raises:
        BadVersion: it says none.
    """
    match = re.fullmatch(PATTERN[1:-1], text) if len(text) <= LONGEST else None
    if match is None:
        raise BadVersion(
            f"must be a version of three numbers, such as '1.4.0' or '2.0.0-rc.1', of at most "
            f"{LONGEST} characters"
        )
    words = tuple(match[4].split(".")) if match[4] else ()
    return Version(int(match[1]), int(match[2]), int(match[3]), words, match[5] or "")


@dataclass(frozen=True)
class Bound:
    """One side of a range."""

    above: bool
    """Whether it is the lower side."""
    version: Version
    inclusive: bool

    def holds(self, version: Version) -> bool:
        this, edge = version.rank[:3], self.version.rank[:3]
        if this == edge:
            return self.inclusive
        return (this > edge) == self.above


@dataclass(frozen=True)
class Constraint:
    """Which versions may be used: every one of its bounds holds."""

    text: str
    bounds: tuple[Bound, ...]
    named: frozenset[tuple[int, int, int]]
    """The numbers of which a prerelease was named; only their prereleases are allowed."""

    @classmethod
    def parse(cls, text: str) -> "Constraint":
        """Read `^1.2`, `~1.2.3`, `>=1 <2`, `1.2.x`, `1.2.3` or `*`; blanks and commas mean "and".

        Raises:
            BadConstraint: the text is none of these.
        """
        words = re.sub(r"(\^|~|>=|<=|>|<|=)\s+", r"\1", text.replace(",", " ")).split()
        if not words or len(text) > 2 * LONGEST:
            raise BadConstraint(_advice(text))
        bounds = tuple(bound for word in words for bound in _bounds(word, text))
        named = frozenset(b.version.numbers for b in bounds if b.version.prerelease)
        return cls(" ".join(words), bounds, named)

    def allows(self, version: Version) -> bool:
        if version.prerelease and version.numbers not in self.named:
            return False
        return all(bound.holds(version) for bound in self.bounds)

    def __str__(self) -> str:
        return self.text


def _identifier(part: str) -> Identifier:
    return (0, int(part), "") if part.isdigit() else (1, 0, part)


def _advice(text: str) -> str:
    return (
        f"{text[: 2 * LONGEST]!r} is no constraint on versions: write '^1.2', '~1.2.3', "
        "'>=1.4 <2', '1.2.x', '1.2.3' or '*'"
    )


def _bounds(word: str, text: str) -> Iterator[Bound]:
    match = PARTIAL.fullmatch(word)
    if match is None:
        raise BadConstraint(_advice(text))
    numbers: list[int] = []
    for name in ("major", "minor", "patch"):
        if match[name] is None or match[name] in "xX*":
            break
        numbers.append(int(match[name]))
    prerelease = match["prerelease"]
    if prerelease and len(numbers) < 3:
        raise BadConstraint(_advice(text))
    low = _filled(numbers, tuple(prerelease.split(".")) if prerelease else ())
    yield from _range(match["operator"] or "=", numbers, low)


def _range(operator: str, numbers: list[int], low: Version) -> Iterator[Bound]:
    """The bounds of one word. A number that is left out stands for all of them."""
    whole = len(numbers) == 3
    if not numbers:
        if operator in "<>":
            # "Below everything" and "above everything": nothing is.
            yield Bound(above=False, version=Version(0, 0, 0), inclusive=False)
        return
    after = _filled([*numbers[:-1], numbers[-1] + 1])
    if operator in {"=", "~", "^"}:
        yield Bound(above=True, version=low, inclusive=True)
        if operator == "=" and whole:
            yield Bound(above=False, version=low, inclusive=True)
        else:
            yield Bound(above=False, version=_end(operator, numbers), inclusive=False)
    elif operator == ">=":
        yield Bound(above=True, version=low, inclusive=True)
    elif operator == "<":
        yield Bound(above=False, version=low, inclusive=False)
    elif operator == ">":
        yield Bound(above=True, version=low if whole else after, inclusive=not whole)
    else:
        yield Bound(above=False, version=low if whole else after, inclusive=whole)


def _end(operator: str, numbers: list[int]) -> Version:
    """The first version behind a range: `^` keeps the first number that is not 0, `~` the minor."""
    keep = len(numbers) - 1
    if operator == "~":
        keep = min(keep, 1)
    elif operator == "^":
        keep = next((i for i, number in enumerate(numbers) if number), keep)
    return _filled([*numbers[:keep], numbers[keep] + 1])


def _filled(numbers: list[int], prerelease: tuple[str, ...] = ()) -> Version:
    major, minor, patch = [*numbers, 0, 0, 0][:3]
    return Version(major, minor, patch, prerelease)
