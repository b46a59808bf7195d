"""What a layer says, and what several layers add up to.

Pure. A layer can only take away, so layers add up by taking away everything that any of them takes:
lists that allow are cut with each other, lists that deny are joined, of two quotas the smaller
counts, and a version must fit every constraint. Nothing here depends on an order.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from moorage_core.errors import ApiError, Fault
from moorage_core.kit.counting import counted
from moorage_core.policy.models import Level
from moorage_core.sources.models import STORE
from moorage_manifest import versions

CHOICES = ("operations", "channels", "artifact_sources", "regions", "skus")
"""Dimensions with lists of values to allow and to deny."""
QUOTAS = ("instances", "members", "allocations", "gpus", "concurrent_operations")
VERSIONS = "versions"
LONGEST, MOST = 60, 20
"""How much of what was sent a refusal repeats."""
DIMENSIONS = (*CHOICES, VERSIONS, *(f"quotas.{name}" for name in QUOTAS))


class DimensionNotEnforced(ApiError):
    """Nothing enforces this limit."""

    status = 422
    code = "dimension_not_enforced"


class ConstraintInvalid(ApiError):
    """This is no constraint on version numbers."""

    status = 422
    code = "constraint_invalid"


class OverlayWidens(ApiError):
    """A layer only narrows what the layers above it leave."""

    status = 422
    code = "overlay_widens"


@dataclass(frozen=True)
class Choice:
    """Which values of one dimension are allowed."""

    allow: frozenset[str] | None = None
    """None: all that are not denied."""
    deny: frozenset[str] = frozenset()

    def allows(self, value: str) -> bool:
        return value not in self.deny and (self.allow is None or value in self.allow)


FREE = Choice()


@dataclass(frozen=True)
class Limits:
    """A layer, or several added up. What is not named is not limited."""

    choices: Mapping[str, Choice] = field(default_factory=dict[str, Choice])
    versions: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Constraints by the slug of the app; a version must fit them all."""
    quotas: Mapping[str, int] = field(default_factory=dict[str, int])

    def choice(self, dimension: str) -> Choice:
        return self.choices.get(dimension, FREE)


@dataclass(frozen=True)
class Layer:
    """The limits of one level, and what it is called in a sentence."""

    level: Level
    name: str
    limits: Limits = Limits()


@dataclass(frozen=True)
class Widening:
    """Something that a document names and a layer above does not allow."""

    layer: Layer
    dimension: str
    value: str
    sentence: str


def read(document: Mapping[str, Any]) -> Limits:
    """The limits that a document states. What it has of no effect is left out."""
    choices = {
        name: Choice(
            None if given.get("allow") is None else frozenset(given["allow"]),
            frozenset(given.get("deny") or ()),
        )
        for name in CHOICES
        if (given := document.get(name))
    }
    constraints: dict[str, str] = document.get(VERSIONS) or {}
    quotas: dict[str, int | None] = document.get("quotas") or {}
    return Limits(
        {name: choice for name, choice in choices.items() if choice != FREE},
        {app: frozenset({text}) for app, text in constraints.items()},
        {name: limit for name, limit in quotas.items() if limit is not None},
    )


def write(limits: Limits) -> dict[str, Any]:
    """The one way to write a layer down: sorted, nothing twice, nothing that limits nothing."""
    document: dict[str, Any] = {
        name: {
            "allow": None if choice.allow is None else sorted(choice.allow),
            "deny": sorted(choice.deny),
        }
        for name, choice in sorted(limits.choices.items())
    }
    if limits.versions:
        texts = sorted(limits.versions.items())
        document[VERSIONS] = {app: " ".join(sorted(constraints)) for app, constraints in texts}
    if limits.quotas:
        document["quotas"] = dict(sorted(limits.quotas.items()))
    return document


def effective(layers: Iterable[Limits]) -> Limits:
    """What all layers together leave."""
    every = list(layers)
    choices = {
        name: _cut([layer.choice(name) for layer in every])
        for name in CHOICES
        if any(name in layer.choices for layer in every)
    }
    apps = {app for layer in every for app in layer.versions}
    quotas = {name for layer in every for name in layer.quotas}
    return Limits(
        choices,
        {
            app: frozenset[str]().union(*(layer.versions.get(app, frozenset()) for layer in every))
            for app in apps
        },
        {
            name: min(layer.quotas[name] for layer in every if name in layer.quotas)
            for name in quotas
        },
    )


