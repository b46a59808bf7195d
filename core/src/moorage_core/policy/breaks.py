"""What a change of a layer takes away from those below it. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import get_args

from moorage_core.entitlements.models import Entitlement
from moorage_core.kit.counting import counted
from moorage_core.policy import facts as given
from moorage_core.policy import limits, overlays, rules
from moorage_core.policy.facts import Facts
from moorage_core.policy.limits import Layer, Limits
from moorage_core.policy.models import (
    Break,
    Growing,
    Kind,
    Level,
    OperationKind,
    OverlayRow,
    Place,
    Wanted,
)

OF_ANY_APP = ("artifact_sources", "channels")
"""Choices that decide about versions, whatever the app."""
OF_ANY_VERSION = ("operations", "regions", "skus")
"""Choices that decide about all apps and versions alike."""
GROWING: tuple[OperationKind, ...] = get_args(Growing)
KINDS: tuple[tuple[OperationKind, ...], ...] = (
    tuple(kind for kind in GROWING if kind in given.CHOOSES_A_VERSION),
    tuple(kind for kind in GROWING if kind not in given.CHOOSES_A_VERSION),
)
"""Of the kinds in each of these, one is judged like the other but for its name and its amounts."""


def takes_nothing(before: Limits, after: Limits) -> bool:
    return not narrows_lists(before, after) and narrows_versions(before, after) == []


def narrows_versions(before: Limits, after: Limits) -> list[str] | None:
    """The slugs of the apps of which some version may no longer be used; None: of any app."""
    if any(_takes(before, after, dimension) for dimension in OF_ANY_APP):
        return None
    changed = {app for app, texts in after.versions.items() if texts != before.versions.get(app)}
    return sorted(changed)


def narrows_lists(before: Limits, after: Limits) -> bool:
    """Whether a layer below may now name what is not allowed."""
    if any(_takes(before, after, dimension) for dimension in limits.CHOICES):
        return True
    return any(limit < before.quotas.get(name, limit + 1) for name, limit in after.quotas.items())


def outgrown(row: OverlayRow, before: Layer, after: Layer) -> Iterator[Break]:
    """What a layer below names that was allowed until now."""
    said = limits.read(row.document)
    known = {(each.dimension, each.value) for each in limits.widenings(said, [before])}
    for each in limits.widenings(said, [after]):
        if (each.dimension, each.value) not in known:
            yield Break(
                "overlay",
                row.org_id,
                f"The {row.level}'s layer names {each.value}: {each.sentence}",
                project_id=row.project_id,
                entitlement_id=row.entitlement_id,
                dimension=each.dimension,
                value=each.value,
            )


def closed(place: Place, name: str, was: Limits, now: Limits) -> Iterator[Break]:
    """What a layer takes from all below it alike, whatever they are entitled to.

    `was` and `now` are the layer with those above it: what these do not allow was never there.
    """
    where = {"project_id": place.project, "entitlement_id": place.entitlement}
    for dimension, value, sentence in chain(_values(name, was, now), _amounts(name, was, now)):
        yield Break("layer", place.org, sentence, **where, dimension=dimension, value=value)


def _values(name: str, was: Limits, now: Limits) -> Iterator[tuple[str, str, str]]:
    for dimension in OF_ANY_VERSION:
        before, after = was.choice(dimension), now.choice(dimension)
        known = GROWING if dimension == "operations" else before.allow
        if known is None and after.allow is not None:
            only = ", ".join(sorted(after.allow)) or "none"
            yield dimension, only, f"{name} allows only these {dimension} from now on: {only}."
            continue
        for value in sorted(after.deny - before.deny if known is None else known):
            if before.allows(value) and not after.allows(value):
                sentence = f"{name} no longer allows {value} among its {dimension}."
                yield dimension, value, sentence


def _amounts(name: str, was: Limits, now: Limits) -> Iterator[tuple[str, str, str]]:
    for quota, limit in sorted(now.quotas.items()):
        before = was.quotas.get(quota)
        if before is None or limit < before:
            until = "there was no limit" if before is None else f"it was {before}"
            sentence = f"{name} allows {limit} {limits.words(quota)} from now on; {until}."
            yield f"quotas.{quota}", str(limit), sentence


def lost(facts: Facts, held: Entitlement, before: Layer, after: Layer) -> Break | None:
    """The version that an entitlement came to and no longer would. `facts` have all layers.

    Decided by the rules that are enforced. Kinds and amounts stay as they were before: what a
    layer takes of those, it takes from all alike, and `closed` names it.
    """
    choices = {**after.limits.choices, "operations": before.limits.choice("operations")}
    steady = Limits(choices, after.limits.versions, before.limits.quotas)
    was, now = _with(facts, before), _with(facts, replace(after, limits=steady))
    for kinds in KINDS:
        wanted = (Wanted(held.project_id, held.app_id, kind) for kind in kinds)
        first = next((each for each in wanted if overlays.lets(was, each)), None)
        found = None if first is None else _lost(was, now, held, first)
        if found is not None:
            return found
    return None


def _lost(was: Facts, now: Facts, held: Entitlement, wanted: Wanted) -> Break | None:
    had = rules.judge(was, wanted)
    if not had.allowed or had.version is None:
        return None
    has = rules.judge(now, wanted)
    if has.allowed and has.version == had.version:
        return None
    refusals = rules.judge(now, replace(wanted, version=had.version.id)).refusals
    if not refusals:
        return None  # A better one has come within reach, and this one still is.
    no = refusals[0]
    return Break(
        "entitlement",
        held.org_id,
        no.sentence,
        project_id=held.project_id,
        entitlement_id=held.id,
        app=held.app_slug,
        version=had.version.number,
        instead=has.version.number if has.allowed and has.version else None,
        dimension=no.dimension,
        value=no.value,
    )


def of(found: Break, held: Entitlement) -> Break:
    """What was found for an entitlement on the same terms, said of this one."""
    place = {"project_id": held.project_id, "entitlement_id": held.id}
    return replace(found, org_id=held.org_id, **place)


def numbers(counts: Mapping[tuple[str, Kind], int]) -> list[Break]:
    """How much of each org, and nothing of what: for those who run the platform."""
    nouns = {
        "entitlement": ("entitlement loses a version", "entitlements lose a version"),
        "overlay": ("layer names too much", "layers name too much"),
    }
    return [
        Break(kind, org, f"{counted(count, *nouns[kind])}.")
        for (org, kind), count in sorted(counts.items())
    ]


def _takes(before: Limits, after: Limits, dimension: str) -> bool:
    was, now = before.choice(dimension), after.choice(dimension)
    if now.deny - was.deny:
        return True
    return now.allow is not None and (was.allow is None or bool(was.allow - now.allow))


def _with(facts: Facts, changed: Layer) -> Facts:
    layers = [changed if each.level == changed.level else each for each in facts.layers]
    return replace(facts, layers=layers)


def levels_below(level: Level) -> list[Level]:
    below: dict[Level, list[Level]] = {
        "global": ["tenant", "org", "project", "entitlement"],
        "tenant": ["org", "project", "entitlement"],
        "org": ["project", "entitlement"],
        "project": ["entitlement"],
        "entitlement": [],
    }
    return below[level]
