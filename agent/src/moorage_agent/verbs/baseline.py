"""Remember the host as it is, after whoever runs it has added users, units, keys or the like."""

import os
import sys

from moorage_agent import baseline, changes, people, residue
from moorage_agent.places import Places


class Held(Exception):
    """Somebody's things are on the host, and would count as its own."""


def main() -> int:
    if os.geteuid() != 0:
        print("The baseline is taken as root: use sudo.", file=sys.stderr)
        return 1
    try:
        print(take(Places()))
    except (Held, OSError) as err:
        print(f"The baseline is not taken. {err}", file=sys.stderr)
        return 1
    return 0


def take(places: Places) -> str:
    """Take the baseline anew; what became part of it, as a sentence."""
    if people.load(places.state).people or changes.of_tenants(places.state):
        raise Held("People or tasks of a holder have left things here: release the host first.")
    before = baseline.find(places.state)
    baseline.take(places.state, root=places.root, again=True)
    after = baseline.find(places.state)
    if before is None or after is None:
        return "This host had no baseline. It has one now: all that is here."
    found = residue.compare(before, after)
    said = [f"{what}: {', '.join(names)}" for what, names in found.items() if names]
    if not said:
        return "The baseline is as it was."
    return f"Now part of the baseline: {'; '.join(said)}."
