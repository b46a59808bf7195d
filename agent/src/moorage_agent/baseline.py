"""The picture of a host from before anything was done on it.

Taken at the installation, and again whenever somebody new gets the host: whoever runs it may have
updated it in between, and what they did is no residue. What an earlier holder left is not
in it: the host was given back without any, or is not given to anybody.
"""

import json
from pathlib import Path
from typing import Any, Optional

from moorage_agent import durable, snapshot
from moorage_agent.snapshot import Picture

_NAME = "baseline.json"
_HOLDER = "baseline.holder"
_FORM = 1


def take(state: Path, *, root: Path = Path("/"), again: bool = False) -> Path:
    """Take the baseline and keep it in `state`, unless there is one; where it is."""
    place = state / _NAME
    if again or not place.exists():
        kept = {"form": _FORM, "picture": snapshot.take(root)}
        durable.write(place, json.dumps(kept, sort_keys=True).encode())
    return place


def take_for(state: Path, holder: str, *, root: Path = Path("/")) -> bool:
    """Take it again if this holder is another than it was last taken for; whether it was."""
    place = state / _HOLDER
    if place.exists() and place.read_text() == holder:
        return False
    take(state, root=root, again=True)
    durable.write(place, holder.encode())
    return True


def find(state: Path) -> Optional[Picture]:
    """The baseline; None where none was ever taken."""
    try:
        kept: dict[str, Any] = json.loads((state / _NAME).read_text())
    except FileNotFoundError:
        return None
    return kept["picture"]
