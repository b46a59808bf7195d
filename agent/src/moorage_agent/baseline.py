"""The picture of a host from before anything was done on it, taken once and kept."""

import json
from pathlib import Path
from typing import Any, Optional

from moorage_agent import durable, snapshot
from moorage_agent.snapshot import Picture

_NAME = "baseline.json"
_FORM = 1


def take(state: Path, *, root: Path = Path("/"), again: bool = False) -> Path:
    """Take the baseline and keep it in `state`, unless there is one; where it is."""
    place = state / _NAME
    if again or not place.exists():
        kept = {"form": _FORM, "picture": snapshot.take(root)}
        durable.write(place, json.dumps(kept, sort_keys=True).encode())
    return place


def find(state: Path) -> Optional[Picture]:
    """The baseline; None where none was ever taken."""
    try:
        kept: dict[str, Any] = json.loads((state / _NAME).read_text())
    except FileNotFoundError:
        return None
    return kept["picture"]
