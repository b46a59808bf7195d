"""Bringing together what decisions stand on: rows of this slice and of those it asks."""

import functools
from collections.abc import Sequence
from dataclasses import replace

from moorage_core.catalog import commands as catalog
from moorage_core.catalog.models import UsedArtifact, Version
from moorage_core.context import Context
from moorage_core.entitlements import commands as entitlements
from moorage_core.entitlements.models import Entitlement
from moorage_core.families import commands as families
from moorage_core.policy import facts as given
from moorage_core.policy import limits, overlays, rules, store
from moorage_core.policy.facts import NONE_IN_USE, Facts
from moorage_core.policy.limits import Layer
from moorage_core.policy.models import LEVELS, Level, Place, Wanted
from moorage_core.policy.store import Chain
from moorage_manifest.versions import Constraint


async def completed(ctx: Context, wanted: Wanted) -> Wanted:
    """The request with what follows from it: machines of a SKU bring their GPUs."""
    if wanted.gpus is not None or wanted.operation != "allocate" or wanted.sku is None:
        return wanted
    each = await store.find_gpus(ctx.db, sku=wanted.sku)
    count = 1 if wanted.allocations is None else wanted.allocations
    return replace(wanted, gpus=(each or 0) * count)


async def facts(ctx: Context, wanted: Wanted, *, org: str, key: str, hold: bool = False) -> Facts:
    """What is so about one project and one app, and what is in use there.

    With `hold`, what is in use stays as it is until the transaction ends, as far as it is limited:
    of two who ask for the last unit, one gets it.
    """
    if wanted.app is None:
        found = await _without_app(ctx, wanted, org=org)
    else:
        found = await _about_app(ctx, wanted, wanted.app, org=org, key=key)
    limited = _limited(found.layers, wanted)
    if not limited:
        return found
    place = Place("project", org, wanted.project)
    if hold:
        await store.hold_usage(ctx.db, place, levels=limited)
    used = await store.get_usage(ctx.db, place, levels=limited)
    return replace(found, usage={**NONE_IN_USE, **used})


def _limited(found: Sequence[Layer], wanted: Wanted) -> list[Level]:
    """The levels that have a quota of something that the request would use, the uppermost first."""
    asked = {name for name, amount in overlays.amounts(wanted).items() if amount}
    levels: tuple[Level, ...] = ("global", "tenant", "org", "project")
    return [e.level for e in found if e.level in levels and asked & e.limits.quotas.keys()]


async def _without_app(ctx: Context, wanted: Wanted, *, org: str) -> Facts:
    chain = await store.get_chain(ctx.db, Place("project", org, wanted.project))
    return Facts(org=chain.org, project=chain.project or "", layers=layers(chain))


async def _about_app(ctx: Context, wanted: Wanted, app_id: str, *, org: str, key: str) -> Facts:
    """The number of statements is always the same."""
    app = await catalog.find_visible(ctx, app_id, key=key)
    held = await entitlements.find_for(ctx.db, project=wanted.project, app=app_id)
    place = Place("entitlement", org, wanted.project, held.id if held else None)
    chain = await store.get_chain(ctx.db, place)
    if app is None:
        closed = held is not None and await catalog.is_closed(ctx.db, app_id)
        return Facts(
            org=chain.org,
            project=chain.project or "",
            layers=layers(chain, entitled=closed),
            entitlement=held if closed else None,
        )
    accepted = held and held.accepted_version_id
    known = await catalog.versions_of(ctx.db, app.id, wanted.version, accepted)
    channels = await catalog.channels_of(ctx.db, app.id)
    found = Facts(
        org=chain.org,
        project=chain.project or "",
        layers=layers(chain, entitled=held is not None),
        app=app,
        offered=catalog.is_offered_to(app, org=org, project=wanted.project),
        versions=known,
        channels=channels,
        ceilings=await families.ceilings(ctx.db, app=app.id),
    )
    ids = [each.id for each in _to_compare(found, wanted, held)]
    found = replace(found, asked=await catalog.declared(ctx, *ids))
    if held is not None:
        found = with_entitlement(found, held)
    ids = [each.id for each in rules.in_question(found, wanted)]
    return replace(found, artifacts=_by_version(await catalog.artifacts_of(ctx.db, *ids)))


def layers(chain: Chain, *, entitled: bool = False) -> list[Layer]:
    """The layers of a chain from the top down, those that were never written too."""
    names: dict[Level, str] = {
        "global": "The platform's layer",
        "tenant": f"The platform's layer for org {chain.org}",
        "org": f"Org {chain.org}'s layer",
        "project": f"Project {chain.project}'s layer",
        "entitlement": "The entitlement's layer",
    }
    return [
        Layer(level, names[level], limits.read(chain.documents.get(level, {})))
        for level in LEVELS
        if level != "entitlement" or entitled
    ]


def _to_compare(known: Facts, wanted: Wanted, held: Entitlement | None) -> list[Version]:
    """The versions of which it must be known what they ask for.

    The one that the request names, the one that the entitlement would rather come to, and those
    that it can come to within the layers.
    """
    found = rules.in_question(known, wanted)
    if held is not None:
        about = (held, known.versions, known.channels)
        limits = [Constraint.parse(text) for text in given.constraints(known)]
        found += entitlements.to_compare(*about)[:1]
        found += entitlements.to_compare(*about, limits=limits)
    return found


def with_entitlement(known: Facts, held: Entitlement) -> Facts:
    """What is known of an app, seen from one entitlement to it."""
    return _with_preference(_with_entitlement(known, held), held)


def _with_entitlement(known: Facts, held: Entitlement) -> Facts:
    consent = entitlements.Consent(held, known.asked)
    order = functools.partial(entitlements.in_order, held, channels=known.channels, consent=consent)
    return replace(known, entitlement=held, consent=consent, order=order)


def _with_preference(known: Facts, held: Entitlement) -> Facts:
    assert known.consent is not None, "an entitlement comes with consent"
    waiting = entitlements.waiting(held, known.versions, known.channels, known.consent)
    return replace(known, preferred=waiting or given.resolve(known))


def _by_version(used: Sequence[UsedArtifact]) -> dict[str, Sequence[UsedArtifact]]:
    found: dict[str, list[UsedArtifact]] = {}
    for each in used:
        found.setdefault(each.version_id, []).append(each)
    return {**found}
