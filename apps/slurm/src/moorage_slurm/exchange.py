"""Verbs that exchange one release of Slurm for another. Each is safe to run twice."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import moorage
from moorage_slurm import archive, cluster, host, render
from moorage_slurm.onhost import copies, queue, versions

Json = dict[str, Any]
CONTROLLER_UNITS = (f"{render.PEOPLE}.path", "slurmctld.service", "slurmdbd.service")
WORKER_UNIT = "slurmd.service"
REGISTERED_WITHIN = 30
RECHECK = 5


@dataclass(frozen=True)
class Worker:
    """A worker's host, and what it should run."""

    machine: moorage.Machine
    unit: str
    alone: bool
    """Whether the host is the worker's own, and not the controller's as well."""

    @property
    def name(self) -> str:
        return self.machine.name


OnWorker = Callable[[Worker], Awaitable[None]]


# --- one host ------------------------------------------------------------------------------------


async def change_packages(machine: moorage.Machine, role: str) -> list[str]:
    """All packages of a role in the release of the instance, and none that it does not need.

    What could not be taken away is returned: something else on the host needs it by now.
    """
    done = await machine.packages(artifact=f"{role}.tar", start=False, timeout=3600)
    names = {"packages": sorted(done.versions)}
    await host.ask(machine, "versions.brought", names)
    return (await host.ask(machine, "versions.tidy", names, within=600))["stay"]


async def stop_units(machine: moorage.Machine, units: Sequence[str]) -> None:
    for unit in units:
        await machine.service(unit, "stopped")


async def start_units(machine: moorage.Machine, units: Sequence[str]) -> None:
    """Undo a stop: in the other order, accounting before the scheduler."""
    for unit in reversed(units):
        await machine.service(unit, "started", enabled=False)


async def write(machine: moorage.Machine, files: Mapping[str, str], usual: Json) -> None:
    """Files that count at once, for as long as something is changed."""
    await host.write(machine, files)
    await host.reconfigure(machine)


async def write_usual(machine: moorage.Machine, files: Mapping[str, str], usual: Json) -> None:
    """Undo the files of a change."""
    await write(machine, usual, usual)


async def start_accounting(machine: moorage.Machine, conf: str) -> None:
    """Until accounting answers: it first converts its database, and nobody knows for how long."""
    path = f"{render.CONFIG}/slurmdbd.conf"
    await machine.put(path, conf, mode="0600", owner="slurm", group="slurm")
    unit = render.unit_slurmdbd()
    await machine.service("slurmdbd.service", "started", content=unit, enabled=False)
    given = {"address": machine.address, "port": render.DATABASE_PORT, "unit": "slurmdbd"}
    try:
        await host.ask(machine, "setup.await", {**given, "seconds": 20})
    except moorage.Fail as err:
        if err.code != "daemon_silent" or not (await machine.service("slurmdbd.service")).is_active:
            raise
        lines = [line for line in err.log if line.strip()]
        said = f": {lines[-1][:200]}" if lines else ""
        raise moorage.Wait(f"accounting converts its database{said}", recheck=RECHECK) from err


async def start_scheduler(machine: moorage.Machine) -> str:
    """Until the scheduler answers; which release it is."""
    await host.start_scheduler(machine)
    return await host.version(machine)


# --- jobs ----------------------------------------------------------------------------------------


async def close_queue(machine: moorage.Machine, files: Mapping[str, str], usual: Json) -> str:
    """Take no more jobs and start none; since when. A scheduler that is dead does neither, and
    finds the files when it is back."""
    await host.write(machine, files)
    done = await machine.exec("scontrol", "reconfigure", repeatable=True, check=False)
    if done.exit_code != 0 and not queue.SILENCE.search(done.stderr):
        raise moorage.Fail(
            "queue_open",
            f"{machine.name}: the scheduler still takes jobs: {done.stderr.strip()[-500:]}",
            recovery="retryable",
        )
    return datetime.now(UTC).isoformat()


async def open_queue(machine: moorage.Machine, files: Mapping[str, str], usual: Json) -> None:
    """Undo the closing of the queue."""
    await close_queue(machine, usual, usual)


async def wait_for_jobs(
    controller: moorage.Machine, workers: Sequence[moorage.Machine], overdue: bool
) -> list[int]:
    """Until nothing is at work, or there is no more time for it: then what still is."""
    jobs = await _at_work(controller, workers)
    if jobs and not overdue:
        raise moorage.Wait(f"waiting for {host.some_jobs(jobs)}", recheck=RECHECK)
    return jobs


