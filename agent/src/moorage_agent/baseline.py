"""The picture of a host from before anything was done on it.

Taken at the installation. Whenever somebody new gets the host only its packages, and the folders in
which programs keep things, are looked at anew: whoever runs it updates it in between, and a wipe
must never remove what was there before. All else stays as it was, because what an earlier holder
left to show itself later must not count as the host's own. Whoever runs the host and has added
users, units or keys says so, with `agent.pyz baseline`.
"""

import json
from pathlib import Path
from typing import Any, Optional

from moorage_agent import durable, folders, snapshot
from moorage_agent.snapshot import Picture

_NAME = "baseline.json"
_HOLDER = "baseline.holder"
_FORM = 1


def take(state: Path, *, root: Path = Path("/"), again: bool = False) -> Path:
    """Take the baseline and keep it in `state`, unless there is one; where it is."""
    place = state / _NAME
    if again or not place.exists():
        _keep(state, snapshot.take(root))
    return place


def renew_for(state: Path, holder: str, *, root: Path = Path("/")) -> bool:
    """Look at packages and folders again if this holder is another than before; whether it is.

    A host without a baseline gets none by this: the residue says that it has none.
    """
    place = state / _HOLDER
    if place.exists() and place.read_text() == holder:
        return False
    before = find(state)
    if before is not None:
        now = dict.fromkeys(folders.things(root), "")
        _keep(state, {**before, "packages": snapshot.packages(root), "folders": now})
    durable.write(place, holder.encode())
    return True


def _keep(state: Path, picture: Picture) -> None:
    kept = {"form": _FORM, "picture": picture}
    durable.write(state / _NAME, json.dumps(kept, sort_keys=True).encode())


def find(state: Path) -> Optional[Picture]:
    """The baseline; None where none was ever taken."""
    try:
        kept: dict[str, Any] = json.loads((state / _NAME).read_text())
    except FileNotFoundError:
        return None
    return kept["picture"]
