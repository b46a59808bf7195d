"""Processes of people, and their end.

What a person started is known by more than the user's number: `sudo` changes that. So a process
belongs to a person who is any of its users, whose slice it is in, who logged in before it
(`loginuid`), who became root for it (`SUDO_UID`), whose name the SSH server's process for the
connection bears, or whose process is above it. `systemd-run` by somebody with `sudo` gets away, as
anything that root does can; a wipe ends that too.

Somebody who keeps the account and loses a way in keeps what the host's own services run for them:
nobody came in by those, and what they do has its own end.
"""

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

PROC = Path("/proc")
_GROUPS = Path("/sys/fs/cgroup")
_TITLE = re.compile(r"sshd(?:-session|-auth)?: ([^ @\[]+)(?:[ @]|$)")
_SLICE = re.compile(r"/user-(\d+)\.slice(?=[/\n]|$)")
_SERVICE = re.compile(r"/system\.slice/([^/\n]+)")
_WAYS_IN = re.compile(r"(?:sshd?(?:@.*)?|crond?|atd)\.service")
"""Services through which people come, at once or later."""
_PAUSE = 0.01
_DYNAMIC = range(61184, 65520)
_NOBODY = (65534, 65535)


@dataclass(frozen=True)
class Process:
    """A process, as far as it matters whose it is."""

    pid: int
    parent: int
    name: str
    uids: frozenset[int]
    login_uid: Optional[int]
    sudo_uid: Optional[int]
    group: str
    """Its control groups, one to a line."""
    title: str

    @property
    def groups(self) -> frozenset[str]:
        """The names of its control groups, at every height."""
        return frozenset(self.group.replace("\n", "/").split("/"))

    @property
    def owners(self) -> frozenset[int]:
        """Every user's number that the process has by itself."""
        slices = (int(uid) for uid in _SLICE.findall(self.group))
        others = (uid for uid in (self.login_uid, self.sudo_uid) if uid is not None)
        return frozenset({*self.uids, *slices, *others})

    @property
    def is_served(self) -> bool:
        """Whether a service of the host runs it that people cannot come in by."""
        services = _SERVICE.findall(self.group)
        came_in = self.login_uid is not None or _SLICE.search(self.group) is not None
        return bool(services) and not came_in and not any(map(_WAYS_IN.fullmatch, services))

    @property
    def connection_of(self) -> Optional[str]:
        """The login that the SSH server's process serves, also before it is let in."""
        found = _TITLE.match(self.title) if 0 in self.uids else None
        return found[1] if found else None


@dataclass(frozen=True)
class Ended:
    """What a round of killing came to."""

    counts: dict[str, int]
    """How many processes there were, by whose they were."""
    remaining: list[str]
    """Whose processes outlived it."""
    services: list[str]
    """The services that lost processes: systemd takes them for failed."""


def everything(proc: Path = PROC) -> list[Process]:
    """All processes that live."""
    found = (_read(proc / name) for name in os.listdir(proc) if name.isdecimal())
    return [process for process in found if process]


def _read(folder: Path) -> Optional[Process]:
    """A process; None where it has ended. Only its `status` decides that: what else cannot be read
    is unknown, and the process lives all the same."""
    try:
        status = _fields((folder / "status").read_text(errors="replace"))
        if _is_over(status):
            return None
        return Process(
            pid=int(folder.name),
            parent=int(status["PPid"]),
            name=status["Name"],
            uids=frozenset(int(uid) for uid in status["Uid"].split()),
            login_uid=_login_uid(folder),
            sudo_uid=_sudo_uid(folder),
            group=_words(folder / "cgroup"),
            title=_words(folder / "cmdline").replace("\0", " ").strip(),
        )
    except (OSError, KeyError, ValueError):
        return None  # it has ended meanwhile


def _is_over(status: Mapping[str, str]) -> bool:
    """Whether nothing of it runs. Its first thread may be over while others work on. Pure."""
    return status["State"].startswith(("Z", "X")) and int(status.get("Threads", "1")) <= 1


