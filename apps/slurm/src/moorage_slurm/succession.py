"""One controller's host takes the place of another: state, accounting, and who follows."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import moorage
from moorage_slurm import cluster, exchange, host, render
from moorage_slurm.onhost import copies, state

Json = dict[str, Any]
PATIENCE = 120
"""Seconds that one host waits for the other."""
LEAP = 10_000
"""Numbers of jobs that are passed over after a copy: some were given to jobs that it lacks."""
NEW_ERA = 1_767_225_600
"""The beginning of 2026. Without any copy the numbers of jobs begin with the time since then."""
ACCEPT = "Resume this operation to accept that, or cancel it."
MOVING = "Jobs that run go on and none is lost; until the new controller runs, none starts."
HOMES = "Homes that people have on this host do not move: have them take what they need."


@dataclass(frozen=True)
class Legacy:
    """What a new controller begins with."""

    copy: Json | None
    keeper: str | None
    """The worker that has the copy. None: the old host handed it over itself, up to date."""
    first_job: int
    written: int | None = None
    """When the state was written last that is on an export, where it is."""

    @property
    def is_old(self) -> bool:
        """Whether jobs may have come, begun or ended since."""
        return self.copy is None or self.keeper is not None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known of any job."""
        return self.copy is None and not self.written

    @property
    def at(self) -> int:
        """The moment from which it is."""
        if self.written is not None:
            return self.written
        return 0 if self.copy is None else self.copy["at"]


# --- the old host is alive -----------------------------------------------------------------------


async def prepare(new: moorage.Machine, series: str) -> None:
    """Have the packages on the new host while the old one still schedules."""
    there = (await host.look(new, cluster.CONTROLLER))["packages"]
    await host.install(new, cluster.CONTROLLER, series, there)


async def unprepare(new: moorage.Machine, series: str) -> None:
    """Undo that."""
    await host.clear(new, cluster.CONTROLLER)


async def hand_over(
    old: moorage.Machine, new: moorage.Machine, key: moorage.Secret, operation: str
) -> None:
    """Bring the copy of the old host to the new one, where nothing runs yet."""
    await exchange.bring_program(new)
    known = (await host.ask(new, "state.came"))["copy"]
    if known is None or known["operation"] != operation:
        await _carry(old, new, state.MOVED, secrets=[key])


async def _carry(
    old: moorage.Machine, new: moorage.Machine, series: str, *, secrets: Sequence[moorage.Secret]
) -> None:
    # At the port that the scheduler will have: whatever lets workers in lets this in.
    place = {"port": render.PORT, "seconds": PATIENCE}
    there = {**place, "address": new.address, "series": series}
    within = copies.LONGEST
    await asyncio.gather(
        host.ask(new, "state.receive", place, within=within, secrets=secrets),
        host.ask(old, "state.send", there, within=within, secrets=secrets),
    )


def promise(home: Mapping[str, Any]) -> str:
    """What becomes of a cluster whose controller moves. Nobody's homes go by surprise."""
    if home["mode"] == "controller":
        raise moorage.Fail(
            "homes_here",
            "Everybody's homes are on this host, and would go with it. Deploy a cluster that mounts"
            " homes from an export, have people take theirs there, and cancel this operation.",
        )
    return MOVING if home["mode"] == "mount" else f"{MOVING} {HOMES}"


def successor(op: moorage.MemberOperation) -> moorage.Machine:
    """The machine of the member that comes, which has to be there to take anything."""
    named = op.input["replaced_by"]
    found = next((each for each in op.members if each.id == named), None)
    if found is None or found.host_address is None or not found.reachable:
        raise moorage.Wait("waiting for the machine that takes its place", recheck=5)
    return op.machine(found)


# --- the old host is dead ------------------------------------------------------------------------


async def foresee(workers: Sequence[moorage.Machine], attempt: int) -> Json:
    """What there is to begin with, and which jobs began after it. People are asked in this try."""
    begun: set[int] = set()
    kept = await _kept(workers)

    async def one(worker: moorage.Machine) -> None:
        seen = await host.ask(worker, "state.witnessed")
        begun.update(seen["begun"], seen["at_work"])

    late = await host.everywhere(workers, one)
    keeper = newest(kept)
    copy = kept.get(keeper or "")
    since = sorted(job for job in begun if copy is not None and job > copy["highest"])
    return {"attempt": attempt, "copy": copy, "keeper": keeper, "begun": since, "late": [*late]}


def losses(found: Mapping[str, Any], *, now: float) -> str:
    """What a cluster loses with the host of its controller, for whoever has to agree to it."""
    gone = "The controller's host is gone, and homes that were on it alone."
    silent = f" {', '.join(found['late'])} could not be asked." if found["late"] else ""
    copy = found["copy"]
    if copy is None:
        return (
            f"{gone} No worker has a copy of the queue: every job that waits is lost, every job"
            f" that runs is ended, and accounting begins anew.{silent} {ACCEPT}"
        )
    at = f"{datetime.fromtimestamp(copy['at'], UTC):%Y-%m-%d %H:%M:%S} UTC"
    begun = ", ".join(map(str, found["begun"]))
    return (
        f"{gone} Jobs that run go on and jobs that wait are kept, as of the copy that"
        f" {found['keeper']} has: of {at}, {now - copy['at']:.0f} s ago. Lost is what was submitted"
        f" since, and in the seconds before it: jobs above {copy['highest']}, which the view"
        " `slurm.queue` still shows as it was seen last."
        f"{f' Those that began since are ended: {begun}.' if begun else ''}{silent} {ACCEPT}"
    )


