"""What is wrong with a manifest, and where."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MOST = 100
"""Faults that one reading reports: whoever has more starts at the top."""


@dataclass(frozen=True, order=True)
class Fault:
    """One fault, with its place and what would mend it."""

    file: str
    line: int
    column: int
    path: str
    """Where in the document: `components.worker.min`; empty for the document itself."""
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}"
        return f"{place}: {self.path}: {self.message}" if self.path else f"{place}: {self.message}"


@dataclass(frozen=True)
class ValueFault:
    """What is wrong with one value that a schema judges. It has no line: it may come by form."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


Place = tuple[str | int, ...]
"""The way from the top of a document to a value: names of fields and numbers of items."""


def dotted(place: Place) -> str:
    """A place as people write it: `actions[0].name`, `touches["member.add"]`."""
    text = ""
    for part in place:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part.replace("_", "a").replace("-", "a").isalnum():
            text += f".{part}" if text else part
        else:
            text += f'["{part}"]'
    return text


def listed(words: Sequence[str]) -> str:
    """Words as a sentence has them: `a, b or c`."""
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1] if words else ""]))


def ordered(faults: Iterable[Fault]) -> list[Fault]:
    """In the order of the file, each once; the last says so where some were left out."""
    found = sorted(set(faults))
    if len(found) <= MOST:
        return found
    last = found[MOST - 1]
    more = f"and {len(found) - MOST + 1} more faults, from here on"
    return [*found[: MOST - 1], Fault(last.file, last.line, last.column, "", more)]
