"""Bringing together what decisions stand on: rows of this slice and of those it asks."""

import functools
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from moorage_core.catalog import commands as catalog
from moorage_core.catalog.models import UsedArtifact, Version
from moorage_core.context import Context
from moorage_core.entitlements import commands as entitlements
from moorage_core.entitlements.models import Entitlement
from moorage_core.families import commands as families
from moorage_core.kit.db import Db, Scope
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.policy import breaks, limits, rules, store
from moorage_core.policy import facts as given
from moorage_core.policy.facts import Facts
from moorage_core.policy.limits import Layer, Limits
from moorage_core.policy.models import LEVELS, Break, Breaks, Kind, Level, OverlayRow, Place, Wanted
from moorage_core.policy.store import Chain
from moorage_manifest.versions import Constraint

PAGE = 500
COMPARED = 50
"""Different declarations of an app that are looked up to see what a change takes away."""
SHOWN = 50
"""Breaks that an answer spells out; the rest is counted."""


async def facts(ctx: Context, wanted: Wanted, *, org: str, key: str) -> Facts:
    """What is so about one project and one app. The number of statements is always the same."""
    app = await catalog.find_visible(ctx, wanted.app, key=key)
    held = await entitlements.find_for(ctx.db, project=wanted.project, app=wanted.app)
    place = Place("entitlement", org, wanted.project, held.id if held else None)
    chain = await store.get_chain(ctx.db, place)
    if app is None:
        closed = held is not None and await catalog.is_closed(ctx.db, wanted.app)
        return Facts(
            org=chain.org,
            project=chain.project or "",
            layers=layers(chain, entitled=closed),
            entitlement=held if closed else None,
        )
    known = await catalog.versions_of(ctx.db, app.id, named=wanted.version)
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
    found = replace(found, asked=await catalog.declarations_of(ctx.db, *ids))
    if held is not None:
        found = _with_preference(_with_entitlement(found, held), held)
    ids = [each.id for each in rules.in_question(found, wanted)]
    return replace(found, artifacts=_by_version(await catalog.artifacts_of(ctx.db, *ids)))


