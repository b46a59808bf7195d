"""How the files of a host differ from what they should be. Pure."""

import difflib
import hashlib
from collections.abc import Mapping, Sequence
from typing import TypeVar

LONGEST = 1500
"""Characters of a difference that are shown."""
T = TypeVar("T")


def differences(wanted: Mapping[str, str], said: Mapping[str, str]) -> dict[str, str]:
    """For each file that is another than it should be, what changed, as `diff -u` shows it."""
    found: dict[str, str] = {}
    for path in sorted({*wanted, *said}):
        should, has = wanted.get(path, ""), said.get(path, "")
        if has.startswith("sha256:"):
            if has != f"sha256:{hashlib.sha256(should.encode()).hexdigest()}":
                found[path] = f"--- {path}\n(It is too long to be shown.)"
        elif has != should:
            found[path] = _diff(path, should, has)
    return found


def _diff(path: str, should: str, has: str) -> str:
    names = (path, f"{path} (on the host)")
    lines = difflib.unified_diff(should.splitlines(), has.splitlines(), *names, lineterm="", n=1)
    text = "\n".join(lines)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n(and more)"


def words(name: str, found: Mapping[str, str]) -> str:
    """That somebody changed files of a member, in a sentence."""
    return f"Somebody changed {', '.join(found)} on {name}."


def turn(members: Sequence[T], *, now: float, every: float, at_once: int) -> list[T]:
    """Whose turn it is to be looked at: a few each time, everybody in time."""
    if len(members) <= at_once:
        return list(members)
    first = int(now / every) * at_once % len(members)
    return [*members[first : first + at_once], *members[: max(0, first + at_once - len(members))]]
