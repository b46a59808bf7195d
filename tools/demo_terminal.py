"""A terminal for the demo: shows what it runs and what was said, and insists on how it ends."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MOOR = Path(sys.executable).parent / "moor"


class Walk:
    """A terminal with credentials of its own, which shows what it runs."""

    def __init__(self, home: Path, url: str, *, ca: Path | None = None) -> None:
        self.home = home
        self.url = url
        self.ca = ca
        self.steps = 0

    @property
    def trust(self) -> tuple[str, ...]:
        """How to tell a command whom to trust."""
        return ("--ca", str(self.ca)) if self.ca else ()

    def login(self, *arguments: str, given: str | None = None) -> None:
        self.moor("login", self.url, *self.trust, *arguments, given=given)

    def step(self, sentence: str) -> None:
        self.steps += 1
        print(f"\n{self.steps}. {sentence}", flush=True)

    def moor(
        self,
        *arguments: str,
        expect: int = 0,
        given: str | None = None,
        lines: int | None = None,
    ) -> str:
        """Run a command, show it and its answer or the first lines of it, insist on its end."""
        print(f"   $ moor {shlex.join(arguments)}", flush=True)
        done = run(self.home, arguments, given=given)
        said = (done.stdout + done.stderr).rstrip().splitlines()
        for line in said[: lines if done.returncode == expect else None]:
            print(f"     {line}", flush=True)
        if done.returncode != expect:
            sys.exit(f"That ended with {done.returncode}, not with {expect}: the demo stops here.")
        if expect:
            print(f"     (refused with exit code {expect}, as it should be)", flush=True)
        return done.stdout

    def ask(self, *arguments: str) -> Any:
        """Run a command for what it knows, without showing it."""
        done = run(self.home, (*arguments, "--output", "json"), given=None)
        if done.returncode:
            sys.exit(done.stderr)
        return json.loads(done.stdout)


def run(
    home: Path, arguments: Sequence[str], *, given: str | None
) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MOOR_", "MOORAGE_"))}
    return subprocess.run(
        [MOOR, *arguments],
        input=given,
        env=environment | {"XDG_CONFIG_HOME": str(home), "COLUMNS": "110"},
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )
