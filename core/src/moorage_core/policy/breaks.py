"""What a change of a layer takes away from those below it. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from moorage_core.catalog.models import Version
from moorage_core.entitlements.models import Entitlement
from moorage_core.policy import limits, overlays
from moorage_core.policy.facts import Facts
from moorage_core.policy.limits import Layer, Limits
from moorage_core.policy.models import Break, Kind, Level, OverlayRow, Verdict, Wanted

OF_ANY_APP = ("artifact_sources", "channels")
"""Choices that decide about versions, whatever the app."""
ABOUT_VERSIONS = frozenset({*OF_ANY_APP, limits.VERSIONS})


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


def lost(facts: Facts, held: Entitlement, before: Layer, after: Layer) -> Break | None:
    """The version that an entitlement came to and no longer would. `facts` have all layers."""
    had = _comes_to(_with(facts, before))
    if had is None:
        return None
    changed = _with(facts, after)
    has = _comes_to(changed)
    if has is not None and has.id == had.id:
        return None
    no = _refusals(changed, had)[0]
    return Break(
        "entitlement",
        held.org_id,
        no.sentence,
        project_id=held.project_id,
        entitlement_id=held.id,
        app=held.app_slug,
        version=had.number,
        instead=None if has is None else has.number,
        dimension=no.dimension,
        value=no.value,
    )


def of(found: Break, held: Entitlement) -> Break:
    """What was found for an entitlement on the same terms, said of this one."""
    place = {"project_id": held.project_id, "entitlement_id": held.id}
    return replace(found, org_id=held.org_id, **place)


def numbers(counts: Mapping[tuple[str, Kind], int]) -> list[Break]:
    """How much of each org, and nothing of what: for those who run the platform."""
    nouns = {"entitlement": "entitlement(s) lose a version", "overlay": "layer(s) name too much"}
    return [
        Break(kind, org, f"{count} {nouns[kind]}.") for (org, kind), count in sorted(counts.items())
    ]


def _takes(before: Limits, after: Limits, dimension: str) -> bool:
    was, now = before.choice(dimension), after.choice(dimension)
    if now.deny - was.deny:
        return True
    return now.allow is not None and (was.allow is None or bool(was.allow - now.allow))


def _with(facts: Facts, changed: Layer) -> Facts:
    layers = [changed if each.level == changed.level else each for each in facts.layers]
    return replace(facts, layers=layers)


def _comes_to(facts: Facts) -> Version | None:
    """The version that an entitlement comes to, as far as layers decide about it."""
    found = facts.order(facts.versions)
    if facts.entitlement is not None and facts.entitlement.channel is not None:
        found = islice(found, 1)
    return next((each for each in found if not _refusals(facts, each)), None)


def _refusals(facts: Facts, version: Version) -> list[Verdict]:
    wanted = Wanted(project="", app=version.app_id, operation="instance.deploy")
    said = overlays.judge(facts, wanted, version)
    return [no for no in said if no.allowed is False and no.dimension in ABOUT_VERSIONS]


def levels_below(level: Level) -> list[Level]:
    below: dict[Level, list[Level]] = {
        "global": ["org", "project", "entitlement"],
        "org": ["project", "entitlement"],
        "project": ["entitlement"],
        "entitlement": [],
    }
    return below[level]
