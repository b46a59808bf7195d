"""What is left on a host that was not there when the agent came.

The baseline is a picture taken once, at the installation. Residue is what a later picture has
beyond it, what it lacks of it, and what people and tasks left: processes of people, files that
tasks put, things in the folders for temporary files.
"""

import json
from pathlib import Path
from typing import Any, Optional

from moorage_agent import durable, snapshot
from moorage_agent.snapshot import Picture

BASELINE = "baseline.json"
_FORM = 1


def baseline(state: Path, *, root: Path = Path("/"), again: bool = False) -> Path:
    """Take the baseline and keep it in `state`, unless there is one; where it is."""
    place = state / BASELINE
    if again or not place.exists():
        picture = {"form": _FORM, "picture": snapshot.take(root)}
        durable.write(place, json.dumps(picture, sort_keys=True).encode())
    return place


def find_baseline(state: Path) -> Optional[Picture]:
    """The baseline; None where none was ever taken."""
    try:
        kept: dict[str, Any] = json.loads((state / BASELINE).read_text())
    except FileNotFoundError:
        return None
    return kept["picture"]
