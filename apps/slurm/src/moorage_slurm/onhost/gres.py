"""Which GPUs workers have: lines in one file, that several joins change at the same time."""

import fcntl
import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from moorage_slurm.onhost import setup
from moorage_slurm.onhost.commands import Json, must

FILE = Path("/etc/slurm/gres.conf")
COUNTS = setup.HOME / "gres.counts"
"""What the scheduler has read: a change that was broken off is made to count the next time."""


def know(given: Json) -> Json:
    """Lines of some nodes, in the place of those that they had. The scheduler reads them once."""
    with (setup.HOME / "gres.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        before = FILE.read_text()
        after = merged(before, given["nodes"])
        if after != before:
            part = FILE.with_suffix(".part")
            part.write_text(after)
            part.chmod(0o644)
            os.replace(part, FILE)
        digest = hashlib.sha256(after.encode()).hexdigest()
        if not any(given["nodes"].values()) or _counting() == digest:
            return {"reconfigured": False}
        must("scontrol", "reconfigure", code="scheduler_silent")
        COUNTS.write_text(digest)
    return {"reconfigured": True}


def _counting() -> str:
    return COUNTS.read_text() if COUNTS.exists() else ""


def merged(text: str, nodes: Mapping[str, Sequence[str]]) -> str:
    """The file with these lines for these nodes, in the order of their names."""
    lines = text.splitlines()
    others = [line for line in lines if not line.startswith("NodeName=")]
    kept = [line for line in lines if line.startswith("NodeName=") and _name(line) not in nodes]
    new = [line for each in nodes.values() for line in each]
    return "\n".join([*others, *sorted(kept + new, key=_name), ""])


def _name(line: str) -> str:
    return line.split()[0].removeprefix("NodeName=")


VERBS = {"know": know}
