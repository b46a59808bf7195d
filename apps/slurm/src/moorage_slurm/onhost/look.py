"""What a host is and has, before anything is done with it."""

import os
import pwd
import shutil
import socket
import threading
import time
from pathlib import Path

from moorage_slurm.onhost.commands import Json, run

PATIENCE = 4.0
"""Seconds after which nobody waits for a name any more."""


def look(given: Json) -> Json:
    """Facts about the host, and which of the named packages it has."""
    return {
        "hostname": socket.gethostname(),
        "system": _system(),
        "cgroups": can_write_cgroups(),
        "packages": packages(given.get("packages") or []),
        "free_mb": shutil.disk_usage("/var").free >> 20,
        "clock": time.time(),
        **names(),
        "filesystems": _filesystems(given.get("mounts") or ""),
        "devices": [str(path) for path in sorted(Path("/dev").glob("nvidia*"))],
    }


def _system() -> str:
    """Such as `debian 13`."""
    try:
        lines = Path("/etc/os-release").read_text().splitlines()
    except OSError:
        return "unknown"
    said = dict(line.split("=", 1) for line in lines if "=" in line)
    return f"{said.get('ID', '')} {said.get('VERSION_ID', '')}".replace('"', "")


def can_write_cgroups() -> bool:
    """Whether Slurm can use control groups: version 2 alone, with controllers, and writable."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        controllers = Path("/sys/fs/cgroup/cgroup.controllers").read_text().split()
    except OSError:
        return False
    only_new = all(line.startswith("0::") for line in lines)
    return only_new and "memory" in controllers and os.access("/sys/fs/cgroup", os.W_OK)


def packages(names: list[str]) -> dict[str, str]:
    """The versions of those that are installed whole."""
    if not names:
        return {}
    form = "${Package} ${Version} ${db:Status-Abbrev}\n"
    said = run("dpkg-query", "-W", f"-f={form}", *names).lines
    words = [line.split() for line in said]
    return {each[0]: each[1] for each in words if len(each) == 3 and each[2] == "ii"}


def names() -> Json:
    """How the host looks up names: how long that takes, and whether its own leads elsewhere.

    Daemons look up the address that they listen at and that of everybody who speaks to them. Where
    the resolver does not answer, each of them waits for it.
    """
    found: list[str] = []

    def look_up() -> None:
        try:
            socket.getnameinfo(("0.0.0.0", 0), socket.NI_NAMEREQD)  # noqa: S104 - nobody listens
        except OSError:
            pass
        try:
            known = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
            found.extend(str(each[4][0]) for each in known)
        except OSError:
            pass

    began = time.monotonic()
    thread = threading.Thread(target=look_up, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    took = round(time.monotonic() - began, 2)
    return {"resolves_in": took, "misnamed": next((a for a in found if not _is_own(a)), "")}


def _is_own(address: str) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as tried:
        try:
            tried.bind((address, 0))
        except OSError:
            return False
    return True


def _filesystems(wanted: str) -> list[str]:
    """Kinds that the kernel knows. The one that is wanted may be known to a module alone."""
    try:
        found = [line.split()[-1] for line in Path("/proc/filesystems").read_text().splitlines()]
    except OSError:
        found = []
    if wanted and wanted not in found and run("modprobe", "-n", "-q", f"fs-{wanted}").ok:
        found.append(wanted)
    return found


def people(given: Json) -> Json:
    """Which of these people have no account on this host, and which never will: it has another.

    They are asked for by name: a site's directory answers that, and need not list everybody.
    """
    absent = {login: uid for login, uid in given["people"].items() if number(login) != uid}
    clashes = {login: why for login, uid in absent.items() if (why := clash(login, uid))}
    return {"missing": sorted(absent.keys() - clashes.keys()), "clashes": clashes}


def number(login: str) -> int | None:
    """What the host has for a login."""
    try:
        return pwd.getpwnam(login).pw_uid
    except KeyError:
        return None


def clash(login: str, uid: int) -> str:
    """Why somebody cannot have their account here; empty where they can."""
    found = number(login)
    if found is not None:
        return f"{login} has the number {found} on the host, and {uid} on the platform."
    try:
        other = pwd.getpwuid(uid).pw_name
    except KeyError:
        return ""
    return f"The number {uid} of {login} is {other}'s on the host."


VERBS = {"people": people, "look": look}
