"""What the agent here is and does, for people and programs at the host."""

import subprocess
from typing import Any

from moorage_agent import __version__, identity, journal, trust, verbs
from moorage_agent.places import SERVICE, Places


def main() -> int:
    verbs.show(status(Places()))
    return 0


def status(places: Places) -> dict[str, Any]:
    """The identity without what is secret of it, the service, and the tasks on disk."""
    mine = identity.load(places.identity)
    kept = journal.read(places.journal)
    return {
        "version": __version__,
        "node": {"id": mine.node_id, "name": mine.name, "url": mine.url} if mine else None,
        "trust": trust.digest(places.ca),
        "service": _service(),
        "tasks": [
            {
                "id": entry.task.id,
                "kind": entry.task.kind,
                "correlation_id": entry.task.correlation_id,
                "state": entry.end["state"] if entry.end else "running",
            }
            for entry in kept.entries.values()
        ],
    }


def _service() -> str:
    asked = ["systemctl", "is-active", SERVICE]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    except FileNotFoundError:
        return "unknown"
