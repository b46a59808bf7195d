"""Looking at what a change of a layer takes away.

It happens in the transaction of the change, so there is an end to it: so many entitlements and
layers are looked at, and the answer says whether that was all. The number of statements does not
depend on how many they are, nor on how many apps they are for.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from moorage_core.catalog import commands as catalog
from moorage_core.catalog.models import Shelf
from moorage_core.context import Context
from moorage_core.entitlements import commands as entitlements
from moorage_core.entitlements.models import Entitlement
from moorage_core.families import commands as families
from moorage_core.kit.db import Db, Scope
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.policy import breaks, gathering, limits, store
from moorage_core.policy.facts import Facts
from moorage_core.policy.limits import Layer, Limits
from moorage_core.policy.models import LEVELS, OF_THE_PLATFORM, Break, Breaks, Kind, Place

SHOWN = 50
"""Breaks that an answer spells out; the rest is counted."""
ENTITLEMENTS, LAYERS = 200, 200
"""So many of each are looked at, the newest first."""
VERSIONS = 20
"""So many of each app, beside those that channels and entitlements point to."""
COMPARED = 500
"""So many different declarations are compared with what was accepted."""
ORGS, PAGES = 1000, 10


@dataclass(frozen=True)
class Change:
    """One layer, before and after."""

    place: Place
    before: Layer
    after: Layer
    orgs: list[str]
    """Those whose things are looked at."""


@dataclass(frozen=True)
class Known:
    """What is so about the apps of some entitlements, and the layers that these are under."""

    shelves: Mapping[str, Shelf]
    ceilings: Mapping[str, Mapping[str, frozenset[str]]]
    asked: Mapping[str, Mapping[str, Any]]
    chains: Mapping[str, Sequence[dict[str, Any]]]


@dataclass
class Tally:
    """What was found so far, and how much more may be looked at."""

    count: int = 0
    items: list[Break] = field(default_factory=list[Break])
    by_org: Counter[tuple[str, Kind]] = field(default_factory=Counter[tuple[str, Kind]])
    complete: bool = True
    entitlements: int = ENTITLEMENTS
    layers: int = LAYERS

    def add(self, found: Iterable[Break]) -> None:
        for each in found:
            self.count += 1
            self.by_org[each.org_id, each.kind] += 1
            self.items += [each] if len(self.items) < SHOWN else []


async def of(
    ctx: Context, place: Place, above: Sequence[Layer], before: Limits, layer: Layer
) -> Breaks:
    """What the change of a layer takes away; the first of it is spelled out.

    Looks only as far as the change can reach: what merely widens takes away nothing.
    """
    over = [each.limits for each in above]
    was, now = limits.effective([*over, before]), limits.effective([*over, layer.limits])
    alike = list(breaks.closed(place, layer.name, was, now))
    tally = Tally()
    if not breaks.takes_nothing(before, layer.limits):
        change = Change(place, Layer(layer.level, layer.name, before), layer, [place.org])
        everywhere = place.level == "global"
        await (_everywhere(ctx, change, tally) if everywhere else _below(ctx.db, change, tally))
    found = breaks.numbers(tally.by_org) if place.level in OF_THE_PLATFORM else tally.items
    items = tuple([*alike, *found][:SHOWN])
    return Breaks(len(alike) + tally.count, items, tally.complete)


async def _everywhere(ctx: Context, change: Change, tally: Tally) -> None:
    """In every org, many at a time. Only numbers leave here: the rest is the tenants'."""
    after = ""
    for _ in range(PAGES):
        orgs = await store.list_orgs(ctx.db, after=after, limit=ORGS)
        if orgs:
            within = frozenset([*orgs, PLATFORM_ORG])
            await ctx.db.set_scope(Scope(ctx.principal.id, within, within))
            await _below(ctx.db, replace(change, orgs=orgs), tally)
        if len(orgs) < ORGS:
            break
        after = orgs[-1]
    else:
        tally.complete = False
    await ctx.db.set_scope(ctx.principal.scope)


async def _below(db: Db, change: Change, tally: Tally) -> None:
    was, now = change.before.limits, change.after.limits
    if breaks.narrows_lists(was, now):
        await _outgrown(db, change, tally)
    slugs = breaks.narrows_versions(was, now)
    if slugs != []:
        await _lost(db, change, slugs, tally)


