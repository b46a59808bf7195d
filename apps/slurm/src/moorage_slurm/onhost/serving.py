"""The server of homes on the controller's host: whether it can be one, and whom it serves.

It works in user space, speaks version 4 of NFS and nothing else, at one port.
"""

import ctypes
import fcntl
import os
import re
import socket
from collections.abc import Iterable

from moorage_slurm.onhost import nfs, setup
from moorage_slurm.onhost.commands import Json, Refused, must, run
from moorage_slurm.onhost.homes import CONF, HOMES, OWN, UNIT

_CLIENTS = re.compile(r"(?m)^(\s*Clients = )(.*);$")


def check(given: Json) -> Json:
    """Refuse a host that cannot serve its homes."""
    if run("systemctl", "is-active", UNIT).ok:
        return {}
    why = _why_not(HOMES)
    if why:
        raise Refused(
            "homes_unservable",
            f"The file system of {HOMES} cannot be served over NFS: files there cannot be opened by"
            f" handles ({why}). Have {HOMES} on a disk of its own, or choose another `home`.",
        )
    if _is_taken():
        raise Refused(
            "homes_unservable",
            f"Port {nfs.PORT} is taken: another server of NFS runs here. Stop it, or choose another"
            " `home`.",
        )
    return {}


class _Handle(ctypes.Structure):
    _fields_ = (("size", ctypes.c_uint), ("kind", ctypes.c_int), ("name", ctypes.c_byte * 128))


def _why_not(folder: str) -> str:
    """Why what is in a folder cannot be opened as servers open it; empty where it can."""
    system, handle, mount = ctypes.CDLL(None, use_errno=True), _Handle(size=128), ctypes.c_int()
    here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        place = (here, b".", ctypes.byref(handle), ctypes.byref(mount), 0)
        if system.name_to_handle_at(*place) == 0:
            found = system.open_by_handle_at(here, ctypes.byref(handle), os.O_RDONLY)
            if found >= 0:
                os.close(found)
                return ""
        return os.strerror(ctypes.get_errno())
    finally:
        os.close(here)


def _is_taken() -> bool:
    with socket.socket() as tried:
        tried.settimeout(nfs.ANSWERING)
        return tried.connect_ex((OWN, nfs.PORT)) == 0


def share(given: Json) -> Json:
    """Give the homes to more hosts, or to fewer. Others do not notice."""
    with (setup.HOME / "homes.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        before = CONF.read_text()
        after = with_clients(before, allow=given["allow"], deny=given["deny"])
        if after != before:
            part = CONF.with_suffix(".part")
            part.write_text(after)
            part.chmod(0o644)
            os.replace(part, CONF)
        # Also where nothing changed: whoever changed it may have come no further. A server that is
        # down reads it when it starts.
        if run("systemctl", "is-active", UNIT).ok:
            must("systemctl", "reload", UNIT, code="daemon_silent")
    return {}


def with_clients(text: str, *, allow: Iterable[str], deny: Iterable[str]) -> str:
    """The file, with more or fewer hosts that get the homes. Pure."""
    found = _CLIENTS.search(text)
    known = set(found[2].split(", ")) if found else set[str]()
    wanted = (known | {*allow}) - {*deny} | {OWN}
    return _CLIENTS.sub(lambda line: f"{line[1]}{', '.join(sorted(wanted))};", text)


VERBS = {"check": check, "share": share}
