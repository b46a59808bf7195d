"""The scheduler's state and the database of accounting on an export, for the host that schedules.

Slurm and MariaDB know nothing of it: folders of the export are mounted where they have their data.
A host that dies takes nothing along, the next one mounts the same. Nothing is mounted when a host
starts: whoever starts the daemons mounts first.
"""

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from moorage_slurm.onhost import copies, setup, traces
from moorage_slurm.onhost.commands import Json, Refused, must, run

PLACE = Path(traces.EXPORT)
PARTS = {
    "slurmctld": (copies.STATE, "slurm"),
    "mysql": (Path(traces.DATA), "mysql"),
}
"""Folders of the export: where each belongs, and whose it is."""
MARK = PLACE / "moorage-slurm.json"
"""Whose the export is."""
HERE = Path("/etc/moorage-slurm/export")
"""On a host that has its state from an export: the scheduler does not start there without."""
WRITERS = ("slurmctld.service", "slurmdbd.service", "mariadb.service")


def bring(given: Json) -> Json:
    """Mount the export. An empty one begins with what an empty cluster has.

    When the scheduler wrote its queue the last time is told; 0 where it never has.
    """
    if traces.DATA in setup.before().get("theirs", []):
        raise Refused(
            "database_theirs",
            "The host has a MariaDB of its own, whose data an export would hide. Use a host"
            " without, or have the state of this cluster on the host.",
        )
    HERE.parent.mkdir(mode=0o755, exist_ok=True)
    HERE.write_text(f"{given['what']}\n")
    _mount(given)
    _claim(given["instance"])
    if not all(where.is_mount() for where, _ in PARTS.values()):
        # Whoever runs by now has begun anew, with what the host has itself.
        run("systemctl", "stop", *WRITERS, within=120)
    for name, (where, user) in PARTS.items():
        folder = PLACE / name
        if not folder.exists():
            _begin(folder, where)
        if not where.is_mount():
            where.mkdir(parents=True, exist_ok=True)
            # The same name has another number on each host.
            must("chown", "-R", f"{user}:{user}", str(folder), within=copies.LONGEST)
            must("mount", "--bind", str(folder), str(where))
    queue = copies.STATE / "job_state"
    return {"written": int(queue.stat().st_mtime) if queue.exists() else 0}


def _mount(given: Json) -> None:
    if PLACE.is_mount():
        return
    PLACE.mkdir(parents=True, exist_ok=True)
    how = ["--bind"] if given["type"] == "none" else ["-t", given["type"]]
    options = ["-o", given["options"]] if given["options"] else []
    done = run("mount", *how, *options, given["what"], str(PLACE), within=60)
    if not done.ok:
        why = f"{given['what']} cannot be mounted: {done.words}."
        raise Refused("export_missing", f"{why} Check the export in the configuration's `state`.")


def _claim(instance: str) -> None:
    """An export has the state of one cluster."""
    try:
        owner = json.loads(MARK.read_text())["instance"]
    except FileNotFoundError:
        owner = None if any(PLACE.iterdir()) else instance
    if owner != instance:
        unmount()
        whose = "is not empty" if owner is None else f"has the state of another cluster, {owner}"
        raise Refused("export_taken", f"The export {whose}. Name an empty folder for this one.")
    MARK.write_text(json.dumps({"instance": instance}))


def _begin(folder: Path, where: Path) -> None:
    """What the package has made of its data, where that is."""
    part = folder.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    if where.exists():
        must("cp", "-a", str(where), str(part), within=600)
    else:
        part.mkdir()
    part.rename(folder)


def leave(given: Json) -> Json:
    """Let go of the export; at the end of a cluster nothing of it stays there."""
    run("systemctl", "stop", *WRITERS, within=120)
    if given["is_last"] and PLACE.is_mount() and MARK.exists():
        _unmount(where for where, _ in PARTS.values())
        for name in PARTS:
            shutil.rmtree(PLACE / name, ignore_errors=True)
        MARK.unlink()
    unmount()
    return {}


def unmount() -> None:
    """Nobody who clears this host comes upon what is on the export."""
    _unmount([*(where for where, _ in PARTS.values()), PLACE])
    if PLACE.exists():
        PLACE.rmdir()


def _unmount(places: Iterable[Path]) -> None:
    for where in places:
        if where.is_mount():
            must("umount", str(where), within=60, code="export_busy")


VERBS = {"bring": bring, "leave": leave}
