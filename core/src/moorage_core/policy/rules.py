"""Whether something may be done, who says no, and who could change that.

Pure: everything that a decision needs is in its `Facts`. Every layer is asked, also after one has
refused, so that an explanation names all that stands in the way. What gives something back is never
refused: nobody may be held on to what they want to be rid of.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import get_args

from moorage_core.authz.permissions import Permission
from moorage_core.catalog.models import App, UsedArtifact, Version
from moorage_core.entitlements.models import Entitlement
from moorage_core.errors import ApiError, Fault, Forbidden
from moorage_core.kit.counting import counted
from moorage_core.policy import facts as given
from moorage_core.policy import overlays
from moorage_core.policy.facts import Facts
from moorage_core.policy.models import (
    NEEDS_NO_APP,
    Decision,
    HeldBack,
    LayerName,
    Shrinking,
    Verdict,
    Wanted,
)

LAYERS: tuple[LayerName, ...] = get_args(LayerName)
ABOUT_AN_APP: tuple[LayerName, ...] = ("catalog", "entitlement", "consent", "family", "trust")
"""The layers that judge an app, and have nothing to say where there is none."""
SHRINKING = frozenset(get_args(Shrinking))
ABOUT_THE_VERSION = frozenset(
    ["artifact", "artifact_sources", "channels", "declaration", "family_keys", "status", "versions"]
)
"""Dimensions in which another version of the app may be judged otherwise."""
TRIED = 50
"""Versions that a decision tries, the best first, before it says no."""


class PolicyRefused(Forbidden):
    """Policy does not allow this."""

    code = "policy_refused"

    def __init__(self, decision: Decision, *, org: str, project: str) -> None:
        first, *_ = decision.refusals
        who = f" It can be changed by: {first.who_can_change}." if first.who_can_change else ""
        super().__init__(f"{first.sentence}{who}", org=org, project=project)
        self.errors = tuple(Fault(refusal.layer, refusal.sentence) for refusal in decision.refusals)


class AppMissing(ApiError):
    """This kind of operation is about an app."""

    status = 422
    code = "app_missing"


def check_app_is_named(wanted: Wanted) -> None:
    if wanted.app is None and wanted.operation not in NEEDS_NO_APP:
        raise AppMissing(f"{wanted.operation} is about an app: say which.")


def judge(facts: Facts, wanted: Wanted) -> Decision:
    """What every layer says to a request.

    Where the request leaves the version to an entitlement without a channel, it comes down to the
    newest version that no layer has anything against.
    """
    version = _version(facts, wanted)
    if wanted.operation in SHRINKING:
        return _never_refused(facts, wanted, version)
    decision = _decide(facts, wanted, version)
    if wanted.version is not None or wanted.channel is not None:
        return decision
    if _is_the_versions_fault(decision):
        tried = (_decide(facts, wanted, each) for each in _alternatives(facts))
        good = (each for each in tried if not _is_the_versions_fault(each))
        decision = next(good, decision)
    return replace(decision, held_back=_held_back(facts, wanted, decision.version))


def in_question(facts: Facts, wanted: Wanted) -> list[Version]:
    """The versions that the request could come down to: what they use must be known."""
    found = [_version(facts, wanted)]
    if wanted.version is None and wanted.channel is None:
        found += [facts.preferred, *_alternatives(facts)]
    return list({each.id: each for each in found if each is not None}.values())


def _alternatives(facts: Facts) -> Iterator[Version]:
    """What an entitlement without a channel can come to within the layers, the best first."""
    if facts.entitlement is None or facts.entitlement.channel is not None:
        return iter(())
    texts = given.constraints(facts)
    fitting = (
        each
        for each in facts.order(facts.versions)
        if all(given.fits(each.number, text) for text in texts)
    )
    return islice(fitting, TRIED)


def _decide(facts: Facts, wanted: Wanted, version: Version | None) -> Decision:
    asked = (_catalog, _entitlement, _consent, _family, _trust, overlays.judge)
    if wanted.app is None:
        asked = (_without_app, overlays.judge)
    verdicts = tuple(verdict for ask in asked for verdict in ask(facts, wanted, version))
    return Decision(
        verdicts,
        facts.app,
        facts.entitlement,
        version,
        given.relevant(facts, wanted, version),
    )


def _never_refused(facts: Facts, wanted: Wanted, version: Version | None) -> Decision:
    sentence = (
        f"{wanted.operation} gives something back. "
        "Policy, quotas, entitlements and trust never refuse that."
    )
    verdicts = tuple(Verdict.yes(layer, sentence) for layer in LAYERS)
    found = given.relevant(facts, wanted, version)
    return Decision(verdicts, facts.app, facts.entitlement, version, found)


def _version(facts: Facts, wanted: Wanted) -> Version | None:
    """The version that the request names, or that the entitlement comes to."""
    if wanted.version is not None:
        named = (each for each in facts.versions if wanted.version in (each.number, each.id))
        return next(named, None)
    if wanted.channel is not None:
        id = facts.channels.get(wanted.channel)
        return next((each for each in facts.versions if each.id == id), None)
    return given.resolve(facts) or facts.preferred


def _is_the_versions_fault(decision: Decision) -> bool:
    """Whether another version could fare better."""
    return any(no.dimension in ABOUT_THE_VERSION for no in decision.refusals)


def _held_back(facts: Facts, wanted: Wanted, version: Version | None) -> HeldBack | None:
    """The version that the entitlement would rather have come to, and who keeps it from that."""
    if version is None or facts.preferred is None or facts.preferred.id == version.id:
        return None
    for no in _decide(facts, wanted, facts.preferred).refusals:
        return HeldBack(facts.preferred.number, no.layer, no.sentence)
    return None


# The layers, in order


def _without_app(facts: Facts, wanted: Wanted, version: Version | None) -> Iterator[Verdict]:
    """Machines are held for whatever will run there: what speaks of an app is not asked."""
    for layer in ABOUT_AN_APP:
        yield Verdict.silent(layer, "No app is involved.")


def _catalog(facts: Facts, wanted: Wanted, version: Version | None) -> Iterator[Verdict]:
    if facts.app is None and facts.entitlement is not None:
        slug = facts.entitlement.app_slug
        sentence = f"The publisher of {slug} is gone, and so is the app: nothing new may use it."
        who = "nobody: another app has to take its place"
        yield Verdict.no("catalog", sentence, "app", slug, who)
        return
    if facts.app is None:
        yield Verdict.no(
            "catalog",
            f"There is no app {wanted.app} that you can see.",
            "app",
            str(wanted.app),
            "whoever publishes it, by showing it to your org",
        )
        return
    app, publisher = facts.app.slug, f"whoever publishes {facts.app.slug}"
    if not facts.offered:
        sentence = f"App {app} is not shown to project {facts.project}."
        yield Verdict.no("catalog", sentence, "app", app, publisher)
        return
    if version is None and wanted.version is not None:
        sentence = f"App {app} has no published version {wanted.version}."
        yield Verdict.no("catalog", sentence, "versions", wanted.version, publisher)
    elif version is None and wanted.channel is not None:
        sentence = f"No version of {app} is promoted to the channel {wanted.channel}."
        yield Verdict.no("catalog", sentence, "channels", wanted.channel, publisher)
    elif version is None:
        yield Verdict.yes("catalog", f"App {app} is in the catalog.")
    elif wanted.channel is not None and facts.channels.get(wanted.channel) != version.id:
        sentence = f"The channel {wanted.channel} of {app} does not hold {version.number}."
        yield Verdict.no("catalog", sentence, "channels", wanted.channel, publisher)
    elif version.status == "retired" and wanted.operation in given.CHOOSES_A_VERSION:
        sentence = f"Version {version.number} of {app} is retired: nothing new may use it."
        yield Verdict.no("catalog", sentence, "status", "retired", publisher)
    elif wanted.artifact is not None and not given.relevant(facts, wanted, version):
        sentence = f"Version {version.number} of {app} has no artifact {wanted.artifact}."
        yield Verdict.no("catalog", sentence, "artifact", wanted.artifact, publisher)
    else:
        yield Verdict.yes("catalog", f"Version {version.number} of {app} is {version.status}.")


def _entitlement(facts: Facts, wanted: Wanted, version: Version | None) -> Iterator[Verdict]:
    held, app = facts.entitlement, facts.app
    if app is None:
        yield Verdict.silent("entitlement", "There is no app to be entitled to.")
    elif held is None:
        sentence = f"Project {facts.project} has no entitlement to {app.slug}."
        who = given.admins(facts, Permission.CATALOG_ENTITLEMENT_CREATE)
        yield Verdict.no("entitlement", sentence, "app", app.slug, who)
    else:
        refusals = list(_beyond_entitlement(facts, held, app, wanted, version))
        sentence = f"Project {facts.project} is entitled to {app.slug}."
        yield from refusals or [Verdict.yes("entitlement", sentence)]


def _beyond_entitlement(
    facts: Facts, held: Entitlement, app: App, wanted: Wanted, version: Version | None
) -> Iterator[Verdict]:
    who = given.admins(facts, Permission.CATALOG_ENTITLEMENT_UPDATE)
    place = f"The entitlement of project {facts.project} to {app.slug}"
    fits = f"{held.versions}" + (f" in the channel {held.channel}" if held.channel else "")
    if not held.enabled:
        yield Verdict.no("entitlement", f"{place} is disabled.", "enabled", "false", who)
    if version is None:
        if wanted.version is None and wanted.channel is None:
            sentence = f"{place} is for {fits}, and no published version is that."
            yield Verdict.no("entitlement", sentence, "versions", held.versions, who)
        return
    number = version.number
    if not given.fits(number, held.versions):
        sentence = f"{place} is for versions {held.versions}, which {number} is not."
        yield Verdict.no("entitlement", sentence, "versions", number, who)
    if _is_elsewhere(facts, held, version) and wanted.operation in given.CHOOSES_A_VERSION:
        sentence = f"{place} is for the channel {held.channel}, which does not hold {number}."
        yield Verdict.no("entitlement", sentence, "channels", str(held.channel), who)


def _is_elsewhere(facts: Facts, held: Entitlement, version: Version) -> bool:
    """Not on the entitlement's channel, nor what it goes on with until somebody consents."""
    if held.channel is None or facts.channels.get(held.channel) == version.id:
        return False
    return given.resolve(facts) != version


