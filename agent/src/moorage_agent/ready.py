"""Units that wait for a command, because starting one takes systemd longer than most commands run.

A ready unit is a shell that waits to be told, through a pipe, which command to become. It `exec`s
the command, so all that holds for a unit of its own holds for it too: systemd keeps its exit, its
group holds all its children, its output goes to the same kind of pipes. It is used once.

Ready units stand in a folder in memory, one folder each; who renames it has it. A shell is told the
environment in words of the shell, so what shells treat as their own goes the slow way, and so does
a command of another user than root.

systemd cannot be told a time limit for a unit that runs, so `timeout` keeps it: the agent itself
stops what is late, and this is for when it is away. A host without `timeout` has no ready units.
"""

import os
import re
import secrets
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Optional

from moorage_agent import pipes, systemd, units
from moorage_agent.connections import Connections
from moorage_agent.systemd import Systemd
from moorage_agent.units import Command

KEPT = 4
FOLDER = "ready"
_ORDER = "order"
_TIMEOUT = "/usr/bin/timeout"
_LONGEST = 32 * 1024
_OF_SHELLS = re.compile(r"BASH.*|SHELLOPTS|E?UID|PPID|PWD|OLDPWD|IFS|OPT.*|ENV|LINENO|PS[0-9]|_")


def refill(run: Path, connections: Connections) -> None:
    """Start as many ready units as are missing."""
    folder = run / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    missing = KEPT - len(list(folder.iterdir()))
    if missing > 0:
        with connections.use() as connection:
            for _ in range(missing):
                _make(connection, folder)


def can_run(command: Command) -> bool:
    """Whether a shell can be told this command in full."""
    if command.user or any(_OF_SHELLS.fullmatch(name) for name in command.environment):
        return False
    if command.timeout and not os.access(_TIMEOUT, os.X_OK):
        return False
    return len(order(command, Path("/"))) <= _LONGEST


def take(connection: Systemd, run: Path, private: Path) -> Optional[str]:
    """A ready unit that lives, with its pipes moved to a task's folder; None if there is none."""
    try:
        found = sorted((run / FOLDER).iterdir())
    except FileNotFoundError:
        return None
    for folder in found:
        mine = private / FOLDER
        try:
            folder.rename(mine)
        except OSError:
            continue  # another task was quicker
        try:
            is_alive = units.has_processes(connection, _name(folder))
        except systemd.Gone:
            mine.rename(folder)
            raise
        if is_alive:
            for stream in pipes.STREAMS:
                (mine / stream).rename(private / stream)
            return _name(folder)
        shutil.rmtree(mine)
        units.ask_to_stop(connection, _name(folder))
    return None


def tell(private: Path, command: Command, stdin: Path) -> None:
    """Give a unit that was taken its command. systemd holds the pipe open until it was read."""
    handle = os.open(private / FOLDER / _ORDER, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        os.write(handle, order(command, stdin))
    finally:
        os.close(handle)


def order(command: Command, stdin: Path) -> bytes:
    """What the shell is told: go there, have these variables, become that."""
    words = [shlex.quote(word) for word in (*_limit(command), command.program, *command.argv[1:])]
    lines = [
        f"cd {shlex.quote(command.cwd)} || exit 200",
        *_exports(command.environment),
        f"exec {' '.join(words)} <{shlex.quote(str(stdin))}",
    ]
    return "\n".join([*lines, ""]).encode()


def _limit(command: Command) -> list[str]:
    """Words in front of the command that end it when its time is long over."""
    if not command.timeout:
        return []
    seconds = f"{command.timeout + units.SPARE:.3f}"
    return [_TIMEOUT, f"--kill-after={units.TERM_TO_KILL}", seconds]


def _exports(environment: Mapping[str, str]) -> list[str]:
    return [f"export {name}={shlex.quote(value)}" for name, value in environment.items()]


def _make(connection: Systemd, folder: Path) -> None:
    """A unit whose shell waits at its pipe. The folder gets its last name when all is there."""
    name = secrets.token_hex(6)
    draft = folder.parent / f"{FOLDER}-{name}"
    draft.mkdir(mode=0o700)
    pipes.make(draft, uid=0)
    os.mkfifo(draft / _ORDER, 0o600)
    # The shell reads its orders from a pipe that is open for both ways: it never meets an end.
    given = [os.open(draft / _ORDER, os.O_RDWR | os.O_CLOEXEC), *pipes.for_command(draft)]
    try:
        shell = Command("/bin/sh", ["sh"], "/", {}, None, None)
        units.start(connection, _name(folder / name), shell, given)
    except systemd.Said:
        shutil.rmtree(draft)
        raise
    except systemd.Gone:
        pass  # executed anew: whether the unit lives is seen when it is taken
    finally:
        for handle in given:
            os.close(handle)
    draft.rename(folder / name)


def _name(folder: Path) -> str:
    return units.name(f"ready-{folder.name}")
