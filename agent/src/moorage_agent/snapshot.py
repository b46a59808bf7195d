"""What of a host outlives the work that was done on it: a picture to hold against a later one.

A picture is `{what: {name: state}}`. It is read from files alone, so it is quick, changes nothing,
and can be taken of a folder. What the agent itself consists of is not in it.
"""

import hashlib
import os
import pwd
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

from moorage_agent import folders, networks, temporary

Picture = dict[str, dict[str, str]]

_OWN = ("moorage-agent.service", "moorage.slice")
_STARTED = (".service", ".timer", ".scope", ".socket", ".path")
_SESSION_OR_TASK = re.compile(r"session-\w+\.scope|moorage-task-.+\.service")
_CRON = (
    "etc/crontab",
    "etc/anacrontab",
    "etc/cron.d",
    "etc/cron.hourly",
    "etc/cron.daily",
    "etc/cron.weekly",
    "etc/cron.monthly",
    "var/spool/cron",
)
_KEY_FILES = (".ssh/authorized_keys", ".ssh/authorized_keys2")
_EPHEMERAL = 32768
_MOST_BYTES = 4 * 1024 * 1024


def take(root: Path = Path("/")) -> Picture:
    """The picture of the host, or of what is below a folder."""
    return {
        "packages": packages(root),
        "users": accounts(root / "etc/passwd"),
        "groups": accounts(root / "etc/group"),
        "units": units(root),
        "transient_units": transient_units(root),
        "listening": listening(root),
        "cron": cron(root),
        "sudoers": files(root, "etc/sudoers", "etc/sudoers.d"),
        "authorized_keys": authorized_keys(root),
        "homes": homes(root),
        "folders": dict.fromkeys(folders.things(root), ""),
        "temporary": dict.fromkeys(temporary.things(root), ""),
    }


def packages(root: Path) -> dict[str, str]:
    """Name and version of every package that dpkg knows something of."""
    try:
        status = (root / "var/lib/dpkg/status").read_text(errors="replace")
    except OSError:
        return {}
    found: dict[str, str] = {}
    for paragraph in status.split("\n\n"):
        fields = dict(
            line.split(": ", 1)
            for line in paragraph.splitlines()
            if line.startswith(("Package: ", "Status: ", "Version: ", "Architecture: "))
        )
        state = fields.get("Status", "not-installed").rpartition(" ")[2]
        if state == "not-installed":
            continue
        name, version = fields["Package"], fields.get("Version", "")
        if name in found:  # the same package for another architecture
            name = f"{name}:{fields.get('Architecture', '')}"
        found[name] = version if state == "installed" else f"{version} ({state})"
    return found


def accounts(file: Path) -> dict[str, str]:
    """Name and number of every user or group in a file of accounts."""
    fields = (line.split(":") for line in _lines(file))
    return {one[0]: one[2] for one in fields if len(one) > 2}


def units(root: Path) -> dict[str, str]:
    """Every unit file, drop-in and link below /etc/systemd: a link is a unit enabled."""
    found = files(root, "etc/systemd/system", "etc/systemd/user")
    return {name: state for name, state in found.items() if Path(name).name not in _OWN}


def transient_units(root: Path) -> dict[str, str]:
    """Units that somebody has started without a file, sessions and those of tasks left out."""
    return {
        entry.name: ""
        for entry in _entries(root / "run/systemd/transient")
        if entry.name.endswith(_STARTED)
        and entry.name not in _OWN
        and not _SESSION_OR_TASK.fullmatch(entry.name)
    }


def listening(root: Path) -> dict[str, str]:
    """Ports that wait for others. A client's own UDP port comes and goes, and is left out."""
    return {
        name: ""
        for name in networks.listening(root)
        if name.startswith("tcp ") or int(name.rpartition(":")[2]) < _EPHEMERAL
    }


def cron(root: Path) -> dict[str, str]:
    """What starts by the clock. The file that counts `at` jobs is no job."""
    found = files(root, *_CRON)
    return {name: state for name, state in found.items() if not name.endswith("/.SEQ")}


def authorized_keys(root: Path) -> dict[str, str]:
    """The files of keys that let somebody log in, in every home."""
    fields = (line.split(":") for line in _lines(root / "etc/passwd"))
    places = {one[5].lstrip("/") for one in fields if len(one) > 5}
    wanted = [f"{place}/{name}" for place in places if place for name in _KEY_FILES]
    return files(root, *wanted)


def homes(root: Path) -> dict[str, str]:
    """The folders in /home, and whose they are."""
    found: dict[str, str] = {}
    for entry in _entries(root / "home"):
        found[f"/home/{entry.name}"] = str(entry.stat(follow_symlinks=False).st_uid)
    return found


def processes(root: Path = Path("/")) -> Iterator[tuple[int, int, str]]:
    """Every process: its number, its user's number and its short name.

    Not the command line: it may hold somebody's secret.
    """
    for entry in _entries(root / "proc"):
        if entry.name.isdecimal():
            try:
                owner = entry.stat(follow_symlinks=False).st_uid
                name = Path(entry.path, "comm").read_text(errors="replace").strip()
            except OSError:
                continue  # it has ended
            yield int(entry.name), owner, name


def user_name(uid: int) -> str:
    """The login of a user's number, or the number."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def files(root: Path, *places: str) -> dict[str, str]:
    """Every file and link at and below the places, with a digest of what it says."""
    found: dict[str, str] = {}
    for place in places:
        for path in _walk(root / place):
            state = _state(path)
            if state is not None:
                found[f"/{path.relative_to(root)}"] = state
    return found


def _walk(place: Path) -> Iterator[Path]:
    yield place
    for folder, _, names in os.walk(place):
        yield from (Path(folder, name) for name in names)
    # os.walk lists a link to a folder among the folders, and does not go there.
    for folder, names, _ in os.walk(place):
        yield from (Path(folder, name) for name in names if Path(folder, name).is_symlink())


def _state(path: Path) -> Optional[str]:
    """What a file says, in short. Opened without following links: others may own the folder."""
    try:
        seen = path.lstat()
        if stat.S_ISLNK(seen.st_mode):
            return f"-> {os.readlink(path)}"
        if not stat.S_ISREG(seen.st_mode):
            return None
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as content:
            return hashlib.sha256(content.read(_MOST_BYTES)).hexdigest()[:16]
    except OSError:
        return None


def _entries(folder: Path) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(errors="replace").splitlines()
    except OSError:
        return []
