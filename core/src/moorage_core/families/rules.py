"""What a family may be called and hold, and what may become of it. Pure."""

from collections.abc import Mapping, Sequence

from moorage_core.authz.permissions import Permission
from moorage_core.errors import Conflict, Fault, Malformed
from moorage_core.families.models import FamilyRow
from moorage_core.families.schemas import FamilyWrite
from moorage_manifest import models, vocabulary

AREAS = vocabulary.RESERVED_SLUGS | {str(key).partition(".")[0] for key in Permission}
"""Names that a family's keys would be taken for the platform's own by."""


class NameReserved(Malformed):
    """No family can be called so."""

    code = "family_name_reserved"


class NameOfAnApp(Conflict):
    """An app is called so."""

    code = "family_name_taken"


class KeyNotAllowed(Malformed):
    """A family cannot hold this key."""

    code = "family_key_not_allowed"


class KeysStay(Conflict):
    """A family's keys stay, and stay what they mean."""

    code = "family_keys_stay"


class KeyUnknown(Malformed):
    """The family has no such key."""

    code = "family_key_unknown"


def check_name(name: str) -> None:
    if models.namespace(name) in {models.namespace(area) for area in AREAS}:
        raise NameReserved(
            f"{name} is a word of the platform itself. Call the family by what its apps do."
        )


def check_keys(name: str, family: FamilyWrite) -> None:
    """Every key once, in the family's namespace, and standing for a key that exists."""
    prefix = f"{models.namespace(name)}."
    core = {str(key) for key in Permission}
    seen = set[str]()
    faults: list[Fault] = []
    for index, entry in enumerate(family.keys):
        place = f"body.keys.{index}"
        if not entry.key.startswith(prefix):
            faults.append(Fault(f"{place}.key", f"{entry.key} must begin with {prefix}"))
        if entry.key in seen:
            faults.append(Fault(f"{place}.key", f"{entry.key} stands here twice"))
        if entry.means is not None and entry.means not in core:
            faults.append(
                Fault(f"{place}.means", f"{entry.means} is not a permission key of the platform")
            )
        seen.add(entry.key)
    if faults:
        raise KeyNotAllowed(
            f"The family {name} cannot hold these keys: {_sentence(faults)}.", errors=faults
        )


def check_extends(have: FamilyRow, family: FamilyWrite) -> None:
    """Keys that apps and tenants rely on stay, and stay what they mean."""
    means = {entry.key: entry.means for entry in family.keys}
    faults = [
        Fault("body.keys", f"{key} is missing")
        if key not in means
        else Fault("body.keys", f"{key} would mean {means[key] or 'nothing else'}")
        for key, before in ((str(entry["key"]), entry["means"]) for entry in have.keys)
        if key not in means or means[key] != before
    ]
    if faults:
        raise KeysStay(
            f"Apps and tenants rely on the keys of the family {have.name}: {_sentence(faults)}."
            " Give every key as it is, and add what is new.",
            errors=faults,
        )


def brought_up(have: FamilyRow | None, comes: models.Family) -> FamilyWrite | None:
    """A family with the keys and the wording that a release brings; None where it has them.

    Nothing is taken away: keys that are there stay in their places, and one that means something
    else by now stays as it is.
    """
    brings = {key.key: key.model_dump() for key in comes.keys}
    keys: list[Mapping[str, str | None]] = []
    for entry in have.keys if have is not None else []:
        new = brings.pop(str(entry["key"]), entry)
        keys.append(new if new["means"] == entry["means"] else entry)
    keys += brings.values()
    if have is not None and (have.description, have.keys) == (comes.description, keys):
        return None
    return FamilyWrite.model_validate({"description": comes.description, "keys": keys})


def ceiling(family: FamilyRow, keys: Sequence[str]) -> list[str]:
    """The keys of an admission, once each; all of them the family's."""
    known = {entry["key"] for entry in family.keys}
    unknown = [
        Fault(f"body.keys.{index}", f"{key} is not a key of the family {family.name}")
        for index, key in enumerate(keys)
        if key not in known
    ]
    if unknown:
        raise KeyUnknown(f"{_sentence(unknown)}.", errors=unknown)
    return sorted(set(keys))


def name_of(cursor: str) -> str:
    """A family by its namespace, which is what cursors are made of."""
    return cursor.replace("_", "-")


def as_known(row: FamilyRow) -> models.Family:
    """The family as manifests are judged by it."""
    return models.Family.model_validate(
        {"name": row.name, "description": row.description, "keys": row.keys}
    )


def _sentence(faults: Sequence[Fault]) -> str:
    return "; ".join(fault.message for fault in faults)
