"""Terminals in which a page is played: what it says to type is typed, and the answers are read."""

import os
import queue
import re
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from tests.docs.pages import Block, typed

MARK = "--- that was it:"
PATIENCE = 900.0
"""Seconds for one command. The longest make a whole cluster."""
LEAVING = 120.0
LOOK = re.compile(r"moor [a-z-]+ (get|list) ")
LOOKING = 180.0
"""Seconds in which something comes about that is looked for."""
SPACE = re.compile(r"\s+")


class Stuck(AssertionError):
    """A page does not come about as it is written."""


class Terminal:
    """One shell, which keeps its folder and its variables from line to line."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self._process = subprocess.Popen(
            ["env", "--default-signal=INT", "bash", "--norc"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._said: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def run(self, command: str, shown: Sequence[str]) -> None:
        """Type a line, which ends well and says what is shown. Who looks may look again."""
        deadline = time.monotonic() + (LOOKING if LOOK.match(command) else 0)
        while lacking(said := self._once(command), shown):
            if time.monotonic() >= deadline:
                missing = lacking(said, shown)
                raise Stuck(f"$ {command}\ndid not say {missing!r}:\n" + "\n".join(said))

    def _once(self, command: str) -> list[str]:
        self._type(f"{{ {command}\n}} </dev/null; echo '{MARK}' $? \"$PWD\"")
        said: list[str] = []
        while not (line := self._next(command, said)).startswith(MARK):
            said.append(line)
        code, _, folder = line.removeprefix(MARK).strip().partition(" ")
        self.folder = Path(folder)
        if code != "0":
            raise Stuck(f"$ {command}\nended with {code}:\n" + "\n".join(said))
        return said

    def start(self, command: str, shown: Sequence[str]) -> None:
        """Type a line that goes on, and wait until it has said what is shown."""
        self._type(f"{command}; echo '{MARK}'")
        said: list[str] = []
        while lacking(said, shown):
            said.append(self._next(command, said))
            if said[-1] == MARK:
                raise Stuck(f"$ {command}\nended:\n" + "\n".join(said[:-1]))

    def leave(self) -> None:
        """Press Ctrl-C, and wait until everything that was started here has ended."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        os.killpg(self._process.pid, signal.SIGINT)
        try:
            self._process.wait(LEAVING)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            raise
        finally:
            self._reader.join(LEAVING)

    @property
    def is_left(self) -> bool:
        return self._process.poll() is not None

    def _type(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def _next(self, command: str, said: list[str]) -> str:
        try:
            line = self._said.get(timeout=PATIENCE)
        except queue.Empty:
            line = None
        if line is None:
            raise Stuck(f"$ {command}\ncame to no end:\n" + "\n".join(said))
        return line

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as said:
            for line in said:
                self._said.put(line.rstrip("\n"))
        self._said.put(None)


class Player:
    """Plays pages. What a page starts in another terminal goes on, also for the pages after it."""

    def __init__(self, environment: dict[str, str], instead: dict[str, str]) -> None:
        self._environment = environment
        self._instead = instead
        self._others: dict[Block, Terminal] = {}

    def play(self, blocks: list[Block], folder: Path) -> None:
        """Write each file and type each line, in the order of the page."""
        here = Terminal(folder, self._environment)
        try:
            for block in blocks:
                if block.language != "console":
                    _write(here.folder / block.title, block.text)
                    continue
                if block.title:
                    self._leave_running(block, here.folder)
                    continue
                for line in typed(block.text):
                    here.run(line.command, line.shown)
        finally:
            here.leave()

    def leave(self) -> None:
        for terminal in reversed(self._others.values()):
            terminal.leave()

    @property
    def is_left(self) -> bool:
        """Whether nothing that was started goes on."""
        return all(terminal.is_left for terminal in self._others.values())

    def _leave_running(self, block: Block, folder: Path) -> None:
        """The last line of the block goes on; a block that another page has begun goes on too."""
        if block in self._others:
            return
        terminal = self._others[block] = Terminal(folder, self._environment)
        *before, last = typed(block.text)
        for line in before:
            terminal.run(line.command, line.shown)
        terminal.start(self._instead.get(last.command, last.command), last.shown)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def lacking(said: Sequence[str], shown: Sequence[str]) -> str:
    """The first line that a page shows and nobody said; `…` stands for anything."""
    lines = [_plain(line) for line in said]
    for wanted in filter(str.strip, shown):
        pattern = re.compile(".*".join(re.escape(part) for part in _plain(wanted).split("…")))
        if not any(pattern.fullmatch(line) for line in lines):
            return wanted
    return ""


def _plain(line: str) -> str:
    """Without the room between columns, which hangs on what stands in them."""
    return SPACE.sub(" ", line).strip()