def workers_left(instance: moorage.Instance, lost: str | None) -> list[moorage.Member]:
    """Workers that have a daemon. One on the host that is lost does not answer, even if the
    platform has not seen that so far. Pure."""
    return [
        each.model_copy(update={"reachable": False}) if each.allocation_id == lost else each
        for each in cluster.workers_of(instance)
    ]


async def silence(
    machines: Sequence[moorage.Machine], key: moorage.Secret, auth: str
) -> dict[str, str]:
    """Stop the daemons of workers, whose jobs go on, and give them the new key. Why not, by name.

    Nobody answers a scheduler before it knows what happened since its copy was made.
    """

    async def one(machine: moorage.Machine) -> None:
        await exchange.bring_program(machine)
        await host.stop_worker(machine, "")
        await host.put_key(machine, key, auth)

    return await host.everywhere(machines, one)


async def settle(controller: moorage.Machine, machines: Sequence[moorage.Machine], at: int) -> Json:
    """Have nothing run twice, and nothing that ended since a moment run again."""
    seen: list[Json] = []

    async def one(machine: moorage.Machine) -> None:
        await host.stop_worker(machine, "")
        seen.append(await host.ask(machine, "state.witnessed"))

    late = await host.everywhere(machines, one)
    given = {
        "at_work": sorted({job for each in seen for job in each["at_work"]}),
        "begun": sorted({job for each in seen for job in each["begun"]}),
        "complete": not late,
        "at": at,
    }
    return await host.ask(controller, "state.settle", given)


# --- the new host --------------------------------------------------------------------------------


async def look(machine: moorage.Machine, workers: Sequence[moorage.Machine]) -> Json:
    """What there is of the cluster of before: handed over, or kept by a worker."""
    handed = (await host.ask(machine, "state.came"))["copy"]
    if handed is not None:
        return {"copy": handed, "keeper": None, "first_job": handed["first_job"]}
    kept = await _kept(workers)
    keeper = newest(kept)
    if keeper is None:
        first = (int(time.time()) - NEW_ERA) // 10
        return {"copy": None, "keeper": None, "first_job": first}
    found = kept[keeper]
    first = max(found["first_job"], found["highest"] + LEAP)
    return {"copy": found, "keeper": keeper, "first_job": first}


async def _kept(workers: Sequence[moorage.Machine]) -> dict[str, Json]:
    """The copies that workers have, by name."""
    kept: dict[str, Json] = {}

    async def one(worker: moorage.Machine) -> None:
        await exchange.bring_program(worker)
        found = (await host.ask(worker, "state.came", {"series": state.KEPT}))["copy"]
        if found is not None:
            kept[worker.name] = found

    await host.everywhere(workers, one)
    return kept


def newest(kept: Mapping[str, Json]) -> str | None:
    """Who has the newest copy."""
    return max(sorted(kept), key=lambda name: kept[name]["at"], default=None)


async def fetch(machine: moorage.Machine, keeper: moorage.Machine) -> None:
    """Have the copy of a worker. Both have the new key by now, and need no other."""
    if (await host.ask(machine, "state.came"))["copy"] is None:
        await _carry(keeper, machine, state.KEPT, secrets=[])


async def take_over(machine: moorage.Machine, operation: str) -> None:
    """State and accounting of the one before, in the place of what an empty cluster has."""
    await exchange.restore_copy(machine, operation, state.MOVED)


async def follow(
    controller: moorage.Machine, machines: Sequence[moorage.Machine], units: Mapping[str, str]
) -> Json:
    """Let workers follow another controller. Their jobs go on; why one does not follow, by name."""

    async def one(machine: moorage.Machine) -> None:
        worker = exchange.Worker(machine, units[machine.name], alone=True)
        await exchange.start_worker(controller, worker)

    return await host.everywhere(machines, one)


async def open_queue(machine: moorage.Machine, files: Mapping[str, str]) -> None:
    """Let jobs start again."""
    await host.write(machine, files)
    await host.reconfigure(machine)


async def drop(machine: moorage.Machine) -> None:
    await host.ask(machine, "state.drop")


def words(jobs: Mapping[str, Sequence[int]], *, empty: bool) -> list[str]:
    """What became of jobs, for people."""
    said = {
        "lost": "Jobs that nobody knew any more were ended",
        "held": "Jobs that may have begun before wait for `scontrol release`",
        "ended": "Jobs that ended unseen count as cancelled",
    }
    found = [
        f"{text}: {', '.join(map(str, jobs[name]))}." for name, text in said.items() if jobs[name]
    ]
    return [*(["No copy was found: the queue and accounting begin anew."] if empty else []), *found]


def units(op: moorage.Operation, controller: moorage.Member) -> dict[str, str]:
    """The unit of every worker, with this controller."""
    address = cluster.address(controller)
    return {
        each.name: render.unit_slurmd(cluster.worker(each, op.instance.config), controller=address)
        for each in cluster.workers_of(op.instance)
    }
