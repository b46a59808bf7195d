"""Run a command, in a systemd unit of its own.

The task ends when the command's main process has ended and nothing that it started is left; what is
left one second later is ended with it. A command meant to go on belongs into a service.
"""

import json
import os
import pwd
import re
import select
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional, TypeVar, cast

from moorage_agent import inputs, pipes, ready, systemd, units
from moorage_agent.pipes import Pipes
from moorage_agent.systemd import Systemd
from moorage_agent.tasks import Failed, Lost, Outcome, Stop, Task, Work
from moorage_agent.units import Command, Ended

GRACE = 1.0
SECRETS = "MOORAGE_SECRETS"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_LOOK_AGAIN = 0.05
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_ROOT = "root"
_UNIT = "unit"

T = TypeVar("T")


def run(task: Task, work: Work) -> Outcome:
    """Start the command and see it to its end."""
    user = _user(task.run_as)
    command = _command(task, work, user)
    stdin = _stdin(task, work, uid=user.pw_uid)
    unit = None
    try:
        with work.systemd.use() as connection:
            unit = _begin(connection, task, work, command, stdin)
            with Pipes(work.private) as watched:
                return _outcome(_follow(connection, unit, work, watched))
    except systemd.Absent as err:
        raise Failed("systemd_absent", f"{err} The agent must be root on a systemd host.") from err
    except systemd.Gone:
        unit = unit or _insist(
            work, lambda found: _begin_after_all(found, task, work, command, stdin)
        )
    with Pipes(work.private) as watched:
        return _outcome(_go_on(unit, work, watched))


def unit_of(task_id: str, folder: Path) -> str:
    """The unit that runs a task's command. One that was ready has a name of its own."""
    try:
        return (folder / _UNIT).read_text()
    except FileNotFoundError:
        return units.name(task_id)


def resume(task: Task, work: Work) -> Outcome:
    """See a command to its end that an earlier run of the agent started."""
    try:
        watched = Pipes(work.private)
    except OSError as err:  # the host was started anew
        end = _kept(work)
        if end is None:
            raise Lost("The host was started anew while the command ran.") from err
        return _outcome(end)
    with watched:
        return _outcome(_go_on(unit_of(task.id, work.folder), work, watched))


def _go_on(unit: str, work: Work, watched: Pipes) -> Ended:
    """Find the unit again: the agent was away, or systemd was executed anew."""
    return _insist(work, lambda connection: _follow_again(connection, unit, work, watched))


def _follow_again(connection: Systemd, unit: str, work: Work, watched: Pipes) -> Ended:
    end = _kept(work)
    connection.care_about(unit)
    if units.is_there(connection, unit):
        end = end or units.find_end(connection, unit)
        return _follow(connection, unit, work, watched, end=end)
    _keep_output(watched, work)
    if end is None and work.cancelled.is_set():
        raise _stopped(work)
    if end is None:
        raise Lost("The command is gone, and with it how it ended.")
    return end


def _outcome(end: Ended) -> Outcome:
    result = {"exit_code": end.code, "signal": end.signal}
    if end.code == 0:
        return Outcome(result=result)
    if end.signal:
        raise Failed(
            "exit_nonzero", f"The command was ended by signal {end.signal}.", result=result
        )
    raise Failed("exit_nonzero", f"The command ended with {end.code}.", result=result)


# --- what to run ---------------------------------------------------------------------------------


