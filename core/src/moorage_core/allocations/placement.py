"""Which nodes a request gets, and why.

Pure: the same nodes and the same wish give the same choice, whoever asks. The order is a whole one,
so whatever somebody else took a moment ago is skipped and the next one is as good.
"""

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from moorage_core.allocations.models import Candidate, Strategy
from moorage_core.errors import Conflict, Fault
from moorage_core.kit.counting import counted

Reason = Literal[
    "held", "cordoned", "enrolling", "maintenance", "quarantined", "unreachable", "needs_reimage"
]
REASONS: dict[Reason, tuple[str, str]] = {
    "held": ("is held", "are held"),
    "cordoned": ("is cordoned", "are cordoned"),
    "enrolling": ("has not enrolled", "have not enrolled"),
    "maintenance": ("is in maintenance", "are in maintenance"),
    "quarantined": ("is quarantined", "are quarantined"),
    "unreachable": ("is silent", "are silent"),
    "needs_reimage": (
        "was another org's and cannot be imaged anew here",
        "were another org's and cannot be imaged anew here",
    ),
}
"""Why a node is not to be had, in words."""
NAMED = 20
"""Nodes that a refusal names, for those who run them."""


class NoCapacity(Conflict):
    """There are not enough free machines of this kind there."""

    code = "no_capacity"


class NodeNotFree(Conflict):
    """Nobody can get this node now."""

    code = "node_not_free"


@dataclass(frozen=True)
class Wish:
    org: str
    count: int
    strategy: Strategy
    can_reimage: bool


@dataclass(frozen=True)
class Chosen:
    node: Candidate
    reimage: bool
    why: str


@dataclass(frozen=True)
class Choice:
    chosen: tuple[Chosen, ...]
    considered: int
    free: int
    refused: dict[Reason, list[str]]
    """Names of nodes by why they were not to be had."""


def choose(nodes: Sequence[Candidate], wish: Wish) -> Choice:
    """The best nodes for a wish; fewer than it asks for where there are no more."""
    refused: dict[Reason, list[str]] = {}
    free: list[Candidate] = []
    for node in sorted(nodes, key=lambda each: each.name):
        reason = obstacle(node, org=wish.org, can_reimage=wish.can_reimage)
        if reason is None:
            free.append(node)
        else:
            refused.setdefault(reason, []).append(node.name)
    order = _spread if wish.strategy == "spread" else _pack
    chosen = order(nodes, free, wish)
    return Choice(tuple(chosen), len(nodes), len(free), refused)


def obstacle(node: Candidate, *, org: str, can_reimage: bool) -> Reason | None:
    """Why nobody of this org can get a node now; None: it is free."""
    by_status: dict[str, Reason] = {
        "allocated": "held",
        "cleaning": "held",
        "enrolling": "enrolling",
        "maintenance": "maintenance",
    }
    if node.status != "available":
        return by_status.get(node.status, "quarantined")
    if node.cordoned:
        return "cordoned"
    if not node.reachable:
        return "unreachable"
    if needs_reimage(node, org) and not (can_reimage and node.reach == "agent"):
        return "needs_reimage"
    return None


def needs_reimage(node: Candidate, org: str) -> bool:
    """Whether people of another org were root on it since it was imaged."""
    return node.last_org_id not in (None, org)


def check_enough(choice: Choice, *, sku: str, region: str, count: int, names: bool) -> None:
    """All or nothing. Names of nodes are for those who run them."""
    if len(choice.chosen) == count:
        return
    why = " ".join(f"{_sentence(r, found)}." for r, found in sorted(choice.refused.items()))
    raise NoCapacity(
        f"{counted(count, 'machine', 'machines')} of {sku} in {region}: {choice.free} of "
        f"{choice.considered} free. {why or 'There are no others.'} Ask for fewer, for another "
        "SKU or region, or again later.",
        errors=[
            Fault(
                reason, ", ".join(found[:NAMED]) if names else counted(len(found), "node", "nodes")
            )
            for reason, found in sorted(choice.refused.items())
        ],
    )


def check_free(node: Candidate, *, org: str, can_reimage: bool) -> None:
    """For a node that somebody named."""
    reason = obstacle(node, org=org, can_reimage=can_reimage)
    if reason is not None:
        raise NodeNotFree(f"Node {node.name} {REASONS[reason][0]}: nobody can get it now.")


def _sentence(reason: Reason, found: Sequence[str]) -> str:
    return f"{len(found)} {REASONS[reason][0] if len(found) == 1 else REASONS[reason][1]}"


def _spread(nodes: Sequence[Candidate], free: Sequence[Candidate], wish: Wish) -> list[Chosen]:
    """Over racks where the project has least, and in those what has rested longest."""
    load = Counter(node.rack for node in nodes if node.held_here)
    racks: dict[tuple[bool, str], deque[Candidate]] = {}
    for node in sorted(free, key=lambda n: (n.status_since, n.name)):
        racks.setdefault((needs_reimage(node, wish.org), node.rack), deque()).append(node)

    def rank(key: tuple[bool, str]) -> tuple[bool, int, datetime, str]:
        (reimage, rack), first = key, racks[key][0]
        return reimage, load[rack] if rack else 0, first.status_since, first.name

    chosen: list[Chosen] = []
    while racks and len(chosen) < wish.count:
        key = min(racks, key=rank)
        best = racks[key].popleft()
        where = f"{load[best.rack]} of the project's in its rack" if best.rack else "no rack"
        chosen.append(_chosen(best, wish, f"free since longest; {where}"))
        load[best.rack] += 1
        if not racks[key]:
            del racks[key]
    return chosen


def _pack(nodes: Sequence[Candidate], free: Sequence[Candidate], wish: Wish) -> list[Chosen]:
    """Into the racks that are fullest."""
    held = Counter(n.rack for n in nodes if n.status in ("allocated", "cleaning"))
    ranked = sorted(free, key=lambda n: (needs_reimage(n, wish.org), -held[n.rack], n.rack, n.name))
    return [
        _chosen(node, wish, f"{held[node.rack]} held in {_rack(node)}")
        for node in ranked[: wish.count]
    ]


def _rack(node: Candidate) -> str:
    return f"rack {node.rack}" if node.rack else "no rack"


def _chosen(node: Candidate, wish: Wish, why: str) -> Chosen:
    reimage = needs_reimage(node, wish.org)
    fresh = "was the org's before" if node.last_org_id else "fresh"
    return Chosen(node, reimage, f"{'imaged anew first' if reimage else fresh}; {why}")
