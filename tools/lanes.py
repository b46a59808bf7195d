"""All tests, in lanes that run beside each other: `python -m tools.lanes [ARGUMENTS OF PYTEST]`.

Tests on hosts wait more than they work, so what needs none runs beside them, and yields to them.
The browser comes later: beside all others pages take longer than anybody waits for them. A lane
looks at its folders alone: to read all tests takes a process half a minute on a new clone.
"""

import asyncio
import os
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

NONE_THERE = 5
"""What pytest ends with where nothing of a lane was asked for."""
YIELDS = 10
WORKERS = os.environ.get("WORKERS", "2")
"""Processes of a lane that has several; the Makefile says how many."""


@dataclass(frozen=True)
class Lane:
    """Tests that one run of pytest goes through."""

    name: str
    mark: str | None = None
    """What its tests are marked with; left out: nothing in particular."""
    without: tuple[str, ...] = ()
    """Marks of tests that are another lane's."""
    folders: tuple[str, ...] = ()
    """Where these tests are; left out: anywhere."""
    alone: bool = True
    """One after the other; otherwise in several processes."""
    after: str | None = None
    """The lane that ends before this one begins."""

    @property
    def marks(self) -> str:
        """Its tests, as pytest wants to be told."""
        return " and ".join([*filter(None, [self.mark]), *(f"not {each}" for each in self.without)])

    def wants(self, marks: frozenset[str]) -> bool:
        """Whether a test with these marks is one of its own."""
        return self.mark in {None, *marks} and marks.isdisjoint(self.without)

    def looks_at(self, path: Path) -> bool:
        return not self.folders or any(map(path.is_relative_to, self.folders))

    def of(self, named: Sequence[str]) -> list[str]:
        """What it looks at of paths that somebody has named: those, or its own below them."""
        if not self.folders:
            return [*named]
        own = [each for each in named if self.looks_at(Path(each.partition("::")[0]))]
        below = [each for each in self.folders if any(map(Path(each).is_relative_to, named))]
        return own or below


HOSTS = ("agent/tests", "core/tests/credentials", "lab/tests", "tests/e2e", "tests/faults")
LIVES = ("life", "working", "test_agentless.py", "test_homes.py", "test_state.py")
CHANGES = tuple(
    f"test_{name}.py" for name in ("changing", "places", "projects", "table", "trouble", "versions")
)
SLURM = Path("tests/slurm")
LANES = (
    # Clusters wait more than they work: two of these lanes take half the time of one.
    Lane("lives", "slurm", without=("kit",), folders=tuple(str(SLURM / each) for each in LIVES)),
    Lane(
        "changes", "slurm", without=("kit",), folders=tuple(str(SLURM / each) for each in CHANGES)
    ),
    Lane("hosts", "lab", without=("slurm", "kit", "browser", "tutorial"), folders=HOSTS),
    Lane("tutorial", "tutorial", folders=("tests/docs",)),
    Lane("browser", "browser", folders=("tests/console",), after="hosts"),
    Lane("plain", without=("lab", "browser"), alone=False),
)


def strays(marks: frozenset[str], path: Path) -> list[str]:
    """The lanes of which a test is, where none of them looks at it."""
    own = [lane for lane in LANES if lane.wants(marks)]
    return [] if any(lane.looks_at(path) for lane in own) else [lane.name for lane in own]


def command(lane: Lane, arguments: Sequence[str]) -> list[str] | None:
    """What runs a lane. Whoever names files or folders means those; None where none is its own."""
    named = [each for each in arguments if Path(each.partition("::")[0]).exists()]
    where = lane.of(named) if named else lane.folders
    if named and not where:
        return None
    nice = [] if lane.alone else ["nice", "-n", str(YIELDS)]
    many = [] if lane.alone else ["-n", WORKERS, "--dist", "loadfile"]
    options = [each for each in arguments if each not in named]
    run = [sys.executable, "-m", "pytest", "-q", "-m", lane.marks]
    return [*nice, *run, *many, *where, *options]


async def main(arguments: Sequence[str]) -> int:
    """Run all lanes; 1 where one failed, or where no lane has what was asked for."""
    ended = {lane.name: asyncio.Event() for lane in LANES}
    codes = await asyncio.gather(*(_run(lane, arguments, ended) for lane in LANES))
    return int(any(code not in (0, NONE_THERE) for code in codes) or 0 not in codes)


async def _run(lane: Lane, arguments: Sequence[str], ended: dict[str, asyncio.Event]) -> int:
    """Run one; what it says is shown once it has ended, for several would speak at once."""
    if lane.after is not None:
        await ended[lane.after].wait()
    words = command(lane, arguments)
    if words is None:
        ended[lane.name].set()
        return NONE_THERE
    began = time.monotonic()
    with tempfile.TemporaryFile() as said:
        process = await asyncio.create_subprocess_exec(
            *words, stdout=said, stderr=asyncio.subprocess.STDOUT
        )
        code = await process.wait()
        ended[lane.name].set()
        if code != NONE_THERE:
            said.seek(0)
            print(f"\n== tests: {lane.name}", flush=True)
            sys.stdout.buffer.write(said.read())
            outcome = "passed" if code == 0 else "FAILED"
            print(f"== {lane.name} {outcome} after {time.monotonic() - began:.0f} s", flush=True)
    return code


def _go_on(number: int, frame: object) -> None:
    """The lanes get an interrupt from the terminal as well, and clean up: they are waited for."""


if __name__ == "__main__":
    signal.signal(signal.SIGINT, _go_on)
    sys.exit(asyncio.run(main(sys.argv[1:])))
