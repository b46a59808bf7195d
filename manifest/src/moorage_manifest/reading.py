"""From text to a manifest, or to everything that is wrong with it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import ValidationError

from moorage_manifest import document, rules, wording
from moorage_manifest.document import Document
from moorage_manifest.families import shipped
from moorage_manifest.faults import Fault, ordered
from moorage_manifest.models import Family, Manifest

BLANK: dict[str, Any] = {
    "contract": 1,
    "slug": "blank",
    "version": "0.0.0",
    "name": "blank",
    "summary": "blank",
    "modes": [{"operating_mode": "blank", "scope": "project"}],
}
"""Stands in for sections that cannot be read, so that the rules can judge the others."""


@dataclass(frozen=True)
class Reading:
    """A manifest, or what is wrong with it: there is one exactly where there is no fault."""

    manifest: Manifest | None
    faults: list[Fault] = field(default_factory=list[Fault])


def read(
    text: str | bytes,
    *,
    file: str = "manifest.yaml",
    families: Mapping[str, Family] | None = None,
) -> Reading:
    """Read and judge a manifest. Whatever the text is, this raises nothing.

    Args:
        text: YAML; bytes must be UTF-8.
        file: What the faults call it.
        families: The families that there are; if absent, those that come with the contract.
    """
    read = document.parse(text, file=file)
    if not read.readable:
        return Reading(None, read.faults)
    faults = [*read.faults, *wording.model_faults(read, Manifest)]
    judged, bad = _judgeable(read)
    if judged is not None:
        known = shipped() if families is None else families
        found = rules.manifest_faults(judged, known, bad)
        faults += [read.fault(f.place, f.message, key=f.at_key) for f in found]
    return Reading(None if faults else judged, ordered(faults))


def _judgeable(read: Document) -> tuple[Manifest | None, set[str]]:
    """The manifest, with blanks for the sections that are wrong; and which they are."""
    if not isinstance(read.data, dict):
        return None, set()
    given = cast(dict[str, Any], read.data)
    try:
        return Manifest.model_validate(given), set()
    except ValidationError as err:
        bad = {str(error["loc"][0]) for error in err.errors(include_url=False)}
    good = {name: value for name, value in given.items() if name not in bad}
    return Manifest.model_validate(BLANK | good), bad
