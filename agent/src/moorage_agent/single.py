"""One task for a host without agent: read from a pipe, done with the same kinds, told to a pipe.

The other end is the platform, over SSH. First line in: the task with its secrets, as the protocol
has it. Then, as they are needed: `{"content": "<base64>"}` for the bytes of an artifact, with null
after the last; `{"cancel": true}`. A pipe that closes is a connection that died: the task ends, and
what it started. Lines out: `{"output": {"stream", "data"}}`, and at last `{"report": {...}}`.
"""

import base64
import json
import os
import queue
import shutil
import threading
from collections.abc import Iterator
from typing import Any, BinaryIO, Optional, cast

from moorage_agent import baseline, durable, held, runner, tasks
from moorage_agent.places import Places
from moorage_agent.tasks import Failed, Stop, Task

PIECES = 16
"""So many pieces of an artifact are held in memory; then the sender waits."""


class Single:
    """The `Work` of the task."""

    def __init__(self, task: Task, places: Places, answers: BinaryIO) -> None:
        self.folder = places.state / "single" / task.id
        self.private = places.run / task.id
        self.state = places.state
        self.root = places.root
        self.stopping = Stop()
        self.cancelled: threading.Event = self.stopping
        self.dropped: dict[str, int] = {}
        self.pieces: queue.Queue[Optional[bytes]] = queue.Queue(PIECES)
        self.secrets: dict[str, bytes] = {}
        self._left: dict[str, int] = {}
        self._limit, self._answers = task.output_limit, answers

    def secret(self, name: str) -> bytes:
        return held.get_secret(self.secrets, name)

    def content(self) -> Iterator[bytes]:
        while True:
            piece = self.pieces.get()
            if piece is None:
                return
            yield piece

    def output(self, stream: str, data: bytes) -> None:
        left = self._left.get(stream, self._limit)
        kept, beyond = data[:left], len(data[left:])
        self._left[stream] = left - len(kept)
        if beyond:
            self.dropped[stream] = self.dropped.get(stream, 0) + beyond
        if kept:
            text = base64.b64encode(kept).decode()
            self.say({"output": {"stream": stream, "data": text}})

    def say(self, line: dict[str, Any]) -> None:
        """Write a line; without anybody to read it the task is over."""
        try:
            self._answers.write(json.dumps(line).encode() + b"\n")
            self._answers.flush()
        except OSError:
            self.stopping.stop("cancelled")

    def listen(self, lines: BinaryIO) -> None:
        """Take what comes after the task, until the pipe closes."""
        for line in lines:
            if self.stopping.is_set():
                break
            self._hear(_object(line))
        self.stopping.stop("cancelled")
        self._give(None)

    def _hear(self, said: dict[str, Any]) -> None:
        if said.get("cancel"):
            self.stopping.stop("cancelled")
        elif "content" in said:
            self._give(base64.b64decode(said["content"]) if said["content"] else None)

    def _give(self, piece: Optional[bytes]) -> None:
        """Hand a piece on. A task that stops takes none any more."""
        while True:
            try:
                return self.pieces.put(piece, timeout=0.5)
            except queue.Full:
                if self.stopping.is_set():
                    return None


def run(lines: BinaryIO, answers: BinaryIO, places: Places) -> int:
    """Do the task that the first line holds; 0 if it came to a report."""
    given = _object(lines.readline())
    try:
        task = tasks.parse(given)
    except (KeyError, TypeError, ValueError):
        answers.write(b'{"error": "the first line is no task"}\n')
        return 2
    work = Single(task, places, answers)
    report = _report(task, work, given, lines)
    if task.kind == "exec":
        report["result"]["dropped"] = work.dropped
    work.say({"report": report})
    return 0


def _report(task: Task, work: Single, given: dict[str, Any], lines: BinaryIO) -> dict[str, Any]:
    timer = threading.Timer(task.timeout, work.stopping.stop, ["timed_out"])
    timer.daemon = True
    try:
        _prepare(task, work, given)
        threading.Thread(target=work.listen, args=[lines], daemon=True).start()
        timer.start()
        return runner.do(task, work)
    except Failed as err:
        return runner.report(task, "failed", code=err.code, message=err.message)
    finally:
        timer.cancel()
        shutil.rmtree(work.private, ignore_errors=True)
        shutil.rmtree(work.folder, ignore_errors=True)


def _prepare(task: Task, work: Single, given: dict[str, Any]) -> None:
    if task.kind not in runner.KINDS:
        raise Failed("unknown_kind", f"This agent knows no tasks of the kind {task.kind!r}.")
    if os.geteuid() != 0:
        raise Failed("not_root", "Tasks need root on the host: a login as root, or sudo.")
    work.secrets = held.read_secrets(given.get("secrets") or {})
    try:
        durable.private_folder(work.state)
        durable.private_folder(work.folder)
        durable.private_folder(work.private.parent, mode=0o711)
        durable.private_folder(work.private)
        if task.kind != "wipe":
            # No installation took it. A wipe without one says that nobody knows what was there.
            baseline.take(work.state, root=work.root)
    except OSError as err:
        raise Failed("disk_full", f"There is no place for the task: {err.strerror}.") from err


def _object(line: bytes) -> dict[str, Any]:
    try:
        read: Any = json.loads(line)
    except ValueError:
        return {}
    return cast("dict[str, Any]", read) if isinstance(read, dict) else {}
