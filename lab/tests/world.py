"""Everything on this machine that belongs to a lab, found by other means than the lab's own."""

import subprocess
from pathlib import Path

from moorage_lab.layout import Places


def of(name: str, *, subnet: int) -> dict[str, set[str]]:
    """What there is of a lab: mounts, links, processes, control groups and files."""
    return {
        "mounts": _mounts(name, subnet),
        "links": _links(subnet),
        "processes": _processes(name),
        "groups": {str(path) for path in Path("/sys/fs/cgroup").glob(f"**/moorage-lab/{name}")},
        "files": _files(name, subnet),
    }


def nothing() -> dict[str, set[str]]:
    return {kind: set() for kind in ("mounts", "links", "processes", "groups", "files")}


def _mounts(name: str, subnet: int) -> set[str]:
    lines = Path("/proc/self/mounts").read_text().splitlines()
    ours = (f"/moorage-lab/{name}/", f"/nspawn/unix-export/mlab{subnet}-")
    return {line for line in lines if any(part in line for part in ours)}


def _links(subnet: int) -> set[str]:
    shown = subprocess.run(["ip", "-br", "link"], capture_output=True, text=True, check=True)
    names = {line.split()[0].split("@")[0] for line in shown.stdout.splitlines()}
    card, own = f"vb-mlab{subnet}-", f"mlab{subnet}-"
    return {link for link in names if link == f"mlab{subnet}" or link.startswith((card, own))}


def _processes(name: str) -> set[str]:
    found: set[str] = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            groups = (folder / "cgroup").read_text()
            command = (folder / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
        # A process that has ended and is not reaped yet has no command any more.
        if command and (f"/moorage-lab/{name}/" in groups or f"/moorage-lab/{name}/" in command):
            found.add(command)
    return found


def _files(name: str, subnet: int) -> set[str]:
    run = Places().run
    own = [run / name, run / f"{name}.lock"]
    left_by_nspawn = Path("/run/systemd/nspawn").glob(f"*/mlab{subnet}-*")
    return {str(path) for path in [*own, *left_by_nspawn] if path.exists()}
