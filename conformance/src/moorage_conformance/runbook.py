"""The runbook's commands, run by whoever follows it: somebody at a terminal with an id."""

import asyncio
import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

FENCED = re.compile(r"^```[a-z]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
MOOR = "from moorage_cli.main import main; main()"
READING = frozenset({"children", "get", "list", "show", "status", "steps", "triage"})
"""Verbs that look. The others are only asked for their help: a runbook names more than one way to
mend something, and following all of them mends nothing."""
TIMEOUT = 60.0


@dataclass(frozen=True)
class Command:
    """A line of the runbook."""

    words: tuple[str, ...]
    """What stands behind `moor`."""

    @property
    def line(self) -> str:
        return f"moor {shlex.join(self.words)}"

    @property
    def looks(self) -> bool:
        verbs = [word for word in self.words[:2] if not word.startswith("-")]
        return bool(READING & {*verbs})

    def filled(self, ids: Mapping[str, str]) -> list[str]:
        """The words to run: with the ids in their place, or the question what it does."""
        if self.looks:
            return [ids.get(word, word) for word in self.words]
        path = [word for word in self.words[:2] if word.islower() and not word.startswith("-")]
        return [*path, "--help"]


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    said: str


def commands(text: str) -> Iterator[Command]:
    """The lines of fenced blocks that call `moor`."""
    for block in FENCED.findall(text):
        for line in block.splitlines():
            words = shlex.split(line.strip().removeprefix("$ "), comments=True)
            if words[:1] == ["moor"]:
                yield Command(tuple(words[1:]))


async def run(words: Sequence[str], *, url: str, token: str, ca: str | None) -> Ran:
    """Run `moor` with these words, as somebody with this token."""
    settings = {"MOOR_URL": url, "MOOR_TOKEN": token, **({"MOOR_CA": ca} if ca else {})}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", MOOR, *words),
        env={**os.environ, **settings},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        said, _ = await asyncio.wait_for(process.communicate(), TIMEOUT)
    except TimeoutError:
        process.kill()
        await process.wait()
        return Ran(124, f"It did not end within {TIMEOUT:g} seconds.")
    return Ran(process.returncode or 0, said.decode(errors="replace"))