def _unjudged(facts: Facts, wanted: Wanted) -> str | None:
    """What is said where the request names no version and no entitlement says which."""
    is_named = wanted.version is not None or wanted.channel is not None
    if facts.app is None or facts.entitlement is not None or is_named:
        return None
    return "Not judged: without an entitlement it is open which version would be used."


def _consent(facts: Facts, wanted: Wanted, version: Version | None) -> Iterator[Verdict]:
    if facts.consent is None or version is None:
        none = "There is no entitlement with which anything was accepted."
        none = "There is no version that an entitlement could accept." if version is None else none
        yield Verdict.silent("consent", _unjudged(facts, wanted) or none)
        return
    if facts.consent.covers(version):
        sentence = f"What version {version.number} asks for was accepted."
        yield Verdict.yes("consent", sentence)
        return
    more = facts.consent.beyond(version) or []
    sentence = (
        f"Version {version.number} asks for "
        f"{counted(len(more), 'thing that was', 'things that were')} not accepted: "
        + " ".join(difference.sentence for difference in more[:5])
    )
    who = given.admins(facts, Permission.CATALOG_ENTITLEMENT_CONSENT)
    yield Verdict.no("consent", sentence, "declaration", version.declaration_digest, who)


def _family(facts: Facts, wanted: Wanted, version: Version | None) -> Iterator[Verdict]:
    asked = None if version is None else given.declared(facts, version)
    if facts.app is None or asked is None:
        none = "There is no version that could belong to a family."
        yield Verdict.silent("family", _unjudged(facts, wanted) or none)
        return
    who = f"those who run the platform, with {Permission.CATALOG_FAMILY_ADMIT}"
    outside = [name for name in asked.families if name not in facts.ceilings]
    ceiling = frozenset[str]().union(*(facts.ceilings.get(name, ()) for name in asked.families))
    beyond = [key for key in asked.family_keys if key not in ceiling]
    app = facts.app.slug
    for name in outside:
        sentence = f"App {app} is not admitted to the family {name}."
        yield Verdict.no("family", sentence, "family_keys", name, who)
    if beyond and not outside:
        sentence = f"App {app} is not admitted to use {', '.join(beyond)}."
        yield Verdict.no("family", sentence, "family_keys", ", ".join(beyond), who)
    if not (outside or beyond):
        named = ", ".join(asked.families)
        fine = f"App {app} is admitted to {named}." if named else f"App {app} uses no family."
        yield Verdict.yes("family", fine)


