"""Homes over the network: to whom the controller's host gives them, and whether they are there.

The server works in user space, speaks version 4 of NFS and nothing else, at one port. It runs on
where it cannot serve what it should, and it changes whom it serves some time after it was told; so
nobody relies on its unit, and whoever wants to know asks it for the homes.
"""

import ctypes
import errno
import fcntl
import json
import os
import re
import secrets
import socket
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

from moorage_slurm.onhost import setup
from moorage_slurm.onhost.commands import Json, Refused, journal, must, run, until

HOMES = "/home"
CONF = Path("/etc/moorage-slurm/homes.conf")
UNIT = "moorage-slurm-homes.service"
MOUNT = Path("/etc/systemd/system/home.mount")
MOUNTING = "Homes of the cluster"
OWN, PORT = "127.0.0.1", 2049
WITHIN, ANSWERING = 10.0, 3.0
"""Seconds: until a server serves whom it was told to, and for one answer."""
LATE = 124
STARTS = {
    "rpcbind": ("rpcbind.socket", "rpcbind.service"),
    "nfs-common": ("nfs-client.target", "nfs-blkmap.service"),
    "nfs-ganesha": ("nfs-ganesha.service", "nfs-ganesha-lock.service"),
}
"""What packages have start with the host."""
COMPOUND = (100003, 4, 1)
"""Program, version and procedure."""
AUTH_SYS, PUTROOTFH, LOOKUP, GETATTR, TYPE = 1, 24, 15, 9, 1
_CLIENTS = re.compile(r"(?m)^(\s*Clients = )(.*);$")


def quiet(given: Json) -> Json:
    """Have nothing start with the host of what was brought here for homes."""
    before = {each.partition(":")[0] for each in json.loads(setup.BEFORE.read_text())["packages"]}
    units = [unit for name, own in STARTS.items() if name not in before for unit in own]
    run("systemctl", "disable", "--quiet", *units)
    return {}


