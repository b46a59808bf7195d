"""What the agent has begun and how it ended, on disk. It never holds a secret's value.

Lines of JSON, only ever added to. `started` is on the disk itself before anything is spawned:
whatever the agent or the host does afterwards, the task is not silently run again. An end is
written but not forced to the disk: if the power goes first, the task is `unknown`, which is true
enough. At each start of the agent, and when it has grown, the file is written anew with what still
matters. A task's input does not: nothing that was begun is begun again.
"""

import json
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Optional

from moorage_agent import durable
from moorage_agent.tasks import Task

GROWTH = 1024 * 1024
"""The journal is written anew when it is longer than twice what matters, and this."""
REMEMBERED = 5000
"""Operations whose highest fence is kept; older ones are long over."""


@dataclass
class Entry:
    """A task that was started, and its end where there is one."""

    task: Task
    started_at: float
    end: Optional[dict[str, Any]] = None
    answered: bool = False


@dataclass
class Kept:
    """What a journal says."""

    entries: dict[str, Entry] = field(default_factory=dict)
    fences: dict[str, int] = field(default_factory=dict)


class Journal:
    """The journal, open for adding. Threads share it."""

    def __init__(self, path: Path) -> None:
        self.kept = read(path)
        self._path = path
        try:
            self._file = self._rewrite()
        except OSError:
            self._file = self._go_on()
        self._lock = threading.Lock()

    def is_stale(self, task: Task) -> bool:
        """Whether a successor has been here with this operation already."""
        return task.fence < self.kept.fences.get(task.operation_id, task.fence)

    def start(self, tasks: Sequence[Task], at: float) -> None:
        """Write that these start now, in one go, and be sure of it. Raises OSError if it cannot."""
        self._add([{"started": _without_input(task), "at": at} for task in tasks], sync=True)

    def end(self, task_id: str, report: dict[str, Any]) -> None:
        self._add([{"ended": task_id, "report": report}])

    def answer(self, task_id: str) -> None:
        """The platform has heard of the end."""
        self._add([{"answered": task_id}])

    def forget(self, task_ids: Sequence[str]) -> None:
        self._add([{"forgotten": task_id} for task_id in task_ids])

    def close(self) -> None:
        os.close(self._file)

    def _add(self, records: Sequence[dict[str, Any]], *, sync: bool = False) -> None:
        data = b"".join(_line(record) for record in records)
        with self._lock:
            place = os.fstat(self._file).st_size
            try:
                if os.write(self._file, data) != len(data):
                    raise OSError("the disk took only part of a line")
                if sync:
                    os.fdatasync(self._file)
            except OSError:
                os.ftruncate(self._file, place)
                raise
            for record in records:
                _apply(self.kept, record)
            if place > self._grown:
                self._shorten(place)

    def _shorten(self, length: int) -> None:
        try:
            old, self._file = self._file, self._rewrite()
            os.close(old)
        except OSError:
            self._grown = 2 * length  # a full disk: later, perhaps

    def _rewrite(self) -> int:
        """Write the journal anew with what still matters, and open it."""
        data = b"".join(_line(record) for record in _records(self.kept))
        durable.write(self._path, data)
        self._grown = 2 * len(data) + GROWTH
        return os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)

    def _go_on(self) -> int:
        """Open the journal as it is, on a full disk, less a last line that was cut off."""
        file = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        data = self._path.read_bytes()
        os.ftruncate(file, data.rfind(b"\n") + 1)
        self._grown = 2 * len(data) + GROWTH
        return file


def read(path: Path) -> Kept:
    kept = Kept()
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return kept
    for line in lines:
        try:
            _apply(kept, json.loads(line))
        except (ValueError, KeyError, TypeError):
            continue  # the last line, when the power went
    return kept


def _apply(kept: Kept, record: dict[str, Any]) -> None:
    if "started" in record:
        task = Task(**record["started"])
        kept.entries[task.id] = Entry(task, record["at"])
        _raise_fence(kept, task.operation_id, task.fence)
    elif "ended" in record and record["ended"] in kept.entries:
        kept.entries[record["ended"]].end = record["report"]
    elif "answered" in record and record["answered"] in kept.entries:
        kept.entries[record["answered"]].answered = True
    elif "forgotten" in record:
        kept.entries.pop(record["forgotten"], None)
    elif "fence" in record:
        _raise_fence(kept, record["operation"], record["fence"])


def _raise_fence(kept: Kept, operation: str, fence: int) -> None:
    """Keep the highest, the operation seen last at the end."""
    kept.fences[operation] = max(fence, kept.fences.pop(operation, fence))
    while len(kept.fences) > REMEMBERED:
        del kept.fences[next(iter(kept.fences))]


def _records(kept: Kept) -> Iterator[dict[str, Any]]:
    for operation, fence in kept.fences.items():
        yield {"operation": operation, "fence": fence}
    for entry in kept.entries.values():
        yield {"started": _without_input(entry.task), "at": entry.started_at}
        if entry.end:
            yield {"ended": entry.task.id, "report": entry.end}
        if entry.answered:
            yield {"answered": entry.task.id}


def _without_input(task: Task) -> dict[str, Any]:
    return asdict(replace(task, input={}))


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"