def _command(task: Task, work: Work, user: pwd.struct_passwd) -> Command:
    argv = _argv(task.input)
    cwd = inputs.find_text(task.input, "cwd") or (
        user.pw_dir if os.path.isdir(user.pw_dir) else "/"
    )
    if not os.path.isabs(cwd) or not os.path.isdir(cwd):
        raise Failed("cwd_missing", f"There is no folder {cwd!r} to run the command in.")
    environment = {
        "PATH": PATH,
        "LANG": "C.UTF-8",
        "HOME": user.pw_dir,
        "USER": user.pw_name,
        "LOGNAME": user.pw_name,
        "SHELL": user.pw_shell or "/bin/sh",
        "MOORAGE_CORRELATION_ID": task.correlation_id,
        **({"TRACEPARENT": task.traceparent} if task.traceparent else {}),
        **_environment(task.input),
        **_secret_files(task, work, user),
    }
    name = None if user.pw_uid == 0 else user.pw_name
    program = _program(argv[0], cwd, environment["PATH"])
    return Command(program, [program, *argv[1:]], cwd, environment, name, task.timeout)


def _argv(given: dict[str, Any]) -> list[str]:
    argv = inputs.list_items(given, "argv")
    if not argv or not all(isinstance(word, str) and "\0" not in word for word in argv):
        raise inputs.invalid("argv", "a list of texts, the program first")
    return cast("list[str]", argv)


def _program(word: str, cwd: str, path: str) -> str:
    """The program's file. systemd has no words for one that is not there; we do."""
    found = shutil.which(os.path.join(cwd, word) if "/" in word else word, path=path)
    if found is None:
        raise Failed("command_not_found", f"This host has no program {word!r} that can be run.")
    return os.path.abspath(found)


def _environment(given: dict[str, Any]) -> dict[str, str]:
    env: object = given.get("env") or {}
    if not isinstance(env, dict):
        raise inputs.invalid("env", "an object of texts")
    named = cast("dict[str, object]", env)
    for name, value in named.items():
        if not _NAME.fullmatch(name) or not isinstance(value, str) or "\0" in value:
            raise inputs.invalid("env", "an object of texts, with names such as PATH")
    return cast("dict[str, str]", named)


def _user(name: str) -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(name or _ROOT)
    except KeyError as err:
        raise Failed("user_missing", f"This host has no user {name!r}.") from err


# --- secrets -------------------------------------------------------------------------------------


def _secret_files(task: Task, work: Work, user: pwd.struct_passwd) -> dict[str, str]:
    """Put the secrets that the command wants as files into memory, for its user alone."""
    names = inputs.list_texts(task.input, "secret_files")
    if not names:
        return {}
    folder = work.private / "secrets"
    work.private.chmod(0o711)
    folder.mkdir(mode=0o700)
    for name in names:
        if not _FILE.fullmatch(name):
            raise inputs.invalid("secret_files", "a list of names")
        _write(folder / name, work.secret(name), uid=user.pw_uid, gid=user.pw_gid)
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {SECRETS: str(folder)}


def _write(path: Path, content: bytes, *, uid: int, gid: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o400)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        os.fchown(handle, uid, gid)


def _stdin(task: Task, work: Work, *, uid: int) -> Path:
    """What the command reads: a file in memory, which the command finds opened."""
    given: object = task.input.get("stdin")
    if given is None:
        return Path("/dev/null")
    if isinstance(given, dict):
        content = work.secret(inputs.get_text(cast("dict[str, Any]", given), "$secret"))
    elif isinstance(given, str):
        content = given.encode()
    else:
        raise inputs.invalid("stdin", "text, or the name of a secret")
    _write(work.private / "stdin", content, uid=uid, gid=-1)
    return work.private / "stdin"


# --- the unit ------------------------------------------------------------------------------------


def _insist(work: Work, act: Callable[[Systemd], T]) -> T:
    """Do what must be known to be done, once more each time systemd is executed anew meanwhile."""
    while True:
        try:
            with work.systemd.use() as connection:
                return act(connection)
        except systemd.Absent as err:
            raise Lost(f"Nobody can say what became of the command: {err}") from err
        except systemd.Gone:
            continue


def _begin_after_all(
    connection: Systemd, task: Task, work: Work, command: Command, stdin: Path
) -> str:
    """Start the command unless systemd had taken it before it was executed anew."""
    unit = units.name(task.id)
    if units.is_there(connection, unit):
        return unit
    return _begin(connection, task, work, command, stdin)


