"""Transient systemd units, one for each command that a task runs.

The unit is the command's own: it outlives the agent, and stopping it ends every process in it,
those that were forked and daemonised too. It stays after its main process has ended (every exit is
a success to systemd, and `RemainAfterExit`). So systemd keeps the exit code, and the unread output,
until the agent has written them down, however often that is started anew meanwhile.

`systemctl show` shows a unit's properties to everybody: no secret may be among them.
"""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from moorage_agent import systemd
from moorage_agent.systemd import Systemd
from moorage_agent.wire import Message

SLICE = "moorage.slice"
_PREFIX = "moorage-task-"
TERM_TO_KILL = 5
STOP_WITHIN = 15.0
SPARE = 10
"""Seconds beyond a command's time after which it is ended also without the agent."""
_NEVER = 2**64 - 1
_EXITED = 1  # CLD_EXITED; everything else that is not 0 is a signal
_ABSENT = "org.freedesktop.systemd1.NoSuchUnit"
_ENDS = (list(range(1, 256)), list(range(1, 32)))


@dataclass(frozen=True)
class Command:
    """What a unit runs."""

    program: str
    argv: Sequence[str]
    cwd: str
    environment: Mapping[str, str]
    user: Optional[str]
    """None for root, which needs no look-up."""
    timeout: Optional[float]
    """systemd's own limit, should the agent be away. None for none."""


@dataclass(frozen=True)
class Ended:
    """How a main process ended: with a code, or by a signal."""

    code: Optional[int]
    signal: Optional[int]


class NotStopped(Exception):
    """Processes are left that not even SIGKILL ends."""


def name(task_id: str) -> str:
    """The unit of a task."""
    return f"{_PREFIX}{task_id}.service"


def start(connection: Systemd, unit: str, command: Command, fds: Sequence[int]) -> None:
    """Start a unit with these as its stdin, stdout and stderr."""
    connection.call(
        "StartTransientUnit", "ssa(sv)a(sa(sv))", unit, "fail", properties(unit, command), [],
        fds=fds,
    )  # fmt: skip


def properties(unit: str, command: Command) -> list[tuple[str, tuple[str, Any]]]:
    """What systemd is told of a command. `no-env-expand`: a dollar in an argument is a dollar."""
    line = (command.program, list(command.argv), ["no-env-expand"])
    environment = [f"{key}={value}" for key, value in command.environment.items()]
    user = [("User", ("s", command.user))] if command.user else []
    limit = int((command.timeout + SPARE) * 1_000_000) if command.timeout else _NEVER
    return [
        ("Description", ("s", unit)),
        ("ExecStartEx", ("a(sasas)", [line])),
        ("Type", ("s", "simple")),
        ("RemainAfterExit", ("b", True)),
        ("SuccessExitStatus", ("(aiai)", _ENDS)),
        ("Slice", ("s", SLICE)),
        ("WorkingDirectory", ("s", command.cwd)),
        ("Environment", ("as", environment)),
        ("StandardInputFileDescriptor", ("h", 0)),
        ("StandardOutputFileDescriptor", ("h", 1)),
        ("StandardErrorFileDescriptor", ("h", 2)),
        ("KillMode", ("s", "control-group")),
        ("TimeoutStopUSec", ("t", TERM_TO_KILL * 1_000_000)),
        ("RuntimeMaxUSec", ("t", limit)),
        *user,
    ]


def is_there(connection: Systemd, unit: str) -> bool:
    """Whether systemd knows the unit."""
    try:
        connection.call("GetUnit", "s", unit)
    except systemd.Said as err:
        if err.name == _ABSENT:
            return False
        raise
    return True


def find_end(connection: Systemd, unit: str) -> Optional[Ended]:
    """How the main process of a unit has ended, if it has."""
    return _end(connection.properties(systemd.object_path(unit), "Service"))


def read_end(message: Message, path: str) -> Optional[Ended]:
    """The same, from what systemd tells by itself."""
    if message.path != path or message.member != "PropertiesChanged":
        return None
    arguments = message.arguments()
    if not str(next(arguments)).endswith(".Service"):
        return None
    return _end(next(arguments))


def _end(found: Mapping[str, Any]) -> Optional[Ended]:
    kind, status = found.get("ExecMainCode", 0), found.get("ExecMainStatus", 0)
    if not kind:
        return None
    return Ended(status, None) if kind == _EXITED else Ended(None, status)


def has_processes(connection: Systemd, unit: str) -> bool:
    """Whether anything of the unit still runs."""
    try:
        (found,) = connection.call("GetUnitProcesses", "s", unit)
    except systemd.Said as err:
        if err.name == _ABSENT:
            return False
        raise
    return bool(found)


def ask_to_stop(connection: Systemd, unit: str) -> Optional[str]:
    """SIGTERM to all of it, SIGKILL to what is left 5 s later. The job, if there is something."""
    try:
        (job,) = connection.call("StopUnit", "ss", unit, "replace")
    except systemd.Said as err:
        if err.name == _ABSENT:
            return None
        raise
    return str(job)


def stop(connection: Systemd, unit: str) -> None:
    """End a unit and wait until nothing of it is left."""
    if not _wait(connection, {ask_to_stop(connection, unit)}):
        raise NotStopped(f"{unit} has processes that do not end.")
    discard(connection, unit)


def _wait(connection: Systemd, jobs: set[Optional[str]]) -> bool:
    """Whether these jobs are over, after some time for it."""
    left, deadline = jobs - {None}, time.monotonic() + STOP_WITHIN
    while left and time.monotonic() < deadline:
        messages = connection.wait(deadline)
        left -= {one.body()[1] for one in messages if one.member == "JobRemoved"}
    return not left


def clear(*, keep: Collection[str]) -> None:
    """Stop every unit of a task but these, all at once, and wait for it."""
    with systemd.reach() as connection:
        (found,) = connection.call("ListUnitsByPatterns", "asas", [], [f"{_PREFIX}*.service"])
        strays = [str(row[0]) for row in found if row[0] not in keep]
        _wait(connection, {ask_to_stop(connection, unit) for unit in strays})


def discard(connection: Systemd, unit: str) -> None:
    """Let systemd forget a unit that was stopped."""
    try:
        connection.call("ResetFailedUnit", "s", unit)
    except systemd.Said:
        pass  # it was not failed, and is forgotten already
