"""How a cluster is, asked on the controller's host; and how a worker is, asked on its own.

A probe may change nothing, so it is kept from every local socket, and without munge's nobody talks
to Slurm. So systemd waits at a port of the host itself and gathers for whoever asks there. The port
is one that only root can open: nobody else answers in its place.
"""

import json
import re
import shutil
import socket
import time
from pathlib import Path

from moorage_slurm.onhost import accounting, drift, homes, look, nodes, queue, scheduler, usage
from moorage_slurm.onhost.commands import Completed, Json, Refused, is_up, ping, run

DAEMONS = ("munge", "mariadb", "slurmdbd", "slurmctld")
LOOKOUT = ("127.0.0.1", 817)
SLURMD = 6818
EDITION = 3
"""Of what is answered here. It is raised with every change that a controller has to know of: one
that reads another puts its own program on the host, by a repair."""
CONNECTING, GATHERING, WITHIN, RECENT = 2, 20, 5, 120
"""Seconds."""
MOST = 20
"""Complaints: each comes with several others of the same cause."""


def cluster(given: Json) -> Json:
    """What the host says of its cluster. Runs as a probe."""
    try:
        with socket.create_connection(LOOKOUT, timeout=CONNECTING) as asked:
            asked.settimeout(GATHERING)
            said = b"".join(iter(lambda: asked.recv(65536), b""))
    except OSError as err:
        raise Refused("lookout_silent", f"Nobody answers at port {LOOKOUT[1]}: {err}.") from err
    return json.loads(said)


def gather(given: Json) -> Json:
    """Everything that a look at a cluster needs, in one answer. Runs outside the probe."""
    heard = ping(within=WITHIN)
    up = is_up(heard)
    said: Json = {
        "edition": EDITION,
        "now": time.time(),
        "daemons": daemons(DAEMONS),
        "up": up,
        "free_mb": shutil.disk_usage("/var").free >> 20,
        **look.names(),
        "homes": homes.trouble(),
        "files": drift.files("controller"),
    }
    if not up:
        return said | {"ping": why_down(heard)}
    settings = accounting.read_settings()
    books = accounting.read(settings, within=WITHIN)
    said |= {"complaints": complaints("slurmctld")}
    said |= {
        "version": scheduler.find_version(),
        "accounting": books.ok,
        "books": last_words(books),
    }
    try:
        said |= {"nodes": nodes.list_all(), "partitions": partitions(), **queue.snapshot()}
        if books.ok:
            said |= {"people": sorted(accounting.people(books))}
            said |= {"absent": accounting.absent(settings), "usage": usage.count(time.time())}
    except Refused as err:
        said |= {"up": False, "ping": err.message}
    return said


def last_words(done: Completed) -> str:
    """What a command of Slurm ended with: what stands before it says where in the program."""
    lines = done.stderr.strip().splitlines()
    return lines[-1].rpartition(": ")[2] if lines else done.words


def why_down(ping: Completed) -> str:
    """What `scontrol ping` says of a scheduler that does not answer, without its ornaments."""
    lines = [line for line in ping.lines if "*" not in line]
    errors = [line.partition("error: ")[2] for line in ping.stderr.splitlines() if "error" in line]
    return ", ".join([*lines[:1], *errors[:1]]) or ping.words


def daemons(names: tuple[str, ...]) -> dict[str, str]:
    """What systemd says of each, of those that it knows."""
    units = [f"{name}.service" for name in names]
    shown = run("systemctl", "show", "-p", "Id,LoadState,ActiveState,NRestarts", *units, within=10)
    found: dict[str, str] = {}
    for block in shown.stdout.strip().split("\n\n"):
        said = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        if said.get("LoadState") == "loaded":
            found[said["Id"].removesuffix(".service")] = said["ActiveState"]
    return found


def partitions() -> list[Json]:
    done = run("sinfo", "-h", "-a", "-o", "%R|%a|%D|%C", within=10)
    found: dict[str, Json] = {}
    for line in done.lines:
        name, state, count, cpus = line.split("|")
        one = found.setdefault(name, {"partition": name, "state": state, "nodes": 0, "cpus": 0})
        one["nodes"] += int(count)
        one["cpus"] += int(cpus.split("/")[3])
    return list(found.values())


def worker(given: Json) -> Json:
    """How the daemon of a worker is. Runs as a probe, to which systemd says nothing."""
    return {
        "edition": EDITION,
        "now": time.time(),
        "munge": runs("munged"),
        "slurmd": listens(SLURMD),
        "free_mb": shutil.disk_usage("/var").free >> 20,
        **look.names(),
        "homes": homes.mount_trouble(),
        "complaints": complaints("slurmd"),
        "files": drift.files("worker"),
    }


def runs(name: str) -> bool:
    """Whether there is a process of this name."""
    for file in Path("/proc").glob("[0-9]*/comm"):
        try:
            if file.read_text().strip() == name:
                return True
        except OSError:  # it ended meanwhile
            continue
    return False


def listens(port: int) -> bool:
    """Whether somebody on this host takes connections at a port."""
    waiting = "0A"
    for file in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = Path(file).read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            words = line.split()
            if words[3] == waiting and int(words[1].rpartition(":")[2], 16) == port:
                return True
    return False


def complaints(daemon: str) -> list[str]:
    """The last errors of a daemon. Until it has its configuration, the journal has them."""
    recent = ("--since=-2min", "--lines=40", "--output=cat", "--no-pager")
    lines = run("journalctl", f"--unit={daemon}", *recent, within=WITHIN).lines
    file = Path(f"/var/log/slurm/{daemon}.log")
    try:
        if time.time() - file.stat().st_mtime < RECENT:
            lines += file.read_text(errors="replace").splitlines()[-40:]
    except OSError:
        pass
    found = [re.search(r"(?:error|fatal): (.*)", line) for line in lines]
    return [*dict.fromkeys(each[1][:300].rstrip(".") for each in found if each)][-MOST:]


VERBS = {"cluster": cluster, "gather": gather, "worker": worker}
