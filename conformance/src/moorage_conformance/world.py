"""The world as an operation leaves it: what the platform shows of an instance, and its hosts.

Two lives of the same app are compared by it, so whatever differs from life to life without meaning
anything is left out: ids, times, versions of rows, and health, which follows in its own time.
"""

from dataclasses import dataclass, field
from typing import Any

from moorage import Client
from moorage_conformance.hosts import Hosts, Traced

Json = dict[str, Any]
MOST_NAMED = 8
"""Places where two worlds differ that are named: a folder that moved is a hundred of them."""


@dataclass(frozen=True)
class World:
    """What there is."""

    instance: Json = field(default_factory=dict[str, Any])
    members: dict[str, Json] = field(default_factory=dict[str, Json])
    hosts: list[Traced] = field(default_factory=list[Traced])

    def differences(self, other: "World") -> list[str]:
        """Where the other world is not this one, in words."""
        mine, theirs = dict(_flat(self)), dict(_flat(other))
        found = [
            f"{place} is {theirs.get(place, 'absent')} and not {mine.get(place, 'absent')}"
            for place in sorted(mine.keys() | theirs.keys())
            if mine.get(place) != theirs.get(place)
        ]
        unnamed = len(found) - MOST_NAMED
        return [*found[:MOST_NAMED], f"{unnamed} places more differ"] if unnamed > 0 else found


async def look(client: Client, instance: str, hosts: Hosts) -> World:
    """The world at this moment."""
    found = await client.instances.get(instance)
    shown = {
        "status": found.status,
        "config": found.config,
        "app_version": found.app_version,
        "runtime_version": found.runtime_version,
        "endpoints": found.endpoints,
    }
    members = {
        member.name: {
            "component": member.component,
            "status": member.status,
            "app_version": member.app_version,
            "runtime_version": member.runtime_version,
            "config_hash": member.config_hash,
            "machine": _place(hosts, member.allocation_id),
            "drained": None if member.drain is None else member.drain.owner,
        }
        async for member in client.members.list(instance)
    }
    return World(shown, members, await hosts.look())


def _place(hosts: Hosts, allocation: str | None) -> int | None:
    return hosts.machines.index(allocation) if allocation in hosts.machines else None


def _flat(world: World) -> list[tuple[str, str]]:
    found = [(f"instance {key}", _word(value)) for key, value in world.instance.items()]
    for name, member in world.members.items():
        found += [(f"member {name} {key}", _word(value)) for key, value in member.items()]
    for number, traced in enumerate(world.hosts, start=1):
        found += [(f"host {number} {what}", state[:16]) for what, state in traced.items()]
    return found


def _word(value: Any) -> str:
    return "nothing" if value is None else str(value)