def _trust(facts: Facts, wanted: Wanted, version: Version | None) -> Iterator[Verdict]:
    if version is None:
        none = "There is no version whose artifacts could be trusted."
        yield Verdict.silent("trust", _unjudged(facts, wanted) or none)
        return
    found = given.relevant(facts, wanted, version)
    refusals = [refusal for each in found if (refusal := _distrust(each))]
    signed = counted(len(found), "artifact is", "artifacts are")
    fine = f"{signed} signed, and none is withdrawn."
    fine = fine if found else "There are no artifacts to trust."
    yield from refusals or [Verdict.yes("trust", fine)]


def _distrust(used: UsedArtifact) -> Verdict | None:
    publisher = "whoever publishes it"
    if used.trust == "revoked":
        publisher = "nobody: that is final, but its publisher can publish another version"
    if used.trust != "verified":
        why = f": {used.trust_reason.rstrip('.')}" if used.trust_reason else ""
        sentence = f"Artifact {used.name} is {used.trust}{why}."
        return Verdict.no("trust", sentence, "artifact", used.name, publisher)
    if used.lifecycle in ("retired", "uploading"):
        sentence = f"Artifact {used.name} is {used.lifecycle}."
        return Verdict.no("trust", sentence, "artifact", used.name, publisher)
    if not used.source_enabled:
        sentence = f"Artifact {used.name} is at the source {used.source}, which is disabled."
        owner = f"whoever holds {Permission.CATALOG_SOURCE_UPDATE} where the source belongs"
        return Verdict.no("trust", sentence, "artifact", used.name, owner)
    return None