# --- the server ----------------------------------------------------------------------------------


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
    if _is_open():
        raise Refused(
            "homes_unservable",
            f"Port {PORT} is taken: another server of NFS runs here. Stop it, or choose another"
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


def _is_open() -> bool:
    with socket.socket() as tried:
        tried.settimeout(ANSWERING)
        return tried.connect_ex((OWN, PORT)) == 0


def share(given: Json) -> Json:
    """Give the homes to more hosts, or to fewer. What is open elsewhere stays so."""
    with (setup.HOME / "homes.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        before = CONF.read_text()
        after = with_clients(before, allow=given["allow"], deny=given["deny"])
        if after != before:
            part = CONF.with_suffix(".part")
            part.write_text(after)
            part.chmod(0o644)
            os.replace(part, CONF)
        # Also where nothing changed: whoever changed it may have come no further.
        must("systemctl", "reload", UNIT, code="daemon_silent")
    return {}


def with_clients(text: str, *, allow: Iterable[str], deny: Iterable[str]) -> str:
    """The file, with more or fewer hosts that get the homes. Pure."""
    found = _CLIENTS.search(text)
    known = set(found[2].split(", ")) if found else set[str]()
    wanted = (known | {*allow}) - {*deny} | {OWN}
    return _CLIENTS.sub(lambda line: f"{line[1]}{', '.join(sorted(wanted))};", text)


def await_served(given: Json) -> Json:
    """Until a server gives this host the homes."""
    address = given["address"]
    why = until(lambda: _why_refused(address), lambda why: not why, within=WITHIN)
    if why:
        log = journal(UNIT) if address == OWN else []
        raise Refused("daemon_silent", f"{address} does not serve homes to us: {why}.", log=log)
    return {}


def _why_refused(address: str) -> str:
    """Why a server does not give us the homes; empty where it does."""
    try:
        status = _look_up(address, HOMES.strip("/"))
    except OSError as err:
        return f"port {PORT} does not answer ({err})"
    return "" if status == 0 else f"it answers with error {status} of NFS"


def _look_up(address: str, name: str) -> int:
    """Ask a server for a name in its root; how it ends, as NFS counts."""
    call = secrets.randbits(32)
    who = _words(0, _opaque(b"moorage"), 0, 0, 0)
    steps = (PUTROOTFH, LOOKUP, _opaque(name.encode()), GETATTR, 1, 1 << TYPE)
    compound = _words(_opaque(b""), 0, 3, *steps)
    said = _words(call, 0, 2, *COMPOUND, AUTH_SYS, _opaque(who), 0, 0, compound)
    with _connect(address) as server:
        server.sendall(struct.pack(">I", 1 << 31 | len(said)) + said)
        with server.makefile("rb") as heard:
            size = struct.unpack(">I", _read(heard.read(4), 4))[0] & 0x7FFFFFFF
            answer = _read(heard.read(size), 28)
    xid, kind, state, _, length = struct.unpack(">5I", answer[:20])
    accepted, status = struct.unpack(">II", _read(answer[20 + length :], 8)[:8])
    if (xid, kind, state, accepted) != (call, 1, 0, 0):
        raise OSError("it does not speak NFS")
    return status


def _read(said: bytes, least: int) -> bytes:
    if len(said) < least:
        raise OSError("it said nothing")
    return said


def _words(*parts: int | bytes) -> bytes:
    return b"".join(each if isinstance(each, bytes) else struct.pack(">I", each) for each in parts)


def _opaque(text: bytes) -> bytes:
    return struct.pack(">I", len(text)) + text + bytes(-len(text) % 4)


def _connect(address: str) -> socket.socket:
    """A connection as root makes them: the server believes nobody else who they are."""
    for port in _root_ports():
        try:
            return socket.create_connection((address, PORT), ANSWERING, ("", port))
        except OSError as err:
            if err.errno not in (errno.EADDRINUSE, errno.EADDRNOTAVAIL):
                raise
    raise OSError("every port of root is in use")


def _root_ports() -> Iterator[int]:
    first = secrets.randbelow(300)
    return (700 + (first + each) % 300 for each in range(300))


# --- how it is -----------------------------------------------------------------------------------


def trouble() -> str:
    """What is wrong with homes that come from elsewhere or go there, in words."""
    if CONF.exists():
        why = _why_refused(OWN)
        return f"Homes are not served: {why}." if why else ""
    return mount_trouble()


def is_mounted_by_us() -> bool:
    """Whether a unit of ours mounts the homes. One of the site's own is none of our business."""
    return MOUNT.exists() and f"Description={MOUNTING}" in MOUNT.read_text()


def mount_trouble() -> str:
    """What is wrong with homes that are mounted here, in words."""
    if not is_mounted_by_us():
        return ""
    lines = MOUNT.read_text().splitlines()
    unit = dict(line.split("=", 1) for line in lines if "=" in line)
    what, kind = unit["What"], unit["Type"]
    if not is_mounted(what, kind, Path("/proc/self/mounts").read_text()):
        return f"Homes are not mounted from {what}."
    seen = run("stat", "-f", HOMES, within=ANSWERING)
    if seen.code == LATE:
        return f"Homes from {what} do not answer."
    return "" if seen.ok else f"Homes from {what} cannot be read: {seen.words.rpartition(': ')[2]}."


def is_mounted(what: str, kind: str, table: str) -> bool:
    """Whether homes are what they should be. Of a folder from elsewhere the table tells no more
    than that there is one. Pure."""
    found = [line.split() for line in table.splitlines()]
    here = [words[0].rstrip("/") for words in found if words[1] == HOMES]
    return bool(here) if kind == "none" else what.rstrip("/") in here


def is_stale(given: Json) -> Json:
    """Whether homes have to be mounted anew. A server that is late may come back."""
    return {"stale": run("stat", "-f", HOMES, within=ANSWERING).code not in (0, LATE)}


VERBS = {
    "quiet": quiet,
    "check": check,
    "share": share,
    "await": await_served,
    "stale": is_stale,
}
