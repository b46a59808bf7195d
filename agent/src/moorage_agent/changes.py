"""What tasks changed on the host, so that a wipe can undo it.

One small file for each thing that was changed, written before the change is made: a crash leaves
at worst a record of something that did not happen, and undoing that is nothing. Only the first
change of a thing within an allocation is kept, with what was there before: that is what a wipe goes
back to. A later one would keep what an earlier task had put, which may be a secret.

What the platform did for itself (no allocation) is recorded as well, and not undone by a wipe.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Optional

from moorage_agent import baseline, durable
from moorage_agent.tasks import Task

_FOLDER = "changes"
_ORIGINALS = "originals"
MOST_KEPT = 1024 * 1024
"""A file's earlier content is kept up to this size; a larger one is named as residue."""


@dataclass(frozen=True)
class Change:
    """One thing that was changed, and what it was before."""

    what: str
    """`file`, `folder`, `packages` or `unit`."""
    name: str
    allocation: Optional[str]
    task: str
    at: int
    before: Optional[dict[str, Any]] = field(default=None)
    """None: it was not there."""

    @property
    def key(self) -> str:
        said = json.dumps([self.what, self.name, self.allocation])
        return hashlib.sha256(said.encode()).hexdigest()[:32]


def record(
    state: Path,
    task: Task,
    *,
    what: str,
    name: str,
    before: Optional[dict[str, Any]] = None,
    original: Optional[bytes] = None,
) -> Change:
    """Write down what is about to be changed, unless this allocation has changed it already."""
    change = Change(what, name, task.allocation_id, task.id, time.time_ns(), before)
    if not (state / _FOLDER).exists():  # a host that no agent was installed on
        baseline.take(state)
    if not _place(state, change).exists():
        if original is not None:
            durable.write(state / _ORIGINALS / change.key, original)
        _write(state, change)
    return change


def amend(state: Path, change: Change, before: dict[str, Any]) -> None:
    """Say more closely what a change has changed, now that it is done."""
    _write(state, replace(change, before=before))


def _write(state: Path, change: Change) -> None:
    content = json.dumps(asdict(change), sort_keys=True).encode()
    durable.write(_place(state, change), content)


def _place(state: Path, change: Change) -> Path:
    return state / _FOLDER / f"{change.key}.json"


def is_recorded(state: Path, task: Task, *, what: str, name: str) -> bool:
    """Whether the allocation's first change of this thing is on record."""
    return _place(state, Change(what, name, task.allocation_id, task.id, 0)).exists()


def forget(state: Path, change: Change) -> None:
    """Drop the record of a change that was undone or did not happen."""
    for place in (_place(state, change), state / _ORIGINALS / change.key):
        place.unlink(missing_ok=True)


def original(state: Path, change: Change) -> Optional[bytes]:
    """What a file said before, where it was kept."""
    try:
        return (state / _ORIGINALS / change.key).read_bytes()
    except FileNotFoundError:
        return None


def of_tenants(state: Path) -> list[Change]:
    """Every change made for an allocation, the latest first: the order to undo them in."""
    found = [change for change in _all(state) if change.allocation is not None]
    return sorted(found, key=lambda change: change.at, reverse=True)


def _all(state: Path) -> Iterable[Change]:
    try:
        names = os.listdir(state / _FOLDER)
    except FileNotFoundError:
        return
    for name in names:
        if name.endswith(".json") and not name.startswith("."):
            yield Change(**json.loads((state / _FOLDER / name).read_text()))