def layers(chain: Chain, *, entitled: bool = False) -> list[Layer]:
    """The layers of a chain from the top down, those that were never written too."""
    names: dict[Level, str] = {
        "global": "The platform's layer",
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


# What a change takes away


@dataclass(frozen=True)
class Change:
    """One layer, before and after."""

    place: Place
    before: Layer
    after: Layer
    orgs: list[str]
    """Those whose things are looked at."""


async def consequences(ctx: Context, place: Place, before: Limits, layer: Layer) -> Breaks:
    """What the change of a layer takes away; the first of it is spelled out.

    Looks only as far as the change can reach: what merely widens takes away nothing.
    """
    if breaks.takes_nothing(before, layer.limits):
        return Breaks()
    change = Change(place, Layer(layer.level, layer.name, before), layer, [place.org])
    if place.level == "global":
        return await _everywhere(ctx, change)
    count, shown = 0, list[Break]()
    async for each in _below(ctx.db, change):
        count += 1
        shown += [each] if count <= SHOWN else []
    return Breaks(count, tuple(shown))


async def _everywhere(ctx: Context, change: Change) -> Breaks:
    """In every org, some hundred at a time. Only numbers leave here: the rest is the tenants'."""
    counts = Counter[tuple[str, Kind]]()
    orgs = await store.list_orgs(ctx.db, after="", limit=PAGE)
    while orgs:
        within = frozenset([*orgs, PLATFORM_ORG])
        await ctx.db.set_scope(Scope(ctx.principal.id, within, within))
        async for each in _below(ctx.db, replace(change, orgs=orgs)):
            counts[each.org_id, each.kind] += 1
        full = len(orgs) == PAGE
        orgs = await store.list_orgs(ctx.db, after=orgs[-1], limit=PAGE) if full else []
    await ctx.db.set_scope(ctx.principal.scope)
    return Breaks(counts.total(), tuple(breaks.numbers(counts)[:SHOWN]))


async def _below(db: Db, change: Change) -> AsyncIterator[Break]:
    was, now = change.before.limits, change.after.limits
    levels = breaks.levels_below(change.place.level)
    if levels and breaks.narrows_lists(was, now):
        async for row in _rows(db, change, levels):
            for each in breaks.outgrown(row, change.before, change.after):
                yield each
    slugs = breaks.narrows_versions(was, now)
    if slugs == []:
        return
    place = change.place
    apps = await store.list_apps_below(
        db, orgs=change.orgs, project=place.project, entitlement=place.entitlement, slugs=slugs
    )
    for app in apps:
        async for each in _lost(db, app, change):
            yield each


async def _rows(db: Db, change: Change, levels: list[Level]) -> AsyncIterator[OverlayRow]:
    project, after, full = change.place.project, "", True
    while full:
        rows = await store.list_below(
            db, levels=levels, orgs=change.orgs, project=project, after=after, limit=PAGE
        )
        for row in rows:
            yield row
        full = len(rows) == PAGE
        after = rows[-1].id if full else ""


async def _lost(db: Db, app: str, change: Change) -> AsyncIterator[Break]:
    """One app at a time: what is known of its versions is the same for all its entitlements."""
    known = await catalog.versions_of(db, app)
    channels = await catalog.channels_of(db, app)
    usable = [each.id for each in known if each.status != "retired"]
    used = _by_version(await catalog.artifacts_of(db, *usable))
    asked = await catalog.declarations_of(db, *_one_of_each(known))
    about = Facts(
        org="", project="", versions=known, channels=channels, artifacts=used, asked=asked
    )
    judged: dict[tuple[str, ...], Break | None] = {}
    async for page in _pages(db, app, change):
        chains = await _chains(db, page)
        for held in page:
            alike = (*_terms(held), *map(str, chains[held.id]))
            if alike not in judged:
                one = _with_entitlement(replace(about, layers=_read(chains[held.id])), held)
                judged[alike] = breaks.lost(one, held, change.before, change.after)
            if found := judged[alike]:
                yield breaks.of(found, held)


def _one_of_each(known: Sequence[Version]) -> list[str]:
    """One version of each declaration, the newest of them."""
    found = {each.declaration_digest: each.id for each in reversed(known)}
    return sorted(found.values(), reverse=True)[:COMPARED]


def _terms(held: Entitlement) -> tuple[str, ...]:
    """What decides which version an entitlement comes to. Many in an org are alike."""
    accepted = (held.accepted_digest, held.accepted_version_id)
    return (str(held.channel), held.versions, *accepted)


def _read(chain: Sequence[dict[str, Any]]) -> list[Layer]:
    pairs = zip(LEVELS, chain, strict=True)
    return [Layer(level, level, limits.read(document)) for level, document in pairs]


async def _pages(db: Db, app: str, change: Change) -> AsyncIterator[list[Entitlement]]:
    """Entitlements to an app that are in use."""
    place, after, full = change.place, "", True
    while full:
        page = await entitlements.list_in(
            db, orgs=change.orgs, project=place.project, app=app, after=after, limit=PAGE
        )
        yield [e for e in page if e.enabled and place.entitlement in (None, e.id)]
        full = len(page) == PAGE
        after = page[-1].id if full else ""


async def _chains(db: Db, page: Sequence[Entitlement]) -> dict[str, list[dict[str, Any]]]:
    """The documents that each of some entitlements is under, from the top down."""
    rows = await store.list_for(
        db,
        orgs=sorted({held.org_id for held in page}),
        projects=sorted({held.project_id for held in page}),
        entitlements=[held.id for held in page],
    )
    written = {(r.level, r.entitlement_id or r.project_id or r.org_id): r.document for r in rows}
    return {
        held.id: [
            written.get(place, {})
            for place in zip(
                LEVELS, (PLATFORM_ORG, held.org_id, held.project_id, held.id), strict=True
            )
        ]
        for held in page
    }
