"""Take the agent off the host: its service, its tasks, its files, its identity."""

import shutil
import subprocess
import sys

from moorage_agent import host, systemd, units
from moorage_agent.places import SERVICE, Places


def main() -> int:
    places = Places()
    obstacles = host.obstacles(places.root)
    if obstacles:
        print(" ".join(obstacles), file=sys.stderr)
        return 1
    uninstall(places)
    print(
        "The agent is gone, and the record of what tasks changed with it: what they left on this "
        "host stays until you remove it or image the host anew."
    )
    return 0


def uninstall(places: Places) -> None:
    """Stop first: an agent that runs would write its files again."""
    _systemctl("disable", "--quiet", "--now", SERVICE)
    try:
        units.clear(keep=())
    except systemd.Gone:
        pass  # no systemd, no units
    places.unit.unlink(missing_ok=True)
    for folder in (places.archive.parent, places.state, places.run):
        shutil.rmtree(folder, ignore_errors=True)
    _systemctl("daemon-reload")


def _systemctl(*words: str) -> None:
    subprocess.run(["systemctl", *words], capture_output=True, check=False)
