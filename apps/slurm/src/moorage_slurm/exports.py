"""State and accounting on an export, which outlives the host of the controller."""

from typing import Any

import moorage
from moorage_slurm import exchange, host

Json = dict[str, Any]


def wish(instance: moorage.Instance, *, is_first: bool = False) -> Json | None:
    """What the controller's host mounts; None where it has the state itself.

    Args:
        is_first: Whether the cluster comes into being, so that nothing on the export is older.
    """
    state = instance.config["state"]
    if state["mode"] == "local":
        return None
    named = {name: state[name] for name in ("what", "type", "options")}
    return {**named, "instance": instance.id, "is_first": is_first}


async def bring(machine: moorage.Machine, wish: Json) -> Json:
    """Have state and database where the export has them; when the queue was written last."""
    await exchange.bring_program(machine)
    return await host.ask(machine, "shared.bring", wish, within=900)


async def unbring(machine: moorage.Machine, wish: Json) -> None:
    """Undo that. What a cluster had there before stays."""
    await leave(machine, wish["is_first"])


async def leave(machine: moorage.Machine, is_last: bool) -> None:
    """Let go of the export, and leave nothing there at the end of the cluster."""
    await host.ask(machine, "shared.leave", {"is_last": is_last}, within=900)
