"""Which version an entitlement comes to, and what its tenant has to accept first. Pure.

An entitlement *wants* one version: the one on its channel, or the newest that its constraint
allows. It *uses* what it wants as long as that asks for nothing beyond what was accepted. Where it
asks for more, that version waits for consent, and the entitlement goes on with one that was
accepted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

from moorage_core.catalog.models import Version
from moorage_core.entitlements.models import Entitlement
from moorage_core.errors import ApiError, Conflict, Fault
from moorage_manifest import declarations, versions
from moorage_manifest.declarations import Declaration, Difference
from moorage_manifest.versions import Constraint

SHOWN_AT_MOST = 50
"""Differences that a refusal spells out; a declaration may ask for hundreds."""
COMPARED = 20
"""Different declarations that are held against what was accepted, the best versions' first."""

Asked = Mapping[str, Mapping[str, Any]]
"""Declarations by their digests, as far as they were looked up."""


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
    consent: "Consent",
    *,
    limits: Sequence[Constraint] = (),
) -> Version | None:
    """The version that the entitlement uses now: always one within what was accepted.

    While a wider version waits, that is the newest that does not ask for more; with a channel, the
    accepted version itself. A deprecated one serves where no published one is left. `limits` are
    further constraints, such as those of policy.
    """
    return next(in_order(entitlement, known, channels, consent, limits=limits), None)


def in_order(
    entitlement: Entitlement,
    known: Sequence[Version],
    channels: Mapping[str, str],
    consent: "Consent",
    *,
    limits: Sequence[Constraint] = (),
) -> Iterator[Version]:
    """Every version within what was accepted that the entitlement can come to, the best first."""
    for version in _all_in_order(entitlement, known, channels, limits):
        if consent.covers(version):
            yield version


def to_compare(
    entitlement: Entitlement,
    known: Sequence[Version],
    channels: Mapping[str, str],
    *,
    limits: Sequence[Constraint] = (),
) -> list[Version]:
    """The versions whose declarations must be looked up to say what the entitlement comes to.

    One of each declaration, the best first, and not too many of them. What was accepted is known.
    What is not looked up counts as wider: then the entitlement stays with what was accepted.
    """
    found: dict[str, Version] = {}
    for version in _all_in_order(entitlement, known, channels, limits):
        if version.declaration_digest != entitlement.accepted_digest:
            found.setdefault(version.declaration_digest, version)
    return list(found.values())[:COMPARED]


def waiting(
    entitlement: Entitlement,
    known: Sequence[Version],
    channels: Mapping[str, str],
    consent: "Consent",
    *,
    limits: Sequence[Constraint] = (),
) -> Version | None:
    """The version that the entitlement wants and may not use before somebody consents."""
    version = wanted(entitlement, known, channels, limits=limits)
    return None if version is None or consent.covers(version) else version


def wanted_anew(
    entitlement: Entitlement,
    wish: Wish,
    known: Sequence[Version],
    channels: Mapping[str, str],
    *,
    consent: str | None,
) -> Version | None:
    """The version that a change of the wish, or a consent along with it, is about.

    None where there is neither.
    """
    stays = (wish.channel, wish.versions) == (entitlement.channel, entitlement.versions)
    if stays and consent is None:
        return None
    version = wanted(wish, known, channels)
    if version is None:
        raise no_version(wish, entitlement.app_slug)
    return version


def is_newly_accepted(
    entitlement: Entitlement, version: Version, asked: Declaration, *, consent: str | None
) -> bool:
    """Whether what a version asks for is accepted along with a change; refused without consent."""
    asks = beyond(entitlement, asked)
    if not asks and consent is None:
        return False
    check_consent(version, consent, asks)
    return True


def to_accept(
    entitlement: Entitlement, known: Sequence[Version], channels: Mapping[str, str], *, given: str
) -> Version:
    """The version whose declaration has this digest, among those the entitlement can come to.

    Where none has it, the version that consent should have been given to.
    """
    can = list(_candidates(entitlement, known, channels, ()))
    if not can:
        raise no_version(entitlement, entitlement.app_slug)
    return next((each for each in can if each.declaration_digest == given), can[0])


class Consent:
    """What was accepted, held against what versions ask for: most of them declare the same."""

    def __init__(self, entitlement: Entitlement, asked: Asked) -> None:
        self._known = {**asked, entitlement.accepted_digest: entitlement.accepted}
        self._accepted = entitlement.accepted_digest
        self._read: dict[str, Declaration] = {}
        self._beyond: dict[str, list[Difference]] = {entitlement.accepted_digest: []}

    def covers(self, version: Version) -> bool:
        return self.beyond(version) == []

    def beyond(self, version: Version) -> list[Difference] | None:
        """What a version asks for that was not accepted; None where it was not looked up."""
        digest = version.declaration_digest
        asked = None if digest in self._beyond else self.declared(version)
        if asked is not None:
            self._beyond[digest] = declarations.wider(asked, self._declared(self._accepted))
        return self._beyond.get(digest)

    def declared(self, version: Version) -> Declaration | None:
        """What a version asks for; None where it was not looked up."""
        digest = version.declaration_digest
        return self._declared(digest) if digest in self._known else None

    def _declared(self, digest: str) -> Declaration:
        if digest not in self._read:
            self._read[digest] = Declaration.model_validate(self._known[digest])
        return self._read[digest]


def accepted(entitlement: Entitlement) -> Declaration:
    """What the tenant accepted."""
    return Declaration.model_validate(entitlement.accepted)


def beyond(entitlement: Entitlement, asked: Declaration) -> list[Difference]:
    """What a declaration asks for beyond what was accepted."""
    return declarations.wider(asked, accepted(entitlement))


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


def _all_in_order(
    entitlement: Entitlement,
    known: Sequence[Version],
    channels: Mapping[str, str],
    limits: Sequence[Constraint],
) -> Iterator[Version]:
    seen: set[str] = set()
    wish, left = (
        _candidates(entitlement, known, channels, limits),
        _left(entitlement, known, limits),
    )
    for version in chain(wish, left):
        if version.id not in seen:
            seen.add(version.id)
            yield version


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