def _words(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""


def _fields(status: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in status.splitlines())
    return {name: value.strip() for name, _, value in pairs}


def _login_uid(folder: Path) -> Optional[int]:
    try:
        number = int((folder / "loginuid").read_text())
    except (OSError, ValueError):
        return None  # a kernel without audit
    return number if number not in (0, 0xFFFFFFFF) else None


def _sudo_uid(folder: Path) -> Optional[int]:
    """Who called `sudo` for it. Only that one word of the environment is looked at."""
    try:
        words = (folder / "environ").read_bytes().split(b"\0")
        found = next((word for word in words if word.startswith(b"SUDO_UID=")), b"")
        return int(found.partition(b"=")[2]) if found else None
    except (OSError, ValueError):
        return None


def of_people(
    people: Mapping[str, int], among: Iterable[Process], *, staying: Collection[str] = ()
) -> dict[str, list[Process]]:
    """The processes of each login, those below them included; never the agent's own line. Pure.

    Of those who are `staying`, not what the host's own services run for them.
    """
    among = list(among)
    logins = {uid: login for login, uid in people.items()}
    owner = {process.pid: _owner(process, logins, staying) for process in among}
    parents = {process.pid: process.parent for process in among}
    spared = line_above(os.getpid(), among)
    found: dict[str, list[Process]] = {login: [] for login in people}
    for process in among:
        login = _inherited(process.pid, owner, parents)
        if login is not None and process.pid not in spared and process.pid > 1:
            found[login].append(process)
    return found


def _owner(process: Process, logins: Mapping[int, str], staying: Collection[str]) -> Optional[str]:
    for uid in process.owners:
        if uid in logins and not (logins[uid] in staying and process.is_served):
            return logins[uid]
    served = process.connection_of
    return served if served in logins.values() else None


def _inherited(
    pid: int, owner: Mapping[int, Optional[str]], parents: Mapping[int, int]
) -> Optional[str]:
    seen: set[int] = set()
    while pid > 1 and pid not in seen:
        login = owner.get(pid)
        if login is not None:
            return login
        seen.add(pid)
        pid = parents.get(pid, 0)
    return None


def line_above(pid: int, among: Iterable[Process]) -> set[int]:
    """A process and all that are above it. Pure."""
    parents = {process.pid: process.parent for process in among}
    line: set[int] = set()
    while pid > 1 and pid not in line:
        line.add(pid)
        pid = parents.get(pid, 0)
    return line


def is_person(uid: int) -> bool:
    """Whether a user's number is for people, and not for the system's own services."""
    return uid >= 1000 and uid not in _DYNAMIC and uid not in _NOBODY


def end_people(people: Mapping[str, int], *, within: float, staying: Collection[str] = ()) -> Ended:
    """Kill everything of these people; of those who are `staying`, all by which they came in."""

    def find() -> dict[str, list[Process]]:
        return of_people(people, everything(), staying=staying) if people else {}

    def at_once(login: str) -> None:
        """What forks faster than one can look is killed in one call."""
        kill = _kill_slice_of if login in staying else _kill_all_of
        kill(people[login])

    return end(find, within=within, at_once=at_once)


def end(
    find: Callable[[], Mapping[str, list[Process]]],
    *,
    within: float,
    at_once: Optional[Callable[[str], None]] = None,
) -> Ended:
    """Kill what `find` finds until it finds nothing twice in a row: what was born in between the
    look and the kill is found by the next look."""
    deadline, seen, clean = time.monotonic() + within, dict[str, set[int]](), 0
    remaining, services = list[str](), set[str]()
    while clean < 2 and time.monotonic() < deadline:
        found = find()
        remaining = [login for login, theirs in found.items() if theirs]
        clean = 0 if remaining else clean + 1
        for login in remaining:
            first = login not in seen
            seen.setdefault(login, set()).update(one.pid for one in found[login])
            services.update(*(one.groups for one in found[login]))
            _kill(found[login])
            if not first and at_once is not None:
                at_once(login)
        time.sleep(_PAUSE)  # the kernel needs a moment to take them away
    counts = {login: len(pids) for login, pids in seen.items()}
    return Ended(counts, remaining, sorted(name for name in services if name.endswith(".service")))


def _kill(processes: Collection[Process]) -> None:
    for process in processes:
        try:
            os.kill(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _kill_slice_of(uid: int) -> None:
    """Kill everything in the slice of the user's sessions, where the kernel can do that."""
    place = _GROUPS / f"user.slice/user-{uid}.slice/cgroup.kill"
    try:
        place.write_text("1")
    except OSError:
        return  # an older kernel, or no sessions: they are found one by one


def _kill_all_of(uid: int) -> None:
    """Kill as the user, everything that the user may signal."""
    subprocess.run(
        ["/bin/sh", "-c", "kill -KILL -1"],
        user=uid,
        group=uid,
        extra_groups=[],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=5,
        check=False,
    )
