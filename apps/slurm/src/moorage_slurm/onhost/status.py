"""How a cluster is, asked on the controller's host; and how a worker is, asked on its own."""

import shutil
import time
from pathlib import Path

from moorage_slurm.onhost import look, nodes, queue
from moorage_slurm.onhost.commands import Json, Refused, run

DAEMONS = ("munge", "mariadb", "slurmdbd", "slurmctld")
MOST_ROWS = 5000


def version(given: Json) -> Json:
    """The version of the scheduler that runs here, as it says itself."""
    return {"version": _version() or ""}


def _version() -> str | None:
    done = run("scontrol", "show", "config", within=10)
    for line in done.lines:
        name, _, value = line.partition("=")
        if name.strip() == "SLURM_VERSION":
            return value.strip()
    return None


def cluster(given: Json) -> Json:
    """Everything that a look at a cluster needs, in one answer."""
    ping = run("scontrol", "ping", within=10)
    up = "is UP" in ping.stdout
    said: Json = {
        "now": time.time(),
        "daemons": daemons(DAEMONS),
        "up": up,
        "free_mb": shutil.disk_usage("/var").free >> 20,
        "resolves_in": look.resolution(),
        "files": digests(),
    }
    if not up:
        return said | {"ping": ping.words}
    accounting = run("sacctmgr", "-n", "-P", "show", "cluster", "format=cluster", within=10)
    said |= {"version": _version(), "accounting": accounting.ok, "books": accounting.words}
    try:
        jobs = queue.jobs()
        said |= {"nodes": nodes.list_all(), "jobs": jobs[:MOST_ROWS], "queued": len(jobs)}
        said |= {"partitions": partitions()}
    except Refused as err:
        said |= {"up": False, "ping": err.message}
    return said


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


def digests() -> dict[str, str]:
    """Of the files that we write, by path."""
    import hashlib

    found: dict[str, str] = {}
    for path in ("slurm.conf", "gres.conf", "cgroup.conf", "slurmdbd.conf"):
        file = Path("/etc/slurm") / path
        if file.exists():
            found[str(file)] = hashlib.sha256(file.read_bytes()).hexdigest()
    return found


def worker(given: Json) -> Json:
    """How the daemon of a worker is."""
    return {
        "now": time.time(),
        "daemons": daemons(("munge", "slurmd")),
        "free_mb": shutil.disk_usage("/var").free >> 20,
        "resolves_in": look.resolution(),
    }


VERBS = {"version": version, "cluster": cluster, "worker": worker}