async def _at_work(controller: moorage.Machine, workers: Sequence[moorage.Machine]) -> list[int]:
    """What the scheduler says; where it says nothing, what the hosts of workers show."""
    said: list[int] | None = (await host.ask(controller, "versions.active"))["jobs"]
    if said is not None:
        return said
    found: set[int] = set()

    async def look(machine: moorage.Machine) -> None:
        await bring_program(machine)
        found.update((await host.ask(machine, "versions.at_work"))["jobs"])

    await host.must_everywhere([each for each in workers if each.member.reachable], look)
    return sorted(found)


async def end_jobs(
    controller: moorage.Machine, workers: Sequence[moorage.Machine], jobs: list[int]
) -> None:
    """Cancel what still is at work, until nothing is."""
    if not (await host.ask(controller, "versions.end", {"jobs": jobs}))["up"]:
        raise moorage.Fail(
            "scheduler_dead",
            f"{host.some_jobs(jobs)} cannot be ended: the scheduler does not answer. Start it, or"
            " end the processes of slurmstepd on the workers' hosts, then resume.",
        )
    left = await _at_work(controller, workers)
    if left:
        raise moorage.Wait(f"waiting for the end of {host.some_jobs(left)}", recheck=1)


# --- copies --------------------------------------------------------------------------------------


async def check_room(machine: moorage.Machine, series: str) -> Json | None:
    """Bring the program, and see that there is room for a copy. The copy of a series, if any."""
    await bring_program(machine)
    found = await host.ask(machine, "copies.room", {"series": series})
    if found["free_mb"] < 2 * found["needs_mb"] + cluster.LEAST_FREE_MB:
        raise moorage.Fail(
            "disk_full",
            f"{machine.name}: /var has {found['free_mb']} MB free. Copies of state and database"
            f" take {2 * found['needs_mb']} MB, and {cluster.LEAST_FREE_MB} MB should stay. Make"
            " room, then resume.",
        )
    return found["copy"]


async def keep_copy(machine: moorage.Machine, operation: str, series: str, name: str) -> Json:
    given = {"operation": operation, "series": series, "cluster": name}
    return await host.ask(machine, "copies.keep", given, within=copies.LONGEST)


async def restore_copy(machine: moorage.Machine, operation: str, series: str) -> None:
    given = {"operation": operation, "series": series}
    await host.ask(machine, "copies.restore", given, within=copies.LONGEST)


async def bring_program(machine: moorage.Machine) -> None:
    await machine.put(archive.PATH, archive.make(), mode="0755", parents=True)


# --- workers -------------------------------------------------------------------------------------


async def on_workers(
    workers: Sequence[Worker],
    do: OnWorker,
    *,
    seen: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, str]:
    """Do something for every worker, on its host. Why it came to nothing, by name."""
    known = {each.name: each for each in workers}

    async def one(machine: moorage.Machine) -> None:
        await do(known[machine.name])

    return await host.everywhere([each.machine for each in workers], one, seen=seen)


async def stop_worker(worker: Worker) -> None:
    await worker.machine.service(WORKER_UNIT, "stopped", enabled=False)


async def change_worker(worker: Worker) -> None:
    """The packages of a worker whose daemon does not run. Jobs go on without it."""
    await bring_program(worker.machine)
    await stop_worker(worker)
    if worker.alone:
        await change_packages(worker.machine, cluster.WORKER)


async def start_worker(controller: moorage.Machine, worker: Worker) -> None:
    """Until the scheduler has heard of a worker."""
    await host.start_worker(worker.machine, worker.unit)
    given = {"node": worker.name, "seconds": REGISTERED_WITHIN}
    found = await host.ask(controller, "nodes.await", given)
    if not found["registered"]:
        node = found["node"]
        states = "it has not heard of it" if node is None else "+".join(node["states"])
        raise moorage.Fail("not_registered", f"The scheduler does not use it: {states}.")


async def put_aside(controller: moorage.Machine, why: Mapping[str, str]) -> None:
    """Start no more jobs on workers of another release, and say there why."""
    for name, reason in why.items():
        given = {"node": name, "owner": versions.REASON, "reason": reason}
        try:
            await host.ask(controller, "nodes.close", given)
        except moorage.Fail as err:
            if err.code != "node_unknown":
                raise


async def take_back(controller: moorage.Machine, name: str) -> None:
    """Take back the drain of a worker that was put aside. Drains that are others' stay."""
    await host.ask(controller, "nodes.release", {"node": name, "owner": versions.REASON})