def with_origins(layers: Sequence[Layer]) -> dict[str, Any]:
    """What layers leave, each limit with the layer that it comes from; the uppermost first."""
    together = effective(layer.limits for layer in layers)
    choices = {
        name: {
            "allow": None if choice.allow is None else sorted(choice.allow),
            "allowed_by": [a.level for a in layers if a.limits.choice(name).allow is not None],
            "deny": [
                {"value": value, "layer": layer.level}
                for layer in layers
                for value in sorted(layer.limits.choice(name).deny)
            ],
        }
        for name, choice in together.choices.items()
    }
    constraints = {
        app: [
            {"constraint": text, "layer": layer.level}
            for layer in layers
            for text in sorted(layer.limits.versions.get(app, ()))
        ]
        for app in sorted(together.versions)
    }
    quotas = {
        name: {"limit": limit, "layer": _first(layers, name, limit)}
        for name, limit in sorted(together.quotas.items())
    }
    nothing = dict.fromkeys(CHOICES)
    return {**nothing, **choices, VERSIONS: constraints, "quotas": quotas}


def widenings(limits: Limits, above: Sequence[Layer]) -> Iterator[Widening]:
    """What a document names that a layer above does not allow.

    Only courtesy: evaluation narrows anyway. Constraints on versions are never wider, since a
    version must fit them all.
    """
    for dimension, choice in sorted(limits.choices.items()):
        for value in sorted(choice.allow or ()):
            for layer in above:
                if not layer.limits.choice(dimension).allows(value):
                    sentence = f"{layer.name} does not allow {value} among its {dimension}."
                    yield Widening(layer, dimension, value, sentence)
    for name, limit in sorted(limits.quotas.items()):
        for layer in above:
            most = layer.limits.quotas.get(name)
            if most is not None and limit > most:
                sentence = f"{layer.name} allows {most} {words(name)}, which is less than {limit}."
                yield Widening(layer, f"quotas.{name}", str(limit), sentence)


def check_dimensions(unknown: Sequence[str]) -> None:
    """Refuse what nothing would enforce: a limit that is not kept is worse than none."""
    if not unknown:
        return
    names = [name[:LONGEST] for name in unknown[:MOST]]
    raise DimensionNotEnforced(
        f"Nothing enforces {', '.join(names)}, so it is not stored. "
        f"What can be limited: {', '.join(DIMENSIONS)}.",
        errors=[Fault(f"body.document.{name}", "nothing enforces this") for name in names],
    )


def check_app(limits: Limits, app: str | None) -> None:
    """Refuse, in the layer of an entitlement, limits of apps that it is not for."""
    others = [] if app is None else sorted(slug for slug in limits.versions if slug != app)
    if others:
        raise DimensionNotEnforced(
            f"The layer of an entitlement to {app} is for {app} alone. Nothing would enforce what "
            f"it says of {', '.join(others[:MOST])}: say that in the project's layer.",
            errors=[
                Fault(f"body.document.versions.{slug}", f"the entitlement is to {app}")
                for slug in others[:MOST]
            ],
        )


def named_sources(limits: Limits) -> list[str]:
    """Every source that is allowed or denied by name, the built-in one aside."""
    choice = limits.choice("artifact_sources")
    return sorted((choice.deny | (choice.allow or frozenset())) - {STORE})


def notes(limits: Limits, *, apps: Set[str], sources: Set[str]) -> list[str]:
    """What is said of names that nothing has today. It may come, so the limit is kept."""
    return [
        *(
            f"No app that is offered here is called {slug} today."
            for slug in sorted(limits.versions.keys() - apps)
        ),
        *(
            f"No source of artifacts is called {name} today."
            for name in named_sources(limits)
            if name not in sources
        ),
    ]


def constraints_checked(limits: Limits) -> Limits:
    """The limits with every constraint on versions as it was understood."""
    read: dict[str, frozenset[str]] = {}
    faults: list[Fault] = []
    for app, texts in limits.versions.items():
        try:
            read[app] = frozenset(versions.Constraint.parse(text).text for text in texts)
        except versions.BadConstraint as err:
            faults.append(Fault(f"body.document.versions.{app}", str(err)))
    if faults:
        apps = counted(len(faults), "app has", "apps have")
        raise ConstraintInvalid(f"{apps} a constraint that is none; see errors.", errors=faults)
    return Limits(limits.choices, read, limits.quotas)


def check_narrows(limits: Limits, above: Sequence[Layer]) -> None:
    found = list(widenings(limits, above))
    if found:
        raise OverlayWidens(
            f"{found[0].sentence} A layer only narrows: leave out what those above do not allow.",
            errors=[
                Fault(_location(widening.dimension), widening.sentence) for widening in found[:50]
            ],
        )


def words(name: str) -> str:
    """A quota as people say it."""
    return {"gpus": "GPUs"}.get(name, name.replace("_", " "))


def _cut(choices: Sequence[Choice]) -> Choice:
    deny = frozenset[str]().union(*(choice.deny for choice in choices))
    lists = [choice.allow for choice in choices if choice.allow is not None]
    return Choice(lists[0].intersection(*lists) - deny if lists else None, deny)


def _first(layers: Sequence[Layer], quota: str, limit: int) -> Level:
    return next(layer.level for layer in layers if layer.limits.quotas.get(quota) == limit)


def _location(dimension: str) -> str:
    return f"body.document.{dimension}" + (".allow" if dimension in CHOICES else "")
