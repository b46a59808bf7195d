"""What a decision stands on: everything that it needs is an argument. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from moorage_core.authz.permissions import Permission
from moorage_core.catalog.models import App, UsedArtifact, Version
from moorage_core.entitlements import commands as entitlements
from moorage_core.entitlements.models import Entitlement
from moorage_core.policy.limits import Layer
from moorage_core.policy.models import LEVELS, Level, Usage, Wanted
from moorage_manifest import versions
from moorage_manifest.declarations import Declaration

CHOOSES_A_VERSION = frozenset({"artifact.pull", "instance.deploy", "instance.upgrade"})
"""The others work on something at the version it is at, wherever its channel points by now."""
NONE_IN_USE: Mapping[Level, Usage] = dict.fromkeys(LEVELS, Usage())


def nothing(given: Sequence[Version]) -> Iterator[Version]:
    """How versions are picked where no entitlement says it: not at all."""
    return iter(())


@dataclass(frozen=True)
class Facts:
    """What is so, as far as a decision about one project and one app needs it."""

    org: str
    project: str
    """Slugs, for sentences."""
    layers: Sequence[Layer] = ()
    app: App | None = None
    """None: there is none that the caller can see. One that the project is entitled to all the same
    was closed with its publisher's project."""
    offered: bool = True
    """Whether its publisher shows it to the project."""
    versions: Sequence[Version] = ()
    channels: Mapping[str, str] = field(default_factory=dict[str, str])
    """Channel to version id."""
    artifacts: Mapping[str, Sequence[UsedArtifact]] = field(
        default_factory=dict[str, Sequence[UsedArtifact]]
    )
    """By version id."""
    entitlement: Entitlement | None = None
    order: Callable[[Sequence[Version]], Iterator[Version]] = nothing
    """Which of some versions the entitlement comes to, the best first."""
    consent: entitlements.Consent | None = None
    """What was accepted with the entitlement."""
    asked: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """What the versions in question ask for, by its digest."""
    preferred: Version | None = None
    """The one that it would come to if everybody agreed, consent included."""
    ceilings: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Keys by the families that the app is admitted to."""
    usage: Mapping[Level, Usage] = field(default_factory=lambda: NONE_IN_USE)
    """What is in use already in the place of each layer."""

    @property
    def slug(self) -> str | None:
        """What layers call the app."""
        if self.app is not None:
            return self.app.slug
        return None if self.entitlement is None else self.entitlement.app_slug


def resolve(facts: Facts) -> Version | None:
    """The version that the entitlement comes to, whatever layers say."""
    return next(facts.order(facts.versions), None)


def constraints(facts: Facts) -> list[str]:
    """What layers say about the versions of the app."""
    slug = facts.slug or ""
    return sorted({text for each in facts.layers for text in each.limits.versions.get(slug, ())})


def declared(facts: Facts, version: Version) -> Declaration | None:
    """What a version asks for; None where it was not looked up."""
    if facts.consent is not None:
        return facts.consent.declared(version)
    found = facts.asked.get(version.declaration_digest)
    return None if found is None else Declaration.model_validate(found)


def relevant(facts: Facts, wanted: Wanted, version: Version | None) -> tuple[UsedArtifact, ...]:
    """The artifacts that the request is about."""
    used = () if version is None else facts.artifacts.get(version.id, ())
    return tuple(each for each in used if wanted.artifact in (None, each.name))


def admins(facts: Facts, key: Permission) -> str:
    """Who holds a key that only an org's admins hold, in words."""
    return f"somebody with {key} on org {facts.org}: its tenant admins"


def fits(number: str, constraint: str) -> bool:
    return _constraint(constraint).allows(versions.parse(number))


@lru_cache(maxsize=1000)
def _constraint(text: str) -> versions.Constraint:
    """Read once: a decision holds hundreds of versions against the same few texts."""
    return versions.Constraint.parse(text)
