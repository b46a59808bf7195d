"""Homes from the controller's host: a server there, which knows its workers."""

from collections.abc import Mapping, Sequence
from typing import Any

import moorage
from moorage_slurm import bundle, cluster, host, render
from moorage_slurm.onhost import homes


def bundle_for(config: Mapping[str, Any], role: str) -> str | None:
    """What a role needs for its homes and its state, besides its own packages."""
    home, state = config["home"], config["state"]
    if home["mode"] == "controller":
        return "homes-server" if role == cluster.CONTROLLER else "homes-client"
    mounts = is_from_network(home) or (role == cluster.CONTROLLER and is_from_network(state))
    return "homes-client" if mounts else None


def is_from_network(export: Mapping[str, Any]) -> bool:
    return export["mode"] == "mount" and export["type"] in render.NETWORK


async def install(machine: moorage.Machine, name: str) -> None:
    """Have what homes need; nothing of it starts by itself. What the host has of it stays."""
    _, wanted = bundle.ADDED[name]
    await machine.packages(*wanted, artifact=f"{name}.tar", start=False)
    await host.ask(machine, "homes.quiet")


async def serve(machine: moorage.Machine, conf: str) -> None:
    """Serve the homes of this host to whom the file names."""
    await host.ask(machine, "serving.check")
    changed = await host.write(machine, {str(homes.CONF): conf})
    unit = await machine.service(homes.UNIT, content=render.unit_homes())
    await machine.service(homes.UNIT, "restarted" if unit.changed else "started", enabled=False)
    if changed:
        await machine.service(homes.UNIT, "reloaded")
    await host.ask(machine, "homes.await", {"address": homes.OWN})


async def unserve(machine: moorage.Machine, conf: str) -> None:
    """Undo that."""
    await machine.service(homes.UNIT, "stopped", enabled=False)


async def share(controller: moorage.Machine, addresses: Sequence[str]) -> None:
    """Give the homes to more hosts. Those that have them do not notice."""
    await host.ask(controller, "serving.share", {"allow": [*addresses], "deny": []})


async def unshare(controller: moorage.Machine, addresses: Sequence[str]) -> None:
    """Undo that; and what is done for hosts that leave."""
    await host.ask(controller, "serving.share", {"allow": [], "deny": [*addresses]})


async def await_served(machine: moorage.Machine, address: str) -> None:
    """Until the controller's host gives this one the homes."""
    await host.ask(machine, "homes.await", {"address": address})


async def follow(
    controller: moorage.Machine, workers: Sequence[moorage.Machine], unit: str
) -> dict[str, str]:
    """Let workers have the homes of another host than before. Why one has not, by name."""
    others = [each for each in workers if each.address != controller.address]
    return await host.everywhere(others, lambda each: host.mount_homes(each, unit))
