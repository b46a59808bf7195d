"""What a node says at its polls: that it is there, what it is made of, what it saw.

All of it is the word of whoever is root there. It is kept as such, and counts no version.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog

from moorage_core.kit.db import Database, Db, Scope, org_scope
from moorage_core.kit.ids import PLATFORM_ORG, EvidenceId
from moorage_core.nodes import rules, store
from moorage_core.nodes.models import Facts
from moorage_core.platform import Platform

DROPPED = "evidence.dropped"
"""The platform's own word among a host's: something is missing here."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Said:
    """An inventory as a host said it; None where it was too long to be kept."""

    inventory: dict[str, Any] | None
    bytes: int


async def note(at: Platform, node: str, facts: Facts, *, known: Facts, said: Said | None) -> None:
    """Write down what is not `known`. Most polls say nothing new, and write nothing."""
    changed = not at.heartbeats.has_said(node, facts) and known != facts
    if changed or said is not None:
        async with at.database.transaction(Scope(principal=node), patient=True) as db:
            if changed:
                await store.note_facts(db, node, org=PLATFORM_ORG, facts=facts)
            if said is not None:
                await _note_inventory(db, node, said, now=at.clock.now())
    at.heartbeats.remember(node, facts)


async def _note_inventory(db: Db, node: str, said: Said, *, now: datetime) -> None:
    if said.inventory is None:
        log.warning("node.inventory_refused", node=node, bytes=said.bytes)
        await store.refuse_inventory(db, node, org=PLATFORM_ORG, size=said.bytes, now=now)
    else:
        given = said.inventory
        await store.note_inventory(db, node, org=PLATFORM_ORG, inventory=given, now=now)


@dataclass(frozen=True)
class Trust:
    """Who has taken up the certificates that agents should use."""

    confirmed: int
    lacking: list[str]
    """Names of nodes whose agents have not."""


async def count_trust(database: Database, digest: str) -> Trust:
    """How many agents have said that they use the bundle of this digest."""
    async with database.transaction(org_scope(PLATFORM_ORG), read_only=True) as db:
        rows = await store.list_trust(db, org=PLATFORM_ORG)
    lacking = [row["name"] for row in rows if row["trust"] != digest]
    return Trust(len(rows) - len(lacking), lacking)


async def add_evidence(
    at: Platform, node: str, items: Sequence[Mapping[str, Any]]
) -> dict[str, int]:
    """Keep what a host says it saw, up to a measure; how many of it were new, and kept or not."""
    now, most = at.clock.now(), rules.EVIDENCE_PER_HOUR
    # In the order of their ids, which is that of the call.
    rows = [{"id": id, **item} for id, item in zip(_ids(len(items)), items, strict=True)]
    key = now.strftime("%Y-%m-%dT%H")
    note = {"id": EvidenceId.new(), "kind": DROPPED, "key": key, "data": {"kept_per_hour": most}}
    scope = Scope(principal=node)
    async with at.heartbeats.turn(node), at.database.transaction(scope, patient=True) as db:
        return await store.add_evidence(
            db, org=PLATFORM_ORG, node=node, items=rows, note=note, most=most, now=now
        )


def _ids(count: int) -> list[str]:
    return sorted(EvidenceId.new() for _ in range(count))
