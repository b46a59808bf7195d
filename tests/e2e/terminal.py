"""The command line as a person runs it."""

import os
import subprocess
import sys
from pathlib import Path

from tests.e2e.callers import Caller
from tests.e2e.site import Site

MOOR = [sys.executable, "-c", "from moorage_cli.main import main; main()"]


def moor(
    site: Site, who: Caller, home: Path, *words: str, typed: str = ""
) -> subprocess.CompletedProcess[str]:
    """How `moor` ends for somebody who types this meanwhile."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MOOR")}
    own = {"MOOR_URL": site.url, "MOOR_TOKEN": who.token, "MOOR_CA": str(site.ca)}
    return subprocess.run(
        [*MOOR, *words],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
        input=typed,
        env=clean | own | {"XDG_CONFIG_HOME": str(home), "HOME": str(home)},
    )
