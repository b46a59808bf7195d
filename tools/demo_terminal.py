"""A terminal for the demo: shows what it runs and what was said, and insists on how it ends."""

import contextlib
import json
import os
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MOOR = Path(sys.executable).parent / "moor"
PATIENCE = 120
"""Seconds after which something that does not come about ends the demo."""


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

    def sign_in(self, name: str, address: str) -> None:
        """Let somebody set a password with a one-time code, and sign in as a profile."""
        self.moor("users", "reset-password", address, "--secret-file", f"{name}.code")
        code = (self.home / f"{name}.code").read_text().strip()
        chosen = f"{name} has a long password"
        self.moor("password", "set", "--stdin", given=f"{code}\n{chosen}\n")
        self.login("--email", address, "--password-stdin", "--profile", name, given=chosen)

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
        """Run a command, show it and its answer or the first lines of it, insist on its end.

        The answer is shown as it comes: some commands take their time, and say why.
        """
        print(f"   $ moor {shlex.join(arguments)}", flush=True)
        said: list[str] = []
        with _started(self.home, arguments, given=given) as process:
            assert process.stdout is not None
            for line in process.stdout:
                said.append(line.rstrip())
                if lines is None or len(said) <= lines:
                    print(f"     {said[-1]}", flush=True)
        if process.returncode != expect:
            for line in said[lines:] if lines is not None else ():
                print(f"     {line}", flush=True)
            sys.exit(f"That ended with {process.returncode}, not with {expect}: the demo stops.")
        if expect:
            print(f"     (refused with exit code {expect}, as it should be)", flush=True)
        return "\n".join(said)

    def ask(self, *arguments: str) -> Any:
        """Run a command for what it knows, without showing it."""
        done = subprocess.run(
            [MOOR, *arguments, "--output", "json"],
            env=_environment(self.home),
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(done.stderr)
        return json.loads(done.stdout)

    def until(self, asking: tuple[str, ...], status: str) -> None:
        """Ask again until it is so; the wait is shown as one line."""
        print(f"   $ moor {shlex.join(asking)}    (until it is {status})", flush=True)
        deadline = time.monotonic() + PATIENCE
        while (found := self.ask(*asking)["status"]) != status:
            if time.monotonic() > deadline:
                sys.exit(f"It is {found}, not {status}: the demo stops here.")
            threading.Event().wait(0.2)


def _started(home: Path, arguments: Sequence[str], *, given: str | None) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [MOOR, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=_environment(home),
        cwd=home,
        text=True,
    )
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(given or "")
        process.stdin.close()
    return process


def _environment(home: Path) -> dict[str, str]:
    """This one's, without what would tell `moor` where to go and as whom."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MOOR_", "MOORAGE_"))}
    return kept | {"XDG_CONFIG_HOME": str(home), "COLUMNS": "110"}
