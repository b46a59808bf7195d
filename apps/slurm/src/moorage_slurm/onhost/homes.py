"""Homes over the network, on the host that has them and on those that get them.

The server runs on where it cannot serve what it should, and it changes whom it serves some time
after it was told; so nobody relies on its unit: whoever wants to know asks it for the homes.
"""

import json
from pathlib import Path

from moorage_slurm.onhost import nfs, setup
from moorage_slurm.onhost.commands import Json, Refused, journal, run, until

HOMES = "/home"
CONF = Path("/etc/moorage-slurm/homes.conf")
UNIT = "moorage-slurm-homes.service"
MOUNT = Path("/etc/systemd/system/home.mount")
MOUNTING = "Homes of the cluster"
OWN = "127.0.0.1"
WITHIN = 10.0
"""Seconds until a server serves whom it was told to."""
LATE = 124
STARTS = {
    "rpcbind": ("rpcbind.socket", "rpcbind.service"),
    "nfs-common": ("nfs-client.target", "nfs-blkmap.service"),
    "nfs-ganesha": ("nfs-ganesha.service", "nfs-ganesha-lock.service"),
}
"""What packages have start with the host."""


def quiet(given: Json) -> Json:
    """Have nothing start with the host of what was brought here for homes."""
    before = {each.partition(":")[0] for each in json.loads(setup.BEFORE.read_text())["packages"]}
    units = [unit for name, own in STARTS.items() if name not in before for unit in own]
    run("systemctl", "disable", "--quiet", *units)
    return {}


def needs(present: set[str]) -> set[str]:
    """What homes need of the packages that are there. A later Slurm may need it no more."""
    own = sorted(present & STARTS.keys())
    if not own:
        return set()
    said = run("apt-cache", "depends", "--recurse", "--installed", "--important", *own)
    return {line for line in said.lines if line[0].isalnum()}


def await_served(given: Json) -> Json:
    """Until a server gives this host the homes."""
    address = given["address"]
    why = until(lambda: _why_refused(address), lambda why: not why, within=WITHIN)
    if why:
        log = journal(UNIT) if address == OWN else []
        raise Refused("daemon_silent", f"{address} does not serve homes to us: {why}.", log=log)
    return {}


def _why_refused(address: str) -> str:
    return nfs.why_refused(address, HOMES.strip("/"))


def trouble() -> str:
    """What is wrong with homes that come from elsewhere or go there, in words."""
    if not CONF.exists():
        return mount_trouble()
    why = _why_refused(OWN)
    return f"Homes are not served: {why}." if why else ""


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
    seen = run("stat", "-f", HOMES, within=nfs.ANSWERING)
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
    return {"stale": run("stat", "-f", HOMES, within=nfs.ANSWERING).code not in (0, LATE)}


VERBS = {"quiet": quiet, "await": await_served, "stale": is_stale}
