"""One controller's host takes the place of another: state, accounting, and who follows."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import moorage
from moorage_slurm import archive, cluster, exchange, host, render
from moorage_slurm.onhost import state

Json = dict[str, Any]
PATIENCE = 120
"""Seconds that one host waits for the other."""


async def hand_over(
    old: moorage.Machine, new: moorage.Machine, key: moorage.Secret, operation: str
) -> Json:
    """Bring the copy of the old host to the new one, where nothing runs yet."""
    await new.put(archive.PATH, archive.make(), mode="0755", parents=True)
    known = (await host.ask(new, "state.came"))["copy"]
    if known is not None and known["operation"] == operation:
        return known
    # At the port that the scheduler will have: whatever lets workers in lets this in.
    place = {"port": render.PORT, "seconds": PATIENCE}
    took, _ = await asyncio.gather(
        host.ask(new, "state.receive", place, within=exchange.copies.LONGEST, secrets=[key]),
        host.ask(
            old,
            "state.send",
            {**place, "address": new.address},
            within=exchange.copies.LONGEST,
            secrets=[key],
        ),
    )
    return took["copy"]


async def look(machine: moorage.Machine) -> Json | None:
    """What was handed on to this host."""
    return (await host.ask(machine, "state.came"))["copy"]


async def take_over(machine: moorage.Machine, operation: str) -> None:
    """State and accounting of the one before, in the place of what an empty cluster has."""
    await exchange.restore_copy(machine, operation, state.MOVED)


async def follow(
    controller: moorage.Machine, machines: Sequence[moorage.Machine], units: Mapping[str, str]
) -> Json:
    """Let workers follow another controller. Their jobs go on; why one does not follow, by name."""
    workers = [exchange.Worker(each, units[each.name], alone=True) for each in machines]

    async def one(worker: exchange.Worker) -> None:
        await exchange.start_worker(controller, worker)

    return await exchange.everywhere(workers, one)


async def drop(machine: moorage.Machine) -> None:
    await host.ask(machine, "state.drop")


def successor(op: moorage.MemberOperation) -> moorage.Machine:
    """The machine of the member that comes, which has to be there to take anything."""
    named = op.input["replaced_by"]
    found = next((each for each in op.members if each.id == named), None)
    if found is None or found.host_address is None or not found.reachable:
        raise moorage.Wait("waiting for the machine that takes its place", recheck=5)
    return op.machine(found)


def units(op: moorage.Operation, controller: moorage.Member) -> dict[str, str]:
    """The unit of every worker, with this controller."""
    address = cluster.address(controller)
    return {
        each.name: render.unit_slurmd(cluster.worker(each, op.instance.config), controller=address)
        for each in cluster.workers_of(op.instance)
    }
