"""Runs the machine's own programs, and says what they said when they refuse."""

import json
import subprocess
from pathlib import Path
from typing import Any

from moorage_lab.errors import CommandFailed

ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C.UTF-8",
}

# Enters a control group and becomes the program: no moment in which it runs outside.
_ENTER = 'set -e; echo $$ >"$1"; shift; exec "$@"'


def output(*command: str | Path) -> bytes:
    """Run a program to its end; its output. It holds the locks that we hold."""
    words = [str(word) for word in command]
    ended = subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, env=ENVIRONMENT, check=False,
        close_fds=False,
    )  # fmt: skip
    if ended.returncode != 0:
        said = ended.stderr.decode(errors="replace")
        raise CommandFailed(words, code=ended.returncode, said=said)
    return ended.stdout


def call(*command: str | Path) -> str:
    """Run a program to its end; its output as text."""
    return output(*command).decode(errors="replace")


def ask(*command: str | Path) -> Any:
    """Run a program that answers in JSON."""
    return json.loads(call(*command) or "[]")


def inside(procs: Path, command: list[str]) -> list[str]:
    """The command, to be run inside the control group of this `cgroup.procs`."""
    return ["/bin/sh", "-c", _ENTER, "sh", str(procs), *command]
