"""Which version an entitlement comes to, and what its tenant has to accept first. Pure.

An entitlement *wants* one version: the one on its channel, or the newest that its constraint
allows. It *uses* what it wants as long as that asks for nothing beyond what was accepted. Where it
asks for more, that version waits for consent, and the entitlement goes on with one that was
accepted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from moorage_core.catalog.models import Version
from moorage_core.entitlements.models import Entitlement
from moorage_core.errors import ApiError, Conflict, Fault
from moorage_manifest import declarations, versions
from moorage_manifest.declarations import Declaration, Difference
from moorage_manifest.versions import Constraint

SHOWN_AT_MOST = 50
"""Differences that a refusal spells out; a declaration may ask for hundreds."""


class ConsentNeeded(Conflict):
    """A tenant admin has to accept what this version of the app asks for."""

    code = "consent_needed"


class NoVersion(Conflict):
    """The app has no version that this would come to."""

    code = "no_version"


class AlreadyEntitled(Conflict):
    """The project is entitled to this app already."""

    code = "already_entitled"


class AppNotShared(Conflict):
    """The app's publisher does not show it to this project."""

    code = "app_not_shared"


class ConstraintInvalid(ApiError):
    """This is no constraint on version numbers."""

    status = 422
    code = "constraint_invalid"


class Wish(Protocol):
    """What an entitlement wants, whether it is there yet or not."""

    @property
    def channel(self) -> str | None: ...
    @property
    def versions(self) -> str: ...


@dataclass(frozen=True)
class Wanted:
    """A wish that is no entitlement yet."""

    channel: str | None
    versions: str


def constraint(text: str, *, location: str) -> Constraint:
    try:
        return Constraint.parse(text)
    except versions.BadConstraint as err:
        forms = "must be like ^1.2, ~1.2.3, >=1.4 <2, 1.2.x, 1.2.3 or *"
        raise ConstraintInvalid(
            f"The constraint on versions {forms}.", errors=[Fault(location, forms)]
        ) from err


def wanted(
    wish: Wish,
    known: Sequence[Version],
    channels: Mapping[str, str],
    *,
    limits: Sequence[Constraint] = (),
) -> Version | None:
    """The channel's version, or the newest published one, as far as all constraints allow it."""
    return next(_candidates(wish, known, channels, limits), None)


def resolve(
    entitlement: Entitlement,
    known: Sequence[Version],
    channels: Mapping[str, str],
    *,
    limits: Sequence[Constraint] = (),
) -> Version | None:
    """The version that the entitlement uses now: always one within what was accepted.

    While a wider version waits, that is the newest that does not ask for more; with a channel, the
    accepted version itself. A deprecated one serves where no published one is left. `limits` are
    further constraints, such as those of policy.
    """
    within = Consent(entitlement)
    for version in _candidates(entitlement, known, channels, limits):
        if within.covers(version):
            return version
    for version in _left(entitlement, known, limits):
        if within.covers(version):
            return version
    return None


def waiting(
    entitlement: Entitlement,
    known: Sequence[Version],
    channels: Mapping[str, str],
    *,
    limits: Sequence[Constraint] = (),
) -> Version | None:
    """The version that the entitlement wants and may not use before somebody consents."""
    version = wanted(entitlement, known, channels, limits=limits)
    return None if version is None or Consent(entitlement).covers(version) else version


def newly_accepted(
    entitlement: Entitlement,
    wish: Wish,
    known: Sequence[Version],
    channels: Mapping[str, str],
    *,
    consent: str | None,
) -> Version | None:
    """The version whose declaration is accepted along with a change of the wish.

    None where nothing needs to be accepted: the wish stays, or leads to no wider version.
    """
    stays = (wish.channel, wish.versions) == (entitlement.channel, entitlement.versions)
    if stays and consent is None:
        return None
    version = wanted(wish, known, channels)
    if version is None:
        raise no_version(wish, entitlement.app_slug)
    asks = beyond(entitlement, version)
    if not asks and consent is None:
        return None
    check_consent(version, consent, asks)
    return version


