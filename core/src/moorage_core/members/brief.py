"""Members as controllers are told of them. Pure."""

from typing import Any

from moorage_core.allocations import shown
from moorage_core.allocations.models import Host
from moorage_core.members.models import Member


def member(row: Member, host: Host | None) -> dict[str, Any]:
    said = None if host is None else shown.host(host)
    return {
        "id": row.id,
        "name": row.name,
        "component": row.component,
        "status": row.status,
        "health": row.health,
        "allocation_id": row.allocation_id,
        "node_name": row.node_name,
        "host_address": address(host) or row.host_address,
        "reachable": said is not None and said["reachable"] is not False,
        "inventory": None if said is None else _inventory(said),
        "app_version": row.app_version,
        "runtime_version": row.runtime_version,
        "config_hash": row.config_hash,
        "adapter_detail": row.adapter_detail,
        "replaces_id": row.replaces_id,
    }


def address(host: Host | None) -> str | None:
    """Where others reach it: what those who run the platform gave, or the host's own first."""
    found = [] if host is None else shown.addresses(host)
    return found[0] if found else None


def _inventory(said: dict[str, Any]) -> dict[str, Any]:
    """The host's own word: whoever is root there may have written it."""
    return {
        "os": said["os"],
        "cpus": said["cpu"]["threads"],
        "memory_bytes": said["memory_bytes"],
        "gpus": said["gpus"],
        "addresses": said["addresses"],
    }
