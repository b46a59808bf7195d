"""Running programs, waiting for what they bring about, and saying no."""

import os
import pwd
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

Json = dict[str, Any]
T = TypeVar("T")
PAUSE = 0.05
"""Seconds between one look and the next, where nobody tells of what is awaited."""
KNOCK = 0.02
"""The same, of who listens at a port: that costs next to nothing, and many wait for it."""
UP_WITHIN = 15.0
"""Seconds in which a scheduler answers that has started, or read another configuration."""
ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C.UTF-8",
    # Times as ISO 8601 in UTC, whatever the site prefers.
    "SLURM_TIME_FORMAT": "standard",
    "TZ": "UTC",
    # Units of systemd alone: the links of another init system take longer than all the rest.
    "SYSTEMCTL_SKIP_SYSV": "1",
}


AT_HOME = ("/bin/sh", "-c", 'cd "$HOME" 2>/dev/null || cd /; exec "$@"', "sh")
"""Goes before what somebody runs in their home: root may have no way into homes from elsewhere."""


class Refused(Exception):
    """Something cannot be done, for a reason that a person can read."""

    def __init__(self, code: str, message: str, *, log: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.code, self.message, self.log = code, message, list(log)


class Completed(NamedTuple):
    """How a program ended. No dataclass: this is read anew for every question, and those cost."""

    code: int
    stdout: str
    stderr: str

    @property
    def ok(self) -> bool:
        return self.code == 0

    @property
    def words(self) -> str:
        """What it said, in a line or two."""
        return " ".join((self.stderr.strip() or self.stdout.strip()).split())[-600:]

    @property
    def lines(self) -> list[str]:
        return [line for line in self.stdout.splitlines() if line.strip()]


def run(
    *argv: str,
    stdin: str = "",
    within: float = 60,
    env: dict[str, str] | None = None,
    person: pwd.struct_passwd | None = None,
) -> Completed:
    """Run a program and wait for it. One that is not there, or too slow, has failed.

    With a person it runs as they would run it: their rights, their environment, their home.
    """
    try:
        done = subprocess.run(
            argv if person is None else (*AT_HOME, *argv),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=within,
            env=(ENVIRONMENT if person is None else _environment(person)) | (env or {}),
            check=False,
            **({} if person is None else _rights(person)),
        )
    except FileNotFoundError:
        return Completed(127, "", f"{argv[0]} is not installed")
    except subprocess.TimeoutExpired:
        return Completed(124, "", f"{argv[0]} gave no answer within {within:.0f} s")
    return Completed(done.returncode, done.stdout, done.stderr)


def _environment(person: pwd.struct_passwd) -> dict[str, str]:
    return {
        "HOME": person.pw_dir,
        "USER": person.pw_name,
        "LOGNAME": person.pw_name,
        "SHELL": person.pw_shell or "/bin/sh",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
    }


def _rights(person: pwd.struct_passwd) -> Json:
    return {
        "user": person.pw_uid,
        "group": person.pw_gid,
        "extra_groups": os.getgrouplist(person.pw_name, person.pw_gid),
        "umask": 0o022,
    }


def must(*argv: str, stdin: str = "", within: float = 60, code: str = "command_failed") -> str:
    """What a program writes; it has to end well."""
    done = run(*argv, stdin=stdin, within=within)
    if not done.ok:
        raise Refused(code, f"`{argv[0]}` ended with {done.code}: {done.words}")
    return done.stdout


def until(
    ask: Callable[[], T], holds: Callable[[T], bool], *, within: float, pause: float = PAUSE
) -> T:
    """Ask again and again until the answer holds; the last answer, which may not."""
    end = time.monotonic() + within
    while not holds(said := ask()) and time.monotonic() < end:
        time.sleep(pause)
    return said


def connect(address: str, port: int, *, within: float) -> socket.socket:
    """A connection to somebody who may not listen yet. Raises what the last try ended with."""

    def knock() -> socket.socket | OSError:
        try:
            return socket.create_connection((address, port), timeout=5)
        except OSError as err:
            return err

    said = until(knock, lambda said: isinstance(said, socket.socket), within=within, pause=KNOCK)
    if isinstance(said, OSError):
        raise said
    return said


def ping(*, within: float = 10) -> Completed:
    """What is to be heard of the scheduler."""
    return run("scontrol", "ping", within=within)


def is_up(said: Completed) -> bool:
    return "is UP" in said.stdout


def comes_up() -> bool:
    """Whether the scheduler answers, now or soon."""
    return is_up(until(ping, is_up, within=UP_WITHIN))


def journal(unit: str) -> list[str]:
    """The last lines of a daemon."""
    return run("journalctl", "-u", unit, "-n", "20", "--no-pager", "-o", "cat").lines


def fields(line: str) -> Json:
    """`Name=x State=IDLE Reason=a b` as Slurm writes it in one line, by name."""
    found: Json = {}
    name = ""
    for word in line.split():
        head, equals, value = word.partition("=")
        if equals and head.replace("/", "").replace(":", "").replace("_", "").isalnum():
            name, found[head] = head, value
        elif name:
            found[name] = f"{found[name]} {word}"
    return found
