"""What can still be judged of a manifest in which something is wrong.

An author wants every fault at once. So entries that the models refuse are taken out, one by one,
and the rules judge the rest; a section that cannot be mended in this way is left blank, and rules
about it are left out. A manifest made here is for judging only and is never handed out.
"""

from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import ValidationError

from moorage_manifest.faults import Place
from moorage_manifest.models import Manifest

BLANK: dict[str, Any] = {
    "contract": 1,
    "slug": "blank",
    "version": "0.0.0",
    "name": "blank",
    "summary": "blank",
    "modes": [{"operating_mode": "blank", "scope": "project"}],
}
"""Stands in for required sections that cannot be read."""

ENTRIES = frozenset(
    {
        "actions",
        "artifacts",
        "components",
        "config",
        "families",
        "family_grants",
        "meters",
        "permissions",
        "probes",
        "touches",
        "views",
    }
)
"""Sections of which an entry can be taken out, and the rest means what it meant before."""


@dataclass(frozen=True)
class Partial:
    """A manifest without what was wrong with it."""

    manifest: Manifest
    blank: frozenset[str] = frozenset()
    """Sections of which nothing is left."""
    changed: frozenset[str] = frozenset()
    """Sections of which something is missing: what is not found in them may be what is missing."""
    kept: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """For each list that lost entries, the numbers that the others had in the file."""

    def original(self, place: Place) -> Place:
        """Where in the file a place of this manifest is."""
        section, *rest = place or ("",)
        if section in self.kept and rest and isinstance(rest[0], int):
            return section, self.kept[str(section)][rest[0]], *rest[1:]
        return place


def of(data: Any) -> Partial | None:
    """As much of a document as can be judged; nothing where it has no fields at all."""
    if not isinstance(data, dict):
        return None
    given = cast(dict[str, Any], data)
    refused = _refused(given)
    entries = {place[:2] for place in refused if len(place) > 1 and place[0] in ENTRIES}
    blank = {str(place[0]) for place in refused if place[:2] not in entries}
    rest = {name: _without(name, value, entries) for name, value in given.items()}
    # What was taken out may have been what the section cannot do without.
    blank |= {str(place[0]) for place in _refused(rest)}
    good = {name: value for name, value in rest.items() if name not in blank}
    return Partial(
        Manifest.model_validate(BLANK | good),
        frozenset(blank),
        frozenset(str(place[0]) for place in refused) | blank,
        {
            name: [n for n in range(len(cast(list[Any], value))) if (name, n) not in entries]
            for name, value in given.items()
            if isinstance(value, list)
        },
    )


def _refused(given: dict[str, Any]) -> list[Place]:
    try:
        Manifest.model_validate(given)
    except ValidationError as err:
        return [error["loc"] for error in err.errors(include_url=False)]
    return []


def _without(section: str, value: Any, entries: set[Place]) -> Any:
    if isinstance(value, list):
        parts = enumerate(cast(list[Any], value))
        return [part for number, part in parts if (section, number) not in entries]
    if isinstance(value, dict):
        named = cast(dict[str, Any], value)
        return {name: part for name, part in named.items() if (section, name) not in entries}
    return value