def accept(
    entitlement: Entitlement, known: Sequence[Version], channels: Mapping[str, str], *, given: str
) -> Version:
    """The version whose declaration has this digest, among those the entitlement can come to."""
    can = list(_candidates(entitlement, known, channels, ()))
    if not can:
        raise no_version(entitlement, entitlement.app_slug)
    for version in can:
        if version.declaration_digest == given:
            return version
    check_consent(can[0], given, beyond(entitlement, can[0]))
    return can[0]


class Consent:
    """What was accepted, asked about many versions: most of them declare the same."""

    def __init__(self, entitlement: Entitlement) -> None:
        self.accepted = accepted(entitlement)
        self._answers = {entitlement.accepted_digest: True}

    def covers(self, version: Version) -> bool:
        digest = version.declaration_digest
        if digest not in self._answers:
            asked = declared(version)
            self._answers[digest] = not declarations.wider(asked, self.accepted)
        return self._answers[digest]


def declared(version: Version) -> Declaration:
    """What a version asks for."""
    return Declaration.model_validate(version.declaration)


def accepted(entitlement: Entitlement) -> Declaration:
    """What the tenant accepted."""
    return Declaration.model_validate(entitlement.accepted)


def beyond(entitlement: Entitlement, version: Version) -> list[Difference]:
    """What a version asks for beyond what was accepted."""
    return declarations.wider(declared(version), accepted(entitlement))


def everything(asked: Declaration) -> list[Difference]:
    """All that a declaration asks for, one by one."""
    return declarations.wider(asked, Declaration())


def check_consent(version: Version, given: str | None, asks: Sequence[Difference]) -> None:
    """Refuse unless the caller names the declaration that is about to be accepted."""
    if given == version.declaration_digest:
        return
    seen = "No consent was given" if given is None else "The consent given is for something else"
    what = " ".join(each.sentence for each in asks[:5]) or "It asks for nothing."
    more = f" And {len(asks) - 5} more." if len(asks) > 5 else ""
    listed = [Fault(f"declaration.{each.what}", each.sentence) for each in asks[:SHOWN_AT_MOST]]
    raise ConsentNeeded(
        f"{seen}. Version {version.number} asks for this: {what}{more} To accept it, send its"
        f" digest as `consent`: {version.declaration_digest}.",
        errors=[Fault("body.consent", version.declaration_digest), *listed],
    )


def no_version(wish: Wish, slug: str) -> NoVersion:
    """Say what there is none of, and what would help."""
    where = "published" if wish.channel is None else f"on its channel {wish.channel}"
    return NoVersion(
        f"The app {slug} has no version {where} that the constraint {wish.versions} allows. Its"
        " list of versions shows what there is."
    )


def _candidates(
    wish: Wish, known: Sequence[Version], channels: Mapping[str, str], limits: Sequence[Constraint]
) -> Iterator[Version]:
    """The versions that a wish can come to, the best first."""
    if wish.channel is None:
        yield from _allowed(wish, [v for v in known if v.status == "published"], limits)
        return
    here = [v for v in known if v.id == channels.get(wish.channel) and v.status != "retired"]
    yield from _allowed(wish, here, limits)


def _left(
    entitlement: Entitlement, known: Sequence[Version], limits: Sequence[Constraint]
) -> Iterator[Version]:
    """What an entitlement can go on with while it may not use what it wants."""
    usable = [v for v in known if v.status in {"published", "deprecated"}]
    if entitlement.channel is not None:
        usable = [v for v in usable if v.id == entitlement.accepted_version_id]
    yield from _allowed(entitlement, usable, limits)


def _allowed(
    wish: Wish, some: Sequence[Version], limits: Sequence[Constraint]
) -> Iterator[Version]:
    constraints = [Constraint.parse(wish.versions), *limits]
    numbered = [(versions.parse(version.number), version) for version in some]
    fitting = [pair for pair in numbered if all(c.allows(pair[0]) for c in constraints)]
    for _, version in sorted(fitting, key=lambda pair: pair[0], reverse=True):
        yield version
