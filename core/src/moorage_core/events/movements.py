"""What moves in an instance without being an event: hints for who looks at it.

A step that was reported, a number that was observed, a row of a view: far too many to keep, and of
no worth once newer ones are there. A hint says where to look again, and is never kept. Hints that
come close together are told once; more of them than there were changes do no harm.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from moorage_core.kit.wakeups import DETAIL

What = Literal["instance", "operations", "views"]
"""Itself with its members; steps and messages of its operations; what its app publishes."""
MOST = 4
"""Instances that one stream watches."""


@dataclass(frozen=True, order=True)
class Movement:
    instance: str
    what: str
    name: str | None = None
    """Of a view; none where it may be any."""


def topic(instance: str, what: What, name: str | None = None) -> str:
    return f"{subject(instance)}{DETAIL}{what}{f':{name}' if name else ''}"


def subject(instance: str) -> str:
    """What somebody waits for who watches an instance."""
    return f"moved:{instance}"


def every(instances: Iterable[str]) -> list[Movement]:
    """What is told to whoever may have missed a hint."""
    return [Movement(instance, what) for instance in instances for what in get_args(What)]


def told(topics: Iterable[str], watched: Iterable[str]) -> list[Movement]:
    """What these topics say of the instances that somebody watches."""
    found: set[Movement] = set()
    known = {subject(instance): instance for instance in watched}
    for each in topics:
        subject_, _, detail = each.partition(DETAIL)
        if subject_ in known and detail:
            what, _, name = detail.partition(":")
            found.add(Movement(known[subject_], what, name or None))
        elif subject_ in known:
            found |= set(every([known[subject_]]))
    return sorted(found, key=lambda one: (one.instance, one.what, one.name or ""))


def is_news(topics: Iterable[str]) -> bool:
    """Whether there may be more than hints: something that is kept, and has to be read."""
    return any(not each.startswith("moved:") for each in topics)
