"""One task for a host without agent: read from a pipe, done with the same kinds, told to a pipe.

The other end is the platform, over SSH. First line in: the task with its secrets, as the protocol
has it. Then, as they are needed: `{"content": "<base64>"}` for the bytes of an artifact, with null
after the last; `{"cancel": true}`; `{"alive": true}` every few seconds. A pipe that closes is a
connection that died, and so is one on which nothing is heard for a while: a network that was cut
closes no pipe. Then the task ends, and what it started.

Lines out: `{"output": {"stream", "data"}}`, and at last `{"report": {...}}`.
"""

import base64
import json
import os
import queue
import select
import threading
import time
from collections.abc import Iterator
from typing import Any, BinaryIO, Optional, cast

from moorage_agent import baseline, durable, held, locks, runner, tasks, turns
from moorage_agent.connections import Connections
from moorage_agent.places import Places
from moorage_agent.tasks import Failed, Stop, Task

PIECES = 16
"""So many pieces of an artifact are held in memory; then the sender waits."""
SILENCE_SECONDS = 30.0
"""Nothing heard for so long: nobody is there any more."""
_LOOK_SECONDS = 0.5


class Single:
    """The `Work` of the task."""

    def __init__(
        self, task: Task, places: Places, answers: BinaryIO, *, silence: float = SILENCE_SECONDS
    ) -> None:
        self.folder = places.state / "single" / task.id
        self.private = places.run / task.id
        self.systemd = Connections()
        self.state = places.state
        self.root = places.root
        self.stopping = Stop()
        self.cancelled: threading.Event = self.stopping
        self.dropped: dict[str, int] = {}
        self.pieces: queue.Queue[Optional[bytes]] = queue.Queue(PIECES)
        self.secrets: dict[str, bytes] = {}
        self._left: dict[str, int] = {}
        self._limit, self._answers = task.output_limit, answers
        self._kind, self._silence = task.kind, silence
        self._heard = time.monotonic()
        self._gone = Stop()
        """Nothing is said any more: nobody is there, or all was said."""
        self._speaking = threading.Lock()

    def secret(self, name: str) -> bytes:
        return held.get_secret(self.secrets, name)

    def content(self) -> Iterator[bytes]:
        while True:
            try:
                piece = self.pieces.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                if self.stopping.is_set():
                    return
                continue
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
        left = memoryview(json.dumps(line).encode() + b"\n")
        try:
            with self._speaking:
                while left and self._wait_for_room():
                    left = left[os.write(self._answers.fileno(), left[: select.PIPE_BUF]) :]
        except OSError:
            self.stopping.stop("cancelled")

    def _wait_for_room(self) -> bool:
        """Whether a piece can be written: a cut connection would keep it for ever."""
        select.select([self._gone], [self._answers], [])
        return not self._gone.is_set()

    def listen(self, lines: BinaryIO) -> None:
        """Take what comes after the task, until the pipe closes."""
        for line in lines:
            self._heard = time.monotonic()
            if self.stopping.is_set():
                continue
            self._hear(_object(line))
        self.stopping.stop("cancelled")
        self._give(None)

    def watch(self) -> None:
        """Stop when nobody is heard any more, and when the host is to be wiped."""
        while not self._gone.wait(_LOOK_SECONDS):
            if time.monotonic() - self._heard > self._silence:
                self._gone.stop("silence")
                self.stopping.stop("cancelled")
            elif self._kind != turns.ALONE and locks.is_wipe_wanted(self.state):
                self.stopping.stop("wiped")

    def leave(self) -> None:
        """Everything was said."""
        self._gone.stop("over")

    def _hear(self, said: dict[str, Any]) -> None:
        if said.get("cancel"):
            self.stopping.stop("cancelled")
        elif "content" in said:
            self._give(base64.b64decode(said["content"]) if said["content"] else None)

    def _give(self, piece: Optional[bytes]) -> None:
        """Hand a piece on. A task that stops takes none any more."""
        while True:
            try:
                return self.pieces.put(piece, timeout=_LOOK_SECONDS)
            except queue.Full:
                # Whatever is said meanwhile is behind the piece: this is no silence.
                self._heard = time.monotonic()
                if self.stopping.is_set():
                    return None


def run(
    lines: BinaryIO, answers: BinaryIO, places: Places, *, silence: float = SILENCE_SECONDS
) -> int:
    """Do the task that the first line holds; 0 if it came to a report."""
    is_there, _, _ = select.select([lines], [], [], silence)
    given = _object(lines.readline()) if is_there else {}
    try:
        task = tasks.parse(given)
    except (KeyError, TypeError, ValueError):
        answers.write(b'{"error": "the first line is no task"}\n')
        return 2
    work = Single(task, places, answers, silence=silence)
    report = _report(task, work, given, lines, places)
    if task.kind == "exec":
        report["result"]["dropped"] = work.dropped
    work.say({"report": report})
    work.leave()
    return 0


def _report(
    task: Task, work: Single, given: dict[str, Any], lines: BinaryIO, places: Places
) -> dict[str, Any]:
    timer = threading.Timer(task.timeout, work.stopping.stop, ["timed_out"])
    timer.daemon = True
    try:
        _check(task)
        work.secrets = held.read_secrets(given.get("secrets") or {})
        durable.private_folder(work.state)
        for act, arguments in ((work.listen, [lines]), (work.watch, [])):
            threading.Thread(target=act, args=arguments, daemon=True).start()
        timer.start()
        with locks.own_folder(places, task.id, work.stopping):
            with locks.turn(work.state, task.kind, work.stopping):
                _prepare(task, work)
                return runner.do(task, work)
    except Failed as err:
        return runner.failed(task, work, err)
    except OSError as err:
        said = f"There is no place for the task: {err.strerror}."
        return runner.report(task, "failed", code="disk_full", message=said)
    finally:
        timer.cancel()


def _check(task: Task) -> None:
    if task.kind not in runner.KINDS:
        raise Failed("unknown_kind", f"This agent knows no tasks of the kind {task.kind!r}.")
    if os.geteuid() != 0:
        raise Failed("not_root", "Tasks need root on the host: a login as root, or sudo.")


def _prepare(task: Task, work: Single) -> None:
    durable.private_folder(work.private.parent, mode=0o711)
    durable.private_folder(work.private)
    if task.kind != "wipe":
        # No installation took it. A wipe without one says that nobody knows what was there.
        baseline.take(work.state, root=work.root)
        if task.allocation_id is not None:
            baseline.renew_for(work.state, task.allocation_id, root=work.root)


def _object(line: bytes) -> dict[str, Any]:
    try:
        read: Any = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", read) if isinstance(read, dict) else {}
