"""From text to a manifest, or to everything that is wrong with it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from moorage_manifest import document, partial, rules, wording
from moorage_manifest.families import shipped
from moorage_manifest.faults import Fault, ordered
from moorage_manifest.models import Family, Manifest


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
        families: The families that there are; if absent, those that come with the contract. No app
            is called like one of those, whichever there are.
    """
    read = document.parse(text, file=file)
    if not read.readable:
        return Reading(None, ordered(read.faults))
    faults = [*read.faults, *wording.model_faults(read, Manifest)]
    judged = partial.of(read.data)
    if judged is not None:
        known = shipped() if families is None else families
        for found in rules.manifest_faults(judged, known, reserved=shipped()):
            place = judged.original(found.place)
            faults.append(read.fault(place, found.message, key=found.at_key))
    whole = None if faults or judged is None else judged.manifest
    return Reading(whole, ordered(faults))
