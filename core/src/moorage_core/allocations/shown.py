"""Allocations as callers see them. Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from moorage_core.allocations import rules
from moorage_core.allocations.models import Held, Host
from moorage_core.allocations.placement import Choice
from moorage_core.kit.pagination import Page
from moorage_core.tasks.models import Evidence

SSH_PORT = 22


def allocation(held: Held, *, now: datetime) -> dict[str, Any]:
    row = held.allocation
    cost = rules.cost(
        row.held_from,
        row.held_until,
        price_micros=row.price_micros,
        currency=row.currency,
        now=now,
    )
    return {
        **vars(row),
        "node": None if held.host is None else host(held.host),
        "cost": {"label": "estimate", **vars(cost)},
    }


def placed(held: Sequence[Held], choice: Choice, strategy: str, *, now: datetime) -> dict[str, Any]:
    return {
        "allocations": [allocation(each, now=now) for each in held],
        "placement": {
            "strategy": strategy,
            "considered": choice.considered,
            "free": choice.free,
            "not_free": {reason: len(names) for reason, names in sorted(choice.refused.items())},
        },
    }


def host(found: Host) -> dict[str, Any]:
    """The node's own word, as far as it is of the form that we know."""
    said = found.inventory or {}
    gpus = [_part(each) for each in _list(said.get("gpus"))]
    return {
        "reach": found.reach,
        "reachable": None if found.reach == "ssh" else found.unreachable_since is None,
        "unreachable_since": found.unreachable_since,
        "last_seen_at": found.last_seen_at,
        "addresses": addresses(found),
        "ssh_port": found.ssh_port or SSH_PORT,
        "os": _os(_part(said.get("os"))),
        "cpu": _of(_part(said.get("cpu")), model=str, threads=int),
        "memory_bytes": _of(said, memory_bytes=int)["memory_bytes"],
        "gpus": [_of(each, model=str, memory_bytes=int) for each in gpus],
        "quarantined": found.status == "quarantined",
    }


def addresses(found: Host) -> list[str]:
    """The address that those who run the platform gave, or what the host says of itself."""
    if found.address is not None:
        return [found.address]
    nics = [_part(each) for each in _list((found.inventory or {}).get("nics"))]
    said = [str(each) for nic in nics for each in _list(nic.get("addresses"))]
    return [each for each in said if not each.startswith(("127.", "::1", "fe80"))][:16]


def evidence(held: Held, page: Page[Evidence]) -> dict[str, Any]:
    proof = held.allocation.proof
    steps = {name: proof.get(name) for name in ("setup", "wipe", "probe")}
    return {**steps, "items": page.items, "next": page.next}


def _os(said: dict[str, Any]) -> str | None:
    return " ".join(str(said[k]) for k in ("id", "version") if said.get(k)) or None


def _part(said: object) -> dict[str, Any]:
    return cast(dict[str, Any], said) if isinstance(said, dict) else {}


def _list(said: object) -> list[Any]:
    return cast(list[Any], said) if isinstance(said, list) else []


def _of(said: dict[str, Any], **kinds: type) -> dict[str, Any]:
    """The named fields, null where they are missing or of another kind."""
    return {k: said[k] if isinstance(said.get(k), kind) else None for k, kind in kinds.items()}
