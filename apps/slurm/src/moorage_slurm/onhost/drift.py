"""The files of ours on a host, as they are now. What could be a secret is not shown."""

import hashlib
import re
from pathlib import Path

from moorage_slurm.onhost import homes
from moorage_slurm.onhost.commands import Json

CONFIG = Path("/etc/slurm")
CONFIGS = ("slurm.conf", "gres.conf", "cgroup.conf", "plugstack.conf", "slurmdbd.conf")
UNITS = Path("/etc/systemd/system")
UNITS_OF = {
    "controller": ("slurmctld.service", "slurmdbd.service", homes.UNIT),
    "worker": ("slurmd.service",),
}
LARGEST = 16 * 1024
"""Characters of a file that go over the wire; of a longer one it is its digest."""
HIDDEN = "(hidden)"
_SECRET = re.compile(r"(\w*(?:pass|secret|token|passwd|password)\w*\s*=\s*)\S+", re.IGNORECASE)


def files(role: str) -> dict[str, str]:
    """What stands in each file of a role that there is, by path."""
    paths = [*(CONFIG / name for name in CONFIGS), homes.CONF] if role == "controller" else []
    for unit in UNITS_OF[role]:
        paths += [UNITS / unit, *sorted((UNITS / f"{unit}.d").glob("*.conf"))]
    return {str(path): said for path in paths if (said := _said(path)) is not None}


def _said(path: Path) -> str | None:
    try:
        text = path.read_text(errors="replace")
    except OSError:
        return None
    if len(text) > LARGEST:
        return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    return _SECRET.sub(rf"\g<1>{HIDDEN}", text)


def read(given: Json) -> Json:
    return {"files": files(given["role"])}


VERBS = {"read": read}