def _begin(connection: Systemd, task: Task, work: Work, command: Command, stdin: Path) -> str:
    """Start the command, in a unit that is ready if there is one; the unit's name."""
    run = work.private.parent
    unit = ready.take(connection, run, work.private) if ready.can_run(command) else None
    connection.care_about(unit or units.name(task.id))
    if unit is not None:
        (work.folder / _UNIT).write_text(unit)
        ready.tell(work.private, command, stdin)
        return unit
    pipes.make(work.private, uid=_user(task.run_as).pw_uid)
    given = [os.open(stdin, os.O_RDONLY | os.O_CLOEXEC), *pipes.for_command(work.private)]
    try:
        units.start(connection, units.name(task.id), command, given)
    except systemd.Said as err:
        raise Failed("not_started", f"systemd does not start the command: {err}") from err
    finally:
        for handle in given:
            os.close(handle)
    return units.name(task.id)


def _follow(
    connection: Systemd, unit: str, work: Work, watched: Pipes, *, end: Optional[Ended] = None
) -> Ended:
    """Keep the output until the command has ended, then clear up after it."""
    poll = select.poll()
    for file in (*watched.streams, connection, work.cancelled):
        if not isinstance(file, threading.Event) or isinstance(file, Stop):
            poll.register(file, select.POLLIN)
    end = end or _until_end(connection, unit, work, watched, poll)
    if end is not None:
        _remember(end, work)
    is_idle = end is not None and _is_idle(connection, unit, work, watched, poll)
    _stop(connection, unit, is_idle=is_idle)
    _keep_output(watched, work)
    if end is None:
        raise _stopped(work)
    return end


def _until_end(
    connection: Systemd, unit: str, work: Work, watched: Pipes, poll: select.poll
) -> Optional[Ended]:
    """How the command ended by itself; None if it is to be stopped."""
    path = systemd.object_path(unit)
    patience = None if isinstance(work.cancelled, Stop) else _LOOK_AGAIN * 1000
    while not work.cancelled.is_set():
        for message in connection.signals():
            end = units.read_end(message, path)
            if end is not None:
                return end
        for handle, _ in poll.poll(patience):
            if handle in watched.streams:
                work.output(watched.streams[handle], watched.read(handle))
    return None


def _is_idle(connection: Systemd, unit: str, work: Work, watched: Pipes, poll: select.poll) -> bool:
    """Whether nothing of the unit is left, after the grace that it has."""
    deadline = time.monotonic() + GRACE
    while units.has_processes(connection, unit):
        if time.monotonic() > deadline or work.cancelled.is_set():
            return False
        poll.poll(_LOOK_AGAIN * 1000)
        connection.signals()
        _keep_output(watched, work)
    return True


def _keep_output(watched: Pipes, work: Work) -> None:
    for stream, data in watched.drain():
        work.output(stream, data)


def _stop(connection: Systemd, unit: str, *, is_idle: bool) -> None:
    """End what is left. A unit without processes needs no waiting, but it must be heard of."""
    if is_idle:
        units.ask_to_stop(connection, unit)
        return
    try:
        units.stop(connection, unit)
    except units.NotStopped as err:
        raise Failed("not_stopped", str(err)) from err


def _stopped(work: Work) -> Failed:
    because = work.cancelled.because if isinstance(work.cancelled, Stop) else "cancelled"
    return Failed(because, "The command was ended before it was done.")


def _remember(end: Ended, work: Work) -> None:
    """Write down how the command ended before systemd is told to forget it."""
    draft = work.folder / ".exit"
    try:
        draft.write_text(json.dumps([end.code, end.signal]))
        draft.replace(work.folder / "exit")
    except OSError:
        pass  # a full disk: it matters only if the agent dies within the next moment


def _kept(work: Work) -> Optional[Ended]:
    try:
        code, signal = json.loads((work.folder / "exit").read_text())
    except (OSError, ValueError):
        return None
    return Ended(code, signal)
