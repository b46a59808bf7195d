"""Which Python the service runs with.

It runs as root at every start of the host, so nobody but root may be able to change it: not the
file, not a link to it, not a folder on the way. The host's own is taken where it serves.
"""

import os
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

HOSTS_OWN = "/usr/bin/python3"
_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_MOST_LINKS = 40


class Unsafe(Exception):
    """No Python here can be trusted with root; the message says why and what would help."""


def choose(archive: Path, candidates: Optional[Sequence[str]] = None) -> str:
    """The first Python that runs the agent and that root alone can change."""
    reasons: list[str] = []
    for python in candidates or (HOSTS_OWN, os.path.abspath(sys.executable)):
        weak = weakness(python)
        if not weak and _serves(python, archive):
            return python
        reasons.append(weak or f"{python} does not run the agent.")
    said = " ".join(dict.fromkeys(reasons))
    raise Unsafe(f"{said} Install the host's own: `apt-get install python3`.")


def weakness(python: str) -> str:
    """Why others than root could change this Python, as a sentence; empty where nobody can."""
    for place in _way_to(python):
        try:
            seen = os.lstat(place)
        except OSError:
            return f"There is no {python}."
        is_open = seen.st_mode & _OTHERS and not stat.S_ISLNK(seen.st_mode)
        if seen.st_uid != 0 or is_open:
            return f"Others than root can change {place}, which {python} depends on."
    return ""


def _way_to(python: str) -> list[str]:
    """The file, every folder above it, and the same for everything that it is a link to."""
    way: list[str] = []
    for _ in range(_MOST_LINKS):
        way += [python, *(str(folder) for folder in Path(python).parents)]
        if not os.path.islink(python):
            break
        python = os.path.normpath(os.path.join(os.path.dirname(python), os.readlink(python)))
    real = Path(python).resolve()  # folders may be links as well
    return [*way, str(real), *(str(folder) for folder in real.parents)]


def _serves(python: str, archive: Path) -> bool:
    asked = [python, "-I", str(archive), "version"]
    try:
        return subprocess.run(asked, capture_output=True, timeout=30, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
