"""From one release of Slurm to another, and back.

Forward, in Slurm's own order: accounting, the scheduler, workers. Jobs go on meanwhile. A worker
whose host does not answer holds nobody up: it is drained with a reason, and the next repair after
its host came back brings it along.

Back is another matter, because the earlier release reads neither the state nor the database of the
later one. Copies of both were made before the change; they are put in the place of what there is,
with no job at work and the queue closed. What the copies know nothing of is written down first.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import moorage
from moorage_slurm import behind, changing, cluster, exchange, health, host, render
from moorage_slurm.app import app
from moorage_slurm.joining import books, people_of, scheduler
from moorage_slurm.trying import try_a_job

Json = dict[str, Any]
PATIENCE = "14400"
"""Seconds that a worker may be silent while its packages are changed."""
APART = frozenset({"auth", "gpu_types", "home", "process_tracking"})
"""Fields whose change concerns every host, which is an operation of its own."""


class Change:
    """What is changed into what: the hosts, and the files before and after."""

    def __init__(self, op: moorage.InstanceOperation) -> None:
        before = op.instance.previous
        if before is None:
            raise moorage.Fail("previous_missing", "Nobody knows the version before this one.")
        self.controller = scheduler(op)
        self.machine = op.machine(self.controller)
        self.now, self.then = before.app_version, op.instance.app_version
        self.series = cluster.series(self.now), cluster.series(self.then)
        self.whole = cluster.cluster(op.instance, self.controller)
        self.old = replace(self.whole, config=before.config)
        self._instance = op.instance
        self.workers = [
            behind.worker_of(op, each, self.controller) for each in cluster.workers_of(op.instance)
        ]

    @property
    def units(self) -> list[str]:
        """What stops on the controller's host, which may be a worker's as well."""
        shared = any(not each.alone for each in self.workers)
        return [*exchange.CONTROLLER_UNITS, *([exchange.WORKER_UNIT] if shared else [])]

    def files(self, whole: render.Cluster) -> dict[str, str]:
        known = [each for each in self._instance.of(cluster.WORKER) if each.host_address]
        return render.config_files(whole, [cluster.worker(each, whole.config) for each in known])


def patient(whole: render.Cluster) -> render.Cluster:
    """A cluster that gives its workers time."""
    extra = {**whole.config["extra"], "SlurmdTimeout": PATIENCE}
    return replace(whole, config={**whole.config, "extra": extra})


def closed(whole: render.Cluster) -> render.Cluster:
    return replace(whole, closed=True)


@app.instance.upgrade
async def upgrade(op: moorage.InstanceOperation) -> Json:
    """To a later version of the app. Jobs that run go on."""
    _check_apart(op)
    change = Change(op)
    machine, usual = change.machine, change.files(change.whole)
    settings = books(op.instance, await people_of(op))
    await op.step("look for room", exchange.check_room, machine, change.series[0])
    await op.step(
        "give workers time",
        exchange.write,
        machine,
        change.files(patient(change.old)),
        change.files(change.old),
        undo=exchange.write_usual,
    )
    await op.step(
        "stop the scheduler and accounting",
        exchange.stop_units,
        machine,
        change.units,
        undo=exchange.start_units,
    )
    copy: Json = await op.step(
        "copy state and database",
        exchange.keep_copy,
        machine,
        op.id,
        change.series[0],
        change.whole.name,
    )
    await _change_controller(op, change)
    await op.step(
        "write the configuration", host.write, machine, change.files(patient(change.whole))
    )
    await _start_controller(op, change)
    await _look(op, change, "see who runs which release")
    missing = await _on_workers(
        op, change.workers, "change the workers", _change_and_start(machine)
    )
    await op.step("put aside who is missing", exchange.put_aside, machine, missing)
    await op.step("expect workers to answer as usual", exchange.write, machine, usual, usual)
    await op.step("open the books", host.open_books, machine, settings)
    runtime = await _look(op, change, "look at the cluster")
    await try_a_job(op)
    return {"runtime_version": runtime, "copy": copy, "behind": missing}


@app.instance.rollback
async def rollback(op: moorage.InstanceOperation) -> Json | None:
    """To an earlier revision: another configuration, other packages, or another release."""
    change = Change(op)
    if change.now == change.then:
        await changing.configure(op)
        return None
    _check_apart(op)
    if change.series[0] == change.series[1]:
        return await upgrade(op)
    return await _go_back(op, change)


async def _go_back(op: moorage.InstanceOperation, change: Change) -> Json:
    machine, series = change.machine, change.series[1]
    settings = books(op.instance, await people_of(op))
    if await op.step("look for the copy", exchange.check_room, machine, series) is None:
        raise moorage.Fail(
            "copy_missing",
            f"No copy of the state of Slurm {series} is on the host of {machine.name}: it was made"
            " on another host, or the cluster never ran that release. There is no way back.",
            recovery="terminal",
        )
    cut = await _empty(op, change)
    stock: Json = await op.step(
        "write down what is given up",
        host.ask,
        machine,
        "versions.stock",
        {"operation": op.id, "series": series, "cluster": change.whole.name},
    )
    first = max(stock["highest"] + 1, change.whole.first_job)
    whole = replace(change.whole, first_job=first)
    await op.step(
        "stop the scheduler and accounting",
        exchange.stop_units,
        machine,
        change.units,
        no_return=True,
    )
    await _change_controller(op, change)
    missing = await _on_workers(op, change.workers, "change the workers", exchange.change_worker)
    await op.step("put the copy back", exchange.restore_copy, machine, op.id, series)
    files = change.files(closed(whole))
    await op.step("write the configuration", host.write, machine, files)
    await _start_controller(op, change)
    given = {"operation": op.id}
    settled: Json = await op.step("settle the jobs", host.ask, machine, "versions.settle", given)
    there = [each for each in change.workers if each.name not in missing]
    missing |= await _on_workers(op, there, "start the workers", _start(machine))
    members = [each.name for each in change.workers]
    await op.step(
        "settle the nodes",
        host.ask,
        machine,
        "versions.settle_nodes",
        {**given, "members": members},
    )
    await op.step("put aside who is missing", exchange.put_aside, machine, missing)
    usual = change.files(whole)
    await op.step("let jobs start again", exchange.write, machine, usual, usual)
    await op.step("open the books", host.open_books, machine, settings)
    runtime = await _look(op, change, "look at the cluster", first_job=first)
    await try_a_job(op)
    return {
        "runtime_version": runtime,
        "ended_for_it": cut,
        "jobs": settled,
        "first_job": first,
        "behind": missing,
        "kept": {"host": machine.name, "folder": stock["folder"], "jobs": stock["jobs"]},
    }


async def _empty(op: moorage.InstanceOperation, change: Change) -> list[int]:
    """Close the queue, then wait until nothing is at work; what had to be ended for that."""
    machine, machines = change.machine, [each.machine for each in change.workers]
    since: str = await op.step(
        "start no more jobs",
        exchange.close_queue,
        machine,
        change.files(closed(change.old)),
        change.files(change.old),
        undo=exchange.open_queue,
    )
    overdue = cluster.is_overdue(
        op.input, since=datetime.fromisoformat(since), now=datetime.now(UTC)
    )
    left = await op.step("wait for jobs", exchange.wait_for_jobs, machine, machines, overdue)
    if left:
        await op.step("end what still runs", exchange.end_jobs, machine, machines, left)
    return left


# --- shared by both ways -------------------------------------------------------------------------


def _check_apart(op: moorage.InstanceOperation) -> None:
    effects: Json = op.input.get("effects") or {}
    other = sorted(APART & {pointer.split("/")[1] for pointer in effects})
    if other:
        raise moorage.Fail(
            "change_apart",
            f"{', '.join(other)} would change along with the version, and that concerns every"
            " host. Configure it before or after, in an operation of its own.",
            recovery="terminal",
        )


async def _change_controller(op: moorage.InstanceOperation, change: Change) -> None:
    for what in await op.step(
        "change the packages of the controller",
        exchange.change_packages,
        change.machine,
        cluster.CONTROLLER,
        no_return=True,
    ):
        op.residue(f"package {what}", change.machine.name, "Something else needs it by now.")


async def _start_controller(op: moorage.InstanceOperation, change: Change) -> None:
    conf = render.slurmdbd_conf(change.whole)
    await op.step("start accounting", exchange.start_accounting, change.machine, conf)
    await op.step("start the scheduler", exchange.start_scheduler, change.machine)


async def _on_workers(
    op: moorage.InstanceOperation,
    workers: Sequence[exchange.Worker],
    name: str,
    do: exchange.OnWorker,
) -> dict[str, str]:
    async def all_of_them() -> dict[str, str]:
        return await exchange.on_workers(workers, do, seen=op.progress)

    return await op.step(name, all_of_them)


def _change_and_start(controller: moorage.Machine) -> exchange.OnWorker:
    async def do(worker: exchange.Worker) -> None:
        await exchange.change_worker(worker)
        await exchange.start_worker(controller, worker)

    return do


def _start(controller: moorage.Machine) -> exchange.OnWorker:
    async def do(worker: exchange.Worker) -> None:
        await exchange.start_worker(controller, worker)

    return do


async def _look(
    op: moorage.InstanceOperation, change: Change, name: str, *, first_job: int | None = None
) -> str:
    """Say how everybody is, and which release each runs: while it is changed there are two."""

    async def look_at_all() -> str:
        said = await host.ask(change.machine, "status.gather")
        observed = health.judge(op.instance, health.Answer(said), {}).observed
        seen = observed.members.get(change.controller.id)
        if seen is not None and first_job is not None:
            detail = {**change.controller.adapter_detail, "first_job": first_job}
            new = seen.model_copy(update={"adapter_detail": detail})
            members = {**observed.members, change.controller.id: new}
            observed = observed.model_copy(update={"members": members})
        await op.observe(observed)
        return said.get("version") or ""

    runtime = await op.step(name, look_at_all)
    op.report_instance(runtime_version=runtime)
    return runtime
