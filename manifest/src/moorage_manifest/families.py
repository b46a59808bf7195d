"""Families: named sets of permission keys that several apps share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from types import MappingProxyType

from moorage_manifest import document, rules, wording
from moorage_manifest.faults import Fault, ordered
from moorage_manifest.models import Family


@dataclass(frozen=True)
class FamilyReading:
    """A family, or what is wrong with it: there is one exactly where there is no fault."""

    family: Family | None
    faults: list[Fault] = field(default_factory=list[Fault])


def read_family(text: str | bytes, *, file: str = "family.yaml") -> FamilyReading:
    """Read and judge a family. Whatever the text is, this raises nothing."""
    read = document.parse(text, file=file)
    if not read.readable:
        return FamilyReading(None, ordered(read.faults))
    faults = [*read.faults, *wording.model_faults(read, Family)]
    if faults:
        return FamilyReading(None, ordered(faults))
    family = Family.model_validate(read.data)
    found = [read.fault(f.place, f.message, key=f.at_key) for f in rules.family_faults(family)]
    return FamilyReading(None if found else family, ordered(found))


@cache
def shipped() -> Mapping[str, Family]:
    """The families of `contract/families`, by name: what is known where no platform is asked."""
    found: dict[str, Family] = {}
    for file in (resources.files("moorage_manifest") / "shipped").iterdir():
        if file.name.endswith(".yaml"):
            family = read_family(file.read_bytes(), file=file.name).family
            assert family is not None, file.name
            found[family.name] = family
    return MappingProxyType(dict(sorted(found.items())))
