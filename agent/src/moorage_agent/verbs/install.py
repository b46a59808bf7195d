"""Enrol this host with what the pasted line carries, and start the agent."""

import os
import sys
from pathlib import Path

from moorage_agent import identity, install, interpreters, platform, trust
from moorage_agent.places import Places

REASONS = (
    install.NotInstalled,
    identity.KeyUnusable,
    interpreters.Unsafe,
    platform.Insecure,
    trust.WrongAuthority,
    OSError,
)


def main() -> int:
    try:
        line = install.read_line(os.environ, sys.stdin)
        archive = _own_archive()
        python = interpreters.choose(archive)
        enrolled = install.install(line, Places(), archive.read_bytes(), python=python)
    except REASONS as err:
        print(f"The agent is not installed. {err}", file=sys.stderr)
        return 1
    print(f"This host is node {enrolled.name} ({enrolled.node_id}). The agent runs.")
    return 0


def _own_archive() -> Path:
    """The file that runs now: its digest was checked before it was started."""
    path = Path(sys.argv[0])
    if not path.is_file():
        raise install.NotInstalled("`install` works from agent.pyz alone.")
    return path