async def _outgrown(db: Db, change: Change, tally: Tally) -> None:
    levels, room = breaks.levels_below(change.place.level), tally.layers
    if not levels:
        return
    rows = await store.list_below(
        db, levels=levels, orgs=change.orgs, project=change.place.project, limit=room + 1
    )
    tally.complete &= len(rows) <= room
    tally.layers -= len(rows[:room])
    for row in rows[:room]:
        tally.add(breaks.outgrown(row, change.before, change.after))


async def _lost(db: Db, change: Change, slugs: list[str] | None, tally: Tally) -> None:
    place, room = change.place, tally.entitlements
    some = await entitlements.list_enabled(
        db,
        orgs=change.orgs,
        project=place.project,
        id=place.entitlement,
        slugs=slugs,
        limit=room + 1,
    )
    tally.complete &= len(some) <= room
    some = some[:room]
    tally.entitlements -= len(some)
    if not some:
        return
    apps = sorted({held.app_id for held in some})
    accepted = sorted({held.accepted_version_id for held in some})
    shelves = await catalog.shelves(db, apps, newest=VERSIONS, named=accepted)
    tally.complete &= all(len(shelf.versions) < VERSIONS for shelf in shelves.values())
    ids = _to_compare(some, shelves)
    tally.complete &= len(ids) <= COMPARED
    asked = await catalog.declarations_of(db, *ids[:COMPARED])
    ceilings = await families.ceilings_of_each(db, apps)
    chains = await _chains(db, some)
    known = Known(shelves, ceilings, asked, chains)
    # Pure, and much of it at times: others are served meanwhile.
    found = await asyncio.to_thread(_judge, change, some, known)
    tally.add(found)


def _to_compare(some: Sequence[Entitlement], shelves: Mapping[str, Shelf]) -> list[str]:
    """One version of each declaration that was not accepted as it is."""
    accepted = {held.accepted_digest for held in some}
    every = (each for shelf in shelves.values() for each in shelf.versions)
    found = {each.declaration_digest: each.id for each in every}
    return [id for digest, id in found.items() if digest not in accepted]


def _judge(change: Change, some: Sequence[Entitlement], known: Known) -> list[Break]:
    judged: dict[tuple[object, ...], Break | None] = {}
    found: list[Break] = []
    for held in some:
        shelf = known.shelves.get(held.app_id)
        if shelf is None:
            continue
        facts = _facts(held, shelf, known)
        alike = (*_terms(held), facts.offered, *map(str, known.chains[held.id]))
        if alike not in judged:
            facts = gathering.with_entitlement(facts, held)
            judged[alike] = breaks.lost(facts, held, change.before, change.after)
        one = judged[alike]
        found += [] if one is None else [breaks.of(one, held)]
    return found


def _facts(held: Entitlement, shelf: Shelf, known: Known) -> Facts:
    documents = zip(LEVELS, known.chains[held.id], strict=True)
    return Facts(
        org="",
        project="",
        layers=[Layer(level, level, limits.read(document)) for level, document in documents],
        app=shelf.app,
        offered=catalog.is_offered_to(shelf.app, org=held.org_id, project=held.project_id),
        versions=shelf.versions,
        channels=shelf.channels,
        artifacts=shelf.artifacts,
        asked=known.asked,
        ceilings=known.ceilings[held.app_id],
    )


def _terms(held: Entitlement) -> tuple[str, ...]:
    """What decides which version an entitlement comes to. Many in an org are alike."""
    accepted = (held.accepted_digest, held.accepted_version_id)
    return (held.app_id, str(held.channel), held.versions, *accepted)


async def _chains(db: Db, some: Sequence[Entitlement]) -> dict[str, list[dict[str, Any]]]:
    """The documents that each of some entitlements is under, from the top down."""
    rows = await store.list_for(
        db,
        orgs=sorted({held.org_id for held in some}),
        projects=sorted({held.project_id for held in some}),
        entitlements=[held.id for held in some],
    )
    written = {(r.level, r.entitlement_id or r.project_id or r.org_id): r.document for r in rows}
    return {
        held.id: [
            written.get(place, {})
            for place in zip(
                LEVELS,
                (PLATFORM_ORG, held.org_id, held.org_id, held.project_id, held.id),
                strict=True,
            )
        ]
        for held in some
    }
