"""Another key for everybody, while jobs run.

Everybody gets it before anybody uses it, so that the moment in which hosts do not understand each
other is short; with Slurm's own way there is none, because both keys are known meanwhile. A member
that cannot be reached holds nobody up. It is drained, because nobody would hear how its jobs end,
and the next repair after its host came back gives it the key.
"""

from collections.abc import Mapping, Sequence

import moorage
from moorage_slurm import archive, cluster, host, render
from moorage_slurm.app import KEY
from moorage_slurm.joining import KEY_BYTES, scheduler
from moorage_slurm.onhost import nodes

LATE = "It has the key of before: nobody hears it until a repair."


async def change_key(op: moorage.Operation) -> list[str]:
    """Make a new key and have everybody use it. Who did not get it is named."""
    await make_new_key(op)
    controller = scheduler(op)
    machine, auth = op.machine(controller), op.instance.config["auth"]
    machines = [op.machine(each) for each in hosts_of(op.members, first=controller)]
    late: dict[str, str] = await op.step(
        "hand out the key", hand_out, machine, machines, op.secret(KEY), auth, undo=take_in
    )
    await op.step("drain who has not got it", put_aside, machine, late)
    ready = [each for each in machines if each.name not in late]
    stages = ("use",) if auth == "munge" else ("know", "use", "drop")
    for stage in stages:
        late |= await op.step(_STEPS[stage], advance, machine, ready, stage, auth, no_return=True)
    await op.step("drain who has not taken it", put_aside, machine, late)
    for name in sorted(late):
        op.residue("the key of before", name, f"{late[name]} {LATE}")
    return sorted(late)


async def make_new_key(op: moorage.Operation, *, no_return: bool = False) -> None:
    async def generate() -> None:
        await op.put_secret(KEY, generate=KEY_BYTES, rotate=True)

    await op.step("make a new key", generate, no_return=no_return)


_STEPS = {
    "know": "let everybody know both keys",
    "use": "use the new key",
    "drop": "forget the key of before",
}


def hosts_of(members: Sequence[moorage.Member], *, first: moorage.Member) -> list[moorage.Member]:
    """One member of each host that has daemons: whoever stands on a host shares its key."""
    there = [first, *(each for each in members if each.status in cluster.SETTLED)]
    by_host = {each.allocation_id: each for each in reversed(there) if each.allocation_id}
    return [*reversed(by_host.values())]


async def hand_out(
    controller: moorage.Machine, machines: Sequence[moorage.Machine], key: moorage.Secret, auth: str
) -> dict[str, str]:
    """Have the key lie ready everywhere. Why not, by name; the controller's host has to have it."""

    async def one(machine: moorage.Machine) -> None:
        await machine.put(archive.PATH, archive.make(), mode="0755", parents=True)
        await host.ask(machine, "keys.take", {"auth": auth}, secrets=[key])

    late = await host.everywhere(machines, one)
    if controller.name in late:
        raise moorage.Fail("host_silent", late[controller.name], recovery="retryable")
    return late


async def take_in(
    controller: moorage.Machine, machines: Sequence[moorage.Machine], key: moorage.Secret, auth: str
) -> None:
    """Undo that: nobody used it yet."""

    async def one(machine: moorage.Machine) -> None:
        await host.ask(machine, "keys.discard")

    there = [each for each in machines if each.member.reachable]
    left = await host.everywhere(there, one)
    if left:
        raise moorage.Fail("host_silent", f"The new key still lies on {', '.join(left)}.")


async def advance(
    controller: moorage.Machine, machines: Sequence[moorage.Machine], stage: str, auth: str
) -> dict[str, str]:
    """Have every host do the next thing with the key. Why one did not, by name."""

    async def one(machine: moorage.Machine) -> None:
        await host.ask(machine, f"keys.{stage}", {"auth": auth})

    late = {} if stage == "know" else await host.everywhere(machines, one)
    if controller.name in late:
        raise moorage.Fail("host_silent", late[controller.name], recovery="retryable")
    if auth == "slurm":
        # Daemons read their keys when they are told to; accounting only when it starts.
        await host.reconfigure(controller)
        await _restart_accounting(controller)
    return late


async def _restart_accounting(controller: moorage.Machine) -> None:
    await controller.service("slurmdbd.service", "restarted")
    port = {"address": controller.address, "port": render.DATABASE_PORT, "unit": "slurmdbd"}
    await host.ask(controller, "setup.await", port)


async def put_aside(controller: moorage.Machine, late: Mapping[str, str]) -> None:
    """Start no more jobs on workers that have the key of before, and say there why."""
    for name in sorted(late):
        given = {"node": name, "owner": nodes.KEY, "reason": LATE}
        try:
            await host.ask(controller, "nodes.close", given)
        except moorage.Fail as err:
            if err.code != "node_unknown":
                raise
